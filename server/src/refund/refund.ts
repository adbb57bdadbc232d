import { inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { formatMoney, parseMoney } from '../base/money.ts'
import { parseAmount } from '../currency/amount.ts'
import { type CatalogueCurrency, findCurrency } from '../currency/store.ts'
import { exactNumber } from '../http/exact-json.ts'
import { type Account, nameOf } from '../ledger/account.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import { exchangeAccount } from '../ledger/exchange.ts'
import type { Journal, Posting, Transfer } from '../ledger/journal.ts'
import { findPosted } from '../ledger/store.ts'
import { transactionError } from '../transaction/errors.ts'
import { referenceKey, retell } from '../transaction/reference.ts'
import {
  adjustmentDocument,
  findTransaction,
  freeTransaction,
  noteRefund,
  type Transaction,
} from '../transaction/store.ts'
import { returned, walletAccount, walletMove } from '../wallet/store.ts'
import { voucherEvent } from '../voucher/events.ts'
import { isExpired, reopenedUntil } from '../voucher/expiry.ts'
import { moveDocument } from '../voucher/history-store.ts'
import { lockVoucher, payerAccount, setExpiry, type Voucher, voucherAccount } from '../voucher/store.ts'
import { refundError } from './errors.ts'
import { refundEvent } from './events.ts'
import { findPaid, findRedeemed, type RedeemedPart } from './store.ts'

export type RefundAsk = {
  /** Of what is refunded. */
  readonly reference: string
  /** Of the refund itself. */
  readonly refundReference: string
  /** Major units as they were written; all that is left, if there is none. */
  readonly amount: string | undefined
  readonly reason: string
}

/** Gives back what a redemption or a payment took, or a part of it, under the lock of its transaction. Charges are not given back. */
export async function refund(tools: PostTools, environmentId: string, ask: RefundAsk) {
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
      // The refund is a transaction too.
      return { transaction, currency, replayed: known !== undefined }
    })
  } catch (error) {
    throw retell(error, 'refundReferenceId', (cause) =>
      refundError('REFUND_BALANCE_TOO_LOW', { param: 'amount' }, cause),
    )
  }
}

/** What a refund moves, and what it leaves behind. */
type Back = Pick<Posting, 'transfers'> & Required<Pick<Posting, 'open' | 'documents' | 'events'>>

async function post(
  tools: PostTools,
  tx: Tx,
  environmentId: string,
  ask: RefundAsk,
  original: Transaction,
  currency: CatalogueCurrency,
  { key, asked }: Pick<Journal, 'key' | 'asked'>,
): Promise<void> {
  const toOrigin = { VOUCHER_REDEMPTION: backToVoucher, PAYMENT_REQUEST: backToWallet }[original.type as string]
  // What went into a wallet is the person's own, and no merchant has it to give back.
  const isKept = original.type === 'VOUCHER_REDEMPTION' && original.userId !== null
  if (toOrigin === undefined || isKept || !['COMPLETED', 'REFUNDED'].includes(original.status))
    throw refundError('REFUND_IMPOSSIBLE')
  const amount = readPart(ask, original, currency)
  const id = tools.newId()
  const money = { amount: formatMoney({ minor: amount, currency }), currency: currency.code }
  await noteRefund(tx, environmentId, original.id, amount, timeOfId(id))
  const back = await toOrigin(tools, tx, { environmentId, ask, original, amount, id, money })
  const { bookId } = original
  const made = {
    environmentId,
    id,
    bookId,
    amount,
    metadata: ask.reason,
    ...(original.userId && { userId: original.userId }),
  }
  const told = { transactionId: id, reference: ask.refundReference, refundOf: ask.reference, ...money }
  const documents = [freeTransaction('REFUND', ask.refundReference, made), ...back.documents]
  const events = [refundEvent('refund.completed', { environmentId, about: { id, sequence: 1 } }, told), ...back.events]
  const kind = original.type === 'PAYMENT_REQUEST' ? 'payment.refund' : 'voucher.refund'
  await postWithin(tx, { id, kind, key, asked, alternatives: [{ ...back, documents, events }] }, tools)
}

type Parts = {
  readonly environmentId: string
  readonly ask: RefundAsk
  readonly original: Transaction
  readonly amount: bigint
  /** Of the refund. */
  readonly id: string
  readonly money: { readonly amount: string; readonly currency: string }
}

async function backToVoucher(tools: PostTools, tx: Tx, parts: Parts): Promise<Back> {
  const { environmentId, ask, original, amount, id, money } = parts
  const redeemed = await findRedeemed(tx, original.id)
  const at = tools.clock()
  const { voucher, to } = await findTarget(tx, redeemed.voucherId, at)
  const transfers = refundTransfers(environmentId, redeemed, original, amount, to)
  const moved = { voucherId: voucher.id, id, environmentId, amount, reason: ask.reason, redemptionId: original.id }
  const documents = [moveDocument({ ...moved, kind: 'refund' }), ...returned(to, id, amount)]
  // A cancelled voucher's payer sees where it comes from.
  if (to.kind === 'merchant' && to.ownerId !== environmentId)
    documents.push(
      adjustmentDocument({ environmentId: to.ownerId, id, bookId: to.bookId, amount, metadata: voucher.id }),
    )
  const issuer = { environmentId: voucher.environmentId, about: to }
  const isOnVoucher = to.kind === 'voucher'
  const events = isOnVoucher ? [voucherEvent('voucher.refunded', issuer, { voucherId: to.ownerId, ...money })] : []
  if (isOnVoucher && isExpired(voucher, at)) {
    await actFor(tx, voucher.environmentId)
    await setExpiry(tx, voucher, reopenedUntil(at), undefined)
  }
  return { transfers, open: [to], documents, events }
}

/** Into the wallet that it came from, in the currency that left it, at the rate of the payment. */
async function backToWallet(_: PostTools, tx: Tx, parts: Parts): Promise<Back> {
  const { environmentId, ask, original, amount, id } = parts
  const { userId, paid, merchant } = await findPaid(tx, original.id)
  // Of the whole so far, rounded down, less what was given back before: the parts come to exactly what was paid.
  const givenBack = (sum: bigint): bigint => (paid.amount * sum) / original.amount
  const back = givenBack(original.refunded + amount) - givenBack(original.refunded)
  const to = walletAccount(userId, paid.bookId)
  const from: Account = { bookId: original.bookId, ownerId: environmentId, kind: 'merchant' }
  if (paid.bookId === original.bookId) return { ...moving([{ from, to, amount }], amount), open: [to], events: [] }
  const desk = (bookId: number): Account => exchangeAccount(environmentId, bookId)
  const given = { from, to: desk(original.bookId), amount }
  const got = { from: desk(paid.bookId), to, amount: back }
  return { ...moving(back > 0n ? [given, got] : [given], back), open: [to], events: [] }

  function moving(transfers: Transfer[], came: bigint): Pick<Back, 'transfers' | 'documents'> {
    const move = { userId, id, bookId: paid.bookId, kind: 'refunded', amount: came } as const
    return { transfers, documents: came > 0n ? [walletMove({ ...move, withName: merchant, note: ask.reason })] : [] }
  }
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
