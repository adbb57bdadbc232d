import { useState } from 'react'
import { DigitsField } from '../ui/digits-field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Act } from '../ui/use-act.ts'
import { Link } from './place.ts'
import { useShop } from './shop.tsx'
import { sayRefusal, words } from './words.ts'

const pinLength = 6
const aboutPin = new Set(['CONFIRMATION_MISSING', 'PIN_NOT_SET', 'PIN_WRONG', 'PIN_LOCKED', 'PIN_FROZEN'])

/**
 * The staff member's PIN, which confirms that value may leave the balance. It is cleared with every attempt and stored nowhere. A refusal
 * that is about the PIN is shown at its field; `otherRefusal` is for the form.
 */
export function usePin({ state, refusal }: Pick<Act<unknown>, 'state' | 'refusal'>) {
  const { person } = useShop()
  const [pin, setPin] = useState('')
  const isBusy = state !== 'idle'
  const shown = isBusy ? null : refusal
  const isRefused = shown !== null && aboutPin.has(shown.code)
  const field = person.isPinSet ? (
    <DigitsField
      // Focus is lost while the field is disabled. Mounting it again brings the focus back to what must be corrected.
      key={isRefused ? 'refused' : 'first'}
      autoFocus={isRefused}
      label={words.confirm.pin}
      hint={words.confirm.pinHint}
      error={isRefused ? sayRefusal(shown) : ''}
      length={pinLength}
      value={pin}
      disabled={isBusy}
      onDigits={setPin}
    />
  ) : (
    <Notice>
      <p>{words.confirm.noPin}</p>
      <Link to="/account">{words.confirm.setPin}</Link>
    </Notice>
  )
  const take = (): string => {
    setPin('')
    return pin
  }
  return { field, isReady: pin.length === pinLength, take, otherRefusal: isRefused ? null : shown }
}
