import { inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import type { Log } from '../base/log.ts'
import { convert, formatMoney } from '../base/money.ts'
import { type CatalogueCurrency, findCurrency, listTokens } from '../currency/store.ts'
import type { Account } from '../ledger/account.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import { payAcross } from '../ledger/exchange.ts'
import type { Document } from '../ledger/document.ts'
import type { Posting, Transfer } from '../ledger/journal.ts'
import { findOwner } from '../merchant/store.ts'
import { toToldTransaction } from '../transaction/events.ts'
import { moveTransaction } from '../transaction/store.ts'
import { walletAccount, walletMove } from '../wallet/store.ts'
import { depositEvent } from './events.ts'
import { unitOf } from './price.ts'
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

/** What a network holds for us in a book, as the outside world's debt. */
const heldOn = (networkId: string, bookId: number): Account => ({ bookId, ownerId: networkId, kind: 'treasury' })
/** What came in for a deposit and is not anybody's yet. */
const waitsOn = ({ id }: Deposit, bookId: number): Account => ({ bookId, ownerId: id, kind: 'deposit' })
/** What a network took back and nobody could give. Negative: the platform's loss until it is made up for. */
const lostOn = ({ id }: Deposit, bookId: number): Account => ({ bookId, ownerId: id, kind: 'treasury' })
/** What was quoted for gas and what it cost, on a network, in its own coin. */
export const gasOn = (networkId: string, bookId: number): Account => ({ bookId, ownerId: networkId, kind: 'gas' })
const feeOf = ({ environmentId }: Deposit, bookId: number): Account => ({ bookId, ownerId: environmentId, kind: 'fee' })
/** Whose it becomes: the merchant's, or that of the person who brings it. */
export function payeeOf({ environmentId, userId }: Deposit, bookId: number): Account {
  return userId === null ? { bookId, ownerId: environmentId, kind: 'merchant' } : walletAccount(userId, bookId)
}
/** What that person sees of it. Below zero where it is taken back. */
export function movesOf({ userId, networkName }: Deposit, id: string, bookId: number, amount: bigint): Document[] {
  return userId === null ? [] : [walletMove({ userId, id, bookId, kind: 'deposited', amount, withName: networkName })]
}

export type Came = { readonly bookId: number; readonly currency: CatalogueCurrency; readonly amount: bigint }

/** A final payment goes into the ledger, once. If that makes the deposit whole, its payee is credited in the same commit. */
export async function bookPayment(tools: BookTools, payment: Payment): Promise<void> {
  await withDeposit(tools, payment, async (tx, found) => {
    // Usually it was priced when it was seen; on a network that is final at once, this may come first.
    const deposit = await priceSeenPayment(tools, tx, found, payment)
    const isCounted = isAsked(deposit, payment) && deposit.endedAt === null
    const came = await valueOf(tx, deposit, payment)
    const bookings = await markBooked(tx, payment, isCounted, came !== undefined, tools.clock())
    if (bookings === undefined) return
    if (came === undefined) {
      tools.log.warn({ payment: payment.id, token: payment.token }, 'a token that is not in the catalogue was paid in')
      return
    }
    const arrived = {
      from: heldOn(deposit.networkId, came.bookId),
      to: waitsOn(deposit, came.bookId),
      amount: came.amount,
    }
    const id = tools.newId()
    await addBooking(tx, payment, { journalId: id, bookId: came.bookId, amount: came.amount })
    const posting = isCounted
      ? await addToDeposit(tools, tx, deposit, came, arrived, id)
      : { transfers: [arrived], ...openCase(tools, deposit, kindOf(deposit, payment), came) }
    const { from, to } = arrived
    const open = [from, to, ...(posting.open ?? [])]
    const key = `deposit/${payment.id}/${bookings}`
    const alternatives = [{ ...posting, open }] as const
    await postWithin(tx, { id, kind: 'deposit.book', key, asked: '', alternatives }, tools)
  })
}

const isAsked = ({ token, expiresAt }: Deposit, payment: Payment): boolean =>
  payment.token === token && payment.minedAt <= expiresAt

function kindOf({ token, expiresAt }: Deposit, payment: Payment): CaseKind {
  if (payment.token !== token) return 'wrong_token'
  return payment.minedAt > expiresAt ? 'late' : 'over'
}

async function addToDeposit(
  tools: BookTools,
  tx: Tx,
  deposit: Deposit,
  came: Came,
  arrived: Transfer,
  journalId: string,
): Promise<Posting> {
  const { toDeposit, tolerance, charge, bookId, environmentId } = deposit
  const paid = deposit.paid + came.amount
  const used = paid < toDeposit ? paid : toDeposit
  const swapped = used - charge
  const currency = await findCurrency(tx, deposit.currency, 'any')
  const credited =
    used === toDeposit ? deposit.amount : swapped > 0n ? worth(deposit, swapped, came.currency, currency) : 0n
  // What is tolerated may be more than charges leave of it.
  if (paid < toDeposit - tolerance || credited === 0n) {
    await saveProgress(tx, deposit.id, { ...deposit, paid })
    return { transfers: [arrived] }
  }
  const at = tools.clock()
  await saveProgress(tx, deposit.id, { paid, credited, swapped, endedAt: at })
  await moveTransaction(tx, deposit, 'COMPLETED', at, journalId)
  const waiting = waitsOn(deposit, came.bookId)
  const fee = feeOf(deposit, came.bookId)
  const credit = payAcross(
    environmentId,
    { account: waiting, amount: swapped },
    { account: payeeOf(deposit, bookId), amount: credited },
  )
  const quoted = quoteGas(deposit, waiting)
  const kept = charge - deposit.gas
  const transfers = [
    arrived,
    ...(kept > 0n ? [{ from: waiting, to: fee, amount: kept }] : []),
    ...quoted.transfers,
    ...credit.transfers,
  ]
  await wantSweep(tx, deposit.id, at)
  const event = depositEvent('deposit.completed', aboutOf(deposit, 2), toToldTransaction(deposit, currency))
  const over = paid > used ? openCase(tools, deposit, 'over', { ...came, amount: paid - used }) : undefined
  return {
    transfers,
    open: [fee, ...quoted.open, ...credit.open],
    documents: [...movesOf(deposit, journalId, bookId, credited), ...(over?.documents ?? [])],
    events: [event, ...(over?.events ?? [])],
  }
}

/** What was quoted for gas, as the coin that pays for it. */
function quoteGas(deposit: Deposit, waiting: Account): Pick<Posting, 'transfers'> & { open: Account[] } {
  const { environmentId, networkId, gas, gasInCoin, coinBookId } = deposit
  if (coinBookId === null || gas === 0n || gasInCoin === 0n) return { transfers: [], open: [] }
  const quoted = { account: gasOn(networkId, coinBookId), amount: gasInCoin }
  const { transfers, open } = payAcross(environmentId, { account: waiting, amount: gas }, quoted)
  return { transfers, open: [...open, quoted.account] }
}

/** What was quoted for gas, for a payment that is gone: out of the gas account, or at the platform's loss where that is another coin. */
function giveGasBack({ networkId, gas, gasInCoin, coinBookId }: Deposit, waiting: Account, lost: Account): Transfer[] {
  if (coinBookId === null || gas === 0n || gasInCoin === 0n) return []
  const from = coinBookId === waiting.bookId ? gasOn(networkId, coinBookId) : lost
  return [{ from, to: waiting, amount: gas }]
}

/** Of what came too little, but within what the merchant tolerates: at the rate that was quoted, down. */
function worth(deposit: Deposit, swapped: bigint, from: CatalogueCurrency, to: CatalogueCurrency): bigint {
  const rate = { numerator: deposit.rateNumerator, denominator: deposit.rateDenominator }
  const value = convert({ minor: swapped, currency: from }, rate, to, 'down').money.minor
  return value < deposit.amount ? value : deposit.amount
}

/** Money that is not what was asked for waits for somebody's word, and is told. Of one payment, or of all that came. */
export function openCase(
  { clock, newId }: PostTools,
  { environmentId, id: depositId, reference }: Deposit,
  kind: CaseKind,
  { bookId, currency, amount }: Came,
): Required<Pick<Posting, 'documents' | 'events'>> {
  const id = newId()
  const told = {
    caseId: id,
    reference,
    kind,
    amount: formatMoney({ minor: amount, currency }),
    currency: currency.code,
  }
  return {
    documents: [caseDocument({ environmentId, id, depositId, kind, bookId, amount, openedAt: clock() })],
    events: [depositEvent('deposit.case', { environmentId, about: { id, sequence: 1 } }, told)],
  }
}

/**
 * A payment that was final is no longer there. What is still in the deposit's account goes back to the network's. If its payee was
 * credited because of it, that is undone, and the payee gives it back, or the platform where the payee cannot.
 */
export async function undoPayment(tools: BookTools, payment: Payment): Promise<void> {
  await withDeposit(tools, payment, async (tx, deposit) => {
    const bookings = await markUnbooked(tx, payment)
    // Or it was of a token that nobody knew then.
    if (bookings === undefined || bookings === 0) return
    const came = await valueOf(tx, deposit, payment)
    if (came === undefined) return
    const { bookId, amount } = came
    const waiting = waitsOn(deposit, bookId)
    const gone = (from: Account): Transfer => ({ from, to: heldOn(deposit.networkId, bookId), amount })
    const lost = lostOn(deposit, bookId)
    const { isCounted } = payment
    const left = isCounted ? deposit.paid - amount : deposit.paid
    const isReversed = deposit.status === 'COMPLETED' && isCounted && left < deposit.toDeposit - deposit.tolerance
    tools.log.error(
      { deposit: deposit.id, payment: payment.id, isReversed },
      'a final payment was undone by its network',
    )
    const fallback: Posting = { transfers: [gone(lost)], open: [lost] }
    const id = tools.newId()
    await undoBooking(tx, payment, id)
    const journal = { id, kind: 'deposit.undo', key: `deposit/${payment.id}/${bookings}/undo`, asked: '' }
    if (!isReversed) {
      await saveProgress(tx, deposit.id, { ...deposit, paid: left })
      await dropCase(tx, deposit.id, bookId, amount, tools.clock())
      await postWithin(tx, { ...journal, alternatives: [{ transfers: [gone(waiting)] }, fallback] }, tools)
      return
    }
    await saveProgress(tx, deposit.id, { ...deposit, paid: left, credited: 0n, swapped: 0n })
    await moveTransaction(tx, deposit, 'REVERSED', tools.clock())
    const currency = await findCurrency(tx, deposit.currency, 'any')
    const event = depositEvent('deposit.reversed', aboutOf(deposit, 3), toToldTransaction(deposit, currency))
    // What other payments brought waits again, all of it, unless the merchant has taken what was too much.
    const over = deposit.paid > deposit.toDeposit ? deposit.paid - deposit.toDeposit : 0n
    const isTaken = over > 0n && !(await dropCase(tx, deposit.id, bookId, over, tools.clock()))
    const rest = isTaken ? left - over : left
    const told =
      rest > 0n ? openCase(tools, deposit, 'reversed', { ...came, amount: rest }) : { documents: [], events: [] }
    const undo = (payer: Account, fee: Account, moves: readonly Document[] = []): Posting => {
      const back = payAcross(
        deposit.environmentId,
        { account: payer, amount: deposit.credited },
        { account: waiting, amount: deposit.swapped },
      )
      const kept = deposit.charge - deposit.gas
      const charge = kept > 0n ? [{ from: fee, to: waiting, amount: kept }] : []
      const quoted = giveGasBack(deposit, waiting, lost)
      return {
        transfers: [...back.transfers, ...charge, ...quoted, gone(waiting)],
        open: [...back.open, payer, fee, lost],
        documents: [...moves, ...told.documents],
        events: [event, ...told.events],
      }
    }
    const fee = feeOf(deposit, bookId)
    const moves = movesOf(deposit, id, deposit.bookId, -deposit.credited)
    const byPayee = undo(payeeOf(deposit, deposit.bookId), fee, moves)
    // The platform's loss is in what was paid: it may not bring another currency in to make up for it.
    const byPlatform = bookId === deposit.bookId ? [undo(lost, fee), undo(lost, lost)] : []
    const alternatives = [byPayee, ...byPlatform, { ...fallback, events: [event] }] as const
    await postWithin(tx, { ...journal, alternatives }, tools)
  })
}

/** What a payment is in the ledger, or nothing where the token is not in the catalogue. */
async function valueOf(tx: Tx, deposit: Deposit, { token, amount }: Payment): Promise<Came | undefined> {
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

/** Under the lock of the deposit that a payment is for. */
export async function withDeposit(
  { pool }: BookTools,
  { ownerId }: Payment,
  work: (tx: Tx, deposit: Deposit) => Promise<void>,
): Promise<void> {
  const environmentId = await findDepositOwner(pool, ownerId)
  if (environmentId === undefined) throw new Error('An address is nobody’s.')
  await inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    const deposit = await lockDeposit(tx, ownerId)
    if (deposit === undefined) throw new Error('A deposit is not there.')
    await work(tx, deposit)
  })
}

export function aboutOf({ environmentId, id }: Deposit, sequence: number) {
  return { environmentId, about: { id, sequence } }
}
