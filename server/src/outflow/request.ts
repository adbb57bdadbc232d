import { dbError, inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import { timeOfId } from '../base/id.ts'
import { convert, formatMoney } from '../base/money.ts'
import type { Random } from '../base/random.ts'
import type { Seals } from '../base/seal.ts'
import { findLastRate, pivot } from '../currency/rates.ts'
import { type CatalogueCurrency, findCurrency } from '../currency/store.ts'
import type { Owner } from '../http/caller.ts'
import type { Account } from '../ledger/account.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import type { Document } from '../ledger/document.ts'
import type { HoldAct, Journal, Posting } from '../ledger/journal.ts'
import { findPosted } from '../ledger/store.ts'
import { freeTransaction, type TransactionType } from '../transaction/store.ts'
import { outflowError } from './errors.ts'
import { outflowEvent } from './events.ts'
import { decideOutflow, liveDefaults, type OutflowDecision, type OutflowRules, testRules } from './rules.ts'
import {
  addToHour,
  findOutflow,
  hourOf,
  journalKinds,
  type LockedShop,
  lockShop,
  outflowDocument,
  type OutflowKind,
  sumRollingDay,
  takeFromHour,
} from './store.ts'

export type OutflowTools = PostTools & {
  readonly keyRing: Pick<Seals, 'sealFacts' | 'openFacts'>
  readonly random: Random
}

/** What leaves, and what is needed to make it leave later. */
export type OutflowAsk = {
  readonly kind: OutflowKind
  readonly reference: string
  readonly bookId: number
  readonly amount: bigint
  readonly currency: CatalogueCurrency
  /** Where it is held while it waits. None: nothing is held. */
  readonly from: Account | undefined
  readonly recipient: string
  /** None: it has no recipient that could be new. */
  readonly isKnownRecipient?: boolean
  /** None: it has no transaction of its own. */
  readonly transaction?: { readonly type: TransactionType; readonly metadata?: string; readonly userId?: string }
  /** Written with the request, whether or not it waits. */
  readonly documents?: (id: string) => readonly Document[]
  /** Opened again by the sender of its kind. It may carry secrets: it is sealed. */
  readonly request: object
}

/** What makes an outflow leave: its transfers, and the documents and events that go with them. */
export type Sent = Posting & { readonly codeTail?: string | undefined }

export type OutflowStatus = 'done' | 'waiting' | 'cancelled'
export type RequestedOutflow = { readonly id: string; readonly status: OutflowStatus; readonly replayed: boolean }

type Identity = Pick<Journal, 'key' | 'asked'>

/**
 * Requests an outflow: it leaves at once, or waits with its amount held. Counting, deciding and leaving are one commit, under the lock
 * of the environment, so parallel requests cannot pass a limit together.
 */
export async function requestOutflow(
  tools: OutflowTools,
  owner: Owner,
  identity: Identity,
  ask: OutflowAsk,
  send: (tx: Tx, id: string) => Promise<Sent>,
): Promise<RequestedOutflow> {
  const { environmentId } = owner
  return inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    const shop = await lockShop(tx, environmentId)
    const known = await findPosted(tx, identity.key, identity.asked)
    if (known !== undefined) return { ...(await readStatus(tx, environmentId, known.journalId)), replayed: true }
    return requestLocked(tools, tx, owner, shop, identity, ask, send)
  })
}

