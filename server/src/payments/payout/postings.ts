import type { Tx } from '../../base/db.ts'
import { convert, type Rate } from '../../base/money.ts'
import { type CatalogueCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { findPrice } from '../../catalogue/exchange/price.ts'
import type { Account } from '../../ledger/account.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { payAcross } from '../../ledger/exchange.ts'
import type { Posting } from '../../ledger/journal.ts'
import { findShop } from '../../identity/merchant/store.ts'
import type { Outflow } from '../outflow/store.ts'
import { toTransactionPayload } from '../transaction/events.ts'
import { userError } from '../../identity/user/errors.ts'
import { findUsers } from '../../identity/user/store.ts'
import { walletAccount, walletMove } from '../wallet/store.ts'
import { payoutError } from './errors.ts'
import { payoutEvent } from './events.ts'
import { findPayout, type Payout } from './store.ts'

/**
 * The posting of an approved payout. Refused if the user was deactivated since; it is then canceled by staff or at
 * expiry.
 */
export async function sendPayout(tools: PostTools, tx: Tx, outflow: Outflow, journalId: string): Promise<Posting> {
  const payout = await findPayout(tx, outflow.environmentId, outflow.id)
  if (payout === undefined) throw payoutError('PAYOUT_NOT_FOUND')
  if ((await findUsers(tx, [payout.userId])).get(payout.userId)?.isActive !== true) throw userError('USER_NOT_FOUND')
  return pay(tools, tx, payout, journalId, 3)
}

/** The posting of a payout, converted at the current rate. Paid from the merchant's balance, unless a file has moved it already. */
export async function pay(
  tools: PostTools,
  tx: Tx,
  payout: Payout,
  journalId: string,
  sequence: number,
  account: Account = { bookId: payout.bookId, ownerId: payout.environmentId, kind: 'merchant' },
): Promise<Posting> {
  const { environmentId, userId, amount, bookId, toBookId } = payout
  const { from: currency, rate, gets } = await convertNow(tools, tx, payout)
  const from = { account, amount }
  const to = { account: walletAccount(userId, toBookId), amount: gets }
  const { name: withName } = await findShop(tx, environmentId)
  const converted = bookId === toBookId ? {} : { rate }
  const move = { userId, id: journalId, bookId: toBookId, kind: 'paid_out', amount: gets, withName } as const
  const about = { environmentId, about: { id: payout.id, sequence } }
  const data = toTransactionPayload(payout, 'PAYOUT', currency)
  return {
    ...payAcross(environmentId, from, to),
    documents: [walletMove({ ...move, ...converted })],
    events: [payoutEvent('payout.completed', about, data)],
  }
}

type Conversion = {
  readonly from: CatalogueCurrency
  readonly rate: Rate
  /** The amount that the recipient gets. */
  readonly gets: bigint
}

/** Converts a payout at the current rate. Refuses one that converts to nothing. */
export async function convertNow(
  { clock }: PostTools,
  tx: Tx,
  { currency, toCurrency, amount }: Pick<Payout, 'currency' | 'toCurrency' | 'amount'>,
): Promise<Conversion> {
  // One read for both: a file of payouts converts thousands.
  const catalogue = await readCurrencies(tx)
  const from = pickCurrency(catalogue, currency, 'any')
  const to = pickCurrency(catalogue, toCurrency, 'any')
  const { rate } = await findPrice(tx, from.code, to.code, clock)
  const gets = convert({ minor: amount, currency: from }, rate, to, 'down').money.minor
  if (gets === 0n) throw payoutError('PAYOUT_CONVERTS_TO_NOTHING', { param: 'amount' })
  return { from, rate, gets }
}
