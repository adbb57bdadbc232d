import { type SubmitEvent, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { act, refresh } from '../shell/request-dashboard.ts'
import { PlainFrame, Screen } from '../shell/frame.tsx'
import { SignOut } from './shops.tsx'
import { describeError, words } from '../words/words.ts'

const codeLength = 6

type Enabled = { readonly totpURI: string; readonly backupCodes: readonly string[] }

/** Shown to operators and owners of live shops after sign-in until they set up a second factor. */
export function RequiredSecondFactor(): ReactNode {
  return (
    <PlainFrame>
      <Screen heading={words.secondFactor.heading}>
        <p className="soft">{words.secondFactor.required}</p>
        <SetUpSecondFactor />
        <div className="acts">
          <SignOut />
        </div>
      </Screen>
    </PlainFrame>
  )
}

/** Shown to an owner in live mode without a second factor. Test mode stays available. */
export function LiveSecondFactor(): ReactNode {
  return (
    <Screen heading={words.secondFactor.heading}>
      <p className="soft">{words.secondFactor.required}</p>
      <SetUpSecondFactor />
    </Screen>
  )
}

/** Sets up an authenticator app: password, first code, recovery codes, which are shown only once. */
export function SetUpSecondFactor(): ReactNode {
  const [enabled, setEnabled] = useState<Enabled | null>(null)
  const [isConfirmed, setIsConfirmed] = useState(false)
  if (enabled === null) return <PasswordStep onEnabled={setEnabled} />
  if (isConfirmed) return <RecoveryCodes codes={enabled.backupCodes} />
  return <CodeStep totpUri={enabled.totpURI} onConfirmed={() => setIsConfirmed(true)} />
}

function PasswordStep({ onEnabled }: { readonly onEnabled: (enabled: Enabled) => void }) {
  const [password, setPassword] = useState('')
  const { tell, shown } = useOutcome(describeError)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    void act<Enabled>('/auth/staff/two-factor/enable', { password }).then((response) => {
      tell(response, '')
      if ('data' in response) onEnabled(response.data)
    })
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <p className="soft">{words.secondFactor.needed}</p>
      <Field
        label={words.secondFactor.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {shown}
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={password === ''}>
          {words.secondFactor.start}
        </Button>
      </div>
    </form>
  )
}

type CodeStepProps = { readonly totpUri: string; readonly onConfirmed: () => void }

function CodeStep({ totpUri, onConfirmed }: CodeStepProps) {
  const [code, setCode] = useState('')
  const { tell, shown } = useOutcome(describeError)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    void act('/auth/staff/two-factor/verify-totp', { code }).then((response) => {
      tell(response, '')
      if ('data' in response) onConfirmed()
    })
  }
  const key = new URL(totpUri).searchParams.get('secret') ?? ''
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <p>{words.secondFactor.scan}</p>
      <QrCode content={totpUri} label={words.secondFactor.qr} />
      <Facts rows={[[words.secondFactor.key, <code key="key">{key}</code>]]} />
      <Field
        label={words.secondFactor.code}
        hint={words.secondFactor.codeHint}
        face="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={codeLength}
        value={code}
        onChange={(event) => setCode(event.target.value.replaceAll(/\D/g, ''))}
      />
      {shown}
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={code.length !== codeLength}>
          {words.secondFactor.confirm}
        </Button>
      </div>
    </form>
  )
}

function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  return (
    <section className="section">
      <h2>{words.secondFactor.recovery}</h2>
      <p>{words.secondFactor.recoveryLead}</p>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="acts">
        <Button onClick={() => print()}>{words.print}</Button>
        <Button kind="main" onClick={() => void refresh('/me')}>
          {words.secondFactor.saved}
        </Button>
      </div>
    </section>
  )
}
