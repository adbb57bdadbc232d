import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Field } from '../ui/field.tsx'
import { chooseLanguage, type Language, readLanguage } from '../ui/locale.ts'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { useSaid } from '../ui/use-said.tsx'
import { act, type Person, remove } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { refresh, useKnown } from './known.ts'
import { Loaded } from './parts.tsx'
import { addPasskey } from './passkey.ts'
import { isPushOn, turnPushOff, turnPushOn } from './push.ts'
import { realm } from './realm.ts'
import { chooseTheme, readTheme, type Theme } from '../ui/theme.ts'
import { sayRefusal, words } from './words.ts'

export function Settings({ person, onSignOut }: { readonly person: Person; readonly onSignOut: () => void }) {
  return (
    <Screen heading={words.settings.heading}>
      <p className="soft">
        {words.settings.signedInAs} {person.fullName}, {person.email}
      </p>
      <Pin isSet={person.isPinSet} />
      <Passkeys />
      <Sessions />
      <Blocked />
      <Section lead={words.settings.discoverableHint}>
        <Choice
          label={words.settings.discoverable}
          value={person.isDiscoverable ? 'yes' : 'no'}
          onChange={(event) =>
            void act('/me', { isDiscoverable: event.target.value === 'yes' }).then(() => refresh('/me'))
          }
          options={[
            ['yes', words.settings.yes],
            ['no', words.settings.no],
          ]}
        />
      </Section>
      <Push />
      <Section>
        <Choice
          label={words.settings.appearance}
          defaultValue={readTheme()}
          onChange={(event) => chooseTheme(event.target.value as Theme)}
          options={[
            ['device', words.settings.asDevice],
            ['light', words.settings.light],
            ['dark', words.settings.dark],
          ]}
        />
        <Choice
          label={words.settings.language}
          value={readLanguage()}
          onChange={(event) => {
            const language = event.target.value as Language
            // Mails come in the same language. Whether that was heard or not, the app changes.
            void act('/me', { language }).then(() => chooseLanguage(language))
          }}
          options={[
            ['en', 'English'],
            ['fr', 'Français'],
          ]}
        />
      </Section>
      <div className="acts">
        <Button onClick={onSignOut}>{words.settings.signOut}</Button>
      </div>
    </Screen>
  )
}

type SectionProps = { readonly heading?: string; readonly lead?: string; readonly children: ReactNode }

/** One with a single field is named by it. */
function Section({ heading = '', lead = '', children }: SectionProps) {
  const said = lead !== '' && <p className="soft">{lead}</p>
  return (
    <section className="wallet-section">
      {heading !== '' && <h2>{heading}</h2>}
      {heading !== '' && said}
      {children}
      {heading === '' && said}
    </section>
  )
}

function Pin({ isSet }: { readonly isSet: boolean }) {
  const [pin, setPin] = useState('')
  const [password, setPassword] = useState('')
  const { tell, shown } = useSaid(sayRefusal)
  return (
    <Section heading={words.settings.pin} lead={isSet ? words.settings.pinSet : words.settings.pinUnset}>
      <form
        className="fields"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void act('/me/pin', { pin, password }).then((answer) => {
            tell(answer, words.settings.pinDone)
            if ('refusal' in answer) return
            setPin('')
            setPassword('')
            void refresh('/me')
          })
        }}
      >
        <DigitsField
          label={words.settings.newPin}
          hint={words.confirm.pinHint}
          length={6}
          value={pin}
          onDigits={setPin}
        />
        <PasswordField value={password} onWord={setPassword} />
        {shown}
        <div className="acts">
          <Button type="submit">{words.settings.setPin}</Button>
        </div>
      </form>
    </Section>
  )
}

function PasswordField({ value, onWord }: { readonly value: string; readonly onWord: (word: string) => void }) {
  return (
    <Field
      label={words.settings.password}
      type="password"
      autoComplete="current-password"
      value={value}
      onChange={(event) => onWord(event.target.value)}
    />
  )
}

type Passkey = { readonly id: string; readonly name?: string; readonly createdAt: string }

