import { type ChangeEvent, type ReactNode, type SubmitEvent, useState } from 'react'
import type { Refusal } from '../ui/send-request.ts'
import { Button } from '../ui/button.tsx'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { readLanguage } from '../ui/locale.ts'
import { Notice } from '../ui/notice.tsx'
import { act } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { realm } from './realm.ts'
import { Link } from './route.ts'
import { paramOf } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

const empty = { otherNames: '', surname: '', username: '', email: '' }
type Details = typeof empty
type DetailErrors = Partial<Details>

export function SignUp(): ReactNode {
  const [details, setDetails] = useState(empty)
  const [errors, setErrors] = useState<DetailErrors>({})
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isSending, setIsSending] = useState(false)
  const [isSent, setIsSent] = useState(false)
  if (isSent)
    return (
      <Screen heading={words.signUp.doneHeading} back="/">
        <Notice kind="done">{words.signUp.done(details.email)}</Notice>
      </Screen>
    )
  const showErrors = (found: DetailErrors, form: HTMLFormElement) => {
    setErrors(found)
    focusFirstInvalid(form)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    const form = event.currentTarget
    const sent = tidy(details)
    const found = checkDetails(sent)
    setRefusal(null)
    if (Object.keys(found).length > 0) {
      showErrors(found, form)
      return
    }
    setIsSending(true)
    void act(`/auth/${realm}/sign-up`, { ...sent, language: readLanguage() }).then((answer) => {
      setIsSending(false)
      setIsSent(!('refusal' in answer))
      if (!('refusal' in answer)) return
      const refused = errorOfRefusal(answer.refusal)
      if (Object.keys(refused).length === 0) setRefusal(answer.refusal)
      else showErrors(refused, form)
    })
  }
  const change = (name: keyof Details, value: string) => {
    setDetails({ ...details, [name]: value })
    setErrors({ ...errors, [name]: '' })
    setRefusal(null)
  }
  return (
    <Screen heading={words.signUp.heading} back="/">
      <p className="soft">{words.signUp.lead}</p>
      <form className="fields card card-body" noValidate onSubmit={submit}>
        <DetailFields details={details} errors={errors} onChange={change} />
        {refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
        <Button kind="main" size="l" isWide type="submit" aria-disabled={isSending}>
          {isSending ? words.oneMoment : words.signUp.act}
        </Button>
      </form>
      <p className="below">
        <Link className="link" to="/">
          {words.signUp.haveOne}
        </Link>
      </p>
    </Screen>
  )
}

function tidy({ otherNames, surname, username, email }: Details): Details {
  return {
    otherNames: otherNames.trim(),
    surname: surname.trim(),
    username: username.trim().toLowerCase(),
    email: email.trim(),
  }
}

// As the server checks them.
const nameForm = /^[^\p{C}<>@/:]{1,80}$/u
const usernameForm = /^(?=.*[a-z])[a-z0-9_.]{3,30}$/
const emailForm = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** The error of every field that has one. */
function checkDetails({ otherNames, surname, username, email }: Details): DetailErrors {
  const { otherNamesMissing, surnameMissing, usernameMissing, emailMissing } = words.signUp
  return {
    ...(!nameForm.test(otherNames) && { otherNames: otherNames === '' ? otherNamesMissing : invalid.otherNames }),
    ...(!nameForm.test(surname) && { surname: surname === '' ? surnameMissing : invalid.surname }),
    ...(!usernameForm.test(username) && { username: username === '' ? usernameMissing : invalid.username }),
    ...(!emailForm.test(email) && { email: email === '' ? emailMissing : invalid.email }),
  }
}

const invalid: Details = {
  otherNames: words.signUp.nameInvalid,
  surname: words.signUp.nameInvalid,
  username: words.signUp.usernameInvalid,
  email: words.signUp.emailInvalid,
}

/** The error of the field that the server refused, or nothing if the refusal is about the whole form. */
function errorOfRefusal(refusal: Refusal): DetailErrors {
  if (refusal.code === 'USERNAME_TAKEN') return { username: describeError(refusal) }
  if (refusal.code === 'ADDRESS_KNOWN') return { email: describeError(refusal) }
  const param = paramOf(refusal)
  return refusal.code === 'FIELD_INVALID' && isDetail(param) ? { [param]: invalid[param] } : {}
}

function isDetail(param: string): param is keyof Details {
  return param in empty
}

type DetailFieldsProps = {
  readonly details: Details
  readonly errors: DetailErrors
  readonly onChange: (name: keyof Details, value: string) => void
}

function DetailFields({ details, errors, onChange }: DetailFieldsProps) {
  const bind = (name: keyof Details) => ({
    value: details[name],
    error: errors[name] ?? '',
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange(name, event.target.value),
  })
  return (
    <>
      <Field label={words.signUp.otherNames} autoComplete="given-name" {...bind('otherNames')} />
      <Field label={words.signUp.surname} autoComplete="family-name" {...bind('surname')} />
      <Field
        label={words.signUp.username}
        hint={words.signUp.usernameHint}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        {...bind('username')}
      />
      <Field label={words.signIn.email} type="email" autoComplete="email" {...bind('email')} />
    </>
  )
}
