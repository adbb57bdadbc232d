import type { Tx } from '../../base/db.ts'
import { oneOf, orNull } from '../../base/column-type.ts'
import { list, raw, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { paymentReferenceOf } from './payment-reference.ts'
import { historyKinds, invoiceStates, type listedStates } from './staff-wire.ts'
import { invoices } from './store.ts'

type ListedState = (typeof listedStates)[number]

/** Few outflows wait, and only those of approved invoices are looked for. */
const state = oneOf(invoiceStates)`
  case when i.paid_at is not null then 'paid' when i.status = 'Rejected' then 'rejected'
    when i.status = 'Pending' then 'pending'
    when exists (select from outflows o where o.environment_id = i.environment_id and o.ended_at is null
      and o.kind = 'invoice' and substr(o.reference, 9, 36) = i.id::text) then 'waiting'
    else 'unpaid' end`

const listedColumns = list({
  ...invoices.columns('i', 'id', 'number', 'fullName', 'email', 'total', 'dueDate', 'createdAt'),
  ...ledgerBooks.columns('b', 'currency'),
  state,
})
export type ListedInvoice = RowOf<typeof listedColumns>

export type InvoiceFilter = { readonly state?: ListedState | undefined; readonly search?: string | undefined }

// Each is served by an index.
const only = {
  any: raw(''),
  pending: raw(`and i.status = 'Pending'`),
  unpaid: raw(`and i.status = 'Approved' and i.paid_at is null`),
  paid: raw(`and i.status = 'Approved' and i.paid_at is not null`),
  rejected: raw(`and i.status = 'Rejected'`),
}

/** Newest first. A search finds a number, or all invoices of an email address. */
export async function listForStaff(
  tx: Tx,
  environmentId: string,
  filter: InvoiceFilter,
  before: string,
  limit: number,
): Promise<ListedInvoice[]> {
  const { email, number } = readSearch(filter.search ?? '')
  const found = sql`
    select ${listedColumns} from invoices i join ledger_books b on b.id = i.book_id
      where i.environment_id = ${environmentId} and i.id < ${before} ${only[filter.state ?? 'any']}`
  if (email !== undefined) return select(tx)`${found} and i.email = ${email} order by i.id desc limit ${limit}`
  if (number !== undefined) return select(tx)`${found} and i.number = ${number} order by i.id desc limit ${limit}`
  return select(tx)`${found} order by i.id desc limit ${limit}`
}

/** 2026-12 stands for 2026-000012. */
function readSearch(text: string): { readonly email?: string; readonly number?: string } {
  const typed = text.trim().toLowerCase()
  if (typed === '') return {}
  if (typed.includes('@')) return { email: typed }
  const [, year, count] = /^(\d{4})-(\d{1,6})$/.exec(typed) ?? []
  return { number: year === undefined || count === undefined ? typed : `${year}-${count.padStart(6, '0')}` }
}

const reviewColumns = list({
  state,
  decidedBy: orNull(sql.uuid)`i.decided_by`,
  voucherId: orNull(sql.uuid)`i.voucher_id`,
})
export type Review = RowOf<typeof reviewColumns>

/** What only staff see of an invoice. */
export async function readReview(tx: Tx, environmentId: string, id: string): Promise<Review | undefined> {
  return selectOne(tx)`
    select ${reviewColumns} from invoices i where i.environment_id = ${environmentId} and i.id = ${id}`
}

const historyColumns = list({
  kind: oneOf(historyKinds)`h.kind`,
  at: sql.timestamptz`h.at`,
  by: sql.text`coalesce(trim(u.other_names || ' ' || u.surname), '')`,
})
export type HistoryEntry = RowOf<typeof historyColumns>

/** From its submission to its payment, with the requests for a payment that waited. */
export async function listHistory(tx: Tx, environmentId: string, id: string): Promise<HistoryEntry[]> {
  const payments = await listPayments(tx, environmentId, id)
  return select(tx)`
    select ${historyColumns} from (
      select 1 as step, 'submitted' as kind, created_at as at, null::uuid as user_id
        from invoices where environment_id = ${environmentId} and id = ${id}
      union all select 2, lower(status), decided_at, decided_by
        from invoices where environment_id = ${environmentId} and id = ${id} and decided_at is not null
      union all select 3, 'payment_requested', created_at, requested_by
        from outflows where environment_id = ${environmentId} and id = any(${payments}::uuid[])
      union all select 4, 'payment_approved', created_at, approved_by
        from outflow_approvals where environment_id = ${environmentId} and outflow_id = any(${payments}::uuid[])
      union all select 5, 'payment_cancelled', ended_at, null
        from outflows where environment_id = ${environmentId} and id = any(${payments}::uuid[]) and outcome = 'cancelled'
      -- Who paid it, unless the payment waited: then others decided.
      union all select 6, 'paid', i.paid_at,
          (select t.member_id from all_transactions t where t.environment_id = i.environment_id and t.id = i.voucher_id
            and not exists (select from outflows o where o.environment_id = t.environment_id and o.id = t.id))
        from invoices i where i.environment_id = ${environmentId} and i.id = ${id} and i.paid_at is not null
    ) h left join users u on u.id = h.user_id order by h.at, h.step`
}

/** The ids of its payments, also of cancelled ones. */
async function listPayments(tx: Tx, environmentId: string, id: string): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const reference = paymentReferenceOf(id, ids.length + 1)
    const found = await selectValue(tx)`
      select ${orNull(sql.uuid)`id_of_reference(${environmentId}, ${reference})`}`
    if (found === undefined || found === null) return ids
    ids.push(found)
  }
}
