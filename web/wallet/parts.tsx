import { type ReactNode, startTransition, type SubmitEvent, useState } from 'react'
import { Amount, type Currency, writeAmount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { isZero, shortDecimal } from '../ui/decimal.ts'
import { nameCurrency } from '../ui/currency-name.ts'
import { Checking } from '../ui/checking.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { focusFirstInvalid } from '../ui/field.tsx'
import { Loaded as LoadedIn, type LoadedProps } from '../ui/loaded.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Refusal } from '../ui/send-request.ts'
import type { Balances, Held, Named } from './request-wallet.ts'
import type { Reloadable } from '../ui/known.ts'
import { useKnown, usePeek } from './known.ts'
import { signInByPasskey } from './passkey.ts'
import { type Address, Link } from './route.ts'
import type { Act } from '../ui/use-act.ts'
import { isAboutPin, useShownRefusal } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

/** The server's description of a currency, as `Amount` takes it. */
export function toCurrency({ currency, name, symbol }: Named): Currency {
  return { abbreviation: currency, name: nameCurrency(currency, name), symbol }
}

/** Finds currencies by their codes in the cached wallet. */
export function useFindCurrency(): (code: string) => Currency {
  const { data } = usePeek<Balances>('/wallet')
  return (code) => {
    const hasCode = ({ currency }: Named): boolean => currency === code
    const found = data?.balances.find(hasCode) ?? data?.currencies.find(hasCode)
    return found === undefined ? { abbreviation: code, name: code, symbol: code } : toCurrency(found)
  }
}

export type HeldBalances = Reloadable<Balances> & {
  readonly held: readonly Held[]
  /** All currencies that the wallet can exchange into. */
  readonly offered: readonly Named[]
}

/** The user's balances above zero, those in fiat first. */
export function useBalances(): HeldBalances {
  const known = useKnown<Balances>('/wallet')
  const held: readonly Held[] = (known.data?.balances ?? [])
    .filter(({ available }) => !isZero(available))
    // Fiat has fewer decimals than crypto.
    .sort((a, b) => decimalsOf(a) - decimalsOf(b) || a.currency.localeCompare(b.currency))
  return { ...known, held, offered: known.data?.currencies ?? [] }
}

function decimalsOf({ available }: Held): number {
  return available.split('.')[1]?.length ?? 0
}

type MoneyProps = Omit<Parameters<typeof Amount>[0], 'currency'> & { readonly code: string }

/** An amount, with its currency looked up by code. */
export function Money({ value, code, ...rest }: MoneyProps): ReactNode {
  const find = useFindCurrency()
  return <Amount value={shortDecimal(value)} currency={find(code)} {...rest} />
}

/** Writes amounts as text, for sentences and buttons. */
export function useWriteMoney(): (value: string, code: string) => string {
  const find = useFindCurrency()
  return (value, code) => writeAmount(shortDecimal(value), find(code))
}

/** `Loaded` with the wallet's words. */
export function Loaded<Data>(props: Omit<LoadedProps<Data>, 'words' | 'say'>): ReactNode {
  return <LoadedIn {...props} words={words} say={describeError} />
}

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
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={isOff}>
          {state === 'sending' ? words.oneMoment : state === 'checking' ? words.confirm.checking : label}
        </Button>
        {'credentials' in navigator && (
          <Button kind="bare" aria-disabled={isOff} onClick={(event) => confirmByPasskey(event.currentTarget.form)}>
            {words.confirm.passkey}
          </Button>
        )}
      </div>
    </form>
  )
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

type DoneProps = {
  readonly heading: string
  readonly lead: string
  readonly to?: Address
  /** More buttons beside Done. */
  readonly more?: ReactNode
  readonly children?: ReactNode
}

/** The last screen of an action that succeeded. */
export function Done({ heading, lead, to = '/', more, children }: DoneProps): ReactNode {
  return (
    <>
      <div className="wallet-done" role="status">
        <svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
          <path d="M8 25l11 11 21-24" />
        </svg>
        <p className="wallet-done-heading">{heading}</p>
        {children}
        <p>{lead}</p>
      </div>
      <WayOn to={to}>{more}</WayOn>
    </>
  )
}

/** The Done button, which leads back to another screen. */
export function WayOn({ to = '/', children }: { readonly to?: Address; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="acts">
      {children}
      <Link className="button" data-kind="main" to={to}>
        {words.done}
      </Link>
    </div>
  )
}
