import { type ReactNode, type SubmitEvent, useState } from 'react'
import { isCommonPin } from '../../server/src/base/common-pin.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { chooseLanguage, type Language, readLanguage } from '../ui/locale.ts'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Answer, Refusal } from '../ui/send-request.ts'
import { useOutcome } from '../ui/use-outcome.tsx'
import { act, type Blocks, remove, type User } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { refresh, useKnown } from './known.ts'
import { Loaded } from './parts.tsx'
import { addPasskey } from './passkey.ts'
import { isPushOn, turnPushOff, turnPushOn } from './push.ts'
import { realm } from './realm.ts'
import { chooseTheme, readTheme, type Theme } from '../ui/theme.ts'
import { describeError, languageNames, words } from './words.ts'

type SettingsProps = { readonly user: User; readonly onSignOut: () => void }

export function Settings({ user, onSignOut }: SettingsProps): ReactNode {
  return (
    <Screen heading={words.settings.heading}>
      <p className="soft">
        {words.settings.signedInAs} {user.fullName}, {user.email}
      </p>
      <Pin isSet={user.isPinSet} />
      <Passkeys />
      <Sessions />
      <Blocked />
      <Section lead={words.settings.discoverableHint}>
        <Choice
          label={words.settings.discoverable}
          value={user.isDiscoverable ? 'yes' : 'no'}
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
            ['device', words.settings.system],
            ['light', words.settings.light],
            ['dark', words.settings.dark],
          ]}
        />
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
      </Section>
      <div className="acts">
        <Button onClick={onSignOut}>{words.settings.signOut}</Button>
      </div>
    </Screen>
  )
}

type SectionProps = { readonly heading?: string; readonly lead?: string; readonly children: ReactNode }

/** Without a heading, the label of its field names the section, and the lead follows it. */
function Section({ heading = '', lead = '', children }: SectionProps) {
  const text = lead !== '' && <p className="soft">{lead}</p>
  return (
    <section className="wallet-section">
      {heading !== '' && <h2>{heading}</h2>}
      {heading !== '' && text}
      {children}
      {heading === '' && text}
    </section>
  )
}

type FormOutcome = { readonly text: string; readonly isError: boolean } | null

/** What came of a form, announced by screen readers. */
function Outcome({ outcome }: { readonly outcome: FormOutcome }) {
  return (
    <div role="status">
      {outcome !== null && <Notice kind={outcome.isError ? 'error' : 'info'}>{outcome.text}</Notice>}
    </div>
  )
}

type PinErrors = { readonly pin?: string; readonly password?: string }

function Pin({ isSet }: { readonly isSet: boolean }) {
  const [pin, setPin] = useState('')
  const [password, setPassword] = useState('')
  const [errors, setErrors] = useState<PinErrors>({})
  const [outcome, setOutcome] = useState<FormOutcome>(null)
  const finish = (answer: Answer<unknown>, form: HTMLFormElement) => {
    const refused = 'refusal' in answer ? pinErrorOf(answer.refusal) : {}
    setErrors(refused)
    if ('refusal' in answer) {
      if (Object.keys(refused).length === 0) setOutcome({ text: describeError(answer.refusal), isError: true })
      focusFirstInvalid(form)
      return
    }
    setOutcome({ text: words.settings.pinDone, isError: false })
    setPin('')
    setPassword('')
    void refresh('/me')
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const missing = checkPin(pin, password)
    setErrors(missing)
    setOutcome(null)
    if (Object.keys(missing).length > 0) focusFirstInvalid(form)
    else void act('/me/pin', { pin, password }).then((answer) => finish(answer, form))
  }
  const change = (name: keyof PinErrors, value: string) => {
    if (name === 'pin') setPin(value)
    else setPassword(value)
    setErrors({ ...errors, [name]: '' })
    setOutcome(null)
  }
  const commonError = pin.length === 6 && isCommonPin(pin) ? words.refusals.PIN_TOO_COMMON : ''
  return (
    <Section heading={words.settings.pin} lead={isSet ? words.settings.pinSet : words.settings.pinUnset}>
      <form className="fields" noValidate onSubmit={submit}>
        <DigitsField
          label={words.settings.newPin}
          hint={words.confirm.pinHint}
          error={errors.pin || commonError}
          length={6}
          value={pin}
          onDigits={(digits) => change('pin', digits)}
        />
        <PasswordField
          value={password}
          error={errors.password ?? ''}
          onPassword={(typed) => change('password', typed)}
        />
        <Outcome outcome={outcome} />
        <div className="acts">
          <Button type="submit">{words.settings.setPin}</Button>
        </div>
      </form>
    </Section>
  )
}

