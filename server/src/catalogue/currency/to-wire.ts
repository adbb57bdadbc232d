import type { Static } from 'typebox'
import { type Currency, formatMoney } from '../../base/money.ts'
import { exactNumber } from '../../http/exact-json.ts'
import type { ExactNumber, Wire } from '../../http/schema.ts'
import type { CatalogueCurrency, Network } from './store.ts'
import { abbrevCurrency, supportedCurrency, supportedNetwork, type WireCurrency } from './wire.ts'

// The API spells some fields in several ways. Only this file knows these spellings.
export type LogoUrl = (kind: 'currency' | 'network', name: string) => string

export function createLogoUrl(publicUrl: string): LogoUrl {
  return (kind, name) => `${publicUrl}/logos/${kind}/${name}.svg`
}

export function toSupportedCurrency(
  currency: CatalogueCurrency,
  logoUrl: LogoUrl,
): Wire<Static<typeof supportedCurrency>> {
  const { id, code, name, symbol, type, isActive, decimals } = currency
  const names = { image: logoUrl('currency', code), currency: name, symbol, abbreviation: code, currencyType: type }
  const limits = {
    minAmount: wireMoney(currency.amountMin, currency),
    maxAmount: wireMoney(currency.amountMax, currency),
  }
  return { id, ...names, isActive, createdAt: currency.createdAt.toISOString(), decimals, ...limits }
}

/** An amount in major units as a raw JSON number, exact to the last digit. */
export function wireMoney(minor: bigint, currency: Currency): ExactNumber {
  return exactNumber(formatMoney({ minor, currency }))
}

export function toWireCurrency(currency: CatalogueCurrency, logoUrl: LogoUrl): WireCurrency {
  const { code, createdAt } = currency
  return { ...toAbbrevCurrency(currency, logoUrl), Abbreviation: code, createdAt: createdAt.toISOString() }
}

export function toAbbrevCurrency(
  { code, type, id, isActive, name, symbol }: CatalogueCurrency,
  logoUrl: LogoUrl,
): Static<typeof abbrevCurrency> {
  return { abbrev: code, currencyType: type, id, image: logoUrl('currency', code), isActive, name, symbol }
}

export function toSupportedNetwork(network: Network, logoUrl: LogoUrl): Static<typeof supportedNetwork> {
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
