import { type Db, type Tx, violates } from '../../base/db.ts'
import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import { execute, list, raw, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { spanOf } from '../../http/pages.ts'
import { invoiceError } from './errors.ts'
import { type FileKind, fileKinds } from './file-kind.ts'
import type { Line } from './lines.ts'
import type { Tax } from './taxes.ts'
import { invoiceStatuses } from './wire.ts'

export type InvoiceStatus = (typeof invoiceStatuses)[number]

export const invoices = defineTable('invoices', {
  environmentId: sql.uuid,
  id: sql.uuid,
  number: sql.text,
  status: oneOf(invoiceStatuses),
  email: sql.text,
  fullName: sql.text,
  /** The sender's own number. Empty if there is none. */
  senderNumber: sql.text,
  /** In lines. */
  senderAddress: sql.text,
  bookId: sql.smallint,
  /** With taxes. */
  total: sql.numeric,
  network: sql.text,
  invoiceDate: sql.timestamptz,
  dueDate: sql.timestamptz,
  onChain: withDefault(sql.boolean),
  reason: withDefault(sql.text),
  decidedAt: orNull(sql.timestamptz),
  /** The staff member. Null if a key decided. */
  decidedBy: orNull(sql.uuid),
  paidAt: orNull(sql.timestamptz),
  /** The voucher that paid it. */
  voucherId: orNull(sql.uuid),
  createdAt: sql.timestamptz,
  /** Private links created up to this time are revoked. */
  linksRevokedAt: orNull(sql.timestamptz),
})

const written = [
  'number',
  'email',
  'fullName',
  'senderNumber',
  'senderAddress',
  'bookId',
  'total',
  'network',
  'invoiceDate',
  'dueDate',
  'createdAt',
] as const

const invoiceColumns = list({
  ...invoices.columns('i', 'id', 'status', ...written),
  ...invoices.columns('i', 'onChain', 'reason', 'decidedAt', 'paidAt', 'linksRevokedAt'),
  ...ledgerBooks.columns('b', 'currency'),
  // Amounts as text, because JSON would turn them into floats.
  items: sql.json`
    (select json_agg(json_build_object('id', l.id, 'description', l.description, 'quantity', trim_scale(l.quantity)::text,
        'unitPrice', l.unit_price::text, 'total', l.total::text) order by l.position)
      from invoice_items l where l.environment_id = i.environment_id and l.invoice_id = i.id)`,
  taxes: sql.json`
    (select coalesce(json_agg(json_build_object('name', t.name, 'rate', trim_scale(t.rate)::text, 'amount', t.amount::text)
        order by t.position), '[]')
      from invoice_taxes t where t.environment_id = i.environment_id and t.invoice_id = i.id)`,
  attachments: sql.json`
    (select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'kind', a.kind, 'size', a.size::text)
        order by a.position, a.id), '[]')
      from invoice_attachments a where a.environment_id = i.environment_id and a.invoice_id = i.id)`,
})
type Row = RowOf<typeof invoiceColumns>

type Item = Line & { readonly id: string }
type Attachment = {
  readonly id: string
  readonly name: string
  readonly kind: FileKind
  /** In bytes. */
  readonly size: number
}
export type Invoice = Omit<Row, 'items' | 'taxes' | 'attachments'> & {
  readonly items: readonly Item[]
  readonly taxes: readonly Tax[]
  readonly attachments: readonly Attachment[]
}

const foundInvoices = sql`select ${invoiceColumns} from invoices i join ledger_books b on b.id = i.book_id`

function toInvoice({ items, taxes, attachments, ...row }: Row): Invoice {
  return {
    ...row,
    items: readParts(items, 'id', 'description', 'quantity', 'unitPrice', 'total').map((item) => ({
      ...item,
      unitPrice: BigInt(item.unitPrice),
      total: BigInt(item.total),
    })),
    taxes: readParts(taxes, 'name', 'rate', 'amount').map((tax) => ({ ...tax, amount: BigInt(tax.amount) })),
    attachments: readParts(attachments, 'id', 'name', 'kind', 'size').map((file) => ({
      ...file,
      kind: readKind(file.kind),
      size: Number(file.size),
    })),
  }
}

/** A list of JSON objects with these fields, which are all texts. */
function readParts<const Name extends string>(
  parts: unknown,
  ...names: readonly Name[]
): Readonly<Record<Name, string>>[] {
  const isPart = (part: unknown): part is Readonly<Record<Name, string>> =>
    typeof part === 'object' && part !== null && names.every((name) => typeof Reflect.get(part, name) === 'string')
  if (!Array.isArray(parts) || !parts.every(isPart)) throw new Error('A part of an invoice has another form.')
  return parts
}

function readKind(text: string): FileKind {
  const kind = fileKinds.find((each) => each === text)
  if (kind === undefined) throw new Error('An attachment has an unknown kind.')
  return kind
}

const invoiceYears = defineTable('invoice_years', {
  environmentId: sql.uuid,
  year: sql.smallint,
  /** The number of the last invoice. */
  last: sql.integer,
})

/** Takes the next invoice number of the year. A rollback returns it, so numbers have no gaps. */
export async function takeNumber(tx: Tx, environmentId: string, year: number): Promise<string> {
  const last = await selectValue(tx)`
    ${insertInto(invoiceYears, { environmentId, year, last: 1 }, 'y')}
      on conflict (environment_id, year) do update set last = y.last + 1 returning ${sql.integer`y.last`}`
  return `${year}-${String(last ?? 0).padStart(6, '0')}`
}

type NewInvoice = Pick<Invoice, 'id' | (typeof written)[number]>

export async function insertInvoice(
  tx: Tx,
  environmentId: string,
  invoice: NewInvoice,
  items: readonly Item[],
  taxes: readonly Tax[],
): Promise<void> {
  const { id } = invoice
  const row = { ...invoice, environmentId, status: 'Pending' } as const
  await namingTakenNumber(execute(tx)`${insertInto(invoices, row)}`)
  const all = <Key extends keyof Item>(key: Key) => items.map((item) => item[key])
  await execute(tx)`
    insert into invoice_items (environment_id, invoice_id, id, position, description, quantity, unit_price, total)
      select ${environmentId}, ${id}, new.id, new.position, new.description, new.quantity, new.unit_price, new.total
      from unnest(${all('id')}::uuid[], ${all('description')}::text[], ${all('quantity')}::numeric[],
        ${all('unitPrice')}::numeric[], ${all('total')}::numeric[]) with ordinality
        as new (id, description, quantity, unit_price, total, position)`
  const each = <Key extends keyof Tax>(key: Key) => taxes.map((tax) => tax[key])
  await execute(tx)`
    insert into invoice_taxes (environment_id, invoice_id, position, name, rate, amount)
      select ${environmentId}, ${id}, new.position, new.name, new.rate, new.amount
      from unnest(${each('name')}::text[], ${each('rate')}::numeric[], ${each('amount')}::numeric[]) with ordinality
        as new (name, rate, amount, position)`
  await count(tx, environmentId, { invoices: 1, Pending: 1 })
}

/** Whether an invoice of this address has this number, and was not rejected. */
export async function hasNumber(tx: Tx, environmentId: string, email: string, number: string): Promise<boolean> {
  const found = await selectValue(tx)`
    select ${sql.boolean`exists (select from invoices where environment_id = ${environmentId} and email = ${email}
      and lower(sender_number) = lower(${number}) and sender_number <> '' and status <> 'Rejected')`}`
  return found === true
}

/** Two submissions at the turn of a year do not wait for each other: the index refuses the second. */
async function namingTakenNumber<T>(query: Promise<T>): Promise<T> {
  return query.catch((error: unknown) => {
    if (!violates(error, 'invoices_sender_number')) throw error
    throw invoiceError('INVOICE_NUMBER_TAKEN', { param: 'senderNumber' }, error)
  })
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
  const columns = list({
    own: sql.bigint`(select count(*) from invoices
        where environment_id = ${environmentId} and email = ${email} and status = 'Pending')`,
    all: sql.bigint`coalesce((select total from environment_counts
        where environment_id = ${environmentId} and counted = 'Pending'), 0)`,
  })
  const counts = await selectOne(tx)`select ${columns}`
  return counts ?? { own: 0n, all: 0n }
}

export async function findInvoice(tx: Tx, environmentId: string, id: string): Promise<Invoice | undefined> {
  const row = await selectOne(tx)`${foundInvoices} where i.environment_id = ${environmentId} and i.id = ${id}`
  return row && toInvoice(row)
}

/** Finds and locks the invoice until the end of the transaction. */
export async function lockInvoice(tx: Tx, environmentId: string, id: string): Promise<Invoice | undefined> {
  await execute(tx)`select from invoices where environment_id = ${environmentId} and id = ${id} for no key update`
  return findInvoice(tx, environmentId, id)
}

export type Decision = {
  readonly status: 'Approved' | 'Rejected'
  readonly onChain: boolean
  readonly reason: string
  /** The staff member. Undefined: a key. */
  readonly by: string | undefined
}

export async function decide(tx: Tx, environmentId: string, id: string, decision: Decision, at: Date): Promise<void> {
  const { status, onChain, reason, by } = decision
  await execute(tx)`
    update invoices set status = ${status}, on_chain = ${onChain}, reason = ${reason}, decided_at = ${at}, decided_by = ${by}
      where environment_id = ${environmentId} and id = ${id}`
  await count(tx, environmentId, { Pending: -1, [status]: 1 })
}

export async function markPaid(tx: Tx, environmentId: string, id: string, voucherId: string, at: Date): Promise<void> {
  await execute(tx)`
    update invoices set paid_at = ${at}, voucher_id = ${voucherId} where environment_id = ${environmentId} and id = ${id}`
}

/** Whether an invoice of this address was paid before. */
export async function hasPaidTo(tx: Tx, environmentId: string, email: string): Promise<boolean> {
  const found = await selectValue(tx)`
    select ${sql.boolean`exists (select from invoices
      where environment_id = ${environmentId} and email = ${email} and paid_at is not null)`}`
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
  const counted = await selectValue(tx)`
    select ${sql.bigint`total`} from environment_counts
      where environment_id = ${environmentId} and counted = ${status ?? 'invoices'}`
  const total = Number(counted ?? 0n)
  const { take, offset, order } = spanOf(total, page, limit)
  const rows = await select(tx)`
    ${foundInvoices} where i.environment_id = ${environmentId} and i.id = any(array(
        select id from invoices where environment_id = ${environmentId} ${only[status ?? 'any']}
        order by id ${raw(order)} limit ${take} offset ${offset}))
      order by i.id desc`
  return { invoices: rows.map(toInvoice), total }
}

const invoiceCurrencies = defineTable('invoice_currencies', { environmentId: sql.uuid, currency: sql.text })

export async function listInvoiceCurrencies(tx: Tx, environmentId: string): Promise<string[]> {
  const rows = await select(tx)`
    select ${list(invoiceCurrencies.columns('', 'currency'))} from invoice_currencies
      where environment_id = ${environmentId} order by currency`
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
