import { LogOut } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Row } from '../ui/card.tsx'
import { Choice } from '../ui/choice.tsx'
import { chooseLanguage, type Language, readLanguage } from '../ui/locale.ts'
import { Notice } from '../ui/notice.tsx'
import { Segmented, Toggle } from '../ui/segmented.tsx'
import { chooseTheme, readTheme, type Theme } from '../ui/theme.ts'
import { Screen } from './frame.tsx'
import { refresh } from './known.ts'
import { chooseMainCurrency, readMainCurrency } from './main-currency.ts'
import { toCurrency, useBalances } from './money.tsx'
import { isPushOn, turnPushOff, turnPushOn } from './push.ts'
import { act, type User } from './request-wallet.ts'
import { BlockSettings, DeviceSettings } from './settings-devices.tsx'
import { PasskeySettings } from './settings-passkeys.tsx'
import { PinSettings } from './settings-pin.tsx'
import './settings.css'
import { languageNames, words } from './words.ts'

type SettingsProps = { readonly user: User; readonly onSignOut: () => void }

export function Settings({ user, onSignOut }: SettingsProps): ReactNode {
  return (
    <Screen heading={words.settings.heading}>
      <Card hasPadding={false}>
        <Row
          lead={<Avatar name={user.fullName} />}
          title={user.fullName}
          detail={`${words.settings.signedInAs} ${user.email}`}
        />
      </Card>
      <PinSettings isSet={user.isPinSet} />
      <PasskeySettings />
      <DeviceSettings />
      <Card heading={words.settings.preferences} hasPadding={false}>
        <ul className="row-list">
          <Discoverable user={user} />
          <Push />
        </ul>
        <div className="card-body wallet-preferences">
          <MainCurrency />
          <Appearance />
          <LanguageChoice />
        </div>
      </Card>
      <BlockSettings />
      <Button size="l" onClick={onSignOut}>
        <LogOut aria-hidden="true" />
        {words.settings.signOut}
      </Button>
    </Screen>
  )
}

function Discoverable({ user: { isDiscoverable } }: { readonly user: User }) {
  const change = (isOn: boolean) => void act('/me', { isDiscoverable: isOn }).then(() => refresh('/me'))
  return (
    <li>
      <Row
        title={words.settings.discoverable}
        detail={words.settings.discoverableHint}
        end={<Toggle label={words.settings.discoverable} isOn={isDiscoverable} onToggle={change} />}
      />
    </li>
  )
}

function Push() {
  const [isOn, setIsOn] = useState(isPushOn)
  const [isBlocked, setIsBlocked] = useState(false)
  const change = async (isWanted: boolean) => {
    const hasWorked = isWanted ? await turnPushOn() : await turnPushOff()
    setIsBlocked(!hasWorked)
    setIsOn(isPushOn())
  }
  return (
    <li>
      <Row
        title={words.settings.push}
        detail={words.settings.pushHint}
        end={<Toggle label={words.settings.push} isOn={isOn} onToggle={(isWanted) => void change(isWanted)} />}
      />
      {isBlocked && <Notice kind="error">{words.settings.pushBlocked}</Notice>}
    </li>
  )
}

function MainCurrency() {
  const [code, setCode] = useState(readMainCurrency)
  const { offered } = useBalances()
  const choose = (chosen: string) => {
    chooseMainCurrency(chosen)
    setCode(chosen)
  }
  const options = offered.map((each) => [each.currency, `${each.currency}, ${toCurrency(each).name}`] as const)
  return (
    <div>
      <Choice
        label={words.settings.mainCurrency}
        value={code}
        onChange={(event) => choose(event.target.value)}
        options={[['', words.settings.automatic], ...options]}
      />
      <p className="soft">{words.settings.mainCurrencyHint}</p>
    </div>
  )
}

function Appearance() {
  const [theme, setTheme] = useState(readTheme)
  const choose = (chosen: Theme) => {
    chooseTheme(chosen)
    setTheme(chosen)
  }
  return (
    <div className="field">
      <p className="field-label">{words.settings.appearance}</p>
      <Segmented
        label={words.settings.appearance}
        value={theme}
        onChoose={choose}
        isWide
        options={[
          ['device', words.settings.system],
          ['light', words.settings.light],
          ['dark', words.settings.dark],
        ]}
      />
    </div>
  )
}

function LanguageChoice() {
  return (
    <Choice
      label={words.settings.language}
      value={readLanguage()}
      onChange={(event) => {
        const language = event.target.value as Language
        // Emails use the account's language. The app changes even if that request fails.
        void act('/me', { language }).then(() => chooseLanguage(language))
      }}
      options={languageNames}
    />
  )
}
