import type { Tx } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { divide, formatMoney, type Money, parseMoney, type Rounding } from '../../base/money.ts'
import { parseAmount } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import { findPrice, marketRate, type Price, valueNow } from '../../catalogue/exchange/price.ts'
import type { Owner } from '../../http/caller.ts'
import { type Account, nameOf } from '../../ledger/account.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { payAcross } from '../../ledger/exchange.ts'
import { findBookCurrency } from '../../ledger/book.ts'
import type { Posted, Posting } from '../../ledger/journal.ts'
import { type Identity, once, postNew } from '../../ledger/once.ts'
import { transactionError } from '../../payments/transaction/errors.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import {
  adjustmentDocument,
  findTransaction,
  freeTransaction,
  recordRefund,
  type Transaction,
} from '../../payments/transaction/store.ts'
import { returned, walletAccount, walletMove } from '../../payments/wallet/store.ts'
import { voucherEvent } from '../../vouchers/voucher/events.ts'
import { isExpired, reopenedUntil } from '../../vouchers/voucher/expiry.ts'
import { moveDocument } from '../../vouchers/voucher/history-store.ts'
import { type Minted, mintVoucher, type MintTools } from '../../vouchers/voucher/mint.ts'
import {
  lockVoucher,
  payerAccount,
  setExpiry,
  storeFloat,
  type Voucher,
  voucherAccount,
} from '../../vouchers/voucher/store.ts'
import { refundError } from './errors.ts'
import { refundEvent } from './events.ts'
import { findPaid, findRedeemed, findReturned, hasPaidAddress } from './store.ts'

export type RefundInput = {
  /** The reference of the refunded transaction. */
  readonly reference: string
  /** The reference of the refund itself. */
  readonly refundReference: string
  /** Major units as the client wrote them. Undefined: everything that is not refunded yet. */
  readonly amount: string | undefined
  readonly reason: string
}

type Refunder = Pick<Owner, 'environmentId' | 'memberId'>

type Refunded = {
  /** The transaction of the refund itself. */
  readonly transaction: Transaction
  readonly currency: CatalogueCurrency
  readonly returned: Money & { readonly currency: CatalogueCurrency }
  readonly replayed: boolean
}

/** A refund of an onchain voucher goes to a new voucher. */
export type RefundTools = PostTools & MintTools

/** Refunds a redemption or a payment, in full or in part, under the lock of its transaction. Fees are not refunded. */
export async function refund(tools: RefundTools, owner: Refunder, input: RefundInput): Promise<Refunded> {
  const { environmentId } = owner
  try {
    const { original, currency } = await findOriginal(tools, environmentId, input.reference)
    const part = requestedPart(input, currency)
    const identity = {
      key: referenceKey(environmentId, input.refundReference),
      requestFingerprint: JSON.stringify(['refund', original.id, part, input.reason]),
    }
    const { replayed } = await once(tools, identity, {
      retell: (posted) => posted,
      prepare: () => ({
        lock: async (tx: Tx) => {
          await actFor(tx, environmentId)
          const locked = await findTransaction(tx, environmentId, input.reference, 'for no key update of t')
          if (locked === undefined && original.byPublicKey !== true) throw transactionError('TRANSACTION_ARCHIVED')
          // The reference may have been freed for another transaction since.
          if (locked?.id !== original.id) throw transactionError('TRANSACTION_NOT_FOUND')
          return locked
        },
        post: (tx: Tx, locked: Transaction) => post(tools, tx, owner, input, locked, currency, identity),
      }),
    })
    return { ...(await readRefund(tools, environmentId, input.refundReference)), currency, replayed }
  } catch (error) {
    throw toApiError(error, 'refundReferenceId', (cause) =>
      refundError('REFUND_BALANCE_TOO_LOW', { param: 'amount' }, cause),
    )
  }
}

type Original = { readonly original: Transaction; readonly currency: CatalogueCurrency }

async function findOriginal({ pool }: RefundTools, environmentId: string, reference: string): Promise<Original> {
  const original = await withEnvironment(pool, environmentId, (tx) => findTransaction(tx, environmentId, reference))
  if (original === undefined) throw transactionError('TRANSACTION_NOT_FOUND')
  return { original, currency: await findCurrency(pool, original.currency, 'any') }
}

async function readRefund(
  { pool }: RefundTools,
  environmentId: string,
  reference: string,
): Promise<Pick<Refunded, 'transaction' | 'returned'>> {
  return withEnvironment(pool, environmentId, async (tx) => {
    const transaction = await findTransaction(tx, environmentId, reference)
    if (transaction === undefined) throw new Error('A posted refund is missing.')
    const { currency, amount } = await findReturned(tx, transaction.id)
    return { transaction, returned: { minor: amount, currency: await findCurrency(tx, currency, 'any') } }
  })
}

/** The transfers of a refund, with their rows and events. */
type RefundPosting = Pick<Posting, 'transfers'> & Required<Pick<Posting, 'open' | 'documents' | 'events'>>

