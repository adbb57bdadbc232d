import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import type { Log } from '../../base/log.ts'
import { convert, formatMoney } from '../../base/money.ts'
import { gasOn, unitOf } from '../../catalogue/charge/gas.ts'
import { type CatalogueCurrency, findCurrency, listTokens } from '../../catalogue/currency/store.ts'
import type { Account } from '../../ledger/account.ts'
import { type PostTools, postWithin } from '../../ledger/batch.ts'
import { ensureBook } from '../../ledger/book.ts'
import { payAcross } from '../../ledger/exchange.ts'
import type { Document } from '../../ledger/document.ts'
import type { Journal, Posting, Transfer } from '../../ledger/journal.ts'
import { findOwner } from '../../identity/merchant/store.ts'
import { moveTransaction } from '../transaction/store.ts'
import { walletAccount, walletMove } from '../wallet/store.ts'
import { isDue, markConfirming } from './confirming.ts'
import { aboutOf, depositEvent } from './events.ts'
import { toDepositPayload } from './payload.ts'
import { priceSeenPayment } from './reprice.ts'
import {
  addBooking,
  type CaseKind,
  caseDocument,
  type Deposit,
  dropCase,
  findDepositOwner,
  lockDeposit,
  markBooked,
  markUnbooked,
  type Payment,
  saveProgress,
  undoBooking,
  wantSweep,
} from './store.ts'

export type BookTools = PostTools & { readonly log: Log }

/** The treasury on a network: its negative balance is what we hold there. */
const heldOn = (networkId: string, bookId: number): Account => ({ bookId, ownerId: networkId, kind: 'treasury' })
/** Payments for a deposit that are not credited yet. */
const pendingOn = ({ id }: Deposit, bookId: number): Account => ({ bookId, ownerId: id, kind: 'deposit' })
/** The platform's loss (negative) from a reversed payment that the payee could not give back. */
const lostOn = ({ id }: Deposit, bookId: number): Account => ({ bookId, ownerId: id, kind: 'treasury' })
const feeOf = ({ environmentId }: Deposit, bookId: number): Account => ({ bookId, ownerId: environmentId, kind: 'fee' })
/** The account that is credited: the merchant's balance or the user's wallet. */
export function payeeOf({ environmentId, userId }: Deposit, bookId: number): Account {
  return userId === null ? { bookId, ownerId: environmentId, kind: 'merchant' } : walletAccount(userId, bookId)
}
/** The entry in the user's wallet history. Negative if the deposit is reversed. */
export function walletMovesOf(
  { userId, networkName }: Deposit,
  id: string,
  bookId: number,
  amount: bigint,
): Document[] {
  return userId === null ? [] : [walletMove({ userId, id, bookId, kind: 'deposited', amount, withName: networkName })]
}

/** The value of a payment in the ledger. */
export type Arrival = { readonly bookId: number; readonly currency: CatalogueCurrency; readonly amount: bigint }

/** Books a final payment, once. If that completes the deposit, credits its payee in the same commit. */
export async function bookPayment(tools: BookTools, payment: Payment): Promise<void> {
  await withDeposit(tools, payment, async (tx, found) => {
    // Payments are published and priced when first seen. On a network with instant finality, booking may come first.
    const confirming = await markConfirming(tools, tx, found, payment)
    const deposit = await priceSeenPayment(tools, tx, confirming, payment)
    const isCounted = isDue(deposit, payment)
    const arrival = await valueOf(tx, deposit, payment)
    const bookings = await markBooked(tx, payment, isCounted, arrival !== undefined, tools.clock())
    if (bookings === undefined) return
    if (arrival === undefined) {
      tools.log.warn({ payment: payment.id, token: payment.token }, 'a payment in a token that is not in the catalogue')
      return
    }
    const arrived = {
      from: heldOn(deposit.networkId, arrival.bookId),
      to: pendingOn(deposit, arrival.bookId),
      amount: arrival.amount,
    }
    const id = tools.newId()
    await addBooking(tx, payment, { journalId: id, bookId: arrival.bookId, amount: arrival.amount })
    const posting = isCounted
      ? await addToDeposit(tools, tx, deposit, arrival, arrived, id)
      : { transfers: [arrived], ...openCase(tools, deposit, kindOf(deposit, payment), arrival) }
    const { from, to } = arrived
    const open = [from, to, ...(posting.open ?? [])]
    const key = `deposit/${payment.id}/${bookings}`
    const alternatives = [{ ...posting, open }] as const
    await postWithin(tx, { id, kind: 'deposit.book', key, requestFingerprint: '', alternatives }, tools)
  })
}

