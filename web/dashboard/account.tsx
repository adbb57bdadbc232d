import { type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Facts } from '../ui/facts.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { chooseTheme, readTheme, type Theme } from '../ui/theme.ts'
import { useSaid } from '../ui/use-said.tsx'
import { act, refresh } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { useShop } from './shop.tsx'
import { SignOut } from './shops.tsx'
import { sayRefusal, words } from './words.ts'

export function Account() {
  const { merchant, person } = useShop()
  return (
    <Screen heading={words.account.heading}>
      <div className="narrow">
        <Facts
          rows={[
            [words.account.name, person.fullName],
            [words.account.email, person.email],
            [merchant.name, words.shop.roles[merchant.role]],
          ]}
        />
      </div>
      <section className="section">
        <h2>{words.account.pin}</h2>
        {merchant.isTill ? <Notice>{words.account.atTill}</Notice> : <Pin isSet={person.isPinSet} />}
      </section>
      <section className="section narrow">
        <Choice
          label={words.account.appearance}
          defaultValue={readTheme()}
          onChange={(event) => chooseTheme(event.target.value as Theme)}
          options={[
            ['device', words.account.asDevice],
            ['light', words.account.light],
            ['dark', words.account.dark],
          ]}
        />
      </section>
      <div className="acts">
        <SignOut />
      </div>
    </Screen>
  )
}

function Pin({ isSet }: { readonly isSet: boolean }) {
  const [pin, setPin] = useState('')
  const [password, setPassword] = useState('')
  const { tell, shown } = useSaid(sayRefusal)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    void act('/me/pin', { pin, password }).then((answer) => {
      tell(answer, words.account.pinDone)
      if ('refusal' in answer) return
      setPin('')
      setPassword('')
      void refresh('/me')
    })
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <p className="soft">{isSet ? words.account.pinSet : words.account.pinUnset}</p>
      <DigitsField label={words.account.newPin} hint={words.account.pinHint} length={6} value={pin} onDigits={setPin} />
      <Field
        label={words.account.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {shown}
      <div className="acts">
        <Button type="submit" aria-disabled={pin.length !== 6}>
          {words.account.setPin}
        </Button>
      </div>
    </form>
  )
}
