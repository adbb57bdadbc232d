import type { Tx } from '../base/db.ts'
import { convert } from '../base/money.ts'
import { findCurrency } from '../currency/store.ts'
import { findPrice } from '../exchange/price.ts'
import type { PostTools } from '../ledger/batch.ts'
import { payAcross } from '../ledger/exchange.ts'
import type { Posting } from '../ledger/journal.ts'
import { findShop } from '../merchant/store.ts'
import type { Outflow } from '../outflow/store.ts'
import { toToldTransaction } from '../transaction/events.ts'
import { userError } from '../user/errors.ts'
import { findPeople } from '../user/store.ts'
import { walletAccount, walletMove } from '../wallet/store.ts'
import { payoutError } from './errors.ts'
import { payoutEvent } from './events.ts'
import { findPayout, type Payout } from './store.ts'

/** A payout that waited leaves. A user who was deactivated meanwhile gets nothing: it is cancelled by hand or when its time ends. */
export async function sendPayout(tools: PostTools, tx: Tx, outflow: Outflow, journalId: string): Promise<Posting> {
  const payout = await findPayout(tx, outflow.environmentId, outflow.id)
  if (payout === undefined) throw payoutError('PAYOUT_NOT_FOUND')
  if ((await findPeople(tx, [payout.userId])).get(payout.userId)?.isActive !== true) throw userError('USER_NOT_FOUND')
  return pay(tools, tx, payout, journalId, 3)
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
  const from = { account: { bookId, ownerId: environmentId, kind: 'merchant' } as const, amount }
  const to = { account: walletAccount(userId, toBookId), amount: gets }
  const { name: withName } = await findShop(tx, environmentId)
  const converted = bookId === toBookId ? {} : { rate }
  const move = { userId, id: journalId, bookId: toBookId, kind: 'paid_out', amount: gets, withName } as const
  const about = { environmentId, about: { id: payout.id, sequence } }
  const data = toToldTransaction(payout, await findCurrency(tx, payout.currency, 'any'))
  return {
    ...payAcross(environmentId, from, to),
    documents: [walletMove({ ...move, ...converted })],
    events: [payoutEvent('payout.completed', about, data)],
  }
}

/** What could not be paid now is not accepted. */
export async function convertNow({ clock }: PostTools, tx: Tx, { currency, toCurrency, amount }: Payout) {
  const [from, to] = [await findCurrency(tx, currency, 'any'), await findCurrency(tx, toCurrency, 'any')]
  const { rate } = await findPrice(tx, from.code, to.code, clock)
  const gets = convert({ minor: amount, currency: from }, rate, to, 'down').money.minor
  if (gets === 0n) throw payoutError('PAYOUT_CONVERTS_TO_NOTHING', { param: 'amount' })
  return { rate, gets }
}
