import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Refusal } from '../../ui/send-request.ts'
import type { Act } from '../../ui/use-act.ts'
import { useMark } from '../../ui/use-mark.ts'
import { useShop } from '../shell/shop.tsx'
import { describeError, words } from '../words/words.ts'
import { useSetPin } from './use-set-pin.tsx'

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
  const [hadPin] = useState(person.isPinSet)
  const { isMarked, check } = useMark(pin.length === pinLength)
  const isBusy = state !== 'idle'
  const shown = isBusy ? null : refusal
  const isRefused = shown !== null && aboutPin.has(shown.code)
  const refusals = useRefusals(isRefused)
  const field = person.isPinSet ? (
    <DigitsField
      // A disabled field loses the focus. Mounting it again returns the focus to the field to correct.
      // After the first PIN is set here, this field takes the place of the fields that had the focus.
      key={refusals}
      autoFocus={refusals > 0 || !hadPin}
      label={words.confirm.pin}
      hint={words.confirm.pinHint}
      error={isMarked ? words.confirm.pinMissing : isRefused ? describeError(shown) : ''}
      length={pinLength}
      value={pin}
      disabled={isBusy}
      onDigits={setPin}
    />
  ) : (
    <FirstPin />
  )
  const take = (): string => {
    setPin('')
    return pin
  }
  return { field, check, take, otherRefusal: isRefused ? null : shown }
}

/** Sets the first PIN in place, so that nothing typed above it is lost. It stands in the form that it confirms. */
function FirstPin() {
  const { fields, isReady, submit } = useSetPin()
  const submitOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (isReady) submit()
  }
  return (
    <div className="fields" onKeyDown={submitOnEnter}>
      <Notice>{words.confirm.noPin}</Notice>
      {fields}
      <div className="acts">
        <Button aria-disabled={!isReady} onClick={() => isReady && submit()}>
          {words.account.setPin}
        </Button>
      </div>
    </div>
  )
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
