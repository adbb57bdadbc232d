import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { Ask } from './ask.ts'
import type { Answer, Refusal } from './ask-server.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Notice } from './notice.tsx'

type SignInWords = Readonly<
  Record<
    | 'email'
    | 'password'
    | 'act'
    | 'forgot'
    | 'forgotDone'
    | 'forgotNeedsEmail'
    | 'code'
    | 'codeHint'
    | 'codeAct'
    | 'oneMoment',
    string
  >
>
type Signed = { readonly twoFactorRedirect?: boolean }
type SignInFormProps = {
  readonly realm: 'live' | 'test' | 'staff'
  readonly act: Ask['act']
  readonly words: SignInWords
  readonly say: (refusal: Refusal) => string
  /** What it says for a passkey, and what asks for one. */
  readonly passkey?: readonly [string, () => Promise<Answer<Signed>>]
  readonly onSignedIn: () => void
  /** Other ways in, below. */
  readonly children?: ReactNode
}
/** By password, and by a one-time code where the account asks for one. */
export function SignInForm({ realm, act, words, say, passkey, onSignedIn, children }: SignInFormProps) {
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
      setNote(words.forgotNeedsEmail)
      return
    }
    void act(`/auth/${realm}/forgot`, { email: email.trim() }).then((answer) =>
      setNote('refusal' in answer ? say(answer.refusal) : words.forgotDone),
    )
  }
  return (
    <>
      <form className="fields" onSubmit={submit} noValidate>
        {code === null ? (
          <>
            <Field
              label={words.email}
              type="email"
              autoComplete="username webauthn"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
            <Field
              label={words.password}
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </>
        ) : (
          <Field
            label={words.code}
            hint={words.codeHint}
            face="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={code}
            onChange={(event) => setCode(event.target.value.replaceAll(/\D/g, ''))}
          />
        )}
        {refusal !== null && <Notice kind="error">{say(refusal)}</Notice>}
        {note !== '' && <Notice>{note}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isAsking}>
            {isAsking ? words.oneMoment : code === null ? words.act : words.codeAct}
          </Button>
          {code === null && passkey !== undefined && <Button onClick={() => ask(passkey[1]())}>{passkey[0]}</Button>}
        </div>
      </form>
      <div className="below">
        <Button kind="bare" onClick={forget}>
          {words.forgot}
        </Button>
        {children}
      </div>
    </>
  )
}
