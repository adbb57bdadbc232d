import { type SubmitEvent, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { readDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { OnePayment } from './answers.ts'
import { act, useAct } from './ask-dashboard.ts'
import { Dialog } from './dialog.tsx'
import { sayMoney } from './shop.tsx'
import { sayRefusal, words } from './words.ts'

type RefundDialogProps = {
  readonly payment: OnePayment['payment']
  readonly onClose: () => void
  readonly onDone: (money: string) => void
}
type Refunded = { readonly amount: string; readonly currency: string }

/** In part or whole. Under one reference, so that pressing twice refunds once. */
export function RefundDialog({ payment, onClose, onDone }: RefundDialogProps) {
  const { reference, refundable, currency } = payment
  const [amount, setAmount] = useState(refundable)
  const [reason, setReason] = useState('')
  const { state, done, refusal, start } = useAct<Refunded>()
  useEffect(() => {
    if (done !== null) onDone(sayMoney(done.amount, done.currency))
    // Once, when it is done.
  }, [done])
  const wanted = readDecimal(amount)
  const isAmount = /^\d+(\.\d+)?$/.test(wanted)
  const isBusy = state !== 'idle'
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isAmount) return
    const body = { referenceId: reference, amount: wanted, ...(reason.trim() !== '' && { reason: reason.trim() }) }
    start((refundReferenceId) => act('/merchant-integrations-server/refund', { ...body, refundReferenceId }))
  }
  const most = refusal?.maxAmount
  return (
    <Dialog heading={words.payment.refundHeading} isBusy={isBusy} onClose={onClose}>
      <p className="soft">{words.payment.refundLead}</p>
      <form className="fields" noValidate onSubmit={submit}>
        <Field
          label={`${words.amount} (${currency})`}
          hint={words.payment.refundMost(sayMoney(refundable, currency))}
          inputMode="decimal"
          autoComplete="off"
          value={amount}
          disabled={isBusy}
          error={isAmount ? '' : words.refusals.AMOUNT_INVALID}
          onChange={(event) => setAmount(event.target.value)}
        />
        <Field
          label={words.payment.reason}
          hint={words.payment.reasonHint}
          maxLength={500}
          value={reason}
          disabled={isBusy}
          onChange={(event) => setReason(event.target.value)}
        />
        <Checking state={state} words={words.checking} />
        {!isBusy && refusal !== null && (
          <Notice kind="error">
            <p>{sayRefusal(refusal)}</p>
            {most !== undefined && <Button onClick={() => setAmount(most)}>{sayMoney(most, currency)}</Button>}
          </Notice>
        )}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy || !isAmount}>
            {state === 'checking'
              ? words.checking.checking
              : isBusy
                ? words.oneMoment
                : isAmount
                  ? words.payment.refundAct(sayMoney(wanted, currency))
                  : words.payment.refund}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.cancel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
