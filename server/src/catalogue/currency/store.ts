import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Db } from '../../base/db.ts'
import { modes } from '../../base/mode.ts'
import { execute, executeOne, list, queryRows, type RowOf, select, sql, textOf } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { currencyError } from './errors.ts'
import { currencyTypes } from './wire.ts'

const currencies = defineTable('currencies', {
  id: withDefault(sql.uuid),
  abbreviation: sql.text,
  name: sql.text,
  symbol: sql.text,
  type: oneOf(currencyTypes),
  decimals: sql.smallint,
  amountMin: sql.numeric,
  amountMax: sql.numeric,
  isActive: withDefault(sql.boolean),
  createdAt: sql.timestamptz,
  deskLimit: sql.numeric,
})

const currencyColumns = list({
  ...currencies.columns('', 'id', 'name', 'symbol', 'type', 'decimals', 'amountMin', 'amountMax', 'isActive'),
  ...currencies.columns('', 'createdAt'),
  code: sql.text`abbreviation`,
})
const selectCurrencies = `select ${textOf(currencyColumns)} from currencies order by type desc, abbreviation`
export type CatalogueCurrency = RowOf<typeof currencyColumns>

export const networks = defineTable('networks', {
  id: withDefault(sql.uuid),
  abbreviation: sql.text,
  name: sql.text,
  chainId: sql.bigint,
  type: withDefault(sql.text),
  explorerUrl: sql.text,
  rpcUrl: sql.text,
  isActive: withDefault(sql.boolean),
  /** Live keys use live networks, test keys use test networks. */
  mode: withDefault(oneOf(modes)),
  factory: withDefault(orNull(sql.text)),
  treasury: withDefault(orNull(sql.text)),
  sweeperHash: withDefault(orNull(sql.text)),
  finalDepth: withDefault(orNull(sql.integer)),
  trustsOneNode: withDefault(sql.boolean),
  /** Whether vouchers can be redeemed to addresses there. */
  paysAddresses: withDefault(sql.boolean),
})

const networkTokens = defineTable('network_tokens', {
  id: withDefault(sql.uuid),
  networkId: sql.uuid,
  currencyId: sql.uuid,
  address: sql.text,
  decimals: sql.smallint,
  vault: withDefault(sql.text),
  isActive: withDefault(sql.boolean),
})

const networkColumns = list({
  ...networks.columns('n', 'id', 'abbreviation', 'mode', 'name', 'chainId', 'type', 'explorerUrl', 'rpcUrl'),
  ...networks.columns('n', 'paysAddresses'),
  ...networkTokens.columns('t', 'address', 'decimals', 'vault', 'currencyId'),
  tokenId: sql.uuid`t.id`,
})
type TokenRow = RowOf<typeof networkColumns>

type NetworkToken = Pick<TokenRow, 'address' | 'decimals' | 'vault'> & {
  readonly id: string
  readonly isActive: boolean
  readonly currency: CatalogueCurrency
}

export type Network = Omit<TokenRow, 'address' | 'decimals' | 'vault' | 'currencyId' | 'tokenId'> & {
  readonly tokens: NetworkToken[]
}

/** Active currencies, fiat first. */
export async function listCurrencies(db: Db): Promise<CatalogueCurrency[]> {
  return (await readCurrencies(db)).filter(({ isActive }) => isActive)
}

/** All currencies, including inactive ones. */
export async function readCurrencies(db: Db): Promise<CatalogueCurrency[]> {
  return queryRows(db, currencyColumns, { name: 'currencies', text: selectCurrencies })
}

/**
 * New requests may use active ("offered") currencies only. Existing balances may be in any currency. `param` is the field of the request
 * that names it, for the error.
 */
export async function findCurrency(
  db: Db,
  code: string,
  which: 'offered' | 'any' = 'offered',
  param = 'currency',
): Promise<CatalogueCurrency> {
  return pickCurrency(await readCurrencies(db), code, which, param)
}

/** The same from a catalogue that is already read. */
export function pickCurrency(
  catalogue: readonly CatalogueCurrency[],
  code: string,
  which: 'offered' | 'any' = 'offered',
  param = 'currency',
): CatalogueCurrency {
  const found = catalogue.find((currency) => currency.code === code)
  if (found === undefined || (which === 'offered' && !found.isActive))
    throw currencyError('CURRENCY_UNKNOWN', { param })
  return found
}

export async function listNetworks(db: Db): Promise<Network[]> {
  const offered = new Map((await listCurrencies(db)).map((currency) => [currency.id, currency]))
  const rows = await select(db)`
    select ${networkColumns}
      from networks n join network_tokens t on t.network_id = n.id
      where n.is_active and t.is_active order by n.abbreviation, t.address`
  const found = new Map<string, Network>()
  for (const { tokenId, address, decimals, vault, currencyId, ...network } of rows) {
    const currency = offered.get(currencyId)
    if (currency === undefined) continue
    const known = found.get(network.id) ?? { ...network, tokens: [] }
    known.tokens.push({ id: tokenId, address, decimals, vault, isActive: true, currency })
    found.set(network.id, known)
  }
  return [...found.values()]
}

const tokenColumns = list({
  address: sql.text`lower(address)`,
  ...networkTokens.columns('', 'decimals', 'currencyId'),
})
type KnownToken = Pick<NetworkToken, 'address' | 'decimals' | 'currency'>

