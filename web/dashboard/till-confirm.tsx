import { type SubmitEvent, useEffect } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { isZero, subtractDecimal } from '../ui/decimal.ts'
import { Facts } from '../ui/facts.tsx'
import { useSecondsUntil } from '../ui/use-seconds-until.ts'
import type { Quote, ShownVoucher } from './answers.ts'
import { act, useAct } from './ask-dashboard.ts'
import type { Sold } from './receipt.tsx'
import { Figures, sayMoney, useShop } from './shop.tsx'
import type { Wish } from './till-amount.tsx'
import { useEscape } from './use-escape.ts'
import { useStay } from './use-stay.ts'
import { words } from './words.ts'

type TillConfirmProps = {
  readonly voucher: ShownVoucher
  readonly wish: Wish
  readonly quote: Quote
  readonly onSold: (sold: Sold) => void
  /** The price is not kept any longer. */
  readonly onStale: () => void
  readonly onRefused: (refusal: Refusal) => void
  readonly onChange: () => void
}
type Redeemed = { readonly referenceId: string }

/** Exactly what happens, and one button for it. */
export function TillConfirm({ voucher, wish, quote, onSold, onStale, onRefused, onChange }: TillConfirmProps) {
  const { person } = useShop()
  const { state, done, refusal, start } = useAct<Redeemed>()
  const secondsLeft = useSecondsUntil(quote.expiresAt)
  const { swapAmount: amount, processingFee: charged, totalDeductable: leaves, chargedTo } = quote
  const currency = voucher.generatedCurrency.abbrev
  const left = subtractDecimal(voucher.balance, leaves)

  useEffect(() => {
    if (done === null) return
    const { code } = voucher
    const codeTail = code.replaceAll('-', '').slice(-4)
    const at = new Date().toISOString()
    const charge = subtractDecimal(leaves, amount)
    onSold({
      isRefund: false,
      amount,
      charge,
      currency,
      reference: done.referenceId,
      at,
      by: person.fullName,
      codeTail,
      left,
    })
    // Once, when it is done.
  }, [done])
  useEffect(() => {
    if (refusal === null) return
    if (refusal.code === 'QUOTE_STALE') onStale()
    else onRefused(refusal)
    // Once, when it is refused.
  }, [refusal])
  const isOver = secondsLeft === 0 && state === 'idle' && done === null
  useEffect(() => {
    if (isOver) onStale()
    // Once, when its time is over.
  }, [isOver])

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { lockPin } = wish
    const asked = { voucherCode: voucher.code, amount: wish.amount, ...(lockPin !== '' && { lockPin }) }
    start((referenceId) =>
      act('/merchant-integrations/redeem-voucher', { ...asked, referenceId, quoteId: quote.quoteId }),
    )
  }
  const isBusy = state !== 'idle' || done !== null
  // Nobody leaves before it is known what became of the money.
  useEscape(() => isBusy || onChange())
  useStay(isBusy)
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
        aria-disabled={isBusy}
        // Enter held down from the step before does not confirm.
        onKeyDown={(event) => {
          if (event.repeat) event.preventDefault()
        }}
      >
        {state === 'checking'
          ? words.checking.checking
          : isBusy
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
