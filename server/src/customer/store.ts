import type { Tx } from '../base/db.ts'
import { execute, raw, select } from '../base/sql.ts'
import { spanOf } from '../http/pages.ts'
import { fold, gramsOf } from './search.ts'

export type Customer = { readonly id: string; readonly email: string; readonly name: string }
export type CustomerPage = { readonly customers: Customer[]; readonly total: number }

function searchable(environmentId: string, { email, name }: Customer): [string, string, bigint[]] {
  const folded = fold(`${name} ${email}`)
  return [email.toLowerCase(), folded, gramsOf(environmentId, folded)]
}

export async function insertCustomer(tx: Tx, environmentId: string, customer: Customer, at: Date): Promise<void> {
  await tx.query(
    `insert into customers (environment_id, id, email, name, email_key, folded, grams, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [environmentId, customer.id, customer.email, customer.name, ...searchable(environmentId, customer), at],
  )
  await count(tx, environmentId, 1)
}

export async function updateCustomer(tx: Tx, environmentId: string, customer: Customer): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update customers set email = $2, name = $3, email_key = $4, folded = $5, grams = $6 where environment_id = $7 and id = $1',
    [customer.id, customer.email, customer.name, ...searchable(environmentId, customer), environmentId],
  )
  return rowCount === 1
}

export async function deleteCustomer(tx: Tx, environmentId: string, id: string): Promise<boolean> {
  const rowCount = await execute(tx)`delete from customers where environment_id = ${environmentId} and id = ${id}`
  if (rowCount === 1) await count(tx, environmentId, -1)
  return rowCount === 1
}

async function count(tx: Tx, environmentId: string, change: 1 | -1): Promise<void> {
  await execute(tx)`
    insert into environment_counts (environment_id, counted, total) values (${environmentId}, 'customers', 1)
      on conflict (environment_id, counted) do update set total = environment_counts.total + ${change}`
}

/** A page, newest first. One behind the middle is read from the other end: the far end of a million is as near as this. */
export async function selectPage(tx: Tx, environmentId: string, page: number, limit: number): Promise<CustomerPage> {
  const counted = await tx.query<{ total: bigint }>(
    `select total from environment_counts where environment_id = $1 and counted = 'customers'`,
    [environmentId],
  )
  const total = Number(counted.rows[0]?.total ?? 0n)
  const { take, offset, order } = spanOf(total, page, limit)
  const rows = await select<Customer>(tx)`
    select id, email, name from customers where environment_id = ${environmentId} and id = any(array(
        select id from customers where environment_id = ${environmentId}
        order by id ${raw(order)} limit ${take} offset ${offset}))
      order by id desc`
  return { customers: rows, total }
}

/** What a search counts and pages through at the most. */
const foundMax = 1_000
/** Fewer than three letters are found in nearly everything: they are looked for among the newest only. */
const newestMax = 10_000

export async function searchPage(
  tx: Tx,
  environmentId: string,
  term: string,
  page: number,
  limit: number,
): Promise<CustomerPage> {
  const grams = gramsOf(environmentId, term)
  const { rows } =
    grams.length > 0
      ? await tx.query<Customer>('select id, email, name from search_customers($1, $2, $3)', [grams, term, foundMax])
      : await tx.query<Customer>(
          `select id, email, name from (
             select id, email, name, folded from customers where environment_id = $1 order by id desc limit ${newestMax}
           ) newest where strpos(folded, $2) > 0 limit $3`,
          [environmentId, term, foundMax],
        )
  return { customers: rows.slice((page - 1) * limit, page * limit), total: rows.length }
}
