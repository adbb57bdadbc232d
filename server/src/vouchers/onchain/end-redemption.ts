import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { findLastRate } from '../../catalogue/currency/rates.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { marketRate, valueNow } from '../../catalogue/exchange/price.ts'
import type { BatchTools } from '../../ledger/batch.ts'
import type { Posting } from '../../ledger/journal.ts'
import { moveTransaction } from '../../payments/transaction/store.ts'
import { completed, failed } from './postings.ts'
import { findRedeemer, lockSent, markSentEnded, type SentRedemption } from './redemption-store.ts'

/** Locks a redemption, if it is open or has ended. From here on the transaction acts for its merchant. */
export async function lockRedemption(
  tx: Tx,
  id: string,
  which: 'open' | 'ended' = 'open',
): Promise<SentRedemption | undefined> {
  const environmentId = await findRedeemer(tx, id)
  if (environmentId === undefined) return undefined
  await actFor(tx, environmentId)
  return lockSent(tx, id, which)
}

/** Completes a locked redemption. Returns what is to be posted in the journal with this id. */
export async function completeRedemption(
  { clock }: BatchTools,
  tx: Tx,
  sent: SentRedemption,
  { txHash, isTreasury, journalId }: { txHash: string | null; isTreasury: boolean; journalId: string },
): Promise<Posting> {
  const at = clock()
  await markSentEnded(tx, sent.id, txHash, at)
  await moveTransaction(tx, sent, 'COMPLETED', at, journalId)
  return completed(sent, await findCurrency(tx, sent.currency, 'any'), isTreasury)
}

/** Fails a locked redemption, which cost this much gas. Returns what is to be posted in the journal with this id. */
export async function failRedemption(
  { clock }: BatchTools,
  tx: Tx,
  sent: SentRedemption,
  { txHash, spentWei, journalId }: { txHash: string | null; spentWei: bigint; journalId: string },
): Promise<Posting> {
  const at = clock()
  await markSentEnded(tx, sent.id, txHash, at)
  await moveTransaction(tx, sent, 'FAILED', at, journalId)
  const currency = await findCurrency(tx, sent.currency, 'any')
  return failed(sent, currency, { spentWei, journalId, returned: await repriced(clock, tx, sent) })
}

/**
 * What goes back to the voucher: the smaller of what was redeemed and what the converted amount buys at the current market rate. The
 * recipient decides whether a payment to it succeeds: at the old rate, that would be a free option on the exchange desk.
 */
async function repriced(clock: Clock, tx: Tx, sent: SentRedemption): Promise<bigint> {
  const { amount, currency, toCurrency, rateNumerator, rateDenominator, spreadPpm } = sent
  const market = await findLastRate(tx, currency, toCurrency, clock)
  if (market === undefined || rateNumerator === null || rateDenominator === null) return amount
  const price = { rate: { numerator: rateNumerator, denominator: rateDenominator }, spreadPpm: BigInt(spreadPpm ?? 0) }
  return valueNow(amount, marketRate(price), market.rate)
}
