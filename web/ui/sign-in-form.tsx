import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { Request } from './request.ts'
import type { Answer, Refusal } from './send-request.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Notice } from './notice.tsx'

type WordName =
  | 'email'
  | 'password'
  | 'act'
  | 'forgot'
  | 'forgotDone'
  | 'forgotNeedsEmail'
  | 'code'
  | 'codeHint'
  | 'codeAct'
  | 'recovery'
  | 'recoveryCode'
  | 'recoveryHint'
  | 'oneMoment'
type SignInWords = Readonly<Record<WordName, string>>
type SignedIn = { readonly twoFactorRedirect?: boolean }
type Step = 'password' | 'one-time code' | 'recovery code'

type SignInFormProps = {
  readonly realm: 'live' | 'test' | 'staff'
  readonly act: Request['act']
  readonly words: SignInWords
  readonly say: (refusal: Refusal) => string
  /** The label of the passkey button, and the function that signs in with a passkey. */
  readonly passkey?: readonly [string, () => Promise<Answer<SignedIn>>]
  readonly onSignedIn: () => void
  /** Shown below the form. */
  readonly children?: ReactNode
}

/** Signs in with a password, followed by a one-time code or a recovery code if the account has a second factor. */
export function SignInForm({ words, say, passkey, children, ...props }: SignInFormProps): ReactNode {
  const form = useSignIn({ words, say, ...props })
  const { step, refusal, note, isSending } = form
  return (
    <>
      <form className="fields" onSubmit={form.submit} noValidate>
        {step === 'password' ? <PasswordFields form={form} words={words} /> : <CodeField form={form} words={words} />}
        {refusal !== null && <Notice kind="error">{say(refusal)}</Notice>}
        {note !== '' && <Notice>{note}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isSending}>
            {isSending ? words.oneMoment : step === 'password' ? words.act : words.codeAct}
          </Button>
          {step === 'one-time code' && <Button onClick={form.switchToRecoveryCode}>{words.recovery}</Button>}
          {step === 'password' && passkey !== undefined && (
            <Button onClick={() => form.send(passkey[1]())}>{passkey[0]}</Button>
          )}
        </div>
      </form>
      <div className="below">
        <Button kind="bare" onClick={form.sendResetLink}>
          {words.forgot}
        </Button>
        {children}
      </div>
    </>
  )
}

type SignIn = {
  readonly step: Step
  readonly email: string
  readonly setEmail: (email: string) => void
  readonly password: string
  readonly setPassword: (password: string) => void
  readonly code: string
  readonly setCode: (code: string) => void
  readonly refusal: Refusal | null
  readonly note: string
  readonly isSending: boolean
  readonly send: (request: Promise<Answer<SignedIn>>) => void
  readonly submit: (event: SubmitEvent<HTMLFormElement>) => void
  readonly switchToRecoveryCode: () => void
  readonly sendResetLink: () => void
}

function useSignIn({ realm, act, words, say, onSignedIn }: SignInFormProps): SignIn {
  const [step, setStep] = useState<Step>('password')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [note, setNote] = useState('')
  const [isSending, setIsSending] = useState(false)

  const goTo = (next: Step) => {
    setCode('')
    setStep(next)
  }
  const send = (request: Promise<Answer<SignedIn>>) => {
    setIsSending(true)
    setNote('')
    setRefusal(null)
    void request.then((answer) => {
      setIsSending(false)
      if ('refusal' in answer) setRefusal(answer.refusal)
      else if (answer.data.twoFactorRedirect === true) goTo('one-time code')
      else onSignedIn()
    })
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    if (step === 'password') send(act(`/auth/${realm}/sign-in/email`, { email: email.trim(), password }))
    else if (step === 'recovery code') send(act(`/auth/${realm}/two-factor/verify-backup-code`, { code: code.trim() }))
    else send(act(`/auth/${realm}/two-factor/verify-totp`, { code }))
  }
  const sendResetLink = () => {
    if (email.trim() === '') {
      setNote(words.forgotNeedsEmail)
      return
    }
    void act(`/auth/${realm}/forgot`, { email: email.trim() }).then((answer) =>
      setNote('refusal' in answer ? say(answer.refusal) : words.forgotDone),
    )
  }
  const fields = { email, setEmail, password, setPassword, code, setCode }
  const switchToRecoveryCode = () => goTo('recovery code')
  return { step, ...fields, refusal, note, isSending, send, submit, switchToRecoveryCode, sendResetLink }
}

type FieldsProps = { readonly form: SignIn; readonly words: SignInWords }

function PasswordFields({ form, words }: FieldsProps) {
  return (
    <>
      <Field
        label={words.email}
        type="email"
        autoComplete="username webauthn"
        value={form.email}
        onChange={(event) => form.setEmail(event.target.value)}
      />
      <Field
        label={words.password}
        type="password"
        autoComplete="current-password"
        value={form.password}
        onChange={(event) => form.setPassword(event.target.value)}
      />
    </>
  )
}

function CodeField({ form: { step, code, setCode }, words }: FieldsProps) {
  if (step === 'recovery code')
    return (
      <Field
        label={words.recoveryCode}
        hint={words.recoveryHint}
        face="code"
        autoComplete="off"
        maxLength={40}
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
    )
  return (
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
  )
}
