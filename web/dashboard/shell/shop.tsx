import { createContext, type ReactNode, useContext } from 'react'
import { Amount, type Currency, writeAmount } from '../../ui/amount.tsx'
import { nameCurrency } from '../../ui/currency-name.ts'
import { shortDecimal } from '../../ui/decimal.ts'
import { Loaded as LoadedIn, type LoadedProps } from '../../ui/loaded.tsx'
import { Moment } from '../../ui/moment.tsx'
import type { Merchant, Person, Role, SupportedCurrencies, SupportedCurrency } from './responses.ts'
import { usePeek } from './request-dashboard.ts'
import { describeError, words } from '../words/words.ts'

/** The current shop and the signed-in staff member. */
type Shop = { readonly merchant: Merchant; readonly person: Person }

const ShopContext = createContext<Shop | null>(null)
export const ShopProvider = ShopContext.Provider

export function useShop(): Shop {
  const shop = useContext(ShopContext)
  if (shop === null) throw new Error('This is shown inside of a shop only.')
  return shop
}

/** The shop's name, or the app's name outside a shop. */
export function useShopName(): string {
  return useContext(ShopContext)?.merchant.name ?? words.name
}

/** What staff do every day, and what an owner manages. */
const dailyScreens = [
  'home',
  'till',
  'payments',
  'vouchers',
  'requests',
  'payouts',
  'deposits',
  'invoices',
  'customers',
  'approvals',
  'day',
  'reports',
] as const
const managedScreens = ['developers', 'team', 'settings', 'audit'] as const
export type ScreenName = (typeof dailyScreens)[number] | (typeof managedScreens)[number]

const screensOf: Readonly<Record<Role, readonly ScreenName[]>> = {
  owner: [...dailyScreens, ...managedScreens],
  accountant: [
    'home',
    'payments',
    'vouchers',
    'requests',
    'payouts',
    'deposits',
    'invoices',
    'customers',
    'approvals',
    'day',
    'reports',
    'settings',
  ],
  developer: ['home', 'payments', 'developers'],
  cashier: ['till', 'requests', 'day'],
}

/** The screens of a role. The server refuses the data of other screens. */
export function screensFor(role: Role): readonly ScreenName[] {
  return screensOf[role]
}

/** Whether the navigation shows a screen in its second group. */
export function isManaged(name: ScreenName): boolean {
  return managedScreens.some((each) => each === name)
}

/** The screen in the navigation that leads to a screen. Accountants have no till: they sell from the vouchers. */
export function navigationOf(role: Role, screen: string): string {
  if (screen !== 'sell') return screen
  return screensFor(role).includes('till') ? 'till' : 'vouchers'
}

export const currenciesPath = '/merchant-integrations/fetch-supported-currencies'

export function useCurrencies(): readonly SupportedCurrency[] {
  const { data } = usePeek<SupportedCurrencies>(currenciesPath)
  return data?.currencies ?? []
}

/** Finds the name and the symbol of a currency by its code. */
export function useFindCurrency(): (code: string) => Currency {
  const currencies = useCurrencies()
  return (code) => {
    const found = currencies.find(({ abbreviation }) => abbreviation === code)
    return { abbreviation: code, name: nameCurrency(code, found?.currency ?? code), symbol: found?.symbol ?? code }
  }
}

type MoneyProps = Omit<Parameters<typeof Amount>[0], 'currency'> & { readonly code: string }

/** An amount of a currency by its code. It stays on one line unless it is large. */
export function Money({ value, code, sign = value.startsWith('-') ? '−' : '', size, ...rest }: MoneyProps): ReactNode {
  const find = useFindCurrency()
  const short = shortDecimal(value)
  if (size === 'large') return <Amount value={short} currency={find(code)} sign={sign} size="large" {...rest} />
  return (
    // A crypto amount of 20 digits may be wider than a phone.
    <span className="money" data-long={short.length > 12 || undefined}>
      <Amount value={short} currency={find(code)} sign={sign} {...rest} />
    </span>
  )
}

/** An amount as text, for a sentence or a button. */
export function formatMoney(value: string, code: string): string {
  return writeAmount(shortDecimal(value), { abbreviation: code, name: code, symbol: '' })
}

/** A time in the shop's time zone. */
export function When({ at, form }: Pick<Parameters<typeof Moment>[0], 'at' | 'form'>): ReactNode {
  const { merchant } = useShop()
  return <Moment at={at} zone={merchant.timeZone} {...(form !== undefined && { form })} />
}

/** Sorts currencies by code, with the shop's home currency first. */
export function useOrder(): (codes: readonly string[]) => string[] {
  const { homeCurrency } = useShop().merchant
  return (codes) =>
    [...new Set(codes)].sort((a, b) => Number(b === homeCurrency) - Number(a === homeCurrency) || a.localeCompare(b))
}

/** The last day of use. Expiry times are the midnight after it. */
export function LastDay({ at }: { readonly at: string }): ReactNode {
  return <When at={new Date(Date.parse(at) - 1)} form="day" />
}

/** Loaded data, with this app's words. */
export function Loaded<Data>(props: Omit<LoadedProps<Data>, 'words' | 'say'>): ReactNode {
  return <LoadedIn {...props} words={words} say={describeError} />
}
