import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Choice } from '../../ui/choice.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Answer } from '../../ui/send-request.ts'
import type { Refunded } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { formatMoney } from '../shell/shop.tsx'
import { checkForm, onSubmit, useFaults } from '../parts/use-faults.ts'
import { usePin } from '../parts/use-pin.tsx'
import { money } from '../words/money.ts'
import { describeError, words } from '../words/words.ts'
import { pathOf, type ResolveProps } from './resolve-deposit.tsx'

type To = 'address' | 'user'

/** The request that returns the deposit. By link, it returns the link, unless it waits for approval. */
function sendBack({ found, onDone }: Omit<ResolveProps, 'onClose'>, recipient: object, onLink: (link: string) => void) {
  return async (pin: string, refundReferenceId: string): Promise<Answer<Refunded>> => {
    const response = await act<Refunded>(pathOf(found, 'return'), { ...recipient, pin, refundReferenceId })
    if ('refusal' in response) return response
    const { data } = response
    if ('link' in data) onLink(data.link)
    else onDone('status' in data ? money.deposits.returnPending : money.deposits.returnDone)
    return response
  }
}

/** Value leaves the balance, so the PIN confirms it and the outflow rule decides. */
export function ReturnDialog({ found, onClose, onDone }: ResolveProps): ReactNode {
  const [to, setTo] = useState<To>('address')
  const [email, setEmail] = useState('')
  const [user, setUser] = useState('')
  const [link, setLink] = useState('')
  const returning = useAct<Refunded>()
  const { state, start } = returning
  const pin = usePin(returning)
  const isBusy = state !== 'idle'
  const faults = useFaults(to === 'user' && user.trim() === '' ? { user: money.payouts.recipientMissing } : {})
  const recipient =
    to === 'user'
      ? { platformUsernameOrEmail: user.trim() }
      : { byLink: true, ...(email.trim() !== '' && { payerEmail: email.trim() }) }
  const perform = sendBack({ found, onDone }, recipient, setLink)
  const giveBack = (typed: string) => start((reference) => perform(typed, reference))
  if (link !== '') return <LinkDialog link={link} onDone={() => onDone(money.deposits.returnDone)} />
  return (
    <Dialog heading={money.deposits.return} isBusy={isBusy} onClose={onClose}>
      <p>{money.deposits.returnLead(formatMoney(found.amount, found.currency))}</p>
      <form
        className="fields"
        noValidate
        onChange={returning.forget}
        onSubmit={onSubmit((form) => {
          if (!isBusy && checkForm(form, faults.check, pin.check)) giveBack(pin.take())
        })}
      >
        <Choice
          label={money.deposits.returnTo}
          value={to}
          disabled={isBusy}
          onChange={(event) => setTo(event.target.value === 'user' ? 'user' : 'address')}
          options={[
            ['address', money.deposits.toAddress],
            ['user', money.deposits.toUser],
          ]}
        />
        {to === 'address' ? (
          <ByLinkField email={email} isBusy={isBusy} onChange={setEmail} />
        ) : (
          <UserField user={user} error={faults.of('user')} isBusy={isBusy} onChange={setUser} />
        )}
        {pin.field}
        <Checking state={state} words={words.checking} />
        {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="danger" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : money.deposits.return}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.close}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type ByLinkFieldProps = {
  readonly email: string
  readonly isBusy: boolean
  readonly onChange: (email: string) => void
}

/** The payer names the address on a private page. */
function ByLinkField({ email, isBusy, onChange }: ByLinkFieldProps) {
  return (
    <>
      <p className="soft">{money.deposits.toAddressHint}</p>
      <Field
        label={money.deposits.email}
        hint={money.deposits.emailHint}
        type="email"
        autoComplete="off"
        value={email}
        disabled={isBusy}
        onChange={(event) => onChange(event.target.value)}
      />
    </>
  )
}

type UserFieldProps = {
  readonly user: string
  readonly error: string
  readonly isBusy: boolean
  readonly onChange: (user: string) => void
}

function UserField({ user, error, isBusy, onChange }: UserFieldProps) {
  return (
    <Field
      label={money.payouts.recipient}
      hint={money.payouts.recipientHint}
      error={error}
      autoComplete="off"
      autoCapitalize="none"
      value={user}
      disabled={isBusy}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** The payer's link, which is as good as money. */
function LinkDialog({ link, onDone }: { readonly link: string; readonly onDone: () => void }) {
  return (
    <Dialog heading={money.deposits.link} onClose={onDone}>
      <p>{money.deposits.linkLead}</p>
      <p>
        <code className="deposit-link">{link}</code>
      </p>
      <div className="acts">
        <CopyButton text={link} label={money.deposits.copyLink} />
        <Button kind="main" onClick={onDone}>
          {words.close}
        </Button>
      </div>
    </Dialog>
  )
}
