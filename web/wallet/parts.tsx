import { type ReactNode, startTransition, useState } from 'react'
import { Amount, type Currency } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { isZero, shortDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import { writeMoment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { Balances, Held, Named } from './ask-wallet.ts'
import { type Known, useKnown, usePeek } from './known.ts'
import { signInByPasskey } from './passkey.ts'
import { Link } from './route.tsx'
import type { Act } from './use-act.ts'
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

type LoadedProps<Data> = {
  readonly known: Known<Data> & { readonly retry: () => void }
  readonly children: (data: Data) => ReactNode
}

/** What is known, and whether it is still so; its place while it is on its way; a way on where it does not come. */
export function Loaded<Data>({ known, children }: LoadedProps<Data>) {
  const { data, at, refusal, retry } = known
  if (data !== null)
    return (
      <>
        {refusal !== null && refusal.code !== 'ASKING' && at !== null && (
          <Notice>{words.offline(writeMoment(at, 'moment'))}</Notice>
        )}
        <div className="wallet-loaded" data-stale={refusal !== null || undefined}>
          {children(data)}
        </div>
      </>
    )
  if (refusal !== null)
    return (
      <Notice kind="error">
        <p className="wallet-fault">{sayRefusal(refusal)}</p>
        <Button onClick={retry}>{words.tryAgain}</Button>
      </Notice>
    )
  return (
    <div role="status" aria-label={words.loading}>
      <Skeleton shape="amount" />
      <Skeleton />
      <Skeleton shape="short" />
    </div>
  )
}

/** Names with what they are, each amount ending at the same column. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="wallet-facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
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
      className="wallet-form"
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
      <Checking state={state} />
      {!isBusy && refusal !== null && (
        <Notice kind="error">
          {sayRefusal(refusal)} {refusal.code === 'PIN_NOT_SET' && <Link to="/settings">{words.nav.settings}</Link>}
        </Notice>
      )}
      {!isBusy && passkeyFault !== '' && <Notice kind="error">{passkeyFault}</Notice>}
      <div className="wallet-acts">
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
    <div className="wallet-acts">
      {children}
      <Link className="button" data-kind="main" to={to}>
        {words.done}
      </Link>
    </div>
  )
}

type DigitsFieldProps = Pick<Parameters<typeof Field>[0], 'label' | 'hint' | 'disabled'> & {
  readonly length: number
  readonly value: string
  readonly onDigits: (digits: string) => void
}

/** A pin: figures alone, shown as dots, and never offered to be kept. */
export function DigitsField({ length, onDigits, ...rest }: DigitsFieldProps) {
  return (
    <Field
      {...rest}
      face="secret"
      inputMode="numeric"
      autoComplete="off"
      maxLength={length}
      onChange={(event) => onDigits(event.target.value.replaceAll(/\D/g, ''))}
    />
  )
}

/** The answer was lost, and what became of it is being found out. */
export function Checking({ state }: Pick<Act<unknown>, 'state'>) {
  return (
    <p className="wallet-live" role="status">
      {state === 'checking' && (
        <>
          <strong>{words.confirm.checking}.</strong> {words.confirm.checkingLead}
        </>
      )}
    </p>
  )
}
