import type { Tx } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { hasCode } from '../../base/errors.ts'
import { timeOfId } from '../../base/id.ts'
import { convert, formatMoney } from '../../base/money.ts'
import type { Random } from '../../base/random.ts'
import type { Seals } from '../../base/seal.ts'
import { findLastRate, pivot } from '../../catalogue/currency/rates.ts'
import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import type { Owner } from '../../http/caller.ts'
import type { Account } from '../../ledger/account.ts'
import type { PostTools } from '../../ledger/batch.ts'
import type { Document } from '../../ledger/document.ts'
import type { HoldAct, Posting } from '../../ledger/journal.ts'
import { type Identity, once, postNew } from '../../ledger/once.ts'
import { freeTransaction } from '../transaction/store.ts'
import { type TransactionType } from '../transaction/wire.ts'
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

/** An outflow, with everything needed to send it later. */
export type OutflowInput = {
  readonly kind: OutflowKind
  readonly reference: string
  readonly bookId: number
  readonly amount: bigint
  readonly currency: CatalogueCurrency
  /** The account that holds the amount while it waits. Undefined: nothing is held. */
  readonly from: Account | undefined
  readonly recipient: string
  /** Undefined if it has no recipient. */
  readonly isKnownRecipient?: boolean
  /** Undefined if it has no transaction of its own. */
  readonly transaction?: {
    readonly type: TransactionType
    readonly metadata?: string
    readonly userId?: string | undefined
    /** The refunded transaction. */
    readonly refundOf?: string
  }
  /** Rows stored with the request, whether or not it waits. */
  readonly documents?: (id: string) => readonly Document[]
  /** The input of the later sender. Sealed, since it may contain secrets. */
  readonly request: object
}

/** The posting that sends an outflow. */
export type Sent = Posting & { readonly codeTail?: string | undefined }

type SentState = { readonly id: string; readonly status: 'done' }
type UnsentState = {
  readonly id: string
  /** `waiting` for approval, or `delayed` because its recipient is new. */
  readonly status: 'waiting' | 'delayed' | 'cancelled'
  /** When it is sent at the earliest, if its recipient is new. */
  readonly notBefore?: Date | undefined
}
type Replayed = { readonly replayed: boolean }
export type RequestedOutflow = (SentState | UnsentState) & Replayed
export type UnsentOutflow = UnsentState & Replayed

/** What an outflow is, and how it is sent. */
export type PreparedOutflow = {
  readonly input: OutflowInput
  readonly send: (tx: Tx, id: string) => Promise<Sent>
}

/**
 * Requests an outflow once: it is sent at once, or waits with its amount held. Counting, deciding and sending are one
 * commit under the lock of the environment, so concurrent requests cannot exceed a limit together. `prepare` checks what
 * needs no lock.
 */
export async function requestOutflow(
  tools: OutflowTools,
  owner: Owner,
  identity: Identity,
  prepare: () => Promise<PreparedOutflow>,
): Promise<RequestedOutflow> {
  const { environmentId } = owner
  return once(tools, identity, {
    retell: ({ journalId }) => retellOutflow(tools, environmentId, journalId),
    prepare: async () => {
      const { input, send } = await prepare()
      return {
        lock: async (tx) => {
          await actFor(tx, environmentId)
          return lockShop(tx, environmentId)
        },
        post: (tx, shop) => requestLocked(tools, tx, owner, shop, identity, input, send),
      }
    },
  })
}

/** The state of an outflow that an earlier request made. */
export async function retellOutflow(
  { pool }: Pick<PostTools, 'pool'>,
  environmentId: string,
  id: string,
): Promise<RequestedOutflow> {
  const status = await withEnvironment(pool, environmentId, (tx) => readStatus(tx, environmentId, id))
  return { ...status, replayed: true }
}

/**
 * The same in the caller's transaction, which acts for the environment, has locked the shop and checked that the key
 * is new.
 */
