import { type SubmitEvent, useState } from 'react'
import type { Answer, Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { act } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { signInByPasskey } from './passkey.ts'
import { chooseRealm, realm } from './realm.ts'
import { Link } from './route.tsx'
import { sayRefusal, words } from './words.ts'

type Signed = { readonly twoFactorRedirect?: boolean }

export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [note, setNote] = useState('')
  const [isAsking, setIsAsking] = useState(false)

  const ask = (question: Promise<Answer<Signed>>) => {
    setIsAsking(true)
    setNote('')
    setRefusal(null)
    void question.then((answer) => {
      setIsAsking(false)
      if ('refusal' in answer) setRefusal(answer.refusal)
      else if (answer.data.twoFactorRedirect === true) setCode('')
      else onSignedIn()
    })
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isAsking) return
    if (code === null) ask(act(`/auth/${realm}/sign-in/email`, { email: email.trim(), password }))
    else ask(act(`/auth/${realm}/two-factor/verify-totp`, { code }))
  }
  const forget = () => {
    if (email.trim() === '') {
      setNote(words.signIn.forgotNeedsEmail)
      return
    }
    void act(`/auth/${realm}/forgot`, { email: email.trim() }).then((answer) =>
      setNote('refusal' in answer ? sayRefusal(answer.refusal) : words.signIn.forgotDone),
    )
  }
  return (
    <Screen heading={words.signIn.heading}>
      <form className="wallet-form" onSubmit={submit} noValidate>
        {code === null ? (
          <>
            <Field
              label={words.signIn.email}
              type="email"
              autoComplete="username webauthn"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
            <Field
              label={words.signIn.password}
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </>
        ) : (
          <Field
            label={words.signIn.code}
            hint={words.signIn.codeHint}
            face="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={code}
            onChange={(event) => setCode(event.target.value.replaceAll(/\D/g, ''))}
          />
        )}
        {refusal !== null && (
          <Notice kind="error">
            {refusal.code === 'PASSKEY_FAILED' ? words.signIn.passkeyFailed : sayRefusal(refusal)}
          </Notice>
        )}
        {note !== '' && <Notice>{note}</Notice>}
        <div className="wallet-acts">
          <Button kind="main" type="submit" aria-disabled={isAsking}>
            {isAsking ? words.oneMoment : code === null ? words.signIn.act : words.signIn.codeAct}
          </Button>
          {code === null && <Button onClick={() => ask(signInByPasskey())}>{words.signIn.passkey}</Button>}
        </div>
      </form>
      <div className="wallet-below">
        <Button kind="bare" onClick={forget}>
          {words.signIn.forgot}
        </Button>
        <p>
          {words.signIn.noAccount} <Link to="/sign-up">{words.signIn.signUp}</Link>
        </p>
        <Button kind="bare" onClick={() => chooseRealm(realm === 'test' ? 'live' : 'test')}>
          {realm === 'test' ? words.signIn.toLive : words.signIn.toTest}
        </Button>
      </div>
    </Screen>
  )
}
