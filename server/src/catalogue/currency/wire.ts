import Type, { type Static } from 'typebox'
import { money, named } from '../../http/schema.ts'

export const currencyTypes = ['Fiat', 'Crypto'] as const
const currencyType = Type.Enum(currencyTypes, { title: 'CurrencyType' })

export const supportedCurrency = named('SupportedCurrency', {
  id: Type.String(),
  image: Type.String(),
  currency: Type.String(),
  symbol: Type.String(),
  abbreviation: Type.String(),
  isActive: Type.Boolean(),
  currencyType,
  createdAt: Type.String({ format: 'date-time' }),
  decimals: Type.Integer(),
  minAmount: money(),
  maxAmount: money(),
})
export type SupportedCurrency = Static<typeof supportedCurrency>

export const supportedCurrencies = Type.Object({ currencies: Type.Array(supportedCurrency) })
export type SupportedCurrencies = Static<typeof supportedCurrencies>

/** The currency in charges, transactions and balances. Balances have it in both spellings. */
export const wireCurrency = named('Currency', {
  id: Type.String(),
  image: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  Abbreviation: Type.String(),
  abbrev: Type.String(),
  currencyType,
  isActive: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
})

export type WireCurrency = Static<typeof wireCurrency>

export const abbrevCurrency = named('CurrencySummary', {
  abbrev: Type.String(),
  currencyType,
  id: Type.String(),
  image: Type.String(),
  isActive: Type.Boolean(),
  name: Type.String(),
  symbol: Type.String(),
})

export const supportedNetwork = named('Network', {
  id: Type.String(),
  networkName: Type.String(),
  abbreviation: Type.String(),
  chainID: Type.String(),
  blockExplorerUrl: Type.String(),
  rpcUrl: Type.String(),
  networkType: Type.String(),
  networkLogo: Type.String(),
  cryptocurrencies: Type.Array(
    Type.Object({
      id: Type.String(),
      networkID: Type.String(),
      currencyAddress: Type.String(),
      currencyName: Type.String(),
      currencyDecimals: Type.String(),
      platformContractAddress: Type.String(),
      status: Type.Boolean(),
      currencyData: abbrevCurrency,
    }),
  ),
})
export type SupportedNetwork = Static<typeof supportedNetwork>

/** A currency as our own pages show it. */
export const shownCurrency = Type.Object({
  abbreviation: Type.String(),
  symbol: Type.String(),
  name: Type.String(),
})
