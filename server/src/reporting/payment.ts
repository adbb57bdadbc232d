import type { Tx } from '../base/db.ts'
import { oneOf, orNull } from '../base/column-type.ts'
import { execute, list, type RowOf, select, sql } from '../base/sql.ts'
import type { AccountKind } from '../ledger/account.ts'
import { findRedeemed } from '../billing/refund/store.ts'
import { findRedemption, type RedemptionRow } from '../vouchers/voucher/history-store.ts'
import { listSentPayments, type SentPayment } from '../vouchers/voucher/onchain-store.ts'
import { transactions } from '../payments/transaction/store.ts'
import type { PaymentRow } from './payments-store.ts'
import { accountKinds } from '../ledger/account.ts'
import { deliveryStatuses } from '../messaging/event/wire.ts'

/** An account as its reader knows it. The name is the end of a voucher's code, or a user's name. */
type Party = { readonly kind: AccountKind | 'other_merchant'; readonly name: string }
type Transfer = {
  readonly from: Party
  readonly to: Party
  readonly amount: bigint
  readonly currency: string
}
export type ShownJournal = {
  readonly id: string
  /** Of the payment or refund that it belongs to. */
  readonly reference: string
  readonly kind: string
  readonly postedAt: Date
  readonly transfers: Transfer[]
}

// A journal without transfers has one row, in which they are null.
const transferColumns = list({
  journalId: sql.uuid`j.id`,
  kind: sql.text`j.kind`,
  postedAt: sql.timestamptz`j.posted_at`,
  fromKind: orNull(oneOf(accountKinds))`t.from_kind`,
  fromOwner: orNull(sql.uuid)`t.from_owner`,
  toKind: orNull(oneOf(accountKinds))`t.to_kind`,
  toOwner: orNull(sql.uuid)`t.to_owner`,
  amount: orNull(sql.numeric)`t.amount`,
  currency: orNull(sql.text)`b.currency`,
})

type JournalOwner = Pick<RelatedPayment, 'id' | 'settledBy' | 'reference' | 'person'>

/** The journals that created a payment, moved its money and refunded it. */
export async function listJournals(
  tx: Tx,
  environmentId: string,
  payment: PaymentRow,
  refunds: readonly RelatedPayment[],
): Promise<ShownJournal[]> {
  const owners = new Map<string, JournalOwner>()
  for (const owner of [payment, ...refunds])
    for (const id of [owner.id, owner.settledBy]) if (id !== null) owners.set(id, owner)
  const rows = await select(tx)`
    select ${transferColumns}
      from all_journals j left join all_transfers t on t.journal_id = j.id left join ledger_books b on b.id = t.book_id
      where j.id = any(${[...owners.keys()]}::uuid[]) order by j.id, t.position`
  // A refund may go to the voucher that replaced this one.
  const voucherId = rows.find(({ fromKind }) => fromKind === 'voucher')?.fromOwner
  const partyOf = (kind: AccountKind | null, owner: string | null, person: string): Party | undefined => {
    if (kind === null) return undefined
    if (kind === 'merchant' && owner !== environmentId) return { kind: 'other_merchant', name: '' }
    if (kind === 'voucher') return { kind, name: owner === voucherId ? (payment.codeTail ?? '') : '' }
    return { kind, name: kind === 'wallet' ? person : '' }
  }
  const journals = new Map<string, ShownJournal>()
  for (const { journalId: id, kind, postedAt, ...row } of rows) {
    const { reference, person } = owners.get(id) ?? payment
    const journal = journals.get(id) ?? { id, reference, kind, postedAt, transfers: [] }
    journals.set(id, journal)
    const from = partyOf(row.fromKind, row.fromOwner, person)
    const to = partyOf(row.toKind, row.toOwner, person)
    const { amount, currency } = row
    if (from && to && amount !== null && currency !== null) journal.transfers.push({ from, to, amount, currency })
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
  const own = await execute(tx)`select from vouchers where id = ${voucherId}`
  const sent = (await listSentPayments(tx, voucherId)).find((each) => each.id === id)
  return redemption && { ...redemption, voucherId, isOwn: own > 0, sent }
}

const eventColumns = list({ id: sql.uuid`event_id`, type: sql.text`type`, at: sql.timestamptz`created_at` })
const deliveryColumns = list({
  eventId: sql.uuid`d.event_id`,
  endpointId: sql.uuid`d.endpoint_id`,
  url: sql.text`w.url`,
  status: oneOf(deliveryStatuses)`d.status`,
  nextAttemptAt: orNull(sql.timestamptz)`d.next_attempt_at`,
})
const attemptColumns = list({
  eventId: sql.uuid`a.event_id`,
  endpointId: sql.uuid`a.endpoint_id`,
  at: sql.timestamptz`a.at`,
  statusCode: orNull(sql.smallint)`a.status_code`,
  failure: sql.text`a.failure`,
  durationMs: sql.integer`a.duration_ms`,
})

type Ids = 'eventId' | 'endpointId'
type ShownDelivery = Omit<RowOf<typeof deliveryColumns>, Ids> & {
  readonly attempts: Omit<RowOf<typeof attemptColumns>, Ids>[]
}
export type EventWithDeliveries = RowOf<typeof eventColumns> & { readonly deliveries: ShownDelivery[] }

/** The events of a payment with their webhook deliveries and attempts. Stored for 30 days. */
export async function listDeliveries(
  tx: Tx,
  environmentId: string,
  { id, settledBy }: PaymentRow,
): Promise<EventWithDeliveries[]> {
  const events = await select(tx)`
    select ${eventColumns} from ledger_outbox
      where environment_id = ${environmentId} and (journal_id = any(${[id, settledBy].filter(Boolean)}::uuid[])
        or (journal_id is null and object_id = ${id})) order by txid, id`
  const ids = events.map((event) => event.id)
  const deliveries = await select(tx)`
    select ${deliveryColumns}
      from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
      where d.event_id = any(${ids}::uuid[]) order by w.id`
  const attempts = await select(tx)`
    select ${attemptColumns}
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

const relatedColumns = list({
  ...transactions.columns('t', 'id', 'reference', 'amount', 'createdAt', 'settledBy'),
  reason: transactions.types.metadata`t.metadata`,
  by: sql.text`coalesce(trim(m.other_names || ' ' || m.surname), '')`,
  person: sql.text`coalesce(trim(p.other_names || ' ' || p.surname), '')`,
})
export type RelatedPayment = RowOf<typeof relatedColumns>

/** The refunds of a payment, and for a refund the refunded payment. */
export async function listRelated(
  tx: Tx,
  environmentId: string,
  { id, refundOf }: PaymentRow,
): Promise<RelatedPayment[]> {
  return select(tx)`
    select ${relatedColumns}
      from all_transactions t left join users m on m.id = t.member_id left join users p on p.id = t.user_id
      where t.environment_id = ${environmentId} and (t.refund_of = ${id} or t.id = ${refundOf}) order by t.id`
}
