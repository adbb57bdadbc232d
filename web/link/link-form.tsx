import { type SubmitEvent, useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { Refusal } from '../ui/send-request.ts'
import { followLink, type Link, type LinkFields } from './request-link.ts'
import { describeError, words } from './words.ts'

type LinkFormProps = { readonly link: Link; readonly token: string; readonly onDone: () => void }

const passwordMin = 10

/** The fields that the purpose of the link requires, and the button that uses the link. */
export function LinkForm({ link, token, onDone }: LinkFormProps): ReactNode {
  const { purpose, email, merchant, isKnown } = link
  const [fields, setFields] = useState<LinkFields>({})
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isSending, setIsSending] = useState(false)
  const [isShort, setIsShort] = useState(false)
  const needsPassword = purpose !== 'invite' || !isKnown
  const needsUsername = refusal?.code === 'USERNAME_TAKEN' || fields.username !== undefined
  const bind: Bind = (name) => ({
    value: fields[name] ?? '',
    onChange: (event) => setFields({ ...fields, [name]: event.target.value }),
  })

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const isTooShort = needsPassword && (fields.password ?? '').length < passwordMin
    setIsShort(isTooShort)
    if (isTooShort || isSending) return
    setIsSending(true)
    void followLink(token, fields).then((answer) => {
      setIsSending(false)
      if ('refusal' in answer) setRefusal(answer.refusal)
      else onDone()
    })
  }

  const act = (
    <Button kind="main" type="submit" aria-disabled={isSending}>
      {isSending ? words.oneMoment : words[purpose].act}
    </Button>
  )
  return (
    <form onSubmit={submit} noValidate>
      <Sheet act={act}>
        <PageHeading above={email}>{words[purpose].heading}</PageHeading>
        <p>{purpose === 'invite' ? words.invite.lead(merchant) : words[purpose].lead}</p>
        {purpose === 'invite' && !isKnown && <NameFields bind={bind} />}
        {needsUsername && <UsernameField bind={bind} />}
        {needsPassword && <PasswordField bind={bind} isNew={purpose === 'reset'} isShort={isShort} />}
        {refusal !== null && !isSending && <Notice kind="error">{describeError(refusal)}</Notice>}
      </Sheet>
    </form>
  )
}

/** Connects an input to one of the fields. */
type Bind = (name: keyof LinkFields) => {
  readonly value: string
  readonly onChange: (event: { target: { value: string } }) => void
}

function NameFields({ bind }: { readonly bind: Bind }) {
  return (
    <>
      <Field label={words.otherNames} autoComplete="given-name" required {...bind('otherNames')} />
      <Field label={words.surname} autoComplete="family-name" required {...bind('surname')} />
    </>
  )
}

/** Shown after the server has refused the username that the user signed up with. */
function UsernameField({ bind }: { readonly bind: Bind }) {
  return (
    <Field
      label={words.username}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      hint={words.usernameHint}
      {...bind('username')}
    />
  )
}

type PasswordFieldProps = { readonly bind: Bind; readonly isNew: boolean; readonly isShort: boolean }

function PasswordField({ bind, isNew, isShort }: PasswordFieldProps) {
  return (
    <Field
      label={isNew ? words.newPassword : words.password}
      type="password"
      autoComplete="new-password"
      hint={words.passwordHint}
      error={isShort ? words.passwordTooShort : ''}
      {...bind('password')}
    />
  )
}
