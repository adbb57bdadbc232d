import { type SubmitEvent, useState, type ReactNode } from 'react'
import { isCommonPin } from '../../../server/src/base/common-pin.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
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
import { Link } from '../shell/place.ts'
import { LanguageChoice } from '../parts/language-choice.tsx'
import { SetUpSecondFactor } from './second-factor.tsx'
import { useShop } from '../shell/shop.tsx'
import { SignOut } from './shops.tsx'
import { selling } from '../words/selling.ts'
import { describeError, words } from '../words/words.ts'

export function Account(): ReactNode {
  const { merchant, person } = useShop()
  return (
    <Screen heading={words.account.heading}>
      <div className="cards">
        <Card>
          <Facts
            kind="plain"
            rows={[
              [words.account.name, person.fullName],
              [words.account.email, person.email],
              [merchant.name, words.shop.roles[merchant.role]],
            ]}
          />
        </Card>
        <Card heading={words.account.pin}>
          {merchant.isTill ? <Notice>{words.account.atTill}</Notice> : <Pin isSet={person.isPinSet} />}
        </Card>
        {!merchant.isTill && (
          <Card heading={words.secondFactor.heading}>
            <p className="soft">{person.hasTwoFactor ? words.secondFactor.isOn : words.secondFactor.isOff}</p>
            {!person.hasTwoFactor && <SetUpSecondFactor />}
          </Card>
        )}
        {merchant.role === 'owner' && !merchant.isTill && (
          <Card heading={words.brand.heading}>
            <p className="soft">{words.brand.lead}</p>
            <div className="acts">
              <Link className="button" data-kind="quiet" to="/account/brand">
                {words.brand.change}
              </Link>
            </div>
          </Card>
        )}
        {merchant.role === 'owner' && !merchant.isTill && (
          <Card heading={selling.locations.heading}>
            <p className="soft">{selling.locations.lead}</p>
            <div className="acts">
              <Link className="button" data-kind="quiet" to="/account/locations">
                {selling.locations.manage}
              </Link>
            </div>
          </Card>
        )}
        <Card heading={words.account.appearance}>
          <Appearance isTill={merchant.isTill} />
        </Card>
      </div>
      <div className="acts">
        <SignOut />
      </div>
    </Screen>
  )
}

function Appearance({ isTill }: { readonly isTill: boolean }) {
  return (
    <div className="fields">
      <Choice
        label={words.account.theme}
        defaultValue={readTheme()}
        onChange={(event) => chooseTheme(event.target.value as Theme)}
        options={[
          ['device', words.account.asDevice],
          ['light', words.account.light],
          ['dark', words.account.dark],
        ]}
      />
      <LanguageChoice onChoose={isTill ? undefined : saveLanguage} />
    </div>
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
