import { KeyRound, type LucideIcon, MailCheck, UserPlus } from 'lucide-react'
import { type SubmitEvent, useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Refusal } from '../ui/send-request.ts'
import { LinkSheet } from './link-sheet.tsx'
import { followLink, type Link, type LinkFields } from './request-link.ts'
import { describeError, words } from './words.ts'

type LinkFormProps = { readonly link: Link; readonly token: string; readonly onDone: () => void }

const passwordMin = 10
const passwordMax = 128
// As the server checks it: names appear in emails.
const nameForm = /^[^\p{C}<>@/:]{1,80}$/u
const usernameForm = /^(?=.*[a-z])[a-z0-9_.]{3,30}$/

const icons: Readonly<Record<Link['purpose'], LucideIcon>> = { sign_up: MailCheck, reset: KeyRound, invite: UserPlus }

type FieldErrors = Partial<Record<keyof LinkFields | 'email', string>>

/** The fields that the purpose of the link requires, and the button that uses the link. */
export function LinkForm({ link, token, onDone }: LinkFormProps): ReactNode {
  const { purpose, email, merchant, isKnown } = link
  const [fields, setFields] = useState<LinkFields>({})
  const [errors, setErrors] = useState<FieldErrors>({})
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isSending, setIsSending] = useState(false)
  const needed: Needed = {
    names: purpose === 'invite' && !isKnown,
    username: errors.username !== undefined || fields.username !== undefined,
    password: purpose !== 'invite' || !isKnown,
  }
  const bind: Bind = (name) => ({
    value: fields[name] ?? '',
    error: errors[name] ?? '',
    onChange: (event) => {
      setFields({ ...fields, [name]: event.target.value })
      setErrors({ ...errors, [name]: '' })
      setRefusal(null)
    },
  })

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    const form = event.currentTarget
    const show = (found: FieldErrors) => {
      setErrors(found)
      focusFirstInvalid(form)
    }
    const found = checkFields(fields, needed)
    setRefusal(null)
    show(found)
    if (Object.keys(found).length > 0) return
    setIsSending(true)
    void followLink(token, tidy(fields)).then((answer) => {
      setIsSending(false)
      if (!('refusal' in answer)) onDone()
      else if (answer.refusal.code in fieldOfCode) show(errorOfRefusal(answer.refusal))
      else setRefusal(answer.refusal)
    })
  }

  const act = (
    <Button kind="main" size="l" isWide type="submit" aria-disabled={isSending}>
      {isSending ? words.oneMoment : words[purpose].act}
    </Button>
  )
  return (
    <form onSubmit={submit} noValidate>
      <LinkSheet icon={icons[purpose]} above={needed.password ? '' : email} heading={words[purpose].heading} act={act}>
        <p className="soft">{purpose === 'invite' ? words.invite.lead(merchant) : words[purpose].lead}</p>
        {needed.password && <EmailField email={email} error={errors.email ?? ''} />}
        {needed.names && <NameFields bind={bind} />}
        {needed.username && <UsernameField bind={bind} />}
        {needed.password && <PasswordField bind={bind} isNew={purpose === 'reset'} />}
        {refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
      </LinkSheet>
    </form>
  )
}

type Needed = Readonly<Record<'names' | 'username' | 'password', boolean>>

/** The error of every field that has one. */
function checkFields(typed: LinkFields, needed: Needed): FieldErrors {
  const { otherNames = '', surname = '', username = '', password = '' } = tidy(typed)
  const { otherNamesMissing, surnameMissing, nameInvalid, usernameHint, passwordTooShort, passwordTooLong } = words
  return {
    ...(needed.names &&
      !nameForm.test(otherNames) && { otherNames: otherNames === '' ? otherNamesMissing : nameInvalid }),
    ...(needed.names && !nameForm.test(surname) && { surname: surname === '' ? surnameMissing : nameInvalid }),
    ...(needed.username && !usernameForm.test(username) && { username: usernameHint }),
    ...(needed.password && password.length < passwordMin && { password: passwordTooShort }),
    ...(needed.password && password.length > passwordMax && { password: passwordTooLong }),
  }
}

/** Without spaces around names. A password stays as it was typed. */
function tidy(fields: LinkFields): LinkFields {
  const { otherNames, surname, username } = fields
  return {
    ...fields,
    ...(otherNames !== undefined && { otherNames: otherNames.trim() }),
    ...(surname !== undefined && { surname: surname.trim() }),
    ...(username !== undefined && { username: username.trim().toLowerCase() }),
  }
}

const fieldOfCode: Readonly<Record<string, keyof FieldErrors>> = {
  USERNAME_TAKEN: 'username',
  PASSWORD_MISSING: 'password',
  ADDRESS_KNOWN: 'email',
}

function errorOfRefusal(refusal: Refusal): FieldErrors {
  const field = fieldOfCode[refusal.code]
  return field === undefined ? {} : { [field]: describeError(refusal) }
}

/** Connects an input to one of the fields. */
type Bind = (name: keyof LinkFields) => {
  readonly value: string
  readonly error: string
  readonly onChange: (event: { target: { value: string } }) => void
}

/** Cannot be changed, but tells the browser's password manager whose password it is. */
function EmailField({ email, error }: { readonly email: string; readonly error: string }) {
  return <Field label={words.email} type="email" autoComplete="username" readOnly value={email} error={error} />
}

function NameFields({ bind }: { readonly bind: Bind }) {
  return (
    <>
      <Field label={words.otherNames} autoComplete="given-name" {...bind('otherNames')} />
      <Field label={words.surname} autoComplete="family-name" {...bind('surname')} />
    </>
  )
}

/** Shown after the server has refused the username that the user signed up with. */
function UsernameField({ bind }: { readonly bind: Bind }) {
  return (
    <Field
      label={words.username}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      hint={words.usernameHint}
      {...bind('username')}
    />
  )
}

function PasswordField({ bind, isNew }: { readonly bind: Bind; readonly isNew: boolean }) {
  return (
    <Field
      label={isNew ? words.newPassword : words.password}
      type="password"
      autoComplete="new-password"
      hint={words.passwordHint}
      {...bind('password')}
    />
  )
}