function Passkeys() {
  const path = `/auth/${realm}/passkey/list-user-passkeys`
  const known = useKnown<readonly Passkey[]>(path)
  const [password, setPassword] = useState('')
  const { tell, shown } = useSaid(sayRefusal)
  return (
    <Section heading={words.settings.passkeys} lead={words.settings.noPasskeys}>
      <Loaded known={known}>
        {(passkeys) => (
          <ul className="wallet-list">
            {passkeys.map(({ id, createdAt }) => (
              <li key={id}>
                <Moment at={createdAt} />
                <Button
                  kind="bare"
                  onClick={() =>
                    void act(`/auth/${realm}/passkey/delete-passkey`, { id }).then((answer) => {
                      tell(answer, words.settings.saved)
                      void refresh(path)
                    })
                  }
                >
                  {words.settings.removeIt}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <form
        className="fields"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void addPasskey(password).then((answer) => {
            const isOurs = 'refusal' in answer && answer.refusal.code === 'PASSKEY_FAILED'
            tell(
              isOurs ? { refusal: { code: '', message: words.settings.passkeyFailed } } : answer,
              words.settings.passkeyDone,
            )
            setPassword('')
            void refresh(path)
          })
        }}
      >
        <PasswordField value={password} onWord={setPassword} />
        {shown}
        <div className="acts">
          <Button type="submit">{words.settings.addPasskey}</Button>
        </div>
      </form>
    </Section>
  )
}

type Session = {
  readonly id: string
  readonly token: string
  readonly userAgent?: string | null
  readonly createdAt: string
  readonly isThis?: boolean
}

function Sessions() {
  const path = `/auth/${realm}/list-sessions`
  const known = useKnown<readonly Session[]>(path)
  const { tell, shown } = useSaid(sayRefusal)
  return (
    <Section heading={words.settings.sessions}>
      <Loaded known={known}>
        {(sessions) => (
          <ul className="wallet-list">
            {sessions.map(({ id, token, userAgent, createdAt, isThis }) => (
              <li key={id}>
                <span>
                  {nameOfDevice(userAgent ?? '')}
                  <br />
                  <span className="soft">
                    <Moment at={createdAt} />
                  </span>
                </span>
                {isThis === true ? (
                  <span className="soft">{words.settings.thisOne}</span>
                ) : (
                  <Button
                    kind="bare"
                    onClick={() =>
                      void act(`/auth/${realm}/revoke-session`, { token }).then((answer) => {
                        tell(answer, words.settings.ended)
                        void refresh(path)
                      })
                    }
                  >
                    {words.settings.endIt}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {shown}
    </Section>
  )
}

/** What people call it. */
function nameOfDevice(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)/.exec(userAgent)?.[1] ?? ''
  const system = /(iPhone|iPad|Android|Windows|Mac OS|Linux)/.exec(userAgent)?.[1] ?? ''
  const name = [{ Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser, system].filter(Boolean).join(', ')
  return name === '' ? words.settings.unknownDevice : name
}

function Blocked() {
  const known = useKnown<{ readonly blocked: readonly { merchantId: string; name: string }[] }>('/wallet/blocks')
  return (
    <Section heading={words.settings.blocked}>
      <Loaded known={known}>
        {({ blocked }) =>
          blocked.length === 0 ? (
            <p className="soft">{words.settings.noBlocked}</p>
          ) : (
            <ul className="wallet-list">
              {blocked.map(({ merchantId, name }) => (
                <li key={merchantId}>
                  {name}
                  <Button
                    kind="bare"
                    onClick={() => void remove(`/wallet/blocks/${merchantId}`).then(() => refresh('/wallet/blocks'))}
                  >
                    {words.settings.unblock}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

function Push() {
  const [isOn, setIsOn] = useState(isPushOn())
  const [isRefused, setIsRefused] = useState(false)
  const change = async (wanted: boolean) => {
    const hasWorked = wanted ? await turnPushOn() : await turnPushOff()
    setIsRefused(!hasWorked)
    setIsOn(isPushOn())
  }
  return (
    <Section lead={words.settings.pushHint}>
      <Choice
        label={words.settings.push}
        value={isOn ? 'yes' : 'no'}
        onChange={(event) => void change(event.target.value === 'yes')}
        options={[
          ['yes', words.settings.yes],
          ['no', words.settings.no],
        ]}
      />
      {isRefused && <Notice kind="error">{words.settings.pushOff}</Notice>}
    </Section>
  )
}
