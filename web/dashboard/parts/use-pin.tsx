import { type ReactNode, useState } from 'react'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Refusal } from '../../ui/send-request.ts'
import type { Act } from '../../ui/use-act.ts'
import { useMark } from '../../ui/use-mark.ts'
import { Link } from '../shell/place.ts'
import { useShop } from '../shell/shop.tsx'
import { describeError, words } from '../words/words.ts'

const pinLength = 6
const aboutPin = new Set(['CONFIRMATION_MISSING', 'PIN_NOT_SET', 'PIN_WRONG', 'PIN_LOCKED', 'PIN_FROZEN'])

/** A PIN or a one-time code that confirms a request. */
export type Confirmation = {
  readonly field: ReactNode
  /** Returns whether the confirmation is complete, and marks its field if not. */
  readonly check: () => boolean
  /** Returns what was typed and clears the field. */
  readonly take: () => string
  /** A refusal that is not about the confirmation, for the form to show. */
  readonly otherRefusal: Refusal | null
}

/**
 * The staff member's PIN, which confirms that money may leave the balance. It is cleared with every attempt and
 * never stored. Refusals of the PIN are shown at its field.
 */
export function usePin({ state, refusal }: Pick<Act<unknown>, 'state' | 'refusal'>): Confirmation {
  const { person } = useShop()
  const [pin, setPin] = useState('')
  const { isMarked, check } = useMark(pin.length === pinLength)
  const isBusy = state !== 'idle'
  const shown = isBusy ? null : refusal
  const isRefused = shown !== null && aboutPin.has(shown.code)
  const refusals = useRefusals(isRefused)
  const field = person.isPinSet ? (
    <DigitsField
      // A disabled field loses the focus. Mounting it again returns the focus to the field to correct.
      key={refusals}
      autoFocus={refusals > 0}
      label={words.confirm.pin}
      hint={words.confirm.pinHint}
      error={isMarked ? words.confirm.pinMissing : isRefused ? describeError(shown) : ''}
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
  return { field, check, take, otherRefusal: isRefused ? null : shown }
}

/** Counts the refusals, so that a field is mounted again with each one and not when the refusal is cleared. */
export function useRefusals(isRefused: boolean): number {
  const [count, setCount] = useState(0)
  const [wasRefused, setWasRefused] = useState(false)
  if (isRefused !== wasRefused) {
    setWasRefused(isRefused)
    if (isRefused) setCount(count + 1)
  }
  return count
}
