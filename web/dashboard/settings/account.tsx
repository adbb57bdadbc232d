import type { ReactNode, SubmitEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Facts } from '../../ui/facts.tsx'
import type { Language } from '../../ui/locale.ts'
import { Notice } from '../../ui/notice.tsx'
import { chooseTheme, readTheme, type Theme } from '../../ui/theme.ts'
import { act } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { LanguageChoice } from '../parts/language-choice.tsx'
import { useSetPin } from '../parts/use-set-pin.tsx'
import { SetUpSecondFactor } from './second-factor.tsx'
import { useShop } from '../shell/shop.tsx'
import { SignOut } from './shops.tsx'
import { words } from '../words/words.ts'

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
  const { fields, isReady, submit } = useSetPin()
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    submit()
  }
  return (
    <form className="fields" noValidate onSubmit={send}>
      <p className="soft">{isSet ? words.account.pinSet : words.account.pinUnset}</p>
      {fields}
      <div className="acts">
        <Button type="submit" aria-disabled={!isReady}>
          {words.account.setPin}
        </Button>
      </div>
    </form>
  )
}