function kindOf({ token, expiresAt }: Deposit, payment: Payment): CaseKind {
  if (payment.token !== token) return 'wrong_token'
  return payment.minedAt > expiresAt ? 'late' : 'over'
}

async function addToDeposit(
  tools: BookTools,
  tx: Tx,
  deposit: Deposit,
  arrival: Arrival,
  arrived: Transfer,
  journalId: string,
): Promise<Posting> {
  const { toDeposit, tolerance, charge, bookId, environmentId } = deposit
  const paid = deposit.paid + arrival.amount
  const used = paid < toDeposit ? paid : toDeposit
  const swapped = used - charge
  const currency = await findCurrency(tx, deposit.currency, 'any')
  const credited =
    used === toDeposit ? deposit.amount : swapped > 0n ? creditBelow(deposit, used, arrival.currency, currency) : 0n
  // The tolerance may be so high that fees leave nothing to credit.
  if (paid < toDeposit - tolerance || credited === 0n) {
    await saveProgress(tx, deposit.id, { ...deposit, paid })
    return { transfers: [arrived] }
  }
  const at = tools.clock()
  await saveProgress(tx, deposit.id, { paid, credited, swapped, endedAt: at })
  await moveTransaction(tx, deposit, 'COMPLETED', at, journalId)
  const pending = pendingOn(deposit, arrival.bookId)
  const fee = feeOf(deposit, arrival.bookId)
  const credit = payAcross(
    environmentId,
    { account: pending, amount: swapped },
    { account: payeeOf(deposit, bookId), amount: credited },
  )
  const quoted = chargeGas(deposit, pending)
  const platformFee = charge - deposit.gas
  const transfers = [
    arrived,
    ...(platformFee > 0n ? [{ from: pending, to: fee, amount: platformFee }] : []),
    ...quoted.transfers,
    ...credit.transfers,
  ]
  await wantSweep(tx, deposit.id, at)
  const event = depositEvent('deposit.completed', aboutOf(deposit, 2), await toDepositPayload(tx, deposit))
  const over = paid > used ? openCase(tools, deposit, 'over', { ...arrival, amount: paid - used }) : undefined
  return {
    transfers,
    open: [fee, ...quoted.open, ...credit.open],
    documents: [...walletMovesOf(deposit, journalId, bookId, credited), ...(over?.documents ?? [])],
    events: [event, ...(over?.events ?? [])],
  }
}

/** Converts the quoted gas into the network's own coin. */
function chargeGas(deposit: Deposit, pending: Account): Pick<Posting, 'transfers'> & { open: Account[] } {
  const { environmentId, networkId, gas, gasInCoin, coinBookId } = deposit
  if (coinBookId === null || gas === 0n || gasInCoin === 0n) return { transfers: [], open: [] }
  const quoted = { account: gasOn(networkId, coinBookId), amount: gasInCoin }
  const { transfers, open } = payAcross(environmentId, { account: pending, amount: gas }, quoted)
  return { transfers, open: [...open, quoted.account] }
}

/**
 * Returns the charged gas of a reversed payment: from the gas account, or at the platform's loss if that is in
 * another coin.
 */
function returnGas({ networkId, gas, gasInCoin, coinBookId }: Deposit, pending: Account, lost: Account): Transfer[] {
  if (coinBookId === null || gas === 0n || gasInCoin === 0n) return []
  const from = coinBookId === pending.bookId ? gasOn(networkId, coinBookId) : lost
  return [{ from, to: pending, amount: gas }]
}

