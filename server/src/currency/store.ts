import type { Db } from '../base/db.ts'
import { execute, executeOne, select } from '../base/sql.ts'
import { currencyError } from './errors.ts'

type CurrencyType = 'Fiat' | 'Crypto'

export type CatalogueCurrency = {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly symbol: string
  readonly type: CurrencyType
  readonly decimals: number
  readonly amountMin: bigint
  readonly amountMax: bigint
  readonly isActive: boolean
  readonly createdAt: Date
}

type NetworkToken = {
  readonly id: string
  readonly address: string
  readonly decimals: number
  readonly vault: string
  readonly isActive: boolean
  readonly currency: CatalogueCurrency
}

export type Network = {
  readonly id: string
  readonly abbreviation: string
  /** Live keys use live networks, test keys use test networks. */
  readonly mode: 'live' | 'test'
  readonly name: string
  readonly chainId: bigint
  readonly type: string
  readonly explorerUrl: string
  readonly rpcUrl: string
  /** Whether vouchers can be redeemed to addresses there. */
  readonly paysAddresses: boolean
  readonly tokens: NetworkToken[]
}

/** Active currencies, fiat first. */
export async function listCurrencies(db: Db): Promise<CatalogueCurrency[]> {
  return (await readCurrencies(db)).filter(({ isActive }) => isActive)
}

/** All currencies, including inactive ones. */
export async function readCurrencies(db: Db): Promise<CatalogueCurrency[]> {
  const { rows } = await db.query<CatalogueCurrency>({
    name: 'currencies',
    text: `select id, abbreviation as code, name, symbol, type, decimals, amount_min as "amountMin",
      amount_max as "amountMax", is_active as "isActive", created_at as "createdAt"
      from currencies order by type desc, abbreviation`,
  })
  return rows
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

type TokenRow = Omit<Network, 'tokens'> &
  Pick<NetworkToken, 'address' | 'decimals' | 'vault'> & { tokenId: string; currencyId: string }

export async function listNetworks(db: Db): Promise<Network[]> {
  const currencies = new Map((await listCurrencies(db)).map((currency) => [currency.id, currency]))
  const rows = await select<TokenRow>(db)`
    select n.id, n.abbreviation, n.mode, n.name, n.chain_id as "chainId", n.type, n.explorer_url as "explorerUrl",
      n.rpc_url as "rpcUrl", n.pays_addresses as "paysAddresses", t.id as "tokenId", t.address, t.decimals, t.vault, t.currency_id as "currencyId"
      from networks n join network_tokens t on t.network_id = n.id
      where n.is_active and t.is_active order by n.abbreviation, t.address`
  const networks = new Map<string, Network>()
  for (const { tokenId, address, decimals, vault, currencyId, ...network } of rows) {
    const currency = currencies.get(currencyId)
    if (currency === undefined) continue
    const known = networks.get(network.id) ?? { ...network, tokens: [] }
    known.tokens.push({ id: tokenId, address, decimals, vault, isActive: true, currency })
    networks.set(network.id, known)
  }
  return [...networks.values()]
}

type KnownToken = Pick<NetworkToken, 'address' | 'decimals' | 'currency'>

/** All tokens of a network, with lowercase addresses. Includes inactive ones, since deposits in them still exist. */
export async function listTokens(db: Db, networkId: string): Promise<KnownToken[]> {
  const currencies = new Map((await readCurrencies(db)).map((currency) => [currency.id, currency]))
  const rows = await select<Pick<TokenRow, 'address' | 'decimals' | 'currencyId'>>(db)`
    select lower(address) as address, decimals, currency_id as "currencyId" from network_tokens
      where network_id = ${networkId} order by 1`
  return rows.flatMap(({ address, decimals, currencyId }) => {
    const currency = currencies.get(currencyId)
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

export type SourceRate = {
  readonly from: string
  readonly to: string
  readonly source: string
  /** An exact decimal. */
  readonly rate: string
  readonly asOf: Date
}

/** Saves a rate of a source, unless a newer one is already saved. */
export async function saveRate(db: Db, { from, to, source, rate, asOf }: SourceRate): Promise<void> {
  await execute(db)`
    insert into exchange_rates (from_currency, to_currency, source, rate, said_at)
      values (${from}, ${to}, ${source}, ${rate}, ${asOf})
      on conflict (from_currency, to_currency, source) do update set rate = excluded.rate, said_at = excluded.said_at
      where exchange_rates.said_at <= excluded.said_at`
}

// Crypto prices move more in 5 minutes than most currencies in an hour.
const rateAgeMinutes = { fiat: 60, crypto: 5 }

/** All rates between these currencies, newest first; with `recentAt` only those recent enough at that time. */
export async function findRates(db: Db, currencies: string[], recentAt?: Date): Promise<SourceRate[]> {
  const { fiat, crypto } = rateAgeMinutes
  return select<SourceRate>(db)`
    select r.from_currency as "from", r.to_currency as "to", r.source, r.rate::text, r.said_at as "asOf"
      from exchange_rates r
      join currencies f on f.abbreviation = r.from_currency join currencies t on t.abbreviation = r.to_currency
      where r.from_currency = any(${currencies}) and r.to_currency = any(${currencies})
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
  const { code, name, symbol, type, decimals, amountMin, amountMax } = currency
  return executeOne(db)`
    insert into currencies (abbreviation, name, symbol, type, decimals, amount_min, amount_max, desk_limit, created_at)
      values (${code}, ${name}, ${symbol}, ${type}, ${decimals}, ${amountMin}, ${amountMax}, ${amountMax / 100n}, ${at})
      on conflict (abbreviation) do update set name = excluded.name, symbol = excluded.symbol,
        amount_min = excluded.amount_min, amount_max = excluded.amount_max
      where currencies.decimals = excluded.decimals and currencies.type = excluded.type`
}

type NewNetwork = Pick<Network, 'abbreviation' | 'name' | 'chainId' | 'explorerUrl' | 'rpcUrl'>

export async function saveNetwork(
  db: Db,
  { abbreviation, name, chainId, explorerUrl, rpcUrl }: NewNetwork,
): Promise<void> {
  await execute(db)`
    insert into networks (abbreviation, name, chain_id, explorer_url, rpc_url)
      values (${abbreviation}, ${name}, ${chainId}, ${explorerUrl}, ${rpcUrl})
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
