import { oneOf, orNull } from '../../base/column-type.ts'
import type { Tx } from '../../base/db.ts'
import { list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable, type NewRow } from '../../base/table.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { documentOf } from '../../ledger/document.ts'
import { saleKinds, tenders } from './wire.ts'

const voucherSales = defineTable('voucher_sales', {
  environmentId: sql.uuid,
  /** That of its journal. */
  id: sql.uuid,
  kind: oneOf(saleKinds),
  reference: sql.text,
  voucherId: sql.uuid,
  bookId: sql.smallint,
  value: sql.numeric,
  price: sql.numeric,
  tender: oneOf(tenders),
  tenderReference: sql.text,
  reason: sql.text,
  sellerId: sql.uuid,
  memberId: orNull(sql.uuid),
  registerId: orNull(sql.uuid),
  shiftId: orNull(sql.uuid),
  undoes: orNull(sql.uuid),
  homeValue: sql.numeric,
  codeTail: orNull(sql.text),
  createdAt: sql.timestamptz,
})

export const saleDocument = documentOf(voucherSales)
export type NewSale = NewRow<typeof voucherSales>

const saleColumns = list({
  ...voucherSales.columns('s'),
  ...ledgerBooks.columns('b', 'currency'),
  soldBy: sql.text`coalesce((select trim(u.other_names || ' ' || u.surname) from users u where u.id = s.member_id), '')`,
  register: sql.text`coalesce(r.name, '')`,
  location: sql.text`coalesce(l.name, '')`,
  address: sql.text`coalesce(l.address, '')`,
  isUndone: sql.boolean`exists (
    select from voucher_sales v where v.environment_id = s.environment_id and v.undoes = s.id)`,
})
export type Sale = RowOf<typeof saleColumns>

const foundSales = sql`
  select ${saleColumns} from voucher_sales s join ledger_books b on b.id = s.book_id
    left join registers r on r.id = s.register_id left join locations l on l.id = r.location_id`

export async function findSale(tx: Tx, environmentId: string, id: string): Promise<Sale | undefined> {
  return selectOne(tx)`${foundSales} where s.environment_id = ${environmentId} and s.id = ${id}`
}

/** Newest first. */
export async function listSales(tx: Tx, environmentId: string, before: string, limit: number): Promise<Sale[]> {
  return select(tx)`
    ${foundSales} where s.environment_id = ${environmentId} and s.id < ${before} order by s.id desc limit ${limit}`
}

/** Whether anything happened to a voucher since a sale, apart from the sale itself. */
export async function isUsedSince(tx: Tx, { environmentId, voucherId, id }: Sale): Promise<boolean> {
  const found = await selectValue(tx)`
    select ${sql.boolean`exists (select from all_redemptions r where r.voucher_id = ${voucherId} and r.id > ${id})
      or exists (select from voucher_moves m where m.voucher_id = ${voucherId} and m.id > ${id})
      or exists (select from voucher_sales s
        where s.environment_id = ${environmentId} and s.voucher_id = ${voucherId} and s.id > ${id})`}`
  return found === true
}

/** The newest sale or reload of a voucher, if nothing happened since. */
export async function findUndoable(
  tx: Tx,
  { environmentId, id }: { readonly environmentId: string; readonly id: string },
): Promise<Sale | undefined> {
  const sale = await selectOne(tx)`
    ${foundSales} where s.environment_id = ${environmentId} and s.voucher_id = ${id} order by s.id desc limit 1`
  const isSold = sale?.kind === 'sale' || sale?.kind === 'reload'
  return isSold && !(await isUsedSince(tx, sale)) ? sale : undefined
}

const printedColumns = list({
  amount: sql.numeric`coalesce(amount, 0)`,
  expiresAt: orNull(sql.timestamptz)`expires_at`,
})

/** What the cards of a batch are printed with: an amount, or 0 for none, and an expiry. */
export async function findPrinted(
  tx: Tx,
  environmentId: string,
  batchId: string,
): Promise<RowOf<typeof printedColumns>> {
  const found = await selectOne(tx)`
    select ${printedColumns} from voucher_batches where environment_id = ${environmentId} and id = ${batchId}`
  if (found === undefined) throw new Error('A card has no batch.')
  return found
}

const totalColumns = list({
  value: sql.numeric`coalesce(sum(s.value), 0)`,
  price: sql.numeric`coalesce(sum(s.price), 0)`,
})

/** What was sold onto a voucher and the lost ones that it replaces, and what was paid for it. Undone sales are left out. */
export async function sumSold(tx: Tx, environmentId: string, voucherId: string): Promise<RowOf<typeof totalColumns>> {
  const totals = await selectOne(tx)`
    with recursive chain as (
      select ${voucherId}::uuid as id
      union all
      select v.id from chain c join vouchers v on v.environment_id = ${environmentId} and v.replaced_by = c.id
    )
    select ${totalColumns} from chain c
      join voucher_sales s on s.environment_id = ${environmentId} and s.voucher_id = c.id and s.kind in ('sale', 'reload')
      where not exists (select from voucher_sales u where u.environment_id = ${environmentId} and u.undoes = s.id)`
  if (totals === undefined) throw new Error('A sum has no row.')
  return totals
}