/**
 * The credit for a tolerated underpayment: the requested amount less the value of what is missing, rounded against the payee. What is
 * missing is valued at the price of the last payment, which after a new price is not the price of earlier ones.
 */
function creditBelow(deposit: Deposit, used: bigint, from: CatalogueCurrency, to: CatalogueCurrency): bigint {
  const rate = { numerator: deposit.rateNumerator, denominator: deposit.rateDenominator }
  const missing = convert({ minor: deposit.toDeposit - used, currency: from }, rate, to, 'up').money.minor
  return missing < deposit.amount ? deposit.amount - missing : 0n
}

/** Opens an unmatched deposit for one payment, or for all payments of a deposit, and publishes it. */
export function openCase(
  { clock, newId }: PostTools,
  { environmentId, id: depositId, reference }: Deposit,
  kind: CaseKind,
  { bookId, currency, amount }: Arrival,
): Required<Pick<Posting, 'documents' | 'events'>> {
  const id = newId()
  const data = {
    caseId: id,
    reference,
    kind,
    amount: formatMoney({ minor: amount, currency }),
    currency: currency.code,
  }
  return {
    documents: [caseDocument({ environmentId, id, depositId, kind, bookId, amount, openedAt: clock() })],
    events: [depositEvent('deposit.case', { environmentId, about: { id, sequence: 1 } }, data)],
  }
}

type Undo = {
  readonly deposit: Deposit
  readonly arrival: Arrival
  /** What stays paid without the payment. */
  readonly left: bigint
  readonly journalId: string
}
type Alternatives = Journal['alternatives']

/** Reverses a booked payment that its network undid. If the deposit is no longer paid, takes the credit back. */
export async function undoPayment(tools: BookTools, payment: Payment): Promise<void> {
  await withDeposit(tools, payment, async (tx, deposit) => {
    const bookings = await markUnbooked(tx, payment)
    // Payments in unknown tokens have no bookings.
    if (bookings === undefined || bookings === 0) return
    const arrival = await valueOf(tx, deposit, payment)
    if (arrival === undefined) return
    const { isCounted } = payment
    const left = isCounted ? deposit.paid - arrival.amount : deposit.paid
    const isCredited = deposit.status === 'COMPLETED' || deposit.status === 'REFUNDED'
    const isReversed = isCredited && isCounted && left < deposit.toDeposit - deposit.tolerance
    tools.log.error(
      { deposit: deposit.id, payment: payment.id, isReversed },
      'a final payment was undone by its network',
    )
    const id = tools.newId()
    await undoBooking(tx, payment, id)
    const undo: Undo = { deposit, arrival, left, journalId: id }
    const alternatives = isReversed ? await reverseDeposit(tools, tx, undo) : await reducePaid(tools, tx, undo)
    const key = `deposit/${payment.id}/${bookings}/undo`
    await postWithin(tx, { id, kind: 'deposit.undo', key, requestFingerprint: '', alternatives }, tools)
  })
}

/** The payment leaves an account and the network's treasury at once. */
function returnPayment({ deposit, arrival: { bookId, amount } }: Undo, from: Account): Transfer {
  return { from, to: heldOn(deposit.networkId, bookId), amount }
}

/** At the platform's loss, if no other account can return the payment. */
function returnAtLoss(undo: Undo): Posting {
  const lost = lostOn(undo.deposit, undo.arrival.bookId)
  return { transfers: [returnPayment(undo, lost)], open: [lost] }
}

/** Returns a payment that the credit does not depend on. */
async function reducePaid(tools: BookTools, tx: Tx, undo: Undo): Promise<Alternatives> {
  const { deposit, arrival, left } = undo
  const { bookId, amount } = arrival
  await saveProgress(tx, deposit.id, { ...deposit, paid: left })
  await dropCase(tx, deposit.id, bookId, amount, tools.clock())
  return [{ transfers: [returnPayment(undo, pendingOn(deposit, bookId))] }, returnAtLoss(undo)]
}

/**
 * Takes the credit back: from the payee, or from the platform if the payee cannot pay. A deposit that was refunded stays refunded: its
 * merchant paid the refund and had the credit.
 */
