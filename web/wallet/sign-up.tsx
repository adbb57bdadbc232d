import { useState } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { readLanguage } from '../ui/locale.ts'
import { Notice } from '../ui/notice.tsx'
import { act } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { realm } from './realm.ts'
import { Link } from './route.ts'
import { sayRefusal, words } from './words.ts'

const empty = { otherNames: '', surname: '', username: '', email: '' }

export function SignUp() {
  const [facts, setFacts] = useState(empty)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isAsking, setIsAsking] = useState(false)
  const [isSent, setIsSent] = useState(false)
  const say = (name: keyof typeof empty) => (event: { target: { value: string } }) =>
    setFacts({ ...facts, [name]: event.target.value })
  if (isSent)
    return (
      <Screen heading={words.signUp.doneHeading} back="/">
        <p>{words.signUp.done(facts.email)}</p>
      </Screen>
    )
  return (
    <Screen heading={words.signUp.heading} back="/">
      <p>{words.signUp.lead}</p>
      <form
        className="fields"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isAsking) return
          setIsAsking(true)
          const body = { ...facts, email: facts.email.trim(), username: facts.username.trim().toLowerCase() }
          void act(`/auth/${realm}/sign-up`, { ...body, language: readLanguage() }).then((answer) => {
            setIsAsking(false)
            setRefusal('refusal' in answer ? answer.refusal : null)
            setIsSent(!('refusal' in answer))
          })
        }}
      >
        <Field
          label={words.signUp.otherNames}
          autoComplete="given-name"
          value={facts.otherNames}
          onChange={say('otherNames')}
        />
        <Field
          label={words.signUp.surname}
          autoComplete="family-name"
          value={facts.surname}
          onChange={say('surname')}
        />
        <Field
          label={words.signUp.username}
          hint={words.signUp.usernameHint}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          value={facts.username}
          onChange={say('username')}
        />
        <Field
          label={words.signIn.email}
          type="email"
          autoComplete="email"
          value={facts.email}
          onChange={say('email')}
        />
        {refusal !== null && <Notice kind="error">{sayRefusal(refusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isAsking}>
            {isAsking ? words.oneMoment : words.signUp.act}
          </Button>
        </div>
      </form>
      <p className="below">
        <Link to="/">{words.signUp.haveOne}</Link>
      </p>
    </Screen>
  )
}