export async function requestLocked(
  tools: OutflowTools,
  tx: Tx,
  owner: Owner,
  shop: LockedShop,
  identity: Identity,
  input: OutflowInput,
  send: (tx: Tx, id: string) => Promise<Sent>,
): Promise<RequestedOutflow> {
  const id = tools.newId()
  const admission = await admit(tools, tx, owner, shop, input)
  try {
    if (!isWaiting(admission)) return await sendAtOnce(tools, tx, owner, identity, input, send, id)
    await holdOutflow(tools, tx, owner, identity, input, admission, id)
    return { ...(await readStatus(tx, owner.environmentId, id)), replayed: false }
  } catch (error) {
    // The caller may continue in the same transaction, for example with an approved invoice that stays unpaid.
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
  input: OutflowInput,
  send: (tx: Tx, id: string) => Promise<Sent>,
  id: string,
): Promise<RequestedOutflow> {
  const { codeTail, documents = [], ...posting } = await send(tx, id)
  const own = [...transactionOf(input, owner, id, 'COMPLETED', codeTail), ...(input.documents?.(id) ?? [])]
  const alternatives = [{ ...posting, documents: [...own, ...documents] }] as const
  await postNew(tx, { id, kind: journalKinds[input.kind], ...identity, alternatives }, tools)
  return { id, status: 'done', replayed: false }
}

export type Admission = OutflowDecision & { readonly homeAmount: bigint; readonly hour: Date }

export function isWaiting({ needsApproval, waitHours }: Admission): boolean {
  return needsApproval || waitHours > 0
}

/**
 * Counts an outflow in the rolling day and decides whether it is sent, waits or is refused. The caller has locked the
 * shop.
 */
export async function admit(
  { clock }: Pick<PostTools, 'clock'>,
  tx: Tx,
  { environmentId }: Pick<Owner, 'environmentId'>,
  shop: LockedShop,
  input: Pick<OutflowInput, 'amount' | 'currency' | 'isKnownRecipient'>,
): Promise<Admission> {
  const at = clock()
  const homeAmount = await valueAtHome({ clock }, tx, shop, input)
  const total = await sumRollingDay(tx, environmentId, at)
  const rules = await rulesOf({ clock }, tx, shop)
  const decision = decideOutflow(rules, { homeAmount, total, isKnownRecipient: input.isKnownRecipient })
  const counted = { homeAmount: homeAmount ?? 0n, hour: hourOf(at) }
  await addToHour(tx, environmentId, counted.hour, counted.homeAmount)
  return { ...decision, ...counted }
}

/** Admits an outflow that cannot wait, such as a reopened voucher, or refuses it. Locks the shop. */
export async function admitAtOnce(
  tools: Pick<PostTools, 'clock'>,
  tx: Tx,
  environmentId: string,
  left: Pick<OutflowInput, 'amount' | 'currency'>,
): Promise<void> {
  const shop = await lockShop(tx, environmentId)
  if (isWaiting(await admit(tools, tx, { environmentId }, shop, left))) throw outflowError('OUTFLOW_ABOVE_THRESHOLD')
}

/** Counts an outflow in the rolling day without checking limits. */
export async function countOutflow(
  { clock }: Pick<PostTools, 'clock'>,
  tx: Tx,
  environmentId: string,
  shop: LockedShop,
  left: Pick<OutflowInput, 'amount' | 'currency'>,
): Promise<void> {
  const homeAmount = await valueAtHome({ clock }, tx, shop, left)
  await addToHour(tx, environmentId, hourOf(clock()), homeAmount ?? 0n)
}

/** The amount in the home currency, at the last known rate of any age. */
export async function valueAtHome(
  { clock }: Pick<PostTools, 'clock'>,
  tx: Tx,
  { homeCurrency }: Pick<LockedShop, 'homeCurrency'>,
  { amount, currency }: Pick<OutflowInput, 'amount' | 'currency'>,
): Promise<bigint | undefined> {
  const rate = await findLastRate(tx, currency.code, homeCurrency, clock)
  if (rate === undefined) return undefined
  return convert({ minor: amount, currency }, rate.rate, await findCurrency(tx, homeCurrency, 'any'), 'up').money.minor
}

/**
 * The owner's rules, or the defaults. Live defaults are US dollar amounts, converted to the home currency at the last
 * known rate.
 */
export async function rulesOf({ clock }: Pick<PostTools, 'clock'>, tx: Tx, shop: LockedShop): Promise<OutflowRules> {
  if (shop.rules !== undefined) return shop.rules
  if (shop.mode === 'test') return testRules
  const { approvalAbove, daily, newRecipientHours } = liveDefaults
  const threshold = await dollarsAtHome({ clock }, tx, shop, approvalAbove)
  const limit = await dollarsAtHome({ clock }, tx, shop, daily)
  // Without a rate the limits cannot be converted: then every outflow needs approval.
  if (threshold === undefined || limit === undefined) return { ...liveDefaults, approvalAbove: 0n, daily: null }
  return { approvalAbove: threshold, daily: limit, newRecipientHours }
}

/** An amount of US cents in the home currency, at the last known rate. Undefined if no rate was ever known. */
export async function dollarsAtHome(
  { clock }: Pick<PostTools, 'clock'>,
  tx: Tx,
  { homeCurrency }: Pick<LockedShop, 'homeCurrency'>,
  cents: bigint,
): Promise<bigint | undefined> {
  const rate = await findLastRate(tx, pivot, homeCurrency, clock)
  if (rate === undefined) return undefined
  const currency = await findCurrency(tx, pivot, 'any')
  return convert({ minor: cents, currency }, rate.rate, await findCurrency(tx, homeCurrency, 'any'), 'down').money.minor
}

const hourMs = 3_600_000
// Approvers have a week.
const approvalMs = 7 * 24 * hourMs

/** Holds the amount and stores the request. No money moves yet. */
export async function holdOutflow(
  tools: OutflowTools,
  tx: Tx,
  owner: Owner,
  identity: Identity,
  input: OutflowInput,
  { needsApproval, waitHours, homeAmount, hour }: Admission,
  id: string,
): Promise<void> {
  const { environmentId, memberId } = owner
  const { kind, reference, bookId, amount, currency, from, recipient } = input
  const at = tools.clock()
  const notBefore = waitHours > 0 ? new Date(at.getTime() + waitHours * hourMs) : undefined
  const heldUntil = new Date((notBefore ?? at).getTime() + approvalMs)
  const documents = [
    ...transactionOf(input, owner, id, needsApproval ? 'PENDING' : 'APPROVED'),
    ...(input.documents?.(id) ?? []),
    outflowDocument({
      environmentId,
      id,
      kind,
      reference,
      bookId,
      amount,
      homeAmount,
      hour,
      recipient,
      needsApproval,
      requestedBy: memberId,
      notBefore,
      heldUntil,
      createdAt: timeOfId(id),
      request: tools.keyRing.sealFacts(purposeOf(id), input.request, tools.random),
    }),
  ]
  const holds: HoldAct[] =
    from === undefined ? [] : [{ act: 'reserve', holdId: id, account: from, amount, expiresAt: heldUntil }]
  const waiting = {
    outflowId: id,
    reference,
    kind,
    needsApproval,
    amount: formatMoney({ minor: amount, currency }),
    currency: currency.code,
  }
  const events = [outflowEvent('outflow.waiting', { environmentId, about: { id, sequence: 1 } }, waiting)]
  const journalKind = from === undefined ? 'claim.outflow' : 'outflow.hold'
  const alternatives = [{ transfers: [], holds, documents, events }] as const
  await postNew(tx, { id, kind: journalKind, ...identity, alternatives }, tools)
}

/** The purpose that a request is sealed for: it opens only for its own outflow. */
export function purposeOf(id: string): string {
  return `outflow/${id}`
}

function transactionOf(
  { transaction, reference, bookId, amount }: OutflowInput,
  { environmentId, memberId }: Owner,
  id: string,
  status: 'PENDING' | 'APPROVED' | 'COMPLETED',
  codeTail?: string,
): Document[] {
  if (transaction === undefined) return []
  const { type, metadata = '', userId, refundOf } = transaction
  const moved = { environmentId, id, bookId, amount, metadata, userId, status, memberId, codeTail, refundOf }
  return [freeTransaction(type, reference, moved)]
}

/** The status of a requested outflow. One that never waited has no row. */
export async function readStatus(tx: Tx, environmentId: string, id: string): Promise<SentState | UnsentState> {
  const outflow = await findOutflow(tx, environmentId, { id })
  if (outflow === undefined) return { id, status: 'done' }
  const { outcome, needsApproval, isApproved, notBefore } = outflow
  if (outcome === 'done') return { id, status: 'done' }
  if (outcome === 'cancelled') return { id, status: 'cancelled' }
  const status = needsApproval && !isApproved ? 'waiting' : 'delayed'
  return { id, status, notBefore: notBefore ?? undefined }
}
