import { type SubmitEvent, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { groupDecimal, readDecimal } from '../../ui/numbers.ts'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Refusal } from '../../ui/send-request.ts'
import type { Act } from '../../ui/use-act.ts'
import type { OnePayment, Refunded } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { formatMoney } from '../shell/shop.tsx'
import { describeError, words } from '../words/words.ts'

type RefundDialogProps = {
  readonly payment: OnePayment['payment']
  readonly onClose: () => void
  readonly onDone: (money: string) => void
}

/** A full or partial refund. The reference makes a second press safe: the server refunds once. */
export function RefundDialog({ payment, onClose, onDone }: RefundDialogProps): ReactNode {
  const { reference, refundable, currency } = payment
  const [typed, setTyped] = useState(toTyped(refundable))
  const [reason, setReason] = useState('')
  const { state, refusal, start, forget } = useAct<Refunded>()
  const amount = readDecimal(typed)
  const isAmount = /^\d+(\.\d+)?$/.test(amount)
  const isBusy = state !== 'idle'
  const heading = words.payment.refundHeading(formatMoney(isAmount ? amount : refundable, currency))
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isAmount) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    const body = { referenceId: reference, amount, ...(reason.trim() !== '' && { reason: reason.trim() }) }
    start(
      (refundReferenceId) => act('/merchant-integrations-server/refund', { ...body, refundReferenceId }),
      (answer) => {
        if ('data' in answer) onDone(formatMoney(answer.data.amount, answer.data.currency))
      },
    )
  }
  return (
    <Dialog heading={heading} isBusy={isBusy} onClose={onClose}>
      <p className="soft">{words.payment.refundLead}</p>
      <form className="fields" noValidate onChange={forget} onSubmit={submit}>
        <Field
          label={words.amountIn(currency)}
          hint={words.payment.refundMost(formatMoney(refundable, currency))}
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          disabled={isBusy}
          error={isAmount ? '' : words.refusals.AMOUNT_INVALID}
          onChange={(event) => setTyped(event.target.value)}
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
        {!isBusy && refusal !== null && <RefundRefusal refusal={refusal} currency={currency} onAmount={setTyped} />}
        <RefundActs
          label={labelFor(state, isAmount ? formatMoney(amount, currency) : '')}
          isBusy={isBusy}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

type RefundActsProps = { readonly label: string; readonly isBusy: boolean; readonly onClose: () => void }

function RefundActs({ label, isBusy, onClose }: RefundActsProps) {
  return (
    <div className="acts">
      <Button kind="danger" type="submit" aria-disabled={isBusy}>
        {label}
      </Button>
      <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
        {words.cancel}
      </Button>
    </div>
  )
}

type RefundRefusalProps = {
  readonly refusal: Refusal
  readonly currency: string
  readonly onAmount: (amount: string) => void
}

/** The refusal, with the largest amount that the server would accept. */
function RefundRefusal({ refusal, currency, onAmount }: RefundRefusalProps) {
  const { maxAmount } = refusal
  return (
    <Notice kind="error">
      <p>{describeError(refusal)}</p>
      {maxAmount !== undefined && (
        <Button onClick={() => onAmount(toTyped(maxAmount))}>{formatMoney(maxAmount, currency)}</Button>
      )}
    </Notice>
  )
}

/** The label of the button. The amount is empty while it is not valid. */
function labelFor(state: Act<unknown>['state'], money: string): string {
  if (state === 'checking') return words.checking.checking
  if (state !== 'idle') return words.oneMoment
  return money === '' ? words.payment.refund : words.payment.refundAct(money)
}

/** A decimal as the user would type it, with the decimal mark of the language. */
function toTyped(decimal: string): string {
  return decimal.replace('.', groupDecimal('0.5').charAt(1))
}