/** All tokens of a network, with lowercase addresses. Includes inactive ones, since deposits in them still exist. */
export async function listTokens(db: Db, networkId: string): Promise<KnownToken[]> {
  const all = new Map((await readCurrencies(db)).map((currency) => [currency.id, currency]))
  const rows = await select(db)`
    select ${tokenColumns} from network_tokens where network_id = ${networkId} order by 1`
  return rows.flatMap(({ address, decimals, currencyId }) => {
    const currency = all.get(currencyId)
    return currency === undefined ? [] : [{ address, decimals, currency }]
  })
}

/** Sets the contract that holds vouchers in a currency. Returns false if the network does not have the currency. */
export async function saveVault(
  db: Db,
  { network, currency, vault }: { network: string; currency: string; vault: string },
): Promise<boolean> {
  return executeOne(db)`
    update network_tokens set vault = ${vault} from networks n, currencies c
      where network_id = n.id and currency_id = c.id and n.abbreviation = ${network} and c.abbreviation = ${currency}`
}

/** Sets whether vouchers can be redeemed to addresses on a network. Returns false if there is no such network. */
export async function setPaysAddresses(db: Db, network: string, paysAddresses: boolean): Promise<boolean> {
  return executeOne(db)`update networks set pays_addresses = ${paysAddresses} where abbreviation = ${network}`
}

const exchangeRates = defineTable('exchange_rates', {
  fromCurrency: sql.text,
  toCurrency: sql.text,
  source: sql.text,
  rate: sql.decimal,
  saidAt: sql.timestamptz,
})

/** A rate `r`, of exchange_rates or of a table like it. */
export const rateColumns = list({
  from: sql.text`r.from_currency`,
  to: sql.text`r.to_currency`,
  source: sql.text`r.source`,
  /** An exact decimal. */
  rate: sql.text`r.rate::text`,
  asOf: sql.timestamptz`r.said_at`,
})
export type SourceRate = RowOf<typeof rateColumns>

/** Saves a rate of a source, unless a newer one is already saved. */
export async function saveRate(db: Db, { from, to, source, rate, asOf }: SourceRate): Promise<void> {
  await execute(db)`
    ${insertInto(exchangeRates, { fromCurrency: from, toCurrency: to, source, rate, saidAt: asOf })}
      on conflict (from_currency, to_currency, source) do update set rate = excluded.rate, said_at = excluded.said_at
      where exchange_rates.said_at <= excluded.said_at`
}

// Crypto prices move more in 5 minutes than most currencies in an hour.
export const rateAgeMinutes = { fiat: 60, crypto: 5 }

/** All rates between these currencies, newest first; with `recentAt` only those recent enough at that time. */
export async function findRates(db: Db, codes: string[], recentAt?: Date): Promise<SourceRate[]> {
  const { fiat, crypto } = rateAgeMinutes
  return select(db)`
    select ${rateColumns}
      from exchange_rates r
      join currencies f on f.abbreviation = r.from_currency join currencies t on t.abbreviation = r.to_currency
      where r.from_currency = any(${codes}) and r.to_currency = any(${codes})
        and (${recentAt}::timestamptz is null or r.said_at >= ${recentAt}::timestamptz - make_interval(
          mins => case when 'Crypto' in (f.type, t.type) then ${crypto}::int else ${fiat}::int end))
      order by r.said_at desc`
}

/** Activates or deactivates a currency. Returns false if it does not exist. */
export async function setCurrencyActive(db: Db, abbreviation: string, isActive: boolean): Promise<boolean> {
  return executeOne(db)`update currencies set is_active = ${isActive} where abbreviation = ${abbreviation}`
}

export async function setNetworkActive(db: Db, abbreviation: string, isActive: boolean): Promise<boolean> {
  return executeOne(db)`update networks set is_active = ${isActive} where abbreviation = ${abbreviation}`
}

type NewCurrency = Omit<CatalogueCurrency, 'id' | 'isActive' | 'createdAt'>

/** Adds or updates a currency. Returns false for a change of decimals or type, which existing amounts depend on. */
export async function saveCurrency(db: Db, currency: NewCurrency, at: Date): Promise<boolean> {
  const row = { ...currency, abbreviation: currency.code, deskLimit: currency.amountMax / 100n, createdAt: at }
  return executeOne(db)`
    ${insertInto(currencies, row)}
      on conflict (abbreviation) do update set name = excluded.name, symbol = excluded.symbol,
        amount_min = excluded.amount_min, amount_max = excluded.amount_max
      where currencies.decimals = excluded.decimals and currencies.type = excluded.type`
}

type NewNetwork = Pick<Network, 'abbreviation' | 'name' | 'chainId' | 'explorerUrl' | 'rpcUrl'>

export async function saveNetwork(db: Db, network: NewNetwork): Promise<void> {
  await execute(db)`
    ${insertInto(networks, network)}
      on conflict (abbreviation) do update set name = excluded.name, explorer_url = excluded.explorer_url,
        rpc_url = excluded.rpc_url`
}

/** Returns false if the network or the currency does not exist. */
export async function saveToken(
  db: Db,
  { network, currency, address, decimals }: { network: string; currency: string; address: string; decimals: number },
): Promise<boolean> {
  return executeOne(db)`
    insert into network_tokens (network_id, currency_id, address, decimals)
      select n.id, c.id, ${address}, ${decimals} from networks n, currencies c
      where n.abbreviation = ${network} and c.abbreviation = ${currency}
      on conflict (network_id, currency_id) do update set address = excluded.address, decimals = excluded.decimals`
}
