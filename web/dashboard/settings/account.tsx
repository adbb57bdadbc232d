import { type SubmitEvent, useState, type ReactNode } from 'react'
import { isCommonPin } from '../../../server/src/base/common-pin.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import type { Language } from '../../ui/locale.ts'
import { Notice } from '../../ui/notice.tsx'
import { chooseTheme, readTheme, type Theme } from '../../ui/theme.ts'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { act, refresh } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { LanguageChoice } from '../parts/language-choice.tsx'
import { SetUpSecondFactor } from './second-factor.tsx'
import { useShop } from '../shell/shop.tsx'
import { SignOut } from './shops.tsx'
import { describeError, words } from '../words/words.ts'

export function Account(): ReactNode {
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
      {!merchant.isTill && (
        <section className="section">
          <h2>{words.secondFactor.heading}</h2>
          <p className="soft">{person.hasTwoFactor ? words.secondFactor.isOn : words.secondFactor.isOff}</p>
          {!person.hasTwoFactor && <SetUpSecondFactor />}
        </section>
      )}
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
        <LanguageChoice onChoose={merchant.isTill ? undefined : saveLanguage} />
      </section>
      <div className="acts">
        <SignOut />
      </div>
    </Screen>
  )
}

/** Emails to this staff member are written in the same language. */
async function saveLanguage(language: Language): Promise<void> {
  await act('/me', { language })
}

function Pin({ isSet }: { readonly isSet: boolean }) {
  const [pin, setPin] = useState('')
  const [password, setPassword] = useState('')
  const { tell, shown } = useOutcome(describeError)
  const isCommon = pin.length === 6 && isCommonPin(pin)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    void act('/me/pin', { pin, password }).then((response) => {
      tell(response, words.account.pinDone)
      if ('refusal' in response) return
      setPin('')
      setPassword('')
      void refresh('/me')
    })
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <p className="soft">{isSet ? words.account.pinSet : words.account.pinUnset}</p>
      <DigitsField
        label={words.account.newPin}
        hint={words.account.pinHint}
        error={isCommon ? words.refusals.PIN_TOO_COMMON : ''}
        length={6}
        value={pin}
        onDigits={setPin}
      />
      <Field
        label={words.account.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {shown}
      <div className="acts">
        <Button type="submit" aria-disabled={pin.length !== 6 || isCommon}>
          {words.account.setPin}
        </Button>
      </div>
    </form>
  )
}
