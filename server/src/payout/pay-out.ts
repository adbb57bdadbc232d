import type { Clock } from '../base/clock.ts'
import { dbError, inTransaction, type Pool, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import { type NewId, timeOfId } from '../base/id.ts'
import { sweepDue } from '../base/sweep.ts'
import { convert, formatMoney, parseMoney } from '../base/money.ts'
import { parseAmount, refuseDust } from '../currency/amount.ts'
import { findRate } from '../currency/rates.ts'
import { findCurrency, listNetworks, pickCurrency } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { postWithin } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import { exchange } from '../ledger/exchange.ts'
import type { HoldAct, Journal, Posted, Posting } from '../ledger/journal.ts'
import { findPosted, tell } from '../ledger/store.ts'
import { findShop } from '../merchant/store.ts'
import { transactionError } from '../transaction/errors.ts'
import { referenceKey } from '../transaction/reference.ts'
import { freeTransaction, moveTransaction } from '../transaction/store.ts'
import { userError } from '../user/errors.ts'
import { findPeople, findPerson, readIdentifier } from '../user/store.ts'
import { walletAccount, walletMove } from '../wallet/store.ts'
import { payoutError } from './errors.ts'
import { payoutEvent } from './events.ts'
import {
  addToDay,
  approve,
  endPayout,
  findDuePayouts,
  findRules,
  hasPaid,
  lockPayout,
  type Payout,
  payoutDocument,
  takeFromDay,
} from './store.ts'

export type PayoutTools = { readonly pool: Pool; readonly clock: Clock; readonly newId: NewId }

export type PayoutAsk = {
  /** In the currency that it is paid from. Major units, as they were written. */
  readonly amount: string
  readonly from: string
  readonly to: string
  readonly identifier: string
  readonly network: string | undefined
  readonly metadata: string
  readonly reference: string
}

const hourMs = 3_600_000
// How long an approver may take.
const heldMs = 7 * 24 * hourMs

/**
 * Pays a person out of the merchant's balance: at once, or, where it waits for a second person or the recipient is new, later. Then its
 * amount is held before this answers.
 */
export async function payOut(tools: PayoutTools, caller: MerchantCaller, ask: PayoutAsk): Promise<Posted> {
  const { pool, clock } = tools
  const { environmentId, mode } = caller
  const [from, to] = [await findCurrency(pool, ask.from, 'any'), await findCurrency(pool, ask.to, 'any')]
  const { minor } = parseMoney(ask.amount, from)
  const key = referenceKey(environmentId, ask.reference)
  const { identifier, network = 'BSC', metadata } = ask
  const asked = JSON.stringify([
    'payout',
    String(minor),
    from.code,
    to.code,
    identifier.toLowerCase(),
    network,
    metadata,
  ])
  try {
    const known = await findPosted(pool, key, asked)
    if (known !== undefined) return known
    for (const currency of [from, to]) pickCurrency([currency], currency.code)
    const amount = parseAmount(ask.amount, from)
    refuseDust(amount, from)
    if (ask.network !== undefined && !(await listNetworks(pool)).some(({ abbreviation }) => abbreviation === network))
      throw payoutError('PAYOUT_NETWORK_UNKNOWN', { param: 'blockchainNetworkAbbreviation' })
    // Not by phone: see findRecipient in wallet/send.ts.
    const isPhone = readIdentifier(identifier).by === 'phone'
    const person = isPhone ? undefined : await findPerson(pool, mode, identifier)
    if (person === undefined) throw userError('USER_NOT_FOUND', { param: 'platformUsernameOrEmail' })
    const [bookId, toBookId] = [await ensureBook(pool, mode, from.code), await ensureBook(pool, mode, to.code)]
    return await inTransaction(pool, async (tx) => {
      await actFor(tx, environmentId)
      const meanwhile = await findPosted(tx, key, asked)
      if (meanwhile !== undefined) return meanwhile
      const at = clock()
      const rules = await findRules(tx, environmentId, bookId, at)
      const day = { environmentId, bookId, day: rules.today }
      // Counted also without a cap: one that is set at noon counts from midnight.
      const total = await addToDay(tx, day, minor)
      if (rules.daily !== undefined && total > rules.daily) throw payoutError('PAYOUT_ABOVE_CAP', { param: 'amount' })
      const isKnown = await hasPaid(tx, environmentId, person.id)
      // Who does not want to be found is not there for a merchant that never paid him.
      if (!person.isDiscoverable && !isKnown) throw userError('USER_NOT_FOUND', { param: 'platformUsernameOrEmail' })
      const needsApproval = rules.approvalAbove !== undefined && minor > rules.approvalAbove
      const isNew = rules.newRecipientHours > 0 && !isKnown
      const notBefore = isNew ? new Date(at.getTime() + rules.newRecipientHours * hourMs) : null
      const waits = needsApproval || isNew
      const id = tools.newId()
      const heldUntil = waits ? new Date((notBefore ?? at).getTime() + heldMs) : null
      const status = needsApproval ? 'PENDING' : isNew ? 'APPROVED' : 'COMPLETED'
      const payout: Payout = {
        id,
        environmentId,
        userId: person.id,
        reference: ask.reference,
        status,
        bookId,
        currency: from.code,
        amount: minor,
        toBookId,
        toCurrency: to.code,
        askedBy: caller.memberId ?? null,
        needsApproval,
        day: rules.today,
        notBefore,
        heldUntil,
        endedAt: waits ? null : at,
        createdAt: timeOfId(id),
      }
      const documents = [
        freeTransaction('PAYOUT', ask.reference, {
          environmentId,
          id,
          bookId,
          amount: minor,
          metadata,
          userId: person.id,
          status,
        }),
        payoutDocument({
          environment_id: environmentId,
          id,
          user_id: person.id,
          to_book_id: toBookId,
          network,
          asked_by: payout.askedBy,
          needs_approval: needsApproval,
          day: rules.today,
          not_before: notBefore,
          held_until: heldUntil,
          ended_at: payout.endedAt,
          created_at: payout.createdAt,
        }),
      ]
      const posting = waits ? await reserve(tools, tx, payout) : await pay(tools, tx, payout, id, 1)
      const alternatives: Journal['alternatives'] = [
        { ...posting, documents: [...documents, ...(posting.documents ?? [])] },
      ]
      const posted = await postWithin(tx, { id, kind: 'payout', key, asked, alternatives }, tools)
      // Somebody was first since we looked: what this counted is undone, and the next look finds the other.
      if (posted.replayed) throw dbError('TRANSACTION_AGAIN')
      return posted
    })
  } catch (error) {
    if (hasCode(error, 'LEDGER_KEY_CONFLICT'))
      throw transactionError('REFERENCE_TAKEN', { param: 'referenceId' }, error)
    throw tooLow(error)
  }
}

function tooLow(error: unknown): unknown {
  return hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING')
    ? payoutError('PAYOUT_BALANCE_TOO_LOW', { param: 'amount' }, error)
    : error
}

function merchantAccount({ environmentId, bookId }: Payout) {
  return { bookId, ownerId: environmentId, kind: 'merchant' } as const
}

async function reserve(tools: PayoutTools, tx: Tx, payout: Payout): Promise<Posting> {
  // What could not be paid now is not taken.
  await convertNow(tools, tx, payout)
  const { id, amount, heldUntil, needsApproval } = payout
  const hold: HoldAct = {
    act: 'reserve',
    holdId: id,
    account: merchantAccount(payout),
    amount,
    expiresAt: heldUntil ?? tools.clock(),
  }
  const data = { ...(await dataOf(tx, payout)), needsApproval }
  return { transfers: [], holds: [hold], events: [payoutEvent('payout.waiting', aboutOf(payout, 1), data)] }
}

/** What arrives is converted at the rate of the moment in which it does. */
async function pay(tools: PayoutTools, tx: Tx, payout: Payout, journalId: string, sequence: number): Promise<Posting> {
  const { environmentId, userId, amount, bookId, toBookId } = payout
  const { rate, gets } = await convertNow(tools, tx, payout)
  const [payer, payee] = [merchantAccount(payout), walletAccount(userId, toBookId)]
  const { transfers, open } =
    bookId === toBookId
      ? { transfers: [{ from: payer, to: payee, amount }], open: [] }
      : exchange(environmentId, { account: payer, amount }, { account: payee, amount: gets })
  const { name: withName } = await findShop(tx, environmentId)
  const converted = bookId === toBookId ? {} : { rate }
  const move = { userId, id: journalId, bookId: toBookId, kind: 'paid_out', amount: gets, withName } as const
  return {
    transfers,
    open: [...open, payee],
    documents: [walletMove({ ...move, ...converted })],
    events: [payoutEvent('payout.completed', aboutOf(payout, sequence), await dataOf(tx, payout))],
  }
}

async function convertNow({ clock }: PayoutTools, tx: Tx, { currency, toCurrency, amount }: Payout) {
  const [from, to] = [await findCurrency(tx, currency, 'any'), await findCurrency(tx, toCurrency, 'any')]
  const { rate } = await findRate(tx, from.code, to.code, clock)
  const gets = convert({ minor: amount, currency: from }, rate, to, 'down').money.minor
  if (gets === 0n) throw payoutError('PAYOUT_CONVERTS_TO_NOTHING', { param: 'amount' })
  return { rate, gets }
}

/** One that waits, locked. */
async function lockWaiting(
  tx: Tx,
  environmentId: string,
  by: { readonly id: string } | { readonly reference: string },
): Promise<Payout> {
  await actFor(tx, environmentId)
  const payout = await lockPayout(tx, environmentId, by)
  if (payout === undefined) throw payoutError('PAYOUT_NOT_FOUND')
  if (payout.endedAt !== null) throw payoutError('PAYOUT_ENDED', { status: payout.status })
  return payout
}

/** A second person of the staff has looked at it. It is paid now, or when its recipient is no longer new. */
export async function approvePayout(
  tools: PayoutTools,
  { environmentId, memberId }: MerchantCaller,
  reference: string,
): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    const payout = await lockWaiting(tx, environmentId, { reference })
    if (payout.status !== 'PENDING') throw payoutError('PAYOUT_ENDED', { status: payout.status })
    if (memberId === undefined || memberId === payout.askedBy) throw payoutError('PAYOUT_SAME_PERSON')
    await approve(tx, payout, memberId)
    const at = tools.clock()
    if (payout.notBefore !== null && payout.notBefore > at) await moveTransaction(tx, payout, 'APPROVED', at)
    else await settle(tools, tx, payout)
  })
}

