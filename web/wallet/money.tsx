import type { ReactNode } from 'react'
import { isIsoCurrency } from '../../server/src/base/currency-symbol.ts'
import { Amount, type Currency, writeAmount } from '../ui/amount.tsx'
import { nameCurrency } from '../ui/currency-name.ts'
import { isZero, shortDecimal } from '../ui/decimal.ts'
import type { Reloadable } from '../ui/known.ts'
import { locale } from '../ui/locale.ts'
import { useAreAmountsHidden } from './hidden-amounts.ts'
import { useKnown, usePeek } from './known.ts'
import { walletPath } from './main-currency.ts'
import type { Balances, Held, Named } from './request-wallet.ts'
import { words } from './words.ts'

/** The server's description of a currency, as `Amount` takes it. */
export function toCurrency({ currency, name, symbol }: Named): Currency {
  return { abbreviation: currency, name: nameCurrency(currency, name), symbol }
}

/** Finds currencies by their codes in the cached wallet. */
export function useFindCurrency(): (code: string) => Currency {
  const { data } = usePeek<Balances>(walletPath())
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

/** The user's balances above zero: in the main currency first, then in other fiat currencies. */
export function useBalances(): HeldBalances {
  const known = useKnown<Balances>(walletPath())
  const main = known.data?.total.currency
  // Fiat has fewer decimals than crypto.
  const rank = (held: Held): number => (held.currency === main ? -1 : decimalsOf(held))
  const held: readonly Held[] = (known.data?.balances ?? [])
    .filter(({ available }) => !isZero(available))
    .sort((a, b) => rank(a) - rank(b) || a.currency.localeCompare(b.currency))
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

/** An amount that the user may hide: a balance, or an entry of the activity. */
export function PrivateMoney(props: MoneyProps): ReactNode {
  const isHidden = useAreAmountsHidden()
  return isHidden ? <HiddenAmount size={props.size} /> : <Money {...props} />
}

function HiddenAmount({ size = 'text' }: { readonly size?: MoneyProps['size'] }) {
  return (
    <span className="wallet-hidden" data-size={size}>
      <span aria-hidden="true">••••</span>
      <span className="for-screen-readers">{words.home.hidden}</span>
    </span>
  )
}

/** The name of a currency in the plural, as in "about this much in US dollars". Intl knows none for crypto. */
export function nameInPlural({ abbreviation, name }: Currency): string {
  if (!isIsoCurrency(abbreviation)) return name
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency: abbreviation, currencyDisplay: 'name' })
  return format.formatToParts(2).find(({ type }) => type === 'currency')?.value ?? name
}

/** Writes amounts as text, for sentences and buttons. */
export function useWriteMoney(): (value: string, code: string) => string {
  const find = useFindCurrency()
  return (value, code) => writeAmount(shortDecimal(value), find(code))
}