async function post(
  tools: RefundTools,
  tx: Tx,
  { environmentId, memberId }: Refunder,
  input: RefundInput,
  original: Transaction,
  currency: CatalogueCurrency,
  identity: Identity,
): Promise<Posted> {
  if (original.type === 'WALLET_DEPOSIT' && original.status === 'COMPLETED')
    throw refundError('REFUND_RECIPIENT_MISSING', { param: 'platformUsernameOrEmail' })
  const toOrigin = { VOUCHER_REDEMPTION: backToVoucher, PAYMENT_REQUEST: backToWallet }[original.type as string]
  // A voucher that a user redeemed into a wallet cannot be refunded: the merchant never had the money.
  const isInWallet = original.type === 'VOUCHER_REDEMPTION' && original.userId !== null
  if (toOrigin === undefined || isInWallet || !['COMPLETED', 'REFUNDED'].includes(original.status))
    throw refundError('REFUND_IMPOSSIBLE')
  const amount = readPart(input, original, currency)
  const id = tools.newId()
  const money = { amount: formatMoney({ minor: amount, currency }), currency: currency.code }
  await recordRefund(tx, environmentId, original.id, amount, timeOfId(id))
  const back = await toOrigin(tools, tx, { environmentId, input, original, amount, id, money, currency })
  const { bookId, userId, codeTail, id: refundOf } = original
  const made = { environmentId, id, bookId, amount, metadata: input.reason, userId, memberId, codeTail, refundOf }
  const named = { transactionId: id, reference: input.refundReference, refundOf: input.reference }
  const data = { ...named, ...money, type: 'REFUND', metadata: input.reason, userId } as const
  const documents = [freeTransaction('REFUND', input.refundReference, made), ...back.documents]
  const events = [refundEvent('refund.completed', { environmentId, about: { id, sequence: 1 } }, data), ...back.events]
  const kind = original.type === 'PAYMENT_REQUEST' ? 'payment.refund' : 'voucher.refund'
  return postNew(tx, { id, kind, ...identity, alternatives: [{ ...back, documents, events }] }, tools)
}

type Parts = {
  readonly environmentId: string
  readonly input: RefundInput
  readonly original: Transaction
  readonly amount: bigint
  /** The id of the refund. */
  readonly id: string
  readonly money: { readonly amount: string; readonly currency: string }
  /** The currency of the refunded transaction. */
  readonly currency: CatalogueCurrency
}

async function backToVoucher(tools: RefundTools, tx: Tx, parts: Parts): Promise<RefundPosting> {
  const { environmentId, input, original, amount, id, money } = parts
  const redeemed = await findRedeemed(tx, original.id)
  const at = tools.clock()
  const { voucher, to: old } = await findTarget(tx, redeemed.voucherId, at)
  if (await hasPaidAddress(tx, original.id)) throw refundError('REFUND_IMPOSSIBLE')
  const { converted } = redeemed
  const own: Account = { bookId: converted?.bookId ?? redeemed.bookId, ownerId: environmentId, kind: 'merchant' }
  const from = voucher.isStore ? storeFloat(environmentId, redeemed.bookId) : own
  if (nameOf(old) === nameOf(from)) throw refundError('REFUND_TO_SELF')
  // The merchant's part rounds up if the currency was converted.
  const given = converted === undefined ? amount : partOf(converted.amount, original, amount, 'up')
  const back = converted === undefined ? amount : await repriced(tools, tx, converted, money.currency, amount)
  if (back === 0n) throw refundError('REFUND_CONVERTS_TO_NOTHING', { param: 'amount' })
  // A vault takes no more value for a voucher, so the refund goes to a new one, offchain.
  const successor = voucher.isOnchain ? await mintSuccessor(tools, voucher, back) : undefined
  const to = successor?.account ?? old
  const moved = {
    voucherId: voucher.id,
    id,
    environmentId,
    amount: back,
    reason: input.reason,
    redemptionId: original.id,
  }
  const documents = [
    ...(successor?.documents ?? []),
    moveDocument({ ...moved, kind: 'refund' }),
    ...returned(to, id, back),
  ]
  // The payer of a cancelled voucher sees the refund among its transactions.
  if (to.kind === 'merchant' && to.ownerId !== environmentId)
    documents.push(
      adjustmentDocument({ environmentId: to.ownerId, id, bookId: to.bookId, amount: back, metadata: voucher.id }),
    )
  const issuer = { environmentId: voucher.environmentId, about: to }
  const isOnVoucher = to.ownerId === voucher.id || successor !== undefined
  const { currency } = parts
  const refunded = { amount: formatMoney({ minor: back, currency }), currency: currency.code }
  const events = isOnVoucher ? [voucherEvent('voucher.refunded', issuer, { voucherId: to.ownerId, ...refunded })] : []
  if (isOnVoucher && successor === undefined && isExpired(voucher, at)) {
    await actFor(tx, voucher.environmentId)
    await setExpiry(tx, voucher, reopenedUntil(at), undefined)
  }
  return { ...across(environmentId, from, given, to, back), documents, events }
}