/** Frees what it held. */
export async function cancelPayout(
  tools: PayoutTools,
  environmentId: string,
  by: { readonly id: string } | { readonly reference: string },
  reason: 'withdrawn' | 'expired',
): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    const payout = await lockWaiting(tx, environmentId, by)
    const at = tools.clock()
    await endPayout(tx, payout, at)
    await takeFromDay(tx, payout)
    await moveTransaction(tx, payout, 'CANCELED', at)
    const events = [payoutEvent('payout.canceled', aboutOf(payout, 2), { ...(await dataOf(tx, payout)), reason })]
    // A hold past its time is given back by whoever touches the account next.
    if (payout.heldUntil !== null && payout.heldUntil <= at) {
      await tell(tx, events, tools)
      return
    }
    const hold: HoldAct = { act: 'release', holdId: payout.id, account: merchantAccount(payout) }
    const identity = { id: tools.newId(), kind: 'payout.release', key: `payout/${payout.id}/release`, asked: '' }
    await postWithin(tx, { ...identity, alternatives: [{ transfers: [], holds: [hold], events }] }, tools)
  })
}

async function settle(tools: PayoutTools, tx: Tx, payout: Payout): Promise<void> {
  const at = tools.clock()
  if (payout.heldUntil !== null && payout.heldUntil <= at) throw payoutError('PAYOUT_ENDED', { status: payout.status })
  // Who was switched off meanwhile gets nothing; it is cancelled when its time is over, or by hand.
  if ((await findPeople(tx, [payout.userId])).get(payout.userId)?.isActive !== true) throw userError('USER_NOT_FOUND')
  const id = tools.newId()
  await endPayout(tx, payout, at)
  await moveTransaction(tx, payout, 'COMPLETED', at)
  const posting = await pay(tools, tx, payout, id, 2)
  const { id: holdId, amount } = payout
  const holds: HoldAct[] = [{ act: 'settle', holdId, account: merchantAccount(payout), amount }]
  const identity = { id, kind: 'payout.settle', key: `payout/${payout.id}/settle`, asked: '' }
  await postWithin(tx, { ...identity, alternatives: [{ ...posting, holds }] }, tools)
}

const atOnce = 100

/** Pays what has waited long enough, and ends what waited too long. */
export function createFinishPayouts(tools: PayoutTools): () => Promise<boolean> {
  const { pool, clock } = tools
  const find = (at: Date, resting: string[], limit: number) => findDuePayouts(pool, at, resting, limit)
  return sweepDue(clock, atOnce, find, async ({ environmentId, id }) => {
    try {
      const isOver = await inTransaction(pool, async (tx) => {
        const payout = await lockWaiting(tx, environmentId, { id })
        if (payout.heldUntil !== null && payout.heldUntil <= clock()) return true
        await settle(tools, tx, payout)
        return false
      })
      if (isOver) await cancelPayout(tools, environmentId, { id }, 'expired')
    } catch (error) {
      // Somebody was first.
      if (!hasCode(error, 'PAYOUT_ENDED')) throw error
    }
  })
}

function aboutOf({ environmentId, id }: Payout, sequence: number) {
  return { environmentId, about: { id, sequence } }
}

async function dataOf(tx: Tx, { id, reference, amount, currency: code }: Payout) {
  const currency = await findCurrency(tx, code, 'any')
  return { transactionId: id, reference, amount: formatMoney({ minor: amount, currency }), currency: code }
}
