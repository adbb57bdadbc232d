import type { Tx } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import { execute, executeOne, raw, select, selectValue } from '../base/sql.ts'
import { spanOf } from '../http/pages.ts'
import { customerError } from './errors.ts'
import { fold, gramsOf } from './search.ts'

export type Customer = { readonly id: string; readonly email: string; readonly name: string }
export type CustomerPage = { readonly customers: Customer[]; readonly total: number }

function searchable(environmentId: string, { email, name }: Customer) {
  const folded = fold(`${name} ${email}`)
  return { emailKey: email.toLowerCase(), folded, grams: gramsOf(environmentId, folded) }
}

/** The database decides who was first with an e-mail; here it gets its name. */
async function namingConflict<T>(query: Promise<T>): Promise<T> {
  return query.catch((error: unknown) => {
    throw hasCode(error, '23505') ? customerError('CUSTOMER_EMAIL_TAKEN', { param: 'email' }, error) : error
  })
}

export async function insertCustomer(tx: Tx, environmentId: string, customer: Customer, at: Date): Promise<void> {
  const { id, email, name } = customer
  const { emailKey, folded, grams } = searchable(environmentId, customer)
  await namingConflict(execute(tx)`
    insert into customers (environment_id, id, email, name, email_key, folded, grams, created_at)
      values (${environmentId}, ${id}, ${email}, ${name}, ${emailKey}, ${folded}, ${grams}, ${at})`)
  await count(tx, environmentId, 1)
}

export async function updateCustomer(tx: Tx, environmentId: string, customer: Customer): Promise<boolean> {
  const { id, email, name } = customer
  const { emailKey, folded, grams } = searchable(environmentId, customer)
  return namingConflict(executeOne(tx)`
    update customers set email = ${email}, name = ${name}, email_key = ${emailKey}, folded = ${folded}, grams = ${grams}
      where environment_id = ${environmentId} and id = ${id}`)
}

export async function deleteCustomer(tx: Tx, environmentId: string, id: string): Promise<boolean> {
  const isThere = await executeOne(tx)`delete from customers where environment_id = ${environmentId} and id = ${id}`
  if (isThere) await count(tx, environmentId, -1)
  return isThere
}

async function count(tx: Tx, environmentId: string, change: 1 | -1): Promise<void> {
  await execute(tx)`
    insert into environment_counts (environment_id, counted, total) values (${environmentId}, 'customers', 1)
      on conflict (environment_id, counted) do update set total = environment_counts.total + ${change}`
}

/** A page, newest first. One behind the middle is read from the other end: the far end of a million is as near as this. */
export async function selectPage(tx: Tx, environmentId: string, page: number, limit: number): Promise<CustomerPage> {
  const counted = await selectValue<bigint>(tx)`
    select total from environment_counts where environment_id = ${environmentId} and counted = 'customers'`
  const total = Number(counted ?? 0n)
  const { take, offset, order } = spanOf(total, page, limit)
  const customers = await select<Customer>(tx)`
    select id, email, name from customers where environment_id = ${environmentId} and id = any(array(
        select id from customers where environment_id = ${environmentId}
        order by id ${raw(order)} limit ${take} offset ${offset}))
      order by id desc`
  return { customers, total }
}

/** What a search counts and pages through at the most. */
const foundMax = 1_000
/** Fewer than three letters are found in nearly everything: they are looked for among the newest only. */
const newestMax = 10_000

export async function searchPage(tx: Tx, environmentId: string, term: string, page: number, limit: number) {
  const grams = gramsOf(environmentId, term)
  const rows =
    grams.length > 0
      ? await select<Customer>(tx)`select id, email, name from search_customers(${grams}, ${term}, ${foundMax})`
      : await select<Customer>(tx)`
          select id, email, name from (
            select id, email, name, folded from customers where environment_id = ${environmentId}
            order by id desc limit ${newestMax}
          ) newest where strpos(folded, ${term}) > 0 limit ${foundMax}`
  return { customers: rows.slice((page - 1) * limit, page * limit), total: rows.length }
}