/** The same inside the caller's transaction, which acts for the environment, has locked its shop and knows that the key is new. */
export async function requestLocked(
  tools: OutflowTools,
  tx: Tx,
  owner: Owner,
  shop: LockedShop,
  identity: Identity,
  ask: OutflowAsk,
  send: (tx: Tx, id: string) => Promise<Sent>,
): Promise<RequestedOutflow> {
  const id = tools.newId()
  const admission = await admit(tools, tx, owner, shop, ask)
  try {
    if (!isWaiting(admission)) return await sendAtOnce(tools, tx, owner, identity, ask, send, id)
    await holdOutflow(tools, tx, owner, identity, ask, admission, id)
    return { id, status: 'waiting', replayed: false }
  } catch (error) {
    // The caller may go on in the same transaction, such as an approved invoice that stays unpaid.
    if (hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING'))
      await takeFromHour(tx, { ...admission, environmentId: owner.environmentId })
    throw error
  }
}

async function sendAtOnce(
  tools: OutflowTools,
  tx: Tx,
  owner: Owner,
  identity: Identity,
  ask: OutflowAsk,
  send: (tx: Tx, id: string) => Promise<Sent>,
  id: string,
): Promise<RequestedOutflow> {
  const { codeTail, documents = [], ...posting } = await send(tx, id)
  const own = [...transactionOf(ask, owner, id, 'COMPLETED', codeTail), ...(ask.documents?.(id) ?? [])]
  const alternatives = [{ ...posting, documents: [...own, ...documents] }] as const
  const posted = await postWithin(tx, { id, kind: journalKinds[ask.kind], ...identity, alternatives }, tools)
  // Something else took the key since we looked: what this counted is undone, and the next attempt finds the other.
  if (posted.replayed) throw dbError('TRANSACTION_AGAIN')
  return { id, status: 'done', replayed: false }
}

export type Admission = OutflowDecision & { readonly homeAmount: bigint; readonly hour: Date }

export function isWaiting({ needsApproval, waitHours }: Admission): boolean {
  return needsApproval || waitHours > 0
}

/** Counts an outflow for the rolling day and decides about it, or refuses it. The shop is locked by the caller. */
export async function admit(
  { clock }: Pick<PostTools, 'clock'>,
  tx: Tx,
  { environmentId }: Pick<Owner, 'environmentId'>,
  shop: LockedShop,
  ask: Pick<OutflowAsk, 'amount' | 'currency' | 'isKnownRecipient'>,
): Promise<Admission> {
  const at = clock()
  const homeAmount = await valueAtHome({ clock }, tx, shop, ask)
  const total = await sumRollingDay(tx, environmentId, at)
  const rules = await rulesOf({ clock }, tx, shop)
  const decision = decideOutflow(rules, { homeAmount, total, isKnownRecipient: ask.isKnownRecipient })
  const counted = { homeAmount: homeAmount ?? 0n, hour: hourOf(at) }
  await addToHour(tx, environmentId, counted.hour, counted.homeAmount)
  return { ...decision, ...counted }
}

/** For an outflow that cannot wait, such as a refund: it leaves at once, or is refused. Locks the shop. */
export async function admitAtOnce(
  tools: Pick<PostTools, 'clock'>,
  tx: Tx,
  environmentId: string,
  left: Pick<OutflowAsk, 'amount' | 'currency'>,
): Promise<void> {
  const shop = await lockShop(tx, environmentId)
  if (isWaiting(await admit(tools, tx, { environmentId }, shop, left))) throw outflowError('OUTFLOW_ABOVE_THRESHOLD')
}

/** Counts what leaves without asking whether it may. */
export async function countOutflow(
  { clock }: Pick<PostTools, 'clock'>,
  tx: Tx,
  environmentId: string,
  shop: LockedShop,
  left: Pick<OutflowAsk, 'amount' | 'currency'>,
): Promise<void> {
  const homeAmount = await valueAtHome({ clock }, tx, shop, left)
  await addToHour(tx, environmentId, hourOf(clock()), homeAmount ?? 0n)
}

/** A rate that went silent counts at its last value. */
async function valueAtHome(
  { clock }: Pick<PostTools, 'clock'>,
  tx: Tx,
  { homeCurrency }: LockedShop,
  { amount, currency }: Pick<OutflowAsk, 'amount' | 'currency'>,
): Promise<bigint | undefined> {
  const rate = await findLastRate(tx, currency.code, homeCurrency, clock)
  if (rate === undefined) return undefined
  return convert({ minor: amount, currency }, rate.rate, await findCurrency(tx, homeCurrency, 'any'), 'up').money.minor
}

/** What the owner set, or the defaults: in live mode an amount in US dollars, in the home currency at the last known rate. */
export async function rulesOf({ clock }: Pick<PostTools, 'clock'>, tx: Tx, shop: LockedShop): Promise<OutflowRules> {
  if (shop.rules !== undefined) return shop.rules
  if (shop.mode === 'test') return testRules
  const rate = await findLastRate(tx, pivot, shop.homeCurrency, clock)
  // Without a rate nobody knows what the limits come to: then everything is approved.
  if (rate === undefined) return { ...liveDefaults, approvalAbove: 0n, daily: null }
  const [usd, home] = [await findCurrency(tx, pivot, 'any'), await findCurrency(tx, shop.homeCurrency, 'any')]
  const atHome = (minor: bigint): bigint => convert({ minor, currency: usd }, rate.rate, home, 'down').money.minor
  const { approvalAbove, daily, newRecipientHours } = liveDefaults
  return { approvalAbove: atHome(approvalAbove), daily: atHome(daily), newRecipientHours }
}

const hourMs = 3_600_000
// How long an approver may take.
const approvalMs = 7 * 24 * hourMs

/** Holds the amount and writes down what is to be done. Nothing leaves yet. */
export async function holdOutflow(
  tools: OutflowTools,
  tx: Tx,
  owner: Owner,
  identity: Identity,
  ask: OutflowAsk,
  { needsApproval, waitHours, homeAmount, hour }: Admission,
  id: string,
): Promise<void> {
  const { environmentId, memberId } = owner
  const { kind, reference, bookId, amount, currency, from, recipient } = ask
  const at = tools.clock()
  const notBefore = waitHours > 0 ? new Date(at.getTime() + waitHours * hourMs) : undefined
  const heldUntil = new Date((notBefore ?? at).getTime() + approvalMs)
  const documents = [
    ...transactionOf(ask, owner, id, needsApproval ? 'PENDING' : 'APPROVED'),
    ...(ask.documents?.(id) ?? []),
    outflowDocument({
      ...{ environmentId, id, kind, reference, bookId, amount, homeAmount, hour, recipient, needsApproval },
      ...{ requestedBy: memberId, notBefore, heldUntil, createdAt: timeOfId(id) },
      request: tools.keyRing.sealFacts(purposeOf(id), ask.request, tools.random),
    }),
  ]
  const holds: HoldAct[] =
    from === undefined ? [] : [{ act: 'reserve', holdId: id, account: from, amount, expiresAt: heldUntil }]
  const waiting = {
    ...{ outflowId: id, reference, kind, needsApproval },
    ...{ amount: formatMoney({ minor: amount, currency }), currency: currency.code },
  }
  const events = [outflowEvent('outflow.waiting', { environmentId, about: { id, sequence: 1 } }, waiting)]
  const journalKind = from === undefined ? 'claim.outflow' : 'outflow.hold'
  const alternatives = [{ transfers: [], holds, documents, events }] as const
  const posted = await postWithin(tx, { id, kind: journalKind, ...identity, alternatives }, tools)
  if (posted.replayed) throw dbError('TRANSACTION_AGAIN')
}

/** Only together with its outflow can a request be opened again. */
export function purposeOf(id: string): string {
  return `outflow/${id}`
}

function transactionOf(
  { transaction, reference, bookId, amount }: OutflowAsk,
  { environmentId, memberId }: Owner,
  id: string,
  status: 'PENDING' | 'APPROVED' | 'COMPLETED',
  codeTail?: string,
): Document[] {
  if (transaction === undefined) return []
  const { type, metadata = '', userId } = transaction
  const moved = { environmentId, id, bookId, amount, metadata, userId, status, memberId, codeTail }
  return [freeTransaction(type, reference, moved)]
}

/** What became of an outflow that was requested before. One that never waited has no row. */
export async function readStatus(
  tx: Tx,
  environmentId: string,
  id: string,
): Promise<Pick<RequestedOutflow, 'id' | 'status'>> {
  const outflow = await findOutflow(tx, environmentId, { id })
  if (outflow === undefined) return { id, status: 'done' }
  return { id, status: outflow.outcome ?? 'waiting' }
}
