import { Fingerprint } from 'lucide-react'
import { type ReactNode, startTransition, type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { focusFirstInvalid } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Refusal } from '../ui/send-request.ts'
import type { Act } from '../ui/use-act.ts'
import { signInByPasskey } from './passkey.ts'
import { Link } from './route.ts'
import { isAboutPin, useShownRefusal } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

type ConfirmProps = {
  readonly label: string
  readonly act: Pick<Act<unknown>, 'state' | 'refusal'>
  readonly isDisabled?: boolean
  /** Returns whether the other fields of the form are complete, and marks those that are not. */
  readonly check?: () => boolean
  /** Gets the PIN, or undefined after a confirmation by passkey. */
  readonly onConfirm: (pin: string | undefined) => void
  readonly children?: ReactNode
}

const pinLength = 6

/** Confirms a payment with the PIN or a passkey. */
export function Confirm({ label, act, isDisabled = false, check = isComplete, ...rest }: ConfirmProps): ReactNode {
  const { onConfirm, children } = rest
  const { state } = act
  const isBusy = state !== 'idle'
  const isOff = isBusy || isDisabled
  const [hasPasskeyFailed, setHasPasskeyFailed] = useState(false)
  const [refusal, hideRefusal] = useShownRefusal(isBusy ? null : act.refusal)
  const isPinRefused = refusal !== null && isAboutPin(refusal)
  const pin = usePinInput(isPinRefused ? describeError(refusal) : '', hideRefusal)
  const confirmByPasskey = (form: HTMLFormElement | null) => {
    if (isOff) return
    pin.forget()
    if (!check()) {
      if (form !== null) focusFirstInvalid(form)
      return
    }
    void signInByPasskey().then((answer) => {
      setHasPasskeyFailed('refusal' in answer)
      if (!('refusal' in answer)) onConfirm(undefined)
    })
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isOff) return
    // Both, so that all missing fields are marked at once.
    if ([check(), pin.check()].includes(false)) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    onConfirm(pin.value)
    startTransition(() => {
      setHasPasskeyFailed(false)
      pin.forget()
    })
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      {children !== undefined && (
        <div className="fields" onChange={hideRefusal}>
          {children}
        </div>
      )}
      <PinField {...pin} disabled={isBusy} />
      <Checking state={state} words={words.confirm} />
      {refusal !== null && !isPinRefused && <RefusalNotice refusal={refusal} />}
      {!isBusy && hasPasskeyFailed && <Notice kind="error">{words.signIn.passkeyFailed}</Notice>}
      <div className="wallet-acts">
        <Button kind="main" size="l" isWide type="submit" aria-disabled={isOff}>
          {labelOf(state, label)}
        </Button>
        {'credentials' in navigator && (
          <Button kind="bare" aria-disabled={isOff} onClick={(event) => confirmByPasskey(event.currentTarget.form)}>
            <Fingerprint aria-hidden="true" />
            {words.confirm.passkey}
          </Button>
        )}
      </div>
    </form>
  )
}

/** The label of a button that moves money, while it waits for a response too. */
export function labelOf(state: Act<unknown>['state'], label: string): string {
  if (state === 'sending') return words.oneMoment
  return state === 'checking' ? words.confirm.checking : label
}

type PinInput = {
  readonly value: string
  readonly error: string
  readonly onDigits: (digits: string) => void
  readonly forget: () => void
  /** Returns whether the PIN is complete, and marks the field if not. */
  readonly check: () => boolean
}

/** The PIN as typed. The refusal of the last PIN is shown until the user types another one. */
function usePinInput(refused: string, hideRefusal: () => void): PinInput {
  const [value, setValue] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const change = (digits: string) => {
    setValue(digits)
    setIsMissing(false)
  }
  return {
    value,
    error: refused === '' && isMissing ? words.confirm.pinMissing : refused,
    onDigits: (digits) => {
      change(digits)
      if (refused !== '') hideRefusal()
    },
    forget: () => change(''),
    check: () => {
      setIsMissing(value.length < pinLength)
      return value.length >= pinLength
    },
  }
}

function isComplete(): boolean {
  return true
}

function PinField({ value, error, onDigits, disabled }: PinInput & { readonly disabled: boolean }) {
  const input = { value, error, onDigits, disabled }
  return <DigitsField label={words.confirm.pin} hint={words.confirm.pinHint} length={pinLength} {...input} />
}

function RefusalNotice({ refusal }: { readonly refusal: Refusal }) {
  return (
    <Notice kind="error">
      {describeError(refusal)} {refusal.code === 'PIN_NOT_SET' && <Link to="/settings">{words.nav.settings}</Link>}
    </Notice>
  )
}
