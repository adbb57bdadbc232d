import { type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { Refusal } from '../ui/ask-server.ts'
import { followLink, type Link, type LinkWords } from './ask-link.ts'

type LinkFormProps = { readonly link: Link; readonly token: string; readonly onDone: () => void }

const passwordMin = 10
const none: Refusal = { code: '', message: '' }

/** What its reader still has to say before the link does what it is for. */
export function LinkForm({ link, token, onDone }: LinkFormProps) {
  const { purpose, email, merchant, isKnown } = link
  const [words, setWords] = useState<LinkWords>({})
  const [refusal, setRefusal] = useState(none)
  const [isAsking, setIsAsking] = useState(false)
  const [isShort, setIsShort] = useState(false)
  const asksPassword = purpose !== 'invite' || !isKnown
  const asksUsername = refusal.code === 'USERNAME_TAKEN' || words.username !== undefined
  const say = (name: keyof LinkWords) => (event: { target: { value: string } }) =>
    setWords({ ...words, [name]: event.target.value })

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const hasTooShort = asksPassword && (words.password ?? '').length < passwordMin
    setIsShort(hasTooShort)
    if (hasTooShort || isAsking) return
    setIsAsking(true)
    void followLink(token, words).then((answer) => {
      setIsAsking(false)
      if ('refusal' in answer) setRefusal(answer.refusal)
      else onDone()
    })
  }

  const act = (
    <Button kind="main" type="submit" aria-disabled={isAsking}>
      {isAsking ? 'One moment' : acts[purpose]}
    </Button>
  )
  return (
    <form onSubmit={submit} noValidate>
      <Sheet act={act}>
        <PageHeading above={email}>{headings[purpose]}</PageHeading>
        <p>{leads[purpose](merchant)}</p>
        {purpose === 'invite' && !isKnown && (
          <>
            <Field
              label="First names"
              autoComplete="given-name"
              required
              value={words.otherNames ?? ''}
              onChange={say('otherNames')}
            />
            <Field
              label="Surname"
              autoComplete="family-name"
              required
              value={words.surname ?? ''}
              onChange={say('surname')}
            />
          </>
        )}
        {asksUsername && (
          <Field
            label="Another username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            hint="3 to 30 small letters, figures, dots and underlines."
            value={words.username ?? ''}
            onChange={say('username')}
          />
        )}
        {asksPassword && (
          <Field
            label={purpose === 'reset' ? 'New password' : 'Password'}
            type="password"
            autoComplete="new-password"
            hint="At least 10 characters. A few words are easy to remember."
            error={isShort ? 'Please choose at least 10 characters.' : ''}
            value={words.password ?? ''}
            onChange={say('password')}
          />
        )}
        {refusal.message !== '' && !isAsking && <Notice kind="error">{refusal.message}</Notice>}
      </Sheet>
    </form>
  )
}

const headings = {
  sign_up: 'Is this your address?',
  reset: 'Choose a new password',
  invite: 'You are invited',
}
const leads = {
  sign_up: () => 'Choose a password, and your account is ready.',
  reset: () => 'You will be signed out everywhere, and your passkeys end.',
  invite: (merchant: string) => `${merchant} invites you to work with it here.`,
}
const acts = { sign_up: 'Confirm my address', reset: 'Change my password', invite: 'Accept' }
