import { Fingerprint } from 'lucide-react'
import { lazy, type ReactNode, type SubmitEvent, Suspense, useState } from 'react'
import { IconTile } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Row } from '../ui/card.tsx'
import { focusFirstInvalid } from '../ui/field.tsx'
import { Moment, writeMoment } from '../ui/moment.tsx'
import type { Answer } from '../ui/send-request.ts'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { useOutcome } from '../ui/use-outcome.tsx'
import { refresh, useKnown } from './known.ts'
import { Loaded } from './parts.tsx'
import { addPasskey } from './passkey.ts'
import { realm } from './realm.ts'
import { act } from './request-wallet.ts'
import { type FormOutcome, Outcome, PasswordField } from './settings-parts.tsx'
import { describeError, words } from './words.ts'

const AskFirst = lazy(async () => ({ default: (await import('./ask-first.tsx')).AskFirst }))

type Passkey = { readonly id: string; readonly name?: string; readonly createdAt: string }

const path = `/auth/${realm}/passkey/list-user-passkeys`

export function PasskeySettings(): ReactNode {
  const known = useKnown<readonly Passkey[]>(path)
  const { tell, shown } = useOutcome(describeError)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const remove = ({ id }: Passkey) => {
    setIsBusy(true)
    void act(`/auth/${realm}/passkey/delete-passkey`, { id }).then((answer) => {
      setIsBusy(false)
      setRemoving(null)
      tell(answer, words.settings.passkeyRemoved)
      void refresh(path)
    })
  }
  return (
    <Card heading={words.settings.passkeys}>
      <div className="wallet-stack">
        <p className="soft">{words.settings.passkeysLead}</p>
        <Loaded known={known} placeholder={<SkeletonRows count={1} />}>
          {(passkeys) =>
            passkeys.length === 0 ? (
              <p className="soft">{words.settings.noPasskeys}</p>
            ) : (
              <ul className="row-list wallet-rows">
                {passkeys.map((passkey) => (
                  <li key={passkey.id}>
                    <PasskeyRow passkey={passkey} onRemove={() => setRemoving(passkey)} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        {shown}
        <NewPasskey onAdded={() => void refresh(path)} />
      </div>
      {removing !== null && (
        <Suspense>
          <AskFirst
            heading={words.settings.removeHeading}
            lead={words.settings.removeLead(writeMoment(new Date(removing.createdAt), 'day'))}
            act={words.settings.remove}
            keep={words.settings.keepPasskey}
            isBusy={isBusy}
            onAct={() => remove(removing)}
            onClose={() => setRemoving(null)}
          />
        </Suspense>
      )}
    </Card>
  )
}

function PasskeyRow({ passkey, onRemove }: { readonly passkey: Passkey; readonly onRemove: () => void }) {
  return (
    <Row
      lead={<IconTile icon={Fingerprint} ink="green" />}
      title={<Moment at={passkey.createdAt} />}
      end={
        <Button kind="danger-quiet" size="s" onClick={onRemove}>
          {words.settings.remove}
        </Button>
      }
    />
  )
}

function NewPasskey({ onAdded }: { readonly onAdded: () => void }) {
  const [password, setPassword] = useState('')
  const [error, setError] = useState('')
  const [outcome, setOutcome] = useState<FormOutcome>(null)
  const finish = (answer: Answer<unknown>) => {
    setPassword('')
    onAdded()
    if (!('refusal' in answer)) setOutcome({ text: words.settings.passkeyDone, isError: false })
    else if (answer.refusal.code === 'PASSWORD_WRONG') setError(describeError(answer.refusal))
    else if (answer.refusal.code === 'PASSKEY_FAILED') setOutcome({ text: words.settings.passkeyFailed, isError: true })
    else setOutcome({ text: describeError(answer.refusal), isError: true })
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setOutcome(null)
    setError(password === '' ? words.settings.passwordMissing : '')
    if (password === '') focusFirstInvalid(event.currentTarget)
    else void addPasskey(password).then(finish)
  }
  const change = (typed: string) => {
    setPassword(typed)
    setError('')
    setOutcome(null)
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <PasswordField value={password} error={error} onPassword={change} />
      <Outcome outcome={outcome} />
      <div className="acts">
        <Button type="submit">{words.settings.addPasskey}</Button>
      </div>
    </form>
  )
}
