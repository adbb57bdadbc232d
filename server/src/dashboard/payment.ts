import type { Tx } from '../base/db.ts'
import { select } from '../base/sql.ts'
import type { AccountKind } from '../ledger/account.ts'
import { findRedeemed } from '../refund/store.ts'
import { findRedemption, type RedemptionRow } from '../voucher/history-store.ts'
import type { PaymentRow } from './payments-store.ts'

type Transfer = {
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly currency: string
}
type ShownJournal = { id: string; kind: string; postedAt: Date; transfers: Transfer[] }

type TransferRow = Omit<Transfer, 'from' | 'to'> & {
  readonly journalId: string
  readonly kind: string
  readonly postedAt: Date
  readonly fromKind: AccountKind | null
  readonly fromOwner: string
  readonly toKind: AccountKind
  readonly toOwner: string
}

/** How accounts are called by people. */
const names: Record<AccountKind, string> = {
  voucher: 'Voucher',
  merchant: 'Your balance',
  merchant_admin: 'Your balance for charges',
  fee: 'Charges',
  rounding: 'Rounding',
  exchange: 'Exchange',
  treasury: 'Outside',
  batch: 'Vouchers to be made',
  unclaimed: 'Unclaimed value',
  wallet: 'Wallet',
  deposit: 'Deposit address',
  gas: 'Network fee',
  purse: 'Network fee',
}

/** The journals that made a payment and moved its money. */
export async function listJournals(tx: Tx, environmentId: string, payment: PaymentRow): Promise<ShownJournal[]> {
  const rows = await select<TransferRow>(tx)`
    select j.id as "journalId", j.kind, j.posted_at as "postedAt", t.from_kind as "fromKind", t.from_owner as "fromOwner",
        t.to_kind as "toKind", t.to_owner as "toOwner", t.amount, b.currency
      from ledger_journals j left join ledger_transfers t on t.journal_id = j.id left join ledger_books b on b.id = t.book_id
      where j.id = any(${[payment.id, payment.settledBy].filter(Boolean)}::uuid[]) order by j.id, t.position`
  const nameOf = (kind: AccountKind, owner: string): string => {
    if (kind === 'merchant' && owner !== environmentId) return 'Balance of another merchant'
    if (kind === 'voucher' && payment.codeTail !== null) return `Voucher ··${payment.codeTail}`
    return kind === 'wallet' && payment.person !== '' ? `Wallet of ${payment.person}` : names[kind]
  }
  const journals = new Map<string, ShownJournal>()
  for (const { journalId: id, kind, postedAt, ...row } of rows) {
    const journal = journals.get(id) ?? { id, kind, postedAt, transfers: [] }
    journals.set(id, journal)
    if (row.fromKind === null) continue
    const [from, to] = [nameOf(row.fromKind, row.fromOwner), nameOf(row.toKind, row.toOwner)]
    journal.transfers.push({ from, to, amount: row.amount, currency: row.currency })
  }
  return [...journals.values()]
}

type Redeemed = RedemptionRow & { readonly voucherId: string; readonly isOwn: boolean }

/** What a redemption cost, who bore it, and of which voucher it was. */
export async function findRedeemedOf(tx: Tx, { type, id }: PaymentRow): Promise<Redeemed | undefined> {
  if (type !== 'VOUCHER_REDEMPTION') return undefined
  const { voucherId } = await findRedeemed(tx, id)
  const redemption = await findRedemption(tx, voucherId, id)
  // Only own ones can be read here.
  const own = await select(tx)`select from vouchers where id = ${voucherId}`
  return redemption && { ...redemption, voucherId, isOwn: own.length > 0 }
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
  readonly status: string
  readonly nextAttemptAt: Date | null
}
type ShownEvent = { readonly id: string; readonly type: string; readonly at: Date }

/** What was told of a payment, to which addresses, and how often it was tried. Kept for 30 days. */
export async function listTold(tx: Tx, environmentId: string, { id, settledBy }: PaymentRow) {
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

/** References of what is tied to it: what a refund gave back, and the refunds of it. */
export async function listTied(tx: Tx, environmentId: string, { id, refundOf }: PaymentRow) {
  return select<{ id: string; reference: string; amount: bigint; createdAt: Date; by: string; reason: string }>(tx)`
    select t.id, t.reference, t.amount, t.created_at as "createdAt", t.metadata as reason,
        coalesce(trim(m.other_names || ' ' || m.surname), '') as by
      from transactions t left join users m on m.id = t.member_id
      where t.environment_id = ${environmentId} and (t.refund_of = ${id} or t.id = ${refundOf}) order by t.id`
}
