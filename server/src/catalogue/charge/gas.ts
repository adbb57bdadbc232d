import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db.ts'
import { convert, divide, type Money, type Rate } from '../../base/money.ts'
import { coin } from '../../chain/block.ts'
import { chainError } from '../../chain/errors.ts'
import type { Ending, Send } from '../../chain/send-store.ts'
import { findChain, findFinality } from '../../chain/store.ts'
import { findRate } from '../currency/rates.ts'
import { type CatalogueCurrency, listTokens, type Network } from '../currency/store.ts'
import type { Account } from '../../ledger/account.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Posting } from '../../ledger/journal.ts'

/** Gas on a network in its own coin: charged amounts minus costs. */
export const gasOn = (networkId: string, bookId: number): Account => ({ bookId, ownerId: networkId, kind: 'gas' })
/** What our own addresses on a network have spent. */
export const purseOn = (networkId: string, bookId: number): Account => ({ bookId, ownerId: networkId, kind: 'purse' })

/**
 * Minor units of the ledger per smallest unit of a token on a network. The ledger has at least as many decimals as any network, so no
 * payment is rounded.
 */
export function unitOf({ decimals }: Pick<CatalogueCurrency, 'decimals'>, onNetwork: number): bigint {
  if (onNetwork > decimals) throw new RangeError('A token has more decimals than the ledger.')
  return 10n ** BigInt(decimals - onNetwork)
}

export function inverse({ numerator, denominator }: Rate): Rate {
  return { numerator: denominator, denominator: numerator }
}

// Gas prices may rise until the transaction is mined.
const marginPpm = 1_200_000n

export type QuotedGas = {
  /** In the currency that pays. */
  readonly gas: bigint
  /** In the network's own coin. Undefined if gas is not charged. */
  readonly gasInCoin: Money | undefined
  readonly wei: bigint
  /** A fee in the currency that pays, and the gas, together in the smallest unit of the network. */
  readonly withFeeInWei: (fee: bigint) => bigint
}

type QuoteTools = { readonly pool: Db; readonly clock: Clock }

/**
 * What an amount of gas costs at the latest gas price, with a margin. Gas is paid in the network's own coin. Without a rate for it, gas is
 * not charged, so that a missing rate stops no sale.
 */
export async function quoteGas(
  { pool, clock }: QuoteTools,
  { id, tokens }: Pick<Network, 'id' | 'tokens'>,
  pay: CatalogueCurrency,
  units: bigint,
): Promise<QuotedGas> {
  const finality = await findFinality(pool, id)
  if (finality === undefined) throw chainError('CHAIN_UNWATCHED')
  const wei = divide(finality.gasPrice * units * marginPpm, 1_000_000n, 'up')
  const own = tokens.find(({ address }) => address === coin)
  const rate = own && (await findRate(pool, own.currency.code, pay.code, clock).catch(() => undefined))?.rate
  if (own === undefined || rate === undefined) return { gas: 0n, gasInCoin: undefined, wei, withFeeInWei: () => 0n }
  const unit = unitOf(own.currency, own.decimals)
  const gasInCoin = { minor: wei * unit, currency: own.currency }
  const gas = convert(gasInCoin, rate, pay, 'up').money.minor
  const withFeeInWei = (fee: bigint): bigint => {
    const feeInCoin = convert({ minor: fee, currency: pay }, inverse(rate), own.currency, 'up').money.minor
    return wei + divide(feeInCoin, unit, 'up')
  }
  return { gas, gasInCoin, wei, withFeeInWei }
}

/** The exact gas of a send. It is posted when the send finishes. */
export async function gasPosting(tx: Tx, { networkId }: Send, { fee }: Ending): Promise<Posting> {
  const chain = await findChain(tx, networkId)
  const own = (await listTokens(tx, networkId)).find(({ address }) => address === coin)
  if (chain === undefined || own === undefined) throw chainError('CHAIN_UNWATCHED')
  if (fee === 0n) return { transfers: [] }
  const bookId = await ensureBook(tx, chain.mode, own.currency.code)
  const [gas, purse] = [gasOn(networkId, bookId), purseOn(networkId, bookId)]
  const amount = fee * unitOf(own.currency, own.decimals)
  return { transfers: [{ from: gas, to: purse, amount }], open: [gas, purse] }
}
