import { type ChangeEvent, type ReactNode, type SubmitEvent, useState } from 'react'
import type { Refusal } from '../ui/send-request.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { readLanguage } from '../ui/locale.ts'
import { Notice } from '../ui/notice.tsx'
import { act } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { realm } from './realm.ts'
import { Link } from './route.ts'
import { describeError, words } from './words.ts'

const empty = { otherNames: '', surname: '', username: '', email: '' }
type Details = typeof empty

export function SignUp(): ReactNode {
  const [details, setDetails] = useState(empty)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isSending, setIsSending] = useState(false)
  const [isSent, setIsSent] = useState(false)
  if (isSent)
    return (
      <Screen heading={words.signUp.doneHeading} back="/">
        <p>{words.signUp.done(details.email)}</p>
      </Screen>
    )
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    setIsSending(true)
    const email = details.email.trim()
    const username = details.username.trim().toLowerCase()
    const body = { ...details, email, username, language: readLanguage() }
    void act(`/auth/${realm}/sign-up`, body).then((answer) => {
      setIsSending(false)
      setRefusal('refusal' in answer ? answer.refusal : null)
      setIsSent(!('refusal' in answer))
    })
  }
  return (
    <Screen heading={words.signUp.heading} back="/">
      <p>{words.signUp.lead}</p>
      <form className="fields" noValidate onSubmit={submit}>
        <DetailFields details={details} onChange={setDetails} />
        {refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isSending}>
            {isSending ? words.oneMoment : words.signUp.act}
          </Button>
        </div>
      </form>
      <p className="below">
        <Link to="/">{words.signUp.haveOne}</Link>
      </p>
    </Screen>
  )
}

type DetailFieldsProps = { readonly details: Details; readonly onChange: (details: Details) => void }

function DetailFields({ details, onChange }: DetailFieldsProps) {
  const set = (name: keyof Details) => (event: ChangeEvent<HTMLInputElement>) =>
    onChange({ ...details, [name]: event.target.value })
  return (
    <>
      <Field
        label={words.signUp.otherNames}
        autoComplete="given-name"
        value={details.otherNames}
        onChange={set('otherNames')}
      />
      <Field
        label={words.signUp.surname}
        autoComplete="family-name"
        value={details.surname}
        onChange={set('surname')}
      />
      <Field
        label={words.signUp.username}
        hint={words.signUp.usernameHint}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        value={details.username}
        onChange={set('username')}
      />
      <Field
        label={words.signIn.email}
        type="email"
        autoComplete="email"
        value={details.email}
        onChange={set('email')}
      />
    </>
  )
}
