import Type from 'typebox'
import { type Currency, formatMoney } from '../base/money.ts'
import { exactNumber } from '../http/exact-json.ts'
import type { CatalogueCurrency, Network } from './store.ts'

/** The interface spells one thing in several ways. Each spelling lives here, and nowhere else. */
export type LogoUrl = (kind: 'currency' | 'network', name: string) => string

export function createLogoUrl(publicUrl: string): LogoUrl {
  return (kind, name) => `${publicUrl}/logos/${kind}/${name}.svg`
}

export const supportedCurrency = Type.Object({
  id: Type.String(),
  image: Type.String(),
  currency: Type.String(),
  symbol: Type.String(),
  abbreviation: Type.String(),
  isActive: Type.Boolean(),
  currencyType: Type.Union([Type.Literal('Fiat'), Type.Literal('Crypto')]),
  createdAt: Type.String({ format: 'date-time' }),
  decimals: Type.Integer(),
  minAmount: Type.Number(),
  maxAmount: Type.Number(),
})

export function toSupportedCurrency(currency: CatalogueCurrency, logoUrl: LogoUrl) {
  const { id, code, name, symbol, type, isActive, decimals, createdAt } = currency
  const names = { image: logoUrl('currency', code), currency: name, symbol, abbreviation: code, currencyType: type }
  const limits = {
    minAmount: wireMoney(currency.amountMin, currency),
    maxAmount: wireMoney(currency.amountMax, currency),
  }
  return { id, ...names, isActive, createdAt, decimals, ...limits }
}

/** An amount as a number of major units, to the last digit. */
export function wireMoney(minor: bigint, currency: Currency): unknown {
  return exactNumber(formatMoney({ minor, currency }))
}

/** As in charges, transactions and balances; the balance has it both ways. */
export const wireCurrency = Type.Object({
  id: Type.String(),
  image: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  Abbreviation: Type.String(),
  abbrev: Type.String(),
  currencyType: Type.String(),
  isActive: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
})

export function toWireCurrency(currency: CatalogueCurrency, logoUrl: LogoUrl) {
  const { code, createdAt } = currency
  return { ...toAbbrevCurrency(currency, logoUrl), Abbreviation: code, createdAt: createdAt.toISOString() }
}

export const abbrevCurrency = Type.Object({
  abbrev: Type.String(),
  currencyType: Type.String(),
  id: Type.String(),
  image: Type.String(),
  isActive: Type.Boolean(),
  name: Type.String(),
  symbol: Type.String(),
})

export function toAbbrevCurrency({ code, type, id, isActive, name, symbol }: CatalogueCurrency, logoUrl: LogoUrl) {
  return { abbrev: code, currencyType: type, id, image: logoUrl('currency', code), isActive, name, symbol }
}

export const supportedNetwork = Type.Object({
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

export function toSupportedNetwork(network: Network, logoUrl: LogoUrl) {
  const { id, name, abbreviation, chainId, explorerUrl, rpcUrl, type, tokens } = network
  const names = { networkName: name, abbreviation, chainID: String(chainId), networkType: type }
  const links = { blockExplorerUrl: explorerUrl, rpcUrl, networkLogo: logoUrl('network', abbreviation) }
  const cryptocurrencies = tokens.map((token) => ({
    id: token.id,
    networkID: id,
    currencyAddress: token.address,
    currencyName: token.currency.name,
    currencyDecimals: String(token.decimals),
    platformContractAddress: token.vault,
    status: token.isActive,
    currencyData: toAbbrevCurrency(token.currency, logoUrl),
  }))
  return { id, ...names, ...links, cryptocurrencies }
}
