import type { Tx } from '../base/db.ts'
import { select } from '../base/sql.ts'
import type { AccountKind } from '../ledger/account.ts'
import { findRedeemed } from '../refund/store.ts'
import { findRedemption, type RedemptionRow } from '../voucher/history-store.ts'
import { listSentPayments, type SentPayment } from '../voucher/onchain-store.ts'
import type { PaymentRow } from './payments-store.ts'

/** An account as its reader knows it. The name is the end of a voucher's code, or a user's name. */
type Party = { readonly kind: AccountKind | 'other_merchant'; readonly name: string }
type Transfer = {
  readonly from: Party
  readonly to: Party
  readonly amount: bigint
  readonly currency: string
}
export type ShownJournal = { id: string; kind: string; postedAt: Date; transfers: Transfer[] }

type TransferRow = Omit<Transfer, 'from' | 'to'> & {
  readonly journalId: string
  readonly kind: string
  readonly postedAt: Date
  readonly fromKind: AccountKind | null
  readonly fromOwner: string
  readonly toKind: AccountKind
  readonly toOwner: string
}

/** The journals that created a payment and moved its money. */
export async function listJournals(tx: Tx, environmentId: string, payment: PaymentRow): Promise<ShownJournal[]> {
  const rows = await select<TransferRow>(tx)`
    select j.id as "journalId", j.kind, j.posted_at as "postedAt", t.from_kind as "fromKind", t.from_owner as "fromOwner",
        t.to_kind as "toKind", t.to_owner as "toOwner", t.amount, b.currency
      from ledger_journals j left join ledger_transfers t on t.journal_id = j.id left join ledger_books b on b.id = t.book_id
      where j.id = any(${[payment.id, payment.settledBy].filter(Boolean)}::uuid[]) order by j.id, t.position`
  const partyOf = (kind: AccountKind, owner: string): Party => {
    if (kind === 'merchant' && owner !== environmentId) return { kind: 'other_merchant', name: '' }
    if (kind === 'voucher') return { kind, name: payment.codeTail ?? '' }
    return { kind, name: kind === 'wallet' ? payment.person : '' }
  }
  const journals = new Map<string, ShownJournal>()
  for (const { journalId: id, kind, postedAt, ...row } of rows) {
    const journal = journals.get(id) ?? { id, kind, postedAt, transfers: [] }
    journals.set(id, journal)
    if (row.fromKind === null) continue
    const from = partyOf(row.fromKind, row.fromOwner)
    const to = partyOf(row.toKind, row.toOwner)
    journal.transfers.push({ from, to, amount: row.amount, currency: row.currency })
  }
  return [...journals.values()]
}

export type RedeemedPayment = RedemptionRow & {
  readonly voucherId: string
  readonly isOwn: boolean
  /** Set if it pays on a network. */
  readonly sent: SentPayment | undefined
}

/** The fee, its payer and the voucher of a redemption. Undefined for other payments. */
export async function findRedeemedOf(tx: Tx, { type, id }: PaymentRow): Promise<RedeemedPayment | undefined> {
  if (type !== 'VOUCHER_REDEMPTION') return undefined
  const { voucherId } = await findRedeemed(tx, id)
  const redemption = await findRedemption(tx, voucherId, id)
  // Row-level security shows the merchant's own vouchers only.
  const own = await select(tx)`select from vouchers where id = ${voucherId}`
  const sent = (await listSentPayments(tx, voucherId)).find((each) => each.id === id)
  return redemption && { ...redemption, voucherId, isOwn: own.length > 0, sent }
}

type ShownAttempt = {
  readonly at: Date
  readonly statusCode: number | null
  readonly failure: string
  readonly durationMs: number
}
type ShownDelivery = {
  readonly eventId: string
  readonly endpointId: string
  readonly url: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly nextAttemptAt: Date | null
}
type ShownEvent = { readonly id: string; readonly type: string; readonly at: Date }

export type EventWithDeliveries = ShownEvent & {
  readonly deliveries: (Omit<ShownDelivery, 'eventId' | 'endpointId'> & { readonly attempts: ShownAttempt[] })[]
}

/** The events of a payment with their webhook deliveries and attempts. Stored for 30 days. */
export async function listDeliveries(
  tx: Tx,
  environmentId: string,
  { id, settledBy }: PaymentRow,
): Promise<EventWithDeliveries[]> {
  const events = await select<ShownEvent>(tx)`
    select event_id as id, type, created_at as at from ledger_outbox
      where environment_id = ${environmentId} and (journal_id = any(${[id, settledBy].filter(Boolean)}::uuid[])
        or (journal_id is null and object_id = ${id})) order by txid, id`
  const ids = events.map((event) => event.id)
  const deliveries = await select<ShownDelivery>(tx)`
    select d.event_id as "eventId", d.endpoint_id as "endpointId", w.url, d.status, d.next_attempt_at as "nextAttemptAt"
      from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
      where d.event_id = any(${ids}::uuid[]) order by w.id`
  const attempts = await select<ShownAttempt & Pick<ShownDelivery, 'eventId' | 'endpointId'>>(tx)`
    select a.event_id as "eventId", a.endpoint_id as "endpointId", a.at, a.status_code as "statusCode", a.failure,
        a.duration_ms as "durationMs"
      from webhook_deliveries d join webhook_attempts a on a.endpoint_id = d.endpoint_id and a.event_id = d.event_id
      where d.event_id = any(${ids}::uuid[]) order by a.number`
  return events.map((event) => ({
    ...event,
    deliveries: deliveries
      .filter(({ eventId }) => eventId === event.id)
      .map(({ eventId, endpointId, ...delivery }) => ({
        ...delivery,
        attempts: attempts
          .filter((attempt) => attempt.eventId === eventId && attempt.endpointId === endpointId)
          .map(({ at, statusCode, failure, durationMs }) => ({ at, statusCode, failure, durationMs })),
      })),
  }))
}

export type RelatedPayment = {
  readonly id: string
  readonly reference: string
  readonly amount: bigint
  readonly createdAt: Date
  readonly by: string
  readonly reason: string
}

/** The refunds of a payment, and for a refund the refunded payment. */
export async function listRelated(
  tx: Tx,
  environmentId: string,
  { id, refundOf }: PaymentRow,
): Promise<RelatedPayment[]> {
  return select<RelatedPayment>(tx)`
    select t.id, t.reference, t.amount, t.created_at as "createdAt", t.metadata as reason,
        coalesce(trim(m.other_names || ' ' || m.surname), '') as by
      from transactions t left join users m on m.id = t.member_id
      where t.environment_id = ${environmentId} and (t.refund_of = ${id} or t.id = ${refundOf}) order by t.id`
}
