import type { Db, Tx } from '../base/db.ts'
import { execute, raw, select, selectOne, selectValue } from '../base/sql.ts'
import { spanOf } from '../http/pages.ts'
import type { Line } from './lines.ts'

export type InvoiceStatus = 'Pending' | 'Approved' | 'Rejected'

export type Invoice = {
  readonly id: string
  readonly number: string
  readonly status: InvoiceStatus
  readonly email: string
  readonly fullName: string
  readonly bookId: number
  readonly currency: string
  readonly total: bigint
  readonly network: string
  readonly invoiceDate: Date
  readonly dueDate: Date
  readonly onChain: boolean
  readonly reason: string
  readonly decidedAt: Date | null
  readonly paidAt: Date | null
  readonly createdAt: Date
  /** Private links created up to this time are revoked. */
  readonly linksRevokedAt: Date | null
  readonly items: readonly (Line & { readonly id: string })[]
}

type Row = Omit<Invoice, 'items'> & {
  items: { id: string; description: string; quantity: string; unitPrice: string; total: string }[]
}

// Amounts of items as text, because JSON would turn them into floats.
const invoices =
  raw(`select i.id, i.number, i.status, i.email, i.full_name as "fullName", i.book_id as "bookId", b.currency, i.total,
  i.network, i.invoice_date as "invoiceDate", i.due_date as "dueDate", i.on_chain as "onChain", i.reason,
  i.decided_at as "decidedAt", i.paid_at as "paidAt", i.created_at as "createdAt", i.links_revoked_at as "linksRevokedAt",
  (select json_agg(json_build_object('id', l.id, 'description', l.description, 'quantity', trim_scale(l.quantity)::text,
      'unitPrice', l.unit_price::text, 'total', l.total::text) order by l.position)
    from invoice_items l where l.environment_id = i.environment_id and l.invoice_id = i.id) as items
  from invoices i join ledger_books b on b.id = i.book_id`)

function toInvoice(row: Row): Invoice {
  const items = row.items.map((item) => ({ ...item, unitPrice: BigInt(item.unitPrice), total: BigInt(item.total) }))
  return { ...row, items }
}

/** Takes the next invoice number of the year. A rollback returns it, so numbers have no gaps. */
export async function takeNumber(tx: Tx, environmentId: string, year: number): Promise<string> {
  const last = await selectValue<number>(tx)`
    insert into invoice_years as y (environment_id, year, last) values (${environmentId}, ${year}, 1)
      on conflict (environment_id, year) do update set last = y.last + 1 returning last`
  return `${year}-${String(last ?? 0).padStart(6, '0')}`
}

type NewInvoice = Pick<
  Invoice,
  'id' | 'number' | 'email' | 'fullName' | 'bookId' | 'total' | 'network' | 'invoiceDate' | 'dueDate' | 'createdAt'
>

export async function insertInvoice(
  tx: Tx,
  environmentId: string,
  invoice: NewInvoice,
  items: readonly (Line & { readonly id: string })[],
): Promise<void> {
  const { id, number, email, fullName, bookId, total, network, invoiceDate, dueDate, createdAt } = invoice
  await execute(tx)`
    insert into invoices (environment_id, id, number, status, email, full_name, book_id, total, network, invoice_date,
        due_date, created_at)
      values (${environmentId}, ${id}, ${number}, 'Pending', ${email}, ${fullName}, ${bookId}, ${total}, ${network},
        ${invoiceDate}, ${dueDate}, ${createdAt})`
  const all = <Key extends keyof (typeof items)[number]>(key: Key) => items.map((item) => item[key])
  await execute(tx)`
    insert into invoice_items (environment_id, invoice_id, id, position, description, quantity, unit_price, total)
      select ${environmentId}, ${id}, new.id, new.position, new.description, new.quantity, new.unit_price, new.total
      from unnest(${all('id')}::uuid[], ${all('description')}::text[], ${all('quantity')}::numeric[],
        ${all('unitPrice')}::numeric[], ${all('total')}::numeric[]) with ordinality
        as new (id, description, quantity, unit_price, total, position)`
  await count(tx, environmentId, { invoices: 1, Pending: 1 })
}

async function count(tx: Tx, environmentId: string, changes: Record<string, number>): Promise<void> {
  // Always in the same order, to avoid deadlocks.
  for (const [counted, change] of Object.entries(changes).sort())
    await execute(tx)`
      insert into environment_counts as c (environment_id, counted, total)
        values (${environmentId}, ${counted}, greatest(0, ${change}::integer))
        on conflict (environment_id, counted) do update set total = c.total + ${change}::integer`
}

