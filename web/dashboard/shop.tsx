import { createContext, type ReactNode, useContext } from 'react'
import { Amount, type Currency } from '../ui/amount.tsx'
import { groupDecimal, shortDecimal } from '../ui/decimal.ts'
import { Loaded as LoadedIn, type LoadedProps } from '../ui/loaded.tsx'
import { Moment } from '../ui/moment.tsx'
import type { Merchant, Person, Role, SupportedCurrency } from './answers.ts'
import { usePeek } from './ask-dashboard.ts'
import { sayRefusal, words } from './words.ts'

/** Whose dashboard it is, and who looks at it. */
type Shop = { readonly merchant: Merchant; readonly person: Person }

const ShopContext = createContext<Shop | null>(null)
export const ShopProvider = ShopContext.Provider

export function useShop(): Shop {
  const shop = useContext(ShopContext)
  if (shop === null) throw new Error('This is shown inside of a shop only.')
  return shop
}

/** For what is shown outside of a shop too. */
export function useShopName(): string {
  return useContext(ShopContext)?.merchant.name ?? words.name
}

export type ScreenName = 'home' | 'till' | 'payments' | 'vouchers' | 'approvals' | 'day'

const screensOf: Readonly<Record<Role, readonly ScreenName[]>> = {
  owner: ['home', 'till', 'payments', 'vouchers', 'approvals', 'day'],
  accountant: ['home', 'payments', 'vouchers', 'approvals', 'day'],
  developer: ['home', 'payments'],
  cashier: ['till', 'day'],
}

/** What this role works with. The server refuses the rest by itself. */
export function screensFor(role: Role): readonly ScreenName[] {
  return screensOf[role]
}

export const currenciesPath = '/merchant-integrations/fetch-supported-currencies'

export function useCurrencies(): readonly SupportedCurrency[] {
  const { data } = usePeek<{ readonly currencies: readonly SupportedCurrency[] }>(currenciesPath)
  return data?.currencies ?? []
}

/** Names and signs of currencies, by their codes. */
export function useFindCurrency(): (code: string) => Currency {
  const currencies = useCurrencies()
  return (code) => {
    const found = currencies.find(({ abbreviation }) => abbreviation === code)
    return { abbreviation: code, name: found?.currency ?? code, symbol: found?.symbol ?? code }
  }
}

type MoneyProps = { readonly value: string; readonly code: string } & Omit<
  Parameters<typeof Amount>[0],
  'value' | 'currency'
>

/** An amount of a currency by its code. */
export function Money({ value, code, ...rest }: MoneyProps) {
  const find = useFindCurrency()
  return <Amount value={shortDecimal(value)} currency={find(code)} {...rest} />
}

type FiguresProps = {
  readonly value: string
  readonly code: string
  readonly sign?: '+' | '−' | ''
  readonly tone?: 'plain' | 'in' | 'lost' | 'soft'
}

/** An amount with the code behind it, so that a column of them ends at the same place. */
export function Figures({ value, code, sign = value.startsWith('-') ? '−' : '', tone = 'plain' }: FiguresProps) {
  const find = useFindCurrency()
  return (
    <span className="amount figures" data-tone={tone}>
      {sign}
      {groupDecimal(shortDecimal(value))}{' '}
      <abbr className="figures-code" title={find(code).name}>
        {code}
      </abbr>
    </span>
  )
}

/** The same in plain text, for a button. */
export function sayMoney(value: string, code: string): string {
  return `${groupDecimal(shortDecimal(value))} ${code}`
}

/** A time where the shop is. */
export function When({ at, form }: Pick<Parameters<typeof Moment>[0], 'at' | 'form'>) {
  const { merchant } = useShop()
  return <Moment at={at} zone={merchant.timeZone} {...(form !== undefined && { form })} />
}

/** What prices are in comes first. */
export function useOrder(): (codes: readonly string[]) => string[] {
  const { homeCurrency } = useShop().merchant
  return (codes) =>
    [...new Set(codes)].sort((a, b) => Number(b === homeCurrency) - Number(a === homeCurrency) || a.localeCompare(b))
}

/** The last day on which something can be used, whose end it is told by. */
export function LastDay({ at }: { readonly at: string }) {
  return <When at={new Date(Date.parse(at) - 1)} form="day" />
}

/** What is known, in this app's words. */
export function Loaded<Data>(props: Omit<LoadedProps<Data>, 'words' | 'say'>) {
  return <LoadedIn {...props} words={words} say={sayRefusal} />
}

type EmptyProps = { readonly heading: string; readonly lead: string; readonly children?: ReactNode }

/** Nothing is here yet: what would be, and how the first one comes. */
export function Empty({ heading, lead, children }: EmptyProps) {
  return (
    <div className="empty">
      <p>{heading}</p>
      <p>{lead}</p>
      {children !== undefined && children !== false && <div className="acts empty-acts">{children}</div>}
    </div>
  )
}
