import { type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { PendingOutflow, ShownVoucher } from './answers.ts'
import { act, useAct } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { IssuedTicket } from './issued-ticket.tsx'
import { isPending, PendingScreen } from './pending.tsx'
import { Link } from './place.ts'
import { sayMoney } from './shop.tsx'
import { usePin } from './use-pin.tsx'
import { useTerms } from './use-terms.tsx'
import { sayRefusal, words } from './words.ts'

export function IssueVoucher() {
  const terms = useTerms()
  const [lockPin, setLockPin] = useState('')
  const [email, setEmail] = useState('')
  const [isSent, setIsSent] = useState(true)
  const issuing = useAct<ShownVoucher | PendingOutflow>()
  const { state, done, start } = issuing
  const pin = usePin(issuing)
  const isBusy = state !== 'idle'
  const to = email.trim()
  const isPinWhole = lockPin === '' || lockPin.length === 4
  const isReady = terms.isAmount && isPinWhole && pin.isReady
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isReady) return
    const body = {
      ...terms.asked,
      ...(lockPin !== '' && { lockPin }),
      ...(to !== '' && { forEmail: to, sendEmail: isSent }),
      pin: pin.take(),
    }
    start((referenceId) => act('/merchant-integrations-server/vouchers', { ...body, referenceId }))
  }
  const again = () => {
    issuing.again()
    setLockPin('')
    setEmail('')
  }
  if (done !== null && isPending(done))
    return (
      <PendingScreen pending={done} kind="voucher" email={isSent ? to : ''}>
        <Button onClick={again}>{words.issue.another}</Button>
      </PendingScreen>
    )
  if (done !== null)
    return (
      <Screen heading={words.issue.done} back="/vouchers">
        <p>{to !== '' && isSent ? words.issue.sentTo(to) : words.issue.doneLead}</p>
        <IssuedTicket voucher={done} />
        <div className="acts">
          <Button kind="main" onClick={again}>
            {words.issue.another}
          </Button>
          <Button onClick={() => print()}>{words.print}</Button>
          <Link className="button" data-kind="quiet" to={`/vouchers/${done.id}`}>
            {words.issue.open}
          </Link>
        </div>
      </Screen>
    )
  return (
    <Screen heading={words.issue.heading} back="/vouchers">
      <form className="fields" noValidate onSubmit={submit}>
        {terms.fields}
        <DigitsField
          label={words.issue.pin}
          hint={words.issue.pinHint}
          length={4}
          value={lockPin}
          disabled={isBusy}
          onDigits={setLockPin}
        />
        <Field
          label={words.issue.email}
          hint={words.issue.emailHint}
          type="email"
          autoComplete="off"
          value={email}
          disabled={isBusy}
          onChange={(event) => setEmail(event.target.value)}
        />
        {to !== '' && (
          <label className="tick">
            <input type="checkbox" checked={isSent} onChange={(event) => setIsSent(event.target.checked)} />
            {words.issue.send}
          </label>
        )}
        {pin.field}
        <Checking state={state} words={words.checking} />
        {pin.otherRefusal !== null && <Notice kind="error">{sayRefusal(pin.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy || !isReady}>
            {isBusy
              ? words.oneMoment
              : terms.isAmount
                ? words.issue.act(sayMoney(terms.asked.amount, terms.asked.currency))
                : words.issue.actEmpty}
          </Button>
        </div>
      </form>
    </Screen>
  )
}