async function reverseDeposit(tools: BookTools, tx: Tx, undo: Undo): Promise<Alternatives> {
  const { deposit, arrival, left, journalId } = undo
  const { bookId } = arrival
  await saveProgress(tx, deposit.id, { ...deposit, paid: left, credited: 0n, swapped: 0n })
  if (deposit.status === 'COMPLETED') await moveTransaction(tx, deposit, 'REVERSED', tools.clock())
  const event = depositEvent('deposit.reversed', aboutOf(deposit, 3), await toDepositPayload(tx, deposit))
  // The other payments become an unmatched deposit, minus an overpayment that the merchant has already credited.
  const over = deposit.paid > deposit.toDeposit ? deposit.paid - deposit.toDeposit : 0n
  const isTaken = over > 0n && !(await dropCase(tx, deposit.id, bookId, over, tools.clock()))
  const rest = isTaken ? left - over : left
  const opened =
    rest > 0n ? openCase(tools, deposit, 'reversed', { ...arrival, amount: rest }) : { documents: [], events: [] }
  const reversal = (payer: Account, feePayer: Account, moves: readonly Document[] = []): Posting => ({
    ...reversalTransfers(undo, payer, feePayer),
    documents: [...moves, ...opened.documents],
    events: [event, ...opened.events],
  })
  const fee = feeOf(deposit, bookId)
  const lost = lostOn(deposit, bookId)
  const moves = walletMovesOf(deposit, journalId, deposit.bookId, -deposit.credited)
  const byPayee = reversal(payeeOf(deposit, deposit.bookId), fee, moves)
  // The platform's loss is in the paid currency. It must not create another currency to cover the credit.
  const byPlatform = bookId === deposit.bookId ? [reversal(lost, fee), reversal(lost, lost)] : []
  return [byPayee, ...byPlatform, { ...returnAtLoss(undo), events: [event] }]
}

function reversalTransfers(undo: Undo, payer: Account, feePayer: Account): Pick<Posting, 'transfers' | 'open'> {
  const { deposit, arrival } = undo
  const pending = pendingOn(deposit, arrival.bookId)
  const lost = lostOn(deposit, arrival.bookId)
  const credit = payAcross(
    deposit.environmentId,
    { account: payer, amount: deposit.credited },
    { account: pending, amount: deposit.swapped },
  )
  const platformFee = deposit.charge - deposit.gas
  const fee = platformFee > 0n ? [{ from: feePayer, to: pending, amount: platformFee }] : []
  const gas = returnGas(deposit, pending, lost)
  return {
    transfers: [...credit.transfers, ...fee, ...gas, returnPayment(undo, pending)],
    open: [...credit.open, payer, feePayer, lost],
  }
}

/** The value of a payment in the ledger. Undefined for a token that is not in the catalogue. */
async function valueOf(tx: Tx, deposit: Deposit, { token, amount }: Payment): Promise<Arrival | undefined> {
  if (token === deposit.token) {
    const currency = await findCurrency(tx, deposit.payCurrency, 'any')
    return { bookId: deposit.payBookId, currency, amount: amount * deposit.unit }
  }
  const known = (await listTokens(tx, deposit.networkId)).find(({ address }) => address === token)
  if (known === undefined) return undefined
  const { mode } = await findOwner(tx, deposit.environmentId)
  const bookId = await ensureBook(tx, mode, known.currency.code)
  return { bookId, currency: known.currency, amount: amount * unitOf(known.currency, known.decimals) }
}

/** Runs `work` with the deposit of a payment locked. */
export async function withDeposit(
  { pool }: BookTools,
  { ownerId }: Payment,
  work: (tx: Tx, deposit: Deposit) => Promise<void>,
): Promise<void> {
  const environmentId = await findDepositOwner(pool, ownerId)
  if (environmentId === undefined) throw new Error('A deposit address has no owner.')
  await inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    const deposit = await lockDeposit(tx, ownerId)
    if (deposit === undefined) throw new Error('A deposit is missing.')
    await work(tx, deposit)
  })
}
