import { type SubmitEvent, useEffect } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { isZero, subtractDecimal } from '../ui/decimal.ts'
import { Facts } from '../ui/facts.tsx'
import type { Person, Quote, ShownVoucher } from './answers.ts'
import { act, read, useAct } from './ask-dashboard.ts'
import type { Sold } from './receipt.tsx'
import { Figures, sayMoney, useShop } from './shop.tsx'
import type { Wish } from './till-amount.tsx'
import { useEscape } from './use-escape.ts'
import { words } from './words.ts'

type TillConfirmProps = {
  readonly voucher: ShownVoucher
  readonly wish: Wish
  readonly quote: Quote
  /** A new price is being asked for. */
  readonly isAsking: boolean
  readonly onSold: (sold: Sold) => void
  /** The price is not kept any longer. */
  readonly onStale: () => void
  readonly onRefused: (refusal: Refusal) => void
  readonly onChange: () => void
}
type Redeemed = { readonly referenceId: string }

/** Exactly what happens, and one button for it. */
export function TillConfirm({
  voucher,
  wish,
  quote,
  isAsking,
  onSold,
  onStale,
  onRefused,
  onChange,
}: TillConfirmProps) {
  const { person } = useShop()
  const { state, done, refusal, start } = useAct<Redeemed>()
  const { swapAmount: amount, processingFee: charged, totalDeductable: leaves, chargedTo } = quote
  const currency = voucher.generatedCurrency.abbrev
  const left = subtractDecimal(voucher.balance, leaves)

  useEffect(() => {
    if (done === null) return
    const { code } = voucher
    const codeTail = code.replaceAll('-', '').slice(-4)
    const at = new Date().toISOString()
    const charge = subtractDecimal(leaves, amount)
    const { referenceId: reference } = done
    // Another till may have taken something too, and another cashier may have come: what the slip says is asked for.
    void Promise.all([
      act<ShownVoucher>('/merchant-integrations/verify-voucher', { voucherCode: code }),
      read<Person>('/me'),
    ]).then(([shown, me]) => {
      const balance = 'data' in shown ? shown.data.balance : ''
      const by = 'data' in me ? me.data.fullName : person.fullName
      onSold({ isRefund: false, amount, charge, currency, reference, at, by, codeTail, left: balance })
    })
    // Once, when it is done.
  }, [done])
  useEffect(() => {
    if (refusal === null) return
    if (refusal.code === 'QUOTE_STALE') onStale()
    else onRefused(refusal)
    // Once, when it is refused.
  }, [refusal])
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isAsking) return
    const { lockPin } = wish
    const asked = { voucherCode: voucher.code, amount: wish.amount, ...(lockPin !== '' && { lockPin }) }
    start((referenceId) =>
      act('/merchant-integrations/redeem-voucher', { ...asked, referenceId, quoteId: quote.quoteId }),
    )
  }
  const isBusy = state !== 'idle' || done !== null
  // Nobody leaves before it is known what became of the money.
  useEscape(() => isBusy || onChange())
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <Facts
        rows={[
          [words.till.takes, <Figures key="takes" value={amount} code={currency} />],
          [
            words.till.charges,
            isZero(charged) ? (
              words.till.noCharges
            ) : (
              <span key="charges" className="till-charges">
                <Figures value={charged} code={currency} />
                <span className="soft">{words.till.borneBy[chargedTo]}</span>
              </span>
            ),
          ],
          [words.till.leaves, <Figures key="leaves" value={leaves} code={currency} />],
          [words.till.leftAfter, <Figures key="left" value={left} code={currency} />],
        ]}
      />
      <Checking state={state} words={words.checking} />
      <Button
        kind="main"
        type="submit"
        autoFocus
        aria-disabled={isBusy || isAsking}
        // Enter held down from the step before does not confirm.
        onKeyDown={(event) => {
          if (event.repeat) event.preventDefault()
        }}
      >
        {state === 'checking'
          ? words.checking.checking
          : isBusy || isAsking
            ? words.oneMoment
            : words.till.take(sayMoney(amount, currency))}
      </Button>
      <Button kind="bare" aria-disabled={isBusy} onClick={() => isBusy || onChange()}>
        {words.till.change}
      </Button>
      <p className="soft till-keys">{words.till.keys}</p>
    </form>
  )
}
