import type { Db, Tx } from '../base/db.ts'
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
  readonly items: readonly (Line & { readonly id: string })[]
}

type Row = Omit<Invoice, 'total' | 'items'> & {
  total: string
  items: { id: string; description: string; quantity: string; unitPrice: string; total: string }[]
}

// Amounts of items as texts: JSON would make numbers of them.
const columns = `i.id, i.number, i.status, i.email, i.full_name as "fullName", i.book_id as "bookId", b.currency, i.total,
  i.network, i.invoice_date as "invoiceDate", i.due_date as "dueDate", i.on_chain as "onChain", i.reason,
  i.decided_at as "decidedAt", i.paid_at as "paidAt", i.created_at as "createdAt",
  (select json_agg(json_build_object('id', l.id, 'description', l.description, 'quantity', trim_scale(l.quantity)::text,
      'unitPrice', l.unit_price::text, 'total', l.total::text) order by l.position)
    from invoice_items l where l.environment_id = i.environment_id and l.invoice_id = i.id) as items`
const from = 'from invoices i join ledger_books b on b.id = i.book_id'

function toInvoice(row: Row): Invoice {
  const items = row.items.map((item) => ({
    ...item,
    unitPrice: BigInt(item.unitPrice),
    total: BigInt(item.total),
  }))
  return { ...row, total: BigInt(row.total), items }
}

/** The next of the year, in the commit of its invoice: whoever fails gives it back. */
export async function takeNumber(tx: Tx, environmentId: string, year: number): Promise<string> {
  const { rows } = await tx.query<{ last: number }>(
    `insert into invoice_years as y (environment_id, year, last) values ($1, $2, 1)
      on conflict (environment_id, year) do update set last = y.last + 1 returning last`,
    [environmentId, year],
  )
  return `${year}-${String(rows[0]?.last ?? 0).padStart(6, '0')}`
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
  await tx.query(
    `insert into invoices (environment_id, id, number, status, email, full_name, book_id, total, network, invoice_date,
        due_date, created_at) values ($1, $2, $3, 'Pending', $4, $5, $6, $7, $8, $9, $10, $11)`,
    [environmentId, id, number, email, fullName, bookId, total, network, invoiceDate, dueDate, createdAt],
  )
  await tx.query(
    `insert into invoice_items (environment_id, invoice_id, id, position, description, quantity, unit_price, total)
      select $1, $2, new.id, new.position, new.description, new.quantity, new.unit_price, new.total
      from unnest($3::uuid[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[]) with ordinality
        as new (id, description, quantity, unit_price, total, position)`,
    [
      environmentId,
      id,
      items.map((item) => item.id),
      items.map(({ description }) => description),
      items.map(({ quantity }) => quantity),
      items.map(({ unitPrice }) => unitPrice),
      items.map((item) => item.total),
    ],
  )
  await count(tx, environmentId, { invoices: 1, Pending: 1 })
}

async function count(tx: Tx, environmentId: string, changes: Record<string, number>): Promise<void> {
  // In one order, so that two never wait for each other.
  for (const [counted, change] of Object.entries(changes).sort())
    await tx.query(
      `insert into environment_counts as c (environment_id, counted, total) values ($1, $2, greatest(0, $3))
        on conflict (environment_id, counted) do update set total = c.total + $3`,
      [environmentId, counted, change],
    )
}

export async function countPending(
  tx: Tx,
  environmentId: string,
  email: string,
): Promise<{ own: number; all: number }> {
  const { rows } = await tx.query<{ own: bigint; all: bigint | null }>(
    `select (select count(*) from invoices where environment_id = $1 and email = $2 and status = 'Pending') as own,
      (select total from environment_counts where environment_id = $1 and counted = 'Pending') as all`,
    [environmentId, email],
  )
  return { own: Number(rows[0]?.own ?? 0), all: Number(rows[0]?.all ?? 0) }
}

/** Locked, if it is to be decided or paid. */
export async function findInvoice(
  tx: Tx,
  environmentId: string,
  id: string,
  lock: '' | 'for no key update' = '',
): Promise<Invoice | undefined> {
  if (lock !== '')
    await tx.query(`select from invoices where environment_id = $1 and id = $2 ${lock}`, [environmentId, id])
  const { rows } = await tx.query<Row>(`select ${columns} ${from} where i.environment_id = $1 and i.id = $2`, [
    environmentId,
    id,
  ])
  return rows.map(toInvoice)[0]
}

export type Decision = { readonly status: 'Approved' | 'Rejected'; readonly onChain: boolean; readonly reason: string }

export async function decide(tx: Tx, environmentId: string, id: string, decision: Decision, at: Date): Promise<void> {
  const { status, onChain, reason } = decision
  await tx.query(
    `update invoices set status = $3, on_chain = $4, reason = $5, decided_at = $6 where environment_id = $1 and id = $2`,
    [environmentId, id, status, onChain, reason, at],
  )
  await count(tx, environmentId, { Pending: -1, [status]: 1 })
}

export async function markPaid(tx: Tx, environmentId: string, id: string, voucherId: string, at: Date): Promise<void> {
  await tx.query('update invoices set paid_at = $3, voucher_id = $4 where environment_id = $1 and id = $2', [
    environmentId,
    id,
    at,
    voucherId,
  ])
}

/** A page, newest first. One behind the middle is read from the other end. */
export async function listInvoices(
  tx: Tx,
  environmentId: string,
  status: InvoiceStatus | undefined,
  page: number,
  limit: number,
): Promise<{ invoices: Invoice[]; total: number }> {
  const counted = await tx.query<{ total: bigint }>(
    'select total from environment_counts where environment_id = $1 and counted = $2',
    [environmentId, status ?? 'invoices'],
  )
  const total = Number(counted.rows[0]?.total ?? 0n)
  const { take, offset, order } = spanOf(total, page, limit)
  const which = status === undefined ? '' : 'and status = $4'
  const { rows } = await tx.query<Row>(
    `select ${columns} ${from} where i.environment_id = $1 and i.id = any(array(
        select id from invoices where environment_id = $1 ${which} order by id ${order} limit $2 offset $3))
      order by i.id desc`,
    [environmentId, take, offset, ...(status === undefined ? [] : [status])],
  )
  return { invoices: rows.map(toInvoice), total }
}

export async function listInvoiceCurrencies(tx: Tx, environmentId: string): Promise<string[]> {
  const { rows } = await tx.query<{ currency: string }>(
    'select currency from invoice_currencies where environment_id = $1 order by currency',
    [environmentId],
  )
  return rows.map(({ currency }) => currency)
}

export async function setInvoiceCurrencies(
  tx: Tx,
  environmentId: string,
  currencies: readonly string[],
): Promise<void> {
  await tx.query('delete from invoice_currencies where environment_id = $1', [environmentId])
  await tx.query('insert into invoice_currencies (environment_id, currency) select $1, unnest($2::text[])', [
    environmentId,
    [...new Set(currencies)],
  ])
}

export async function setPaysInvoices(db: Db, environmentId: string, pays: boolean): Promise<void> {
  await db.query('update merchant_environments set pays_invoices = $2 where id = $1', [environmentId, pays])
}
