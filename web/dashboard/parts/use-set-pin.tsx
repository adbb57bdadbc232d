import { type ReactNode, useState } from 'react'
import { isCommonPin } from '../../../server/src/base/common-pin.ts'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Field } from '../../ui/field.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { act, refresh } from '../shell/request-dashboard.ts'
import { describeError, words } from '../words/words.ts'

const pinLength = 6

type SetPin = {
  /** The new PIN and the password, with the outcome below. */
  readonly fields: ReactNode
  readonly isReady: boolean
  readonly submit: () => void
}

/** Sets the PIN of the signed-in staff member, who confirms it with the password. */
export function useSetPin(): SetPin {
  const [pin, setPin] = useState('')
  const [password, setPassword] = useState('')
  const { tell, shown } = useOutcome(describeError)
  const isCommon = pin.length === pinLength && isCommonPin(pin)
  const submit = () => {
    void act('/me/pin', { pin, password }).then((response) => {
      tell(response, words.account.pinDone)
      if ('refusal' in response) return
      setPin('')
      setPassword('')
      void refresh('/me')
    })
  }
  const fields = (
    <>
      <DigitsField
        label={words.account.newPin}
        hint={words.account.pinHint}
        error={isCommon ? words.refusals.PIN_TOO_COMMON : ''}
        length={pinLength}
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
    </>
  )
  return { fields, isReady: pin.length === pinLength && !isCommon, submit }
}
