import { type ReactNode, startTransition, useState } from 'react'
import { Amount, type Currency, writeAmount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { isZero, shortDecimal } from '../ui/decimal.ts'
import { Checking } from '../ui/checking.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Loaded as LoadedIn, type LoadedProps } from '../ui/loaded.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Balances, Held, Named } from './ask-wallet.ts'
import { useKnown, usePeek } from './known.ts'
import { signInByPasskey } from './passkey.ts'
import { Link } from './route.ts'
import type { Act } from '../ui/use-act.ts'
import { sayRefusal, words } from './words.ts'

/** What the server calls a currency, as amounts are written. */
export function toCurrency({ currency, name, symbol }: Named): Currency {
  return { abbreviation: currency, name, symbol }
}

/** Names of all currencies that are in use here, by what was said of them last. */
export function useFindCurrency(): (code: string) => Currency {
  const { data } = usePeek<Balances>('/wallet')
  return (code) => {
    const isIt = ({ currency }: Named): boolean => currency === code
    const found = data?.balances.find(isIt) ?? data?.currencies.find(isIt)
    return found === undefined ? { abbreviation: code, name: code, symbol: code } : toCurrency(found)
  }
}

/** What the person has. */
export function useBalances() {
  const known = useKnown<Balances>('/wallet')
  const held: readonly Held[] = (known.data?.balances ?? [])
    .filter(({ available }) => !isZero(available))
    // What prices are in comes first.
    .sort((a, b) => decimalsOf(a) - decimalsOf(b) || a.currency.localeCompare(b.currency))
  return { ...known, held, offered: known.data?.currencies ?? [] }
}

function decimalsOf({ available }: Held): number {
  return available.split('.')[1]?.length ?? 0
}

/** An amount of a currency by its code. */
export function Money({ value, code, ...rest }: { readonly value: string; readonly code: string } & ToneProps) {
  const find = useFindCurrency()
  return <Amount value={shortDecimal(value)} currency={find(code)} {...rest} />
}
type ToneProps = Omit<Parameters<typeof Amount>[0], 'value' | 'currency'>

/** The same as text, for sentences and buttons. */
export function useWriteMoney(): (value: string, code: string) => string {
  const find = useFindCurrency()
  return (value, code) => writeAmount(shortDecimal(value), find(code))
}

/** What is known, in this app's words. */
export function Loaded<Data>(props: Omit<LoadedProps<Data>, 'words' | 'say'>) {
  return <LoadedIn {...props} words={words} say={sayRefusal} />
}

type ConfirmProps = {
  readonly label: string
  readonly act: Pick<Act<unknown>, 'state' | 'refusal'>
  readonly isDisabled?: boolean
  /** With the pin, or without one where a passkey has just been shown. */
  readonly onConfirm: (pin: string | undefined) => void
  readonly children?: ReactNode
}

/** The last step before money moves. */
export function Confirm({ label, act: { state, refusal }, isDisabled = false, onConfirm, children }: ConfirmProps) {
  const [pin, setPin] = useState('')
  const [passkeyFault, setPasskeyFault] = useState('')
  const isBusy = state !== 'idle'
  const byPasskey = () => {
    if (isBusy || isDisabled) return
    void signInByPasskey().then((answer) => {
      if ('refusal' in answer) setPasskeyFault(words.signIn.passkeyFailed)
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
          setPasskeyFault('')
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
          {sayRefusal(refusal)} {refusal.code === 'PIN_NOT_SET' && <Link to="/settings">{words.nav.settings}</Link>}
        </Notice>
      )}
      {!isBusy && passkeyFault !== '' && <Notice kind="error">{passkeyFault}</Notice>}
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={isBusy || isDisabled}>
          {state === 'asking' ? words.oneMoment : state === 'checking' ? words.confirm.checking : label}
        </Button>
        {'credentials' in navigator && (
          <Button kind="bare" aria-disabled={isBusy || isDisabled} onClick={byPasskey}>
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
  /** Where it goes on. */
  readonly to?: string
  /** Beside the way on. */
  readonly more?: ReactNode
  readonly children?: ReactNode
}

/** It is done. */
export function Done({ heading, lead, to = '/', more, children }: DoneProps) {
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

/** Nothing is left to do here. */
export function WayOn({ to = '/', children }: { readonly to?: string; readonly children?: ReactNode }) {
  return (
    <div className="acts">
      {children}
      <Link className="button" data-kind="main" to={to}>
        {words.done}
      </Link>
    </div>
  )
}
