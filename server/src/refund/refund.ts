import { inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import { timeOfId } from '../base/id.ts'
import { formatMoney, parseMoney } from '../base/money.ts'
import { parseAmount } from '../currency/amount.ts'
import { type CatalogueCurrency, findCurrency } from '../currency/store.ts'
import { exactNumber } from '../http/exact-json.ts'
import { type Account, nameOf } from '../ledger/account.ts'
import { postWithin } from '../ledger/batch.ts'
import { exchangeAccount } from '../ledger/exchange.ts'
import type { Journal, Transfer } from '../ledger/journal.ts'
import { findPosted } from '../ledger/store.ts'
import { transactionError } from '../transaction/errors.ts'
import { referenceKey } from '../transaction/reference.ts'
import {
  adjustmentDocument,
  findTransaction,
  freeTransaction,
  noteRefund,
  type Transaction,
} from '../transaction/store.ts'
import { voucherEvent } from '../voucher/events.ts'
import { isExpired, reopenedUntil } from '../voucher/expiry.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { moveDocument } from '../voucher/history-store.ts'
import { lockVoucher, payerAccount, setExpiry, type Voucher, voucherAccount } from '../voucher/store.ts'
import { refundError } from './errors.ts'
import { refundEvent } from './events.ts'
import { findRedeemed, type RedeemedPart } from './store.ts'

export type RefundTools = Pick<IssueTools, 'pool' | 'clock' | 'newId'>

export type RefundAsk = {
  /** Of the redemption. */
  readonly reference: string
  /** Of the refund itself. */
  readonly refundReference: string
  /** Major units as they were written; all that is left, if there is none. */
  readonly amount: string | undefined
  readonly reason: string
}

export type Refunded = {
  /** The refund, which is a transaction too. */
  readonly transaction: Transaction
  readonly currency: CatalogueCurrency
  readonly replayed: boolean
}

/** Gives back what a redemption took, or a part of it, under the lock of its transaction. Charges are not given back. */
export async function refund(tools: RefundTools, environmentId: string, ask: RefundAsk): Promise<Refunded> {
  const key = referenceKey(environmentId, ask.refundReference)
  try {
    return await inTransaction(tools.pool, async (tx) => {
      await actFor(tx, environmentId)
      const original = await findTransaction(tx, environmentId, ask.reference, 'for no key update of t')
      if (original === undefined) throw transactionError('TRANSACTION_NOT_FOUND')
      const currency = await findCurrency(tx, original.currency, 'any')
      const asked = JSON.stringify(['refund', original.id, wishedPart(ask, currency), ask.reason])
      // A repeat is answered before any rule is asked, and after the lock: its first may be under way.
      const known = await findPosted(tx, key, asked)
      if (known === undefined) await post(tools, tx, environmentId, ask, original, currency, { key, asked })
      await actFor(tx, environmentId)
      const transaction = await findTransaction(tx, environmentId, ask.refundReference)
      if (transaction === undefined) throw new Error('A refund was posted and is not there.')
      return { transaction, currency, replayed: known !== undefined }
    })
  } catch (error) {
    if (hasCode(error, 'LEDGER_KEY_CONFLICT'))
      throw transactionError('REFERENCE_TAKEN', { param: 'refundReferenceId' }, error)
    if (hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING'))
      throw refundError('REFUND_BALANCE_TOO_LOW', { param: 'amount' }, error)
    throw error
  }
}

async function post(
  tools: RefundTools,
  tx: Tx,
  environmentId: string,
  ask: RefundAsk,
  original: Transaction,
  currency: CatalogueCurrency,
  { key, asked }: Pick<Journal, 'key' | 'asked'>,
): Promise<void> {
  if (original.type !== 'VOUCHER_REDEMPTION') throw refundError('REFUND_IMPOSSIBLE')
  const amount = readPart(ask, original, currency)
  const redeemed = await findRedeemed(tx, original.id)
  const at = tools.clock()
  const { voucher, to } = await findTarget(tx, redeemed.voucherId, at)
  const transfers = refundTransfers(environmentId, redeemed, original, amount, to)
  const id = tools.newId()
  const createdAt = timeOfId(id)
  const documents = [
    freeTransaction('REFUND', ask.refundReference, {
      environmentId,
      id,
      bookId: redeemed.bookId,
      amount,
      metadata: ask.reason,
    }),
    moveDocument({
      voucherId: voucher.id,
      id,
      environmentId,
      kind: 'refund',
      amount,
      reason: ask.reason,
      redemptionId: original.id,
    }),
  ]
  // A cancelled voucher's payer sees where it comes from.
  if (to.kind === 'merchant' && to.ownerId !== environmentId) {
    const moved = { id, bookId: to.bookId, amount, metadata: voucher.id }
    documents.push(adjustmentDocument({ environmentId: to.ownerId, ...moved }))
  }
  const money = { amount: formatMoney({ minor: amount, currency }), currency: currency.code }
  const made = { transactionId: id, reference: ask.refundReference, refundOf: ask.reference, ...money }
  const events = [refundEvent('refund.completed', { environmentId, about: { id, sequence: 1 } }, made)]
  if (to.kind === 'voucher') {
    const issuer = { environmentId: voucher.environmentId, about: to }
    events.push(voucherEvent('voucher.refunded', issuer, { voucherId: to.ownerId, ...money }))
  }
  await noteRefund(tx, environmentId, original.id, amount, createdAt)
  if (to.kind === 'voucher' && isExpired(voucher, at)) {
    await actFor(tx, voucher.environmentId)
    await setExpiry(tx, voucher, reopenedUntil(at), undefined)
  }
  const alternatives = [{ transfers, open: [to], documents, events }] as const
  await postWithin(tx, { id, kind: 'voucher.refund', key, asked, alternatives }, tools)
}

/** In minor units: 5 and 5.00 ask for the same. */
function wishedPart({ amount }: RefundAsk, currency: CatalogueCurrency): string {
  return amount === undefined ? 'rest' : String(parseMoney(amount, currency).minor)
}

function readPart({ amount: text }: RefundAsk, original: Transaction, currency: CatalogueCurrency): bigint {
  const left = original.amount - original.refunded
  const amount = text === undefined ? left : parseAmount(text, currency).minor
  if (amount > left || left === 0n) {
    const maxAmount = exactNumber(formatMoney({ minor: left, currency }))
    throw refundError('REFUND_TOO_LARGE', { param: 'amount', maxAmount })
  }
  return amount
}

/** Where the value belongs now: on the voucher, or on the one that replaced it; if it was cancelled, with its payer. */
async function findTarget(tx: Tx, voucherId: string, at: Date): Promise<{ voucher: Voucher; to: Account }> {
  const voucher = await lockVoucher(tx, voucherId, at)
  if (voucher === undefined) throw new Error('A redemption was made of a voucher that is not there.')
  if (voucher.replacedBy !== null) return findTarget(tx, voucher.replacedBy, at)
  return { voucher, to: voucher.state === 'closed' ? payerAccount(voucher) : voucherAccount(voucher) }
}

/** At the rate of the redemption: what the currencies have done since is borne by the merchant's desk. */
function refundTransfers(
  environmentId: string,
  { bookId, converted }: RedeemedPart,
  { amount: whole, refunded }: Transaction,
  amount: bigint,
  to: Account,
): Transfer[] {
  const merchant = (book: number): Account => ({ bookId: book, ownerId: environmentId, kind: 'merchant' })
  if (converted === undefined) {
    if (nameOf(to) === nameOf(merchant(bookId))) throw refundError('REFUND_TO_SELF')
    return [{ from: merchant(bookId), to, amount }]
  }
  // Of the whole so far, rounded up, less what was given back before: the parts come to exactly what the merchant got.
  const givenBack = (sum: bigint): bigint => (converted.amount * sum + whole - 1n) / whole
  const paid = givenBack(refunded + amount) - givenBack(refunded)
  const desk = (book: number): Account => exchangeAccount(environmentId, book)
  const back = { from: merchant(converted.bookId), to: desk(converted.bookId), amount: paid }
  return [...(paid > 0n ? [back] : []), { from: desk(bookId), to, amount }]
}