function checkPin(pin: string, password: string): PinErrors {
  return {
    ...(pin.length < 6 && { pin: words.settings.newPinMissing }),
    ...(password === '' && { password: words.settings.passwordMissing }),
  }
}

/** The error of the field that the server refused, or nothing if the refusal is about the whole form. */
function pinErrorOf(refusal: Refusal): PinErrors {
  if (refusal.code === 'PASSWORD_WRONG') return { password: describeError(refusal) }
  return refusal.code === 'PIN_TOO_COMMON' ? { pin: describeError(refusal) } : {}
}

type PasswordFieldProps = {
  readonly value: string
  readonly error: string
  readonly onPassword: (password: string) => void
}

function PasswordField({ value, error, onPassword }: PasswordFieldProps) {
  return (
    <Field
      label={words.settings.password}
      type="password"
      autoComplete="current-password"
      value={value}
      error={error}
      onChange={(event) => onPassword(event.target.value)}
    />
  )
}

type Passkey = { readonly id: string; readonly name?: string; readonly createdAt: string }

function Passkeys() {
  const path = `/auth/${realm}/passkey/list-user-passkeys`
  const known = useKnown<readonly Passkey[]>(path)
  const { tell, shown } = useOutcome(describeError)
  const removePasskey = (id: string) =>
    void act(`/auth/${realm}/passkey/delete-passkey`, { id }).then((answer) => {
      tell(answer, words.settings.saved)
      void refresh(path)
    })
  return (
    <Section heading={words.settings.passkeys} lead={words.settings.passkeysLead}>
      <Loaded known={known}>
        {(passkeys) => (
          <ul className="wallet-list">
            {passkeys.map(({ id, createdAt }) => (
              <li key={id}>
                <Moment at={createdAt} />
                <Button kind="bare" onClick={() => removePasskey(id)}>
                  {words.settings.remove}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {shown}
      <NewPasskey onAdded={() => void refresh(path)} />
    </Section>
  )
}

function NewPasskey({ onAdded }: { readonly onAdded: () => void }) {
  const [password, setPassword] = useState('')
  const [error, setError] = useState('')
  const [outcome, setOutcome] = useState<FormOutcome>(null)
  const finish = (answer: Answer<unknown>) => {
    setPassword('')
    onAdded()
    if (!('refusal' in answer)) setOutcome({ text: words.settings.passkeyDone, isError: false })
    else if (answer.refusal.code === 'PASSWORD_WRONG') setError(describeError(answer.refusal))
    else if (answer.refusal.code === 'PASSKEY_FAILED') setOutcome({ text: words.settings.passkeyFailed, isError: true })
    else setOutcome({ text: describeError(answer.refusal), isError: true })
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setOutcome(null)
    setError(password === '' ? words.settings.passwordMissing : '')
    if (password === '') focusFirstInvalid(event.currentTarget)
    else void addPasskey(password).then(finish)
  }
  const change = (typed: string) => {
    setPassword(typed)
    setError('')
    setOutcome(null)
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <PasswordField value={password} error={error} onPassword={change} />
      <Outcome outcome={outcome} />
      <div className="acts">
        <Button type="submit">{words.settings.addPasskey}</Button>
      </div>
    </form>
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
  const { tell, shown } = useOutcome(describeError)
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
                  <span className="soft">{words.settings.thisDevice}</span>
                ) : (
                  <Button
                    kind="bare"
                    onClick={() =>
                      void act(`/auth/${realm}/revoke-session`, { token }).then((answer) => {
                        tell(answer, words.settings.deviceSignedOut)
                        void refresh(path)
                      })
                    }
                  >
                    {words.settings.signOutDevice}
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

/** The browser and the system, such as "Firefox, Android". */
function nameOfDevice(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)/.exec(userAgent)?.[1] ?? ''
  const system = /(iPhone|iPad|Android|Windows|Mac OS|Linux)/.exec(userAgent)?.[1] ?? ''
  const name = [{ Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser, system].filter(Boolean).join(', ')
  return name === '' ? words.settings.unknownDevice : name
}

function Blocked() {
  const known = useKnown<Blocks>('/wallet/blocks')
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
  const [isBlocked, setIsBlocked] = useState(false)
  const change = async (isWanted: boolean) => {
    const hasWorked = isWanted ? await turnPushOn() : await turnPushOff()
    setIsBlocked(!hasWorked)
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
      {isBlocked && <Notice kind="error">{words.settings.pushBlocked}</Notice>}
    </Section>
  )
}
