import { type ReactNode, startTransition, useState } from 'react'
import { Amount, type Currency, writeAmount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { isZero, shortDecimal } from '../ui/decimal.ts'
import { Checking } from '../ui/checking.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Loaded as LoadedIn, type LoadedProps } from '../ui/loaded.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Balances, Held, Named } from './request-wallet.ts'
import type { Reloadable } from '../ui/known.ts'
import { useKnown, usePeek } from './known.ts'
import { signInByPasskey } from './passkey.ts'
import { Link } from './route.ts'
import type { Act } from '../ui/use-act.ts'
import { describeError, words } from './words.ts'

/** The server's description of a currency, as `Amount` takes it. */
export function toCurrency({ currency, name, symbol }: Named): Currency {
  return { abbreviation: currency, name, symbol }
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
  /** Gets the PIN, or undefined after a confirmation by passkey. */
  readonly onConfirm: (pin: string | undefined) => void
  readonly children?: ReactNode
}

/** Confirms a payment with the PIN or a passkey. */
export function Confirm({
  label,
  act: { state, refusal },
  isDisabled = false,
  onConfirm,
  children,
}: ConfirmProps): ReactNode {
  const [pin, setPin] = useState('')
  const [passkeyError, setPasskeyError] = useState('')
  const isBusy = state !== 'idle'
  const confirmByPasskey = () => {
    if (isBusy || isDisabled) return
    void signInByPasskey().then((answer) => {
      if ('refusal' in answer) setPasskeyError(words.signIn.passkeyFailed)
      else onConfirm(undefined)
    })
  }
  return (
    <form
      className="fields"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (isBusy || isDisabled) return
        onConfirm(pin)
        startTransition(() => {
          setPasskeyError('')
          setPin('')
        })
      }}
    >
      {children}
      <DigitsField
        label={words.confirm.pin}
        hint={words.confirm.pinHint}
        length={6}
        value={pin}
        disabled={isBusy}
        onDigits={setPin}
      />
      <Checking state={state} words={words.confirm} />
      {!isBusy && refusal !== null && (
        <Notice kind="error">
          {describeError(refusal)} {refusal.code === 'PIN_NOT_SET' && <Link to="/settings">{words.nav.settings}</Link>}
        </Notice>
      )}
      {!isBusy && passkeyError !== '' && <Notice kind="error">{passkeyError}</Notice>}
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={isBusy || isDisabled}>
          {state === 'sending' ? words.oneMoment : state === 'checking' ? words.confirm.checking : label}
        </Button>
        {'credentials' in navigator && (
          <Button kind="bare" aria-disabled={isBusy || isDisabled} onClick={confirmByPasskey}>
            {words.confirm.passkey}
          </Button>
        )}
      </div>
    </form>
  )
}

type DoneProps = {
  readonly heading: string
  readonly lead: string
  readonly to?: string
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
export function WayOn({ to = '/', children }: { readonly to?: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="acts">
      {children}
      <Link className="button" data-kind="main" to={to}>
        {words.done}
      </Link>
    </div>
  )
}
