import { type ReactNode, type SubmitEvent } from 'react'
import type { Answer, Refusal } from '../../ui/send-request.ts'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { isZero, subtractDecimal } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Person, Quote, Redeemed, ShownVoucher } from '../shell/responses.ts'
import { act, read, useAct } from '../shell/request-dashboard.ts'
import type { Sold } from '../payments/receipt.tsx'
import { formatMoney, Money, useShop } from '../shell/shop.tsx'
import type { SaleInput } from './till-amount.tsx'
import { redemptionOf } from './till-rules.tsx'
import { useEscape } from '../parts/use-escape.ts'
import { words } from '../words/words.ts'

type TillConfirmProps = {
  readonly voucher: ShownVoucher
  readonly input: SaleInput
  readonly quote: Quote
  /** Whether a new price is being fetched. */
  readonly isPricing: boolean
  readonly onSold: (sold: Sold) => void
  /** The price has expired. */
  readonly onStale: () => void
  readonly onRefused: (refusal: Refusal) => void
  readonly onChange: () => void
}

/** The price of the sale, and the button that charges it. */
export function TillConfirm(props: TillConfirmProps): ReactNode {
  const { voucher, input, quote, isPricing, onSold, onStale, onRefused, onChange } = props
  const { person } = useShop()
  const { state, done, start } = useAct<Redeemed>()
  const currency = voucher.generatedCurrency.abbrev

  const finish = (answer: Answer<Redeemed>): void => {
    if ('data' in answer) void readSold(voucher, quote, answer.data.referenceId, person.fullName).then(onSold)
    // The sign-in form explains it, and the sale continues after it.
    else if (answer.refusal.code === 'SESSION_MISSING') return
    else if (answer.refusal.code === 'QUOTE_STALE') onStale()
    else onRefused(answer.refusal)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPricing) return
    const body = { ...redemptionOf(voucher, input), quoteId: quote.quoteId }
    start((referenceId) => act('/merchant-integrations/redeem-voucher', { ...body, referenceId }), finish)
  }
  const isBusy = state !== 'idle' || done !== null
  // The screen stays until the outcome of the sale is known.
  useEscape(() => isBusy || onChange())
  const idleLabel = isBusy || isPricing ? words.oneMoment : words.till.charge(formatMoney(quote.swapAmount, currency))
  return (
    <form className="till-form" noValidate onSubmit={submit}>
      <div className="till-due">
        <p className="soft">{words.till.saleAmount}</p>
        <Money value={quote.swapAmount} code={currency} size="large" isDue />
      </div>
      <Price quote={quote} currency={currency} balance={voucher.balance} />
      {voucher.onchain && <Notice kind="wait">{words.till.onchainCare}</Notice>}
      <Checking state={state} words={words.checking} />
      <div className="till-main">
        <Button
          kind="main"
          size="xl"
          isWide
          type="submit"
          autoFocus
          aria-disabled={isBusy || isPricing}
          // An Enter key held down since the previous step must not confirm.
          onKeyDown={(event) => {
            if (event.repeat) event.preventDefault()
          }}
        >
          {state === 'checking' ? words.checking.checking : idleLabel}
        </Button>
        <Button kind="bare" isWide aria-disabled={isBusy} onClick={() => isBusy || onChange()}>
          {words.till.change}
        </Button>
        <p className="soft till-keys">{words.till.keys}</p>
      </div>
    </form>
  )
}

/**
 * The content of the receipt. Another till may have charged the voucher meanwhile, and another cashier may have signed
 * in, so the balance and the name are read again.
 */
async function readSold(voucher: ShownVoucher, quote: Quote, reference: string, cashier: string): Promise<Sold> {
  const at = new Date().toISOString()
  const { swapAmount: amount, totalDeductable } = quote
  const [shown, me] = await Promise.all([
    act<ShownVoucher>('/merchant-integrations/verify-voucher', { voucherCode: voucher.code }),
    read<Person>('/me'),
  ])
  return {
    isRefund: false,
    amount,
    fee: subtractDecimal(totalDeductable, amount),
    currency: voucher.generatedCurrency.abbrev,
    reference,
    at,
    by: 'data' in me ? me.data.fullName : cashier,
    codeTail: voucher.code.replaceAll('-', '').slice(-4),
    balance: 'data' in shown ? shown.data.balance : '',
    status: voucher.onchain ? 'PROCESSING' : 'COMPLETED',
  }
}

type PriceProps = { readonly quote: Quote; readonly currency: string; readonly balance: string }

function Price({ quote, currency, balance }: PriceProps) {
  const { swapAmount, processingFee, totalDeductable, chargedTo } = quote
  const gas = subtractDecimal(quote.totalGasAndProceesingFeeInFromCurrency, processingFee)
  const fee = isZero(processingFee) ? (
    words.till.noFee
  ) : (
    <span key="fee" className="till-charges">
      <Money value={processingFee} code={currency} />
      <span className="soft">{words.till.feePaidBy[chargedTo]}</span>
    </span>
  )
  const remaining = subtractDecimal(balance, totalDeductable)
  return (
    <Facts
      kind="plain"
      rows={[
        [words.till.saleAmount, <Money key="amount" value={swapAmount} code={currency} />],
        [words.till.fee, fee],
        ...(isZero(gas) ? [] : [[words.till.gas, <Money key="gas" value={gas} code={currency} />] as const]),
        [words.till.deducted, <Money key="deducted" value={totalDeductable} code={currency} />],
        [words.till.remaining, <Money key="remaining" value={remaining} code={currency} />],
      ]}
    />
  )
}
