import type { Tx } from '../base/db.ts'
import { convert } from '../base/money.ts'
import { findCurrency } from '../currency/store.ts'
import { findPrice } from '../exchange/price.ts'
import type { PostTools } from '../ledger/batch.ts'
import { payAcross } from '../ledger/exchange.ts'
import type { HoldAct, Posting } from '../ledger/journal.ts'
import { findShop } from '../merchant/store.ts'
import { toToldTransaction } from '../transaction/events.ts'
import { walletAccount, walletMove } from '../wallet/store.ts'
import { payoutError } from './errors.ts'
import { payoutEvent } from './events.ts'
import type { Payout } from './store.ts'

export function merchantAccount({ environmentId, bookId }: Payout) {
  return { bookId, ownerId: environmentId, kind: 'merchant' } as const
}

/** Holds its amount until somebody ends it. */
export async function reserve(tools: PostTools, tx: Tx, payout: Payout): Promise<Posting> {
  // What could not be paid now is not taken.
  await convertNow(tools, tx, payout)
  const { id, amount, heldUntil, needsApproval } = payout
  const account = merchantAccount(payout)
  const expiresAt = heldUntil ?? tools.clock()
  const hold: HoldAct = { act: 'reserve', holdId: id, account, amount, expiresAt }
  const data = { ...(await dataOf(tx, payout)), needsApproval }
  return { transfers: [], holds: [hold], events: [payoutEvent('payout.waiting', aboutOf(payout, 1), data)] }
}

/** What arrives is converted at the rate of the moment in which it does. */
export async function pay(
  tools: PostTools,
  tx: Tx,
  payout: Payout,
  journalId: string,
  sequence: number,
): Promise<Posting> {
  const { environmentId, userId, amount, bookId, toBookId } = payout
  const { rate, gets } = await convertNow(tools, tx, payout)
  const from = { account: merchantAccount(payout), amount }
  const to = { account: walletAccount(userId, toBookId), amount: gets }
  const { name: withName } = await findShop(tx, environmentId)
  const converted = bookId === toBookId ? {} : { rate }
  const move = { userId, id: journalId, bookId: toBookId, kind: 'paid_out', amount: gets, withName } as const
  return {
    ...payAcross(environmentId, from, to),
    documents: [walletMove({ ...move, ...converted })],
    events: [payoutEvent('payout.completed', aboutOf(payout, sequence), await dataOf(tx, payout))],
  }
}

async function convertNow({ clock }: PostTools, tx: Tx, { currency, toCurrency, amount }: Payout) {
  const [from, to] = [await findCurrency(tx, currency, 'any'), await findCurrency(tx, toCurrency, 'any')]
  const { rate } = await findPrice(tx, from.code, to.code, clock)
  const gets = convert({ minor: amount, currency: from }, rate, to, 'down').money.minor
  if (gets === 0n) throw payoutError('PAYOUT_CONVERTS_TO_NOTHING', { param: 'amount' })
  return { rate, gets }
}

export function aboutOf({ environmentId, id }: Payout, sequence: number) {
  return { environmentId, about: { id, sequence } }
}

export async function dataOf(tx: Tx, payout: Payout) {
  return toToldTransaction(payout, await findCurrency(tx, payout.currency, 'any'))
}