export async function countPending(
  tx: Tx,
  environmentId: string,
  email: string,
): Promise<Record<'own' | 'all', bigint>> {
  const counts = await selectOne<{ own: bigint; all: bigint }>(tx)`
    select (select count(*) from invoices
        where environment_id = ${environmentId} and email = ${email} and status = 'Pending') as own,
      coalesce((select total from environment_counts
        where environment_id = ${environmentId} and counted = 'Pending'), 0) as all`
  return counts ?? { own: 0n, all: 0n }
}

export async function findInvoice(tx: Tx, environmentId: string, id: string): Promise<Invoice | undefined> {
  const row = await selectOne<Row>(tx)`${invoices} where i.environment_id = ${environmentId} and i.id = ${id}`
  return row && toInvoice(row)
}

/** Finds and locks the invoice until the end of the transaction. */
export async function lockInvoice(tx: Tx, environmentId: string, id: string): Promise<Invoice | undefined> {
  await execute(tx)`select from invoices where environment_id = ${environmentId} and id = ${id} for no key update`
  return findInvoice(tx, environmentId, id)
}

export type Decision = { readonly status: 'Approved' | 'Rejected'; readonly onChain: boolean; readonly reason: string }

export async function decide(tx: Tx, environmentId: string, id: string, decision: Decision, at: Date): Promise<void> {
  const { status, onChain, reason } = decision
  await execute(tx)`
    update invoices set status = ${status}, on_chain = ${onChain}, reason = ${reason}, decided_at = ${at}
      where environment_id = ${environmentId} and id = ${id}`
  await count(tx, environmentId, { Pending: -1, [status]: 1 })
}

export async function markPaid(tx: Tx, environmentId: string, id: string, voucherId: string, at: Date): Promise<void> {
  await execute(tx)`
    update invoices set paid_at = ${at}, voucher_id = ${voucherId} where environment_id = ${environmentId} and id = ${id}`
}

/** Whether an invoice of this address was paid before. */
export async function hasPaidTo(tx: Tx, environmentId: string, email: string): Promise<boolean> {
  const found = await selectValue<boolean>(tx)`
    select exists (select from invoices
      where environment_id = ${environmentId} and email = ${email} and paid_at is not null) as has`
  return found === true
}

const only = {
  any: raw(''),
  Pending: raw(`and status = 'Pending'`),
  Approved: raw(`and status = 'Approved'`),
  Rejected: raw(`and status = 'Rejected'`),
}

/** Lists a page, newest first. Pages in the second half are read from the other end. */
export async function listInvoices(
  tx: Tx,
  environmentId: string,
  status: InvoiceStatus | undefined,
  page: number,
  limit: number,
): Promise<{ invoices: Invoice[]; total: number }> {
  const counted = await selectValue<bigint>(tx)`
    select total from environment_counts
      where environment_id = ${environmentId} and counted = ${status ?? 'invoices'}`
  const total = Number(counted ?? 0n)
  const { take, offset, order } = spanOf(total, page, limit)
  const rows = await select<Row>(tx)`
    ${invoices} where i.environment_id = ${environmentId} and i.id = any(array(
        select id from invoices where environment_id = ${environmentId} ${only[status ?? 'any']}
        order by id ${raw(order)} limit ${take} offset ${offset}))
      order by i.id desc`
  return { invoices: rows.map(toInvoice), total }
}

export async function listInvoiceCurrencies(tx: Tx, environmentId: string): Promise<string[]> {
  const rows = await select<{ currency: string }>(tx)`
    select currency from invoice_currencies where environment_id = ${environmentId} order by currency`
  return rows.map(({ currency }) => currency)
}

export async function setInvoiceCurrencies(
  tx: Tx,
  environmentId: string,
  currencies: readonly string[],
): Promise<void> {
  await execute(tx)`delete from invoice_currencies where environment_id = ${environmentId}`
  await execute(tx)`
    insert into invoice_currencies (environment_id, currency)
      select ${environmentId}, unnest(${[...new Set(currencies)]}::text[])`
}

export async function setPaysInvoices(db: Db, environmentId: string, pays: boolean): Promise<void> {
  await execute(db)`update merchant_environments set pays_invoices = ${pays} where id = ${environmentId}`
}
