import { inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { divide, formatMoney, parseMoney, type Rounding } from '../base/money.ts'
import { parseAmount } from '../currency/amount.ts'
import { type CatalogueCurrency, findCurrency } from '../currency/store.ts'
import { wireMoney } from '../currency/wire.ts'
import { findPrice, marketRate, type Price } from '../exchange/price.ts'
import type { Owner } from '../http/caller.ts'
import { type Account, nameOf } from '../ledger/account.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import { payAcross } from '../ledger/exchange.ts'
import { findBookCurrency } from '../ledger/book.ts'
import type { Journal, Posting } from '../ledger/journal.ts'
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
import { findPaid, findRedeemed, findReturned } from './store.ts'

export type RefundAsk = {
  /** Of what is refunded. */
  readonly reference: string
  /** Of the refund itself. */
  readonly refundReference: string
  /** Major units as they were written; all that is left, if there is none. */
  readonly amount: string | undefined
  readonly reason: string
}

type Refunder = Pick<Owner, 'environmentId' | 'memberId'>

/** Gives back what a redemption or a payment took, or a part of it, under the lock of its transaction. Charges are not given back. */
export async function refund(tools: PostTools, owner: Refunder, ask: RefundAsk) {
  const { environmentId } = owner
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
      if (known === undefined) await post(tools, tx, owner, ask, original, currency, { key, asked })
      await actFor(tx, environmentId)
      const transaction = await findTransaction(tx, environmentId, ask.refundReference)
      if (transaction === undefined) throw new Error('A refund was posted and is not there.')
      const { currency: code, amount } = await findReturned(tx, transaction.id)
      const returned = { minor: amount, currency: await findCurrency(tx, code, 'any') }
      // The refund is a transaction too.
      return { transaction, currency, returned, replayed: known !== undefined }
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
  { environmentId, memberId }: Refunder,
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
  const back = await toOrigin(tools, tx, { environmentId, ask, original, amount, id, money, currency })
  const { bookId, userId, codeTail, id: refundOf } = original
  const made = { environmentId, id, bookId, amount, metadata: ask.reason, userId, memberId, codeTail, refundOf }
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
  /** Of the transaction. */
  readonly currency: CatalogueCurrency
}

async function backToVoucher(tools: PostTools, tx: Tx, parts: Parts): Promise<Back> {
  const { environmentId, ask, original, amount, id, money } = parts
  const redeemed = await findRedeemed(tx, original.id)
  const at = tools.clock()
  const { voucher, to } = await findTarget(tx, redeemed.voucherId, at)
  const { converted } = redeemed
  const from: Account = { bookId: converted?.bookId ?? redeemed.bookId, ownerId: environmentId, kind: 'merchant' }
  if (nameOf(to) === nameOf(from)) throw refundError('REFUND_TO_SELF')
  // Rounded up where the currency changed.
  const given = converted === undefined ? amount : partOf(converted.amount, original, amount, 'up')
  const back = converted === undefined ? amount : await repriced(tools, tx, converted, money.currency, amount)
  if (back === 0n) throw refundError('REFUND_CONVERTS_TO_NOTHING', { param: 'amount' })
  const moved = {
    voucherId: voucher.id,
    id,
    environmentId,
    amount: back,
    reason: ask.reason,
    redemptionId: original.id,
  }
  const documents = [moveDocument({ ...moved, kind: 'refund' }), ...returned(to, id, back)]
  // A cancelled voucher's payer sees where it comes from.
  if (to.kind === 'merchant' && to.ownerId !== environmentId)
    documents.push(
      adjustmentDocument({ environmentId: to.ownerId, id, bookId: to.bookId, amount: back, metadata: voucher.id }),
    )
  const issuer = { environmentId: voucher.environmentId, about: to }
  const isOnVoucher = to.kind === 'voucher'
  const { currency } = parts
  const refunded = { amount: formatMoney({ minor: back, currency }), currency: currency.code }
  const events = isOnVoucher ? [voucherEvent('voucher.refunded', issuer, { voucherId: to.ownerId, ...refunded })] : []
  if (isOnVoucher && isExpired(voucher, at)) {
    await actFor(tx, voucher.environmentId)
    await setExpiry(tx, voucher, reopenedUntil(at), undefined)
  }
  return { ...across(environmentId, from, given, to, back), documents, events }
}

/** Into the wallet that it came from, in the currency that left it. */
async function backToWallet(tools: PostTools, tx: Tx, parts: Parts): Promise<Back> {
  const { environmentId, ask, original, amount, id } = parts
  const { userId, paid, merchant } = await findPaid(tx, original.id)
  const { bookId } = paid
  // Rounded down where the currency changed.
  const back = bookId === original.bookId ? amount : await repricedPart(tools, tx, paid, original, amount)
  const from: Account = { bookId: original.bookId, ownerId: environmentId, kind: 'merchant' }
  const to = walletAccount(userId, bookId)
  const move = { userId, id, bookId, kind: 'refunded', amount: back, withName: merchant, note: ask.reason } as const
  const documents = back > 0n ? [walletMove(move)] : []
  return { ...across(environmentId, from, amount, to, back), documents, events: [] }
}

/** Of what a whole transaction came to elsewhere: up to this part, less what was given back before, so the parts come to exactly that. */
function partOf(elsewhere: bigint, { amount: whole, refunded }: Transaction, amount: bigint, rounding: Rounding) {
  const upTo = (sum: bigint): bigint => divide(elsewhere * sum, whole, rounding)
  return upTo(refunded + amount) - upTo(refunded)
}

type Then = { readonly bookId: number; readonly amount: bigint; readonly price: Pick<Price, 'rate' | 'spreadPpm'> }

async function repricedPart(
  tools: PostTools,
  tx: Tx,
  paid: Then,
  original: Transaction,
  amount: bigint,
): Promise<bigint> {
  const { currency: payers } = await findBookCurrency(tx, paid.bookId)
  return repriceFor(tools, tx, payers, original.currency, paid, partOf(paid.amount, original, amount, 'down'))
}

async function repriced(tools: PostTools, tx: Tx, got: Then, payers: string, amount: bigint): Promise<bigint> {
  const { currency: merchants } = await findBookCurrency(tx, got.bookId)
  return repriceFor(tools, tx, payers, merchants, got, amount)
}

/**
 * The smaller of what the payer paid and what the same share of the merchant's money buys at the market rate of now. A refund at the
 * old rate would be an option on the merchant's exchange desk that never ends.
 */
async function repriceFor(
  { clock }: PostTools,
  tx: Tx,
  payers: string,
  merchants: string,
  { price }: Then,
  amount: bigint,
): Promise<bigint> {
  const then = marketRate(price)
  const now = marketRate(await findPrice(tx, payers, merchants, clock))
  const [before, after] = [then.numerator * now.denominator, now.numerator * then.denominator]
  return after <= before ? amount : divide(amount * before, after, 'down')
}

/** Each side is balanced in its own book; what the market has done since stays with the merchant's desk. */
function across(environmentId: string, from: Account, given: bigint, to: Account, got: bigint) {
  const { transfers } = payAcross(environmentId, { account: from, amount: given }, { account: to, amount: got })
  return { transfers: transfers.filter(({ amount }) => amount > 0n), open: [to] }
}

/** In minor units: 5 and 5.00 ask for the same. */
function wishedPart({ amount }: RefundAsk, currency: CatalogueCurrency): string {
  return amount === undefined ? 'rest' : String(parseMoney(amount, currency).minor)
}

function readPart({ amount: text }: RefundAsk, original: Transaction, currency: CatalogueCurrency): bigint {
  const left = original.amount - original.refunded
  const amount = text === undefined ? left : parseAmount(text, currency).minor
  if (amount > left || left === 0n) {
    throw refundError('REFUND_TOO_LARGE', { param: 'amount', maxAmount: wireMoney(left, currency) })
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
