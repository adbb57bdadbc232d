import { KeyRound } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useRef, useState } from 'react'
import type { Request } from './request.ts'
import type { Answer, Refusal } from './send-request.ts'
import { Button } from './button.tsx'
import { Field, focusFirstInvalid } from './field.tsx'
import { Notice } from './notice.tsx'
import './sign-in-form.css'
import { uiWords } from './words.ts'

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
type Fields = { readonly email: string; readonly password: string; readonly code: string }
type FieldErrors = Partial<Record<keyof Fields, string>>

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
  const element = useRef<HTMLFormElement>(null)
  const focusError = () => {
    if (element.current !== null) focusFirstInvalid(element.current)
  }
  const form = useSignIn({ words, say, ...props }, focusError)
  const { step, notice, isSending } = form
  return (
    <div className="sign-in">
      <form ref={element} className="sign-in-fields" onSubmit={form.submit} noValidate>
        {step === 'password' ? <PasswordFields form={form} words={words} /> : <CodeField form={form} words={words} />}
        <div className="sign-in-notice" role="status">
          {notice !== null && <Notice kind={notice.isError ? 'error' : 'info'}>{notice.text}</Notice>}
        </div>
        <div className="sign-in-acts">
          <Button kind="main" size="l" isWide type="submit" aria-disabled={isSending}>
            {isSending ? words.oneMoment : step === 'password' ? words.act : words.codeAct}
          </Button>
          {step === 'one-time code' && (
            <Button size="l" isWide onClick={form.switchToRecoveryCode}>
              {words.recovery}
            </Button>
          )}
          {step === 'password' && passkey !== undefined && (
            <Button size="l" isWide onClick={() => form.send(passkey[1]())}>
              <KeyRound aria-hidden="true" />
              {passkey[0]}
            </Button>
          )}
        </div>
      </form>
      <div className="sign-in-below">
        <Button kind="bare" onClick={form.sendResetLink}>
          {words.forgot}
        </Button>
        {children}
      </div>
    </div>
  )
}

/** About the form as a whole. What is wrong with one field is shown there. */
type FormNotice = { readonly text: string; readonly isError: boolean; readonly about: readonly (keyof Fields)[] }

type SignIn = {
  readonly step: Step
  readonly fields: Fields
  readonly errors: FieldErrors
  /** Sets a field. Its error, and a notice about it, are of the past then. */
  readonly change: (name: keyof Fields, value: string) => void
  readonly notice: FormNotice | null
  readonly isSending: boolean
  readonly send: (request: Promise<Answer<SignedIn>>) => void
  readonly submit: (event: SubmitEvent<HTMLFormElement>) => void
  readonly switchToRecoveryCode: () => void
  readonly sendResetLink: () => void
}

const empty: Fields = { email: '', password: '', code: '' }

function useSignIn({ realm, act, words, say, onSignedIn }: SignInFormProps, focusError: () => void): SignIn {
  const [step, setStep] = useState<Step>('password')
  const [fields, setFields] = useState(empty)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [notice, setNotice] = useState<FormNotice | null>(null)
  const [isSending, setIsSending] = useState(false)
  const email = fields.email.trim()

  const change: SignIn['change'] = (name, value) => {
    setFields({ ...fields, [name]: value })
    setErrors({ ...errors, [name]: '' })
    if (notice?.about.includes(name) === true) setNotice(null)
  }
  const showErrors = (found: FieldErrors) => {
    setErrors(found)
    setNotice(null)
    focusError()
  }
  const goTo = (next: Step) => {
    setFields({ ...fields, code: '' })
    setErrors({})
    setNotice(null)
    setStep(next)
  }
  const refuse = (refusal: Refusal) => {
    if (step !== 'password' && isAboutCode(refusal)) showErrors({ code: uiWords().signIn.codeWrong })
    else setNotice({ text: say(refusal), isError: true, about: ['email', 'password', 'code'] })
  }
  const send = (request: Promise<Answer<SignedIn>>) => {
    setIsSending(true)
    setNotice(null)
    setErrors({})
    void request.then((answer) => {
      setIsSending(false)
      if ('refusal' in answer) refuse(answer.refusal)
      else if (answer.data.twoFactorRedirect === true) goTo('one-time code')
      else onSignedIn()
    })
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    const missing = findMissing(step, fields)
    if (Object.keys(missing).length > 0) showErrors(missing)
    else send(act(...requestOf(realm, step, { ...fields, email })))
  }
  const sendResetLink = () => {
    const isMissing = email === ''
    showErrors(isMissing ? { email: words.forgotNeedsEmail } : {})
    if (isMissing) return
    void act(`/auth/${realm}/forgot`, { email }).then((answer) => {
      if (!('refusal' in answer)) setNotice({ text: words.forgotDone, isError: false, about: ['email'] })
      else if (answer.refusal.code === 'FIELD_INVALID') showErrors({ email: uiWords().signIn.emailInvalid })
      else setNotice({ text: say(answer.refusal), isError: true, about: ['email'] })
    })
  }
  const switchToRecoveryCode = () => goTo('recovery code')
  return { step, fields, errors, change, notice, isSending, send, submit, switchToRecoveryCode, sendResetLink }
}

/** The errors of the fields that the step needs and that are empty. */
function findMissing(step: Step, { email, password, code }: Fields): FieldErrors {
  if (step === 'one-time code') return code.length < 6 ? { code: uiWords().signIn.codeMissing } : {}
  if (step === 'recovery code') return code.trim() === '' ? { code: uiWords().signIn.recoveryCodeMissing } : {}
  return {
    ...(email.trim() === '' && { email: uiWords().signIn.emailMissing }),
    ...(password === '' && { password: uiWords().signIn.passwordMissing }),
  }
}

function requestOf(realm: string, step: Step, { email, password, code }: Fields): [path: string, body: object] {
  if (step === 'password') return [`/auth/${realm}/sign-in/email`, { email, password }]
  if (step === 'recovery code') return [`/auth/${realm}/two-factor/verify-backup-code`, { code: code.trim() }]
  return [`/auth/${realm}/two-factor/verify-totp`, { code }]
}

/** Whether the code was wrong. Too many attempts, or no connection, are not about the code. */
function isAboutCode({ code }: Refusal): boolean {
  return code === 'SIGN_IN_FAILED' || code === 'SIGN_IN_REFUSED' || code === 'FIELD_INVALID'
}

type FieldsProps = { readonly form: SignIn; readonly words: SignInWords }

function PasswordFields({ form: { fields, errors, change }, words }: FieldsProps) {
  return (
    <>
      <Field
        label={words.email}
        type="email"
        autoComplete="username webauthn"
        value={fields.email}
        error={errors.email ?? ''}
        onChange={(event) => change('email', event.target.value)}
      />
      <Field
        label={words.password}
        type="password"
        autoComplete="current-password"
        value={fields.password}
        error={errors.password ?? ''}
        onChange={(event) => change('password', event.target.value)}
      />
    </>
  )
}

function CodeField({ form: { step, fields, errors, change }, words }: FieldsProps) {
  if (step === 'recovery code')
    return (
      <Field
        label={words.recoveryCode}
        hint={words.recoveryHint}
        face="code"
        autoComplete="off"
        maxLength={40}
        value={fields.code}
        error={errors.code ?? ''}
        onChange={(event) => change('code', event.target.value)}
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
      value={fields.code}
      error={errors.code ?? ''}
      onChange={(event) => change('code', event.target.value.replaceAll(/\D/g, ''))}
    />
  )
}