/** A voucher like an onchain one, offchain, for the part of it that is refunded. */
function mintSuccessor(tools: RefundTools, voucher: Voucher, amount: bigint): Promise<Minted> {
  const recipient = { kind: voucher.recipientKind, name: voucher.recipient }
  const expiresAt = isExpired(voucher, tools.clock()) ? reopenedUntil(tools.clock()) : voucher.expiresAt
  return mintVoucher(tools, { ...voucher, amount, recipient, expiresAt, vault: undefined, rules: null })
}

/** Refunds to the paying wallet, in the currency that it paid with. */
async function backToWallet(tools: PostTools, tx: Tx, parts: Parts): Promise<RefundPosting> {
  const { environmentId, input, original, amount, id } = parts
  const { userId, paid, merchant } = await findPaid(tx, original.id)
  const { bookId } = paid
  // The payer's part rounds down if the currency was converted.
  const back = bookId === original.bookId ? amount : await repricedPart(tools, tx, paid, original, amount)
  const from: Account = { bookId: original.bookId, ownerId: environmentId, kind: 'merchant' }
  const to = walletAccount(userId, bookId)
  const move = { userId, id, bookId, kind: 'refunded', amount: back, withName: merchant, note: input.reason } as const
  const documents = back > 0n ? [walletMove(move)] : []
  return { ...across(environmentId, from, amount, to, back), documents, events: [] }
}

/**
 * The share of a converted total for this partial refund. Computed from running totals, so that all parts add up
 * exactly.
 */
function partOf(total: bigint, { amount: whole, refunded }: Transaction, amount: bigint, rounding: Rounding): bigint {
  const upTo = (sum: bigint): bigint => divide(total * sum, whole, rounding)
  return upTo(refunded + amount) - upTo(refunded)
}

/** An amount in another currency, with the price at which it was converted. */
type Converted = { readonly bookId: number; readonly amount: bigint; readonly price: Pick<Price, 'rate' | 'spreadPpm'> }

async function repricedPart(
  tools: PostTools,
  tx: Tx,
  paid: Converted,
  original: Transaction,
  amount: bigint,
): Promise<bigint> {
  const { currency: payers } = await findBookCurrency(tx, paid.bookId)
  return repriceFor(tools, tx, payers, original.currency, paid, partOf(paid.amount, original, amount, 'down'))
}

async function repriced(tools: PostTools, tx: Tx, got: Converted, payers: string, amount: bigint): Promise<bigint> {
  const { currency: merchants } = await findBookCurrency(tx, got.bookId)
  return repriceFor(tools, tx, payers, merchants, got, amount)
}

/**
 * The smaller of what the payer paid and what the same share of the merchant's money buys at the current market rate.
 * A refund at the old rate would be a free option on the merchant's exchange desk that never expires.
 */
async function repriceFor(
  { clock }: PostTools,
  tx: Tx,
  payers: string,
  merchants: string,
  { price }: Converted,
  amount: bigint,
): Promise<bigint> {
  const now = await findPrice(tx, payers, merchants, clock)
  return valueNow(amount, marketRate(price), marketRate(now))
}

/** Balances each side in its own book. The market change since the payment stays with the merchant's desk. */
function across(
  environmentId: string,
  from: Account,
  given: bigint,
  to: Account,
  got: bigint,
): Pick<RefundPosting, 'transfers' | 'open'> {
  const { transfers } = payAcross(environmentId, { account: from, amount: given }, { account: to, amount: got })
  return { transfers: transfers.filter(({ amount }) => amount > 0n), open: [to] }
}

/** In minor units, so that 5 and 5.00 have the same fingerprint. */
function requestedPart({ amount }: RefundInput, currency: CatalogueCurrency): string {
  return amount === undefined ? 'rest' : String(parseMoney(amount, currency).minor)
}

function readPart({ amount: text }: RefundInput, original: Transaction, currency: CatalogueCurrency): bigint {
  const left = original.amount - original.refunded
  const amount = text === undefined ? left : parseAmount(text, currency).minor
  if (amount > left || left === 0n) {
    throw refundError('REFUND_TOO_LARGE', { param: 'amount', maxAmount: wireMoney(left, currency) })
  }
  return amount
}

/** The account to refund: the voucher, the voucher that replaced it, or the payer of a cancelled voucher. */
async function findTarget(tx: Tx, voucherId: string, at: Date): Promise<{ voucher: Voucher; to: Account }> {
  const voucher = await lockVoucher(tx, voucherId, at)
  if (voucher === undefined) throw new Error('A redeemed voucher is missing.')
  if (voucher.replacedBy !== null) return findTarget(tx, voucher.replacedBy, at)
  return { voucher, to: voucher.state === 'closed' ? payerAccount(voucher) : voucherAccount(voucher) }
}
