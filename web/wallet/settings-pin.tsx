import { type ReactNode, type SubmitEvent, useState } from 'react'
import { isCommonPin } from '../../server/src/base/common-pin.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { focusFirstInvalid } from '../ui/field.tsx'
import { Pill } from '../ui/pill.tsx'
import type { Answer, Refusal } from '../ui/send-request.ts'
import { refresh } from './known.ts'
import { act } from './request-wallet.ts'
import { type FormOutcome, Outcome, PasswordField } from './settings-parts.tsx'
import { describeError, words } from './words.ts'

type PinErrors = { readonly pin?: string; readonly password?: string }

/** Sets the PIN that confirms payments. */
export function PinSettings({ isSet }: { readonly isSet: boolean }): ReactNode {
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
  const state = <Pill tone={isSet ? 'good' : 'wait'}>{isSet ? words.settings.pinSet : words.settings.pinUnset}</Pill>
  return (
    <Card heading={words.settings.pin} act={state}>
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
    </Card>
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
