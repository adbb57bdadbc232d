import type { Tx } from '../../base/db.ts'
import { hasCode } from '../../base/errors.ts'
import { execute, executeOne, list, raw, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { spanOf } from '../../http/pages.ts'
import { customerError } from './errors.ts'
import { fold, gramsOf } from './search.ts'

const customers = defineTable('customers', {
  environmentId: sql.uuid,
  id: sql.uuid,
  email: sql.text,
  name: sql.text,
  emailKey: sql.text,
  folded: sql.text,
  grams: sql.bigints,
  createdAt: sql.timestamptz,
})
const customerColumns = list(customers.columns('', 'id', 'email', 'name'))
export type Customer = RowOf<typeof customerColumns>
export type CustomerPage = { readonly customers: Customer[]; readonly total: number }

function searchable(
  environmentId: string,
  { email, name }: Customer,
): { emailKey: string; folded: string; grams: bigint[] } {
  const folded = fold(`${name} ${email}`)
  return { emailKey: email.toLowerCase(), folded, grams: gramsOf(environmentId, folded) }
}

/** Names the conflict when another customer has the same email address. */
async function namingConflict<T>(query: Promise<T>): Promise<T> {
  return query.catch((error: unknown) => {
    throw hasCode(error, '23505') ? customerError('CUSTOMER_EMAIL_TAKEN', { param: 'email' }, error) : error
  })
}

export async function insertCustomer(tx: Tx, environmentId: string, customer: Customer, at: Date): Promise<void> {
  const { id, email, name } = customer
  const row = { environmentId, id, email, name, ...searchable(environmentId, customer), createdAt: at }
  await namingConflict(execute(tx)`${insertInto(customers, row)}`)
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

export async function isCustomer(tx: Tx, environmentId: string, id: string): Promise<boolean> {
  return executeOne(tx)`select from customers where environment_id = ${environmentId} and id = ${id}`
}

/** How many of these addresses, in lower case, belong to customers. */
export async function countKnown(tx: Tx, environmentId: string, emailKeys: readonly string[]): Promise<number> {
  const known = await selectValue(tx)`
    select ${sql.integer`count(*)::integer`} from customers
      where environment_id = ${environmentId} and email_key = any(${emailKeys}::text[])`
  return known ?? 0
}

/** Adds customers, except those whose address is known. Returns how many were added. */
export async function insertCustomers(
  tx: Tx,
  environmentId: string,
  added: readonly Customer[],
  at: Date,
): Promise<number> {
  // Sorted, so that two imports of the same addresses wait for each other and do not deadlock.
  const rows = added
    .map((customer) => ({ ...customer, ...searchable(environmentId, customer) }))
    .toSorted((a, b) => (a.emailKey < b.emailKey ? -1 : 1))
  const all = <Key extends keyof (typeof rows)[number]>(key: Key) => rows.map((row) => row[key])
  const inserted = await execute(tx)`
    insert into customers (environment_id, id, email, name, email_key, folded, grams, created_at)
      select ${environmentId}, new.id, new.email, new.name, new.email_key, new.folded, new.grams::bigint[], ${at}
      from unnest(${all('id')}::uuid[], ${all('email')}::text[], ${all('name')}::text[], ${all('emailKey')}::text[],
        ${all('folded')}::text[], ${rows.map(({ grams }) => `{${grams.join(',')}}`)}::text[])
        as new (id, email, name, email_key, folded, grams)
      on conflict (environment_id, email_key) do nothing`
  await count(tx, environmentId, inserted)
  return inserted
}

const listedColumns = list(customers.columns('', 'id', 'email', 'name', 'createdAt'))
export type ListedCustomer = RowOf<typeof listedColumns>

export async function findCustomer(tx: Tx, environmentId: string, id: string): Promise<ListedCustomer | undefined> {
  return selectOne(tx)`
    select ${listedColumns} from customers where environment_id = ${environmentId} and id = ${id}`
}

/** Newest first. A search finds the newest thousand matches at most, as the merchant API does. */
export async function listCustomers(
  tx: Tx,
  environmentId: string,
  search: string,
  before: string,
  limit: number,
): Promise<ListedCustomer[]> {
  const term = fold(search)
  if (term === '')
    return select(tx)`
      select ${listedColumns} from customers where environment_id = ${environmentId} and id < ${before}
        order by id desc limit ${limit}`
  const found = await searchPage(tx, environmentId, { term, seesEmails: true, page: 1, limit: foundMax })
  const ids = found.customers.map(({ id }) => id).filter((id) => id < before)
  return select(tx)`
    select ${listedColumns} from customers where environment_id = ${environmentId} and id = any(${ids}::uuid[])
      order by id desc limit ${limit}`
}

export async function countCustomers(tx: Tx, environmentId: string): Promise<number> {
  const total = await selectValue(tx)`
    select ${sql.bigint`total`} from environment_counts where environment_id = ${environmentId} and counted = 'customers'`
  return Number(total ?? 0n)
}

const environmentCounts = defineTable('environment_counts', {
  environmentId: sql.uuid,
  counted: sql.text,
  total: sql.bigint,
})

async function count(tx: Tx, environmentId: string, change: number): Promise<void> {
  await execute(tx)`
    ${insertInto(environmentCounts, { environmentId, counted: 'customers', total: BigInt(Math.max(0, change)) })}
      on conflict (environment_id, counted) do update set total = environment_counts.total + ${change}`
}

/** Lists a page, newest first. Pages in the second half are read from the other end, so the last page is as fast as the first. */
export async function selectPage(tx: Tx, environmentId: string, page: number, limit: number): Promise<CustomerPage> {
  const total = await countCustomers(tx, environmentId)
  const { take, offset, order } = spanOf(total, page, limit)
  const found = await select(tx)`
    select ${customerColumns} from customers where environment_id = ${environmentId} and id = any(array(
        select id from customers where environment_id = ${environmentId}
        order by id ${raw(order)} limit ${take} offset ${offset}))
      order by id desc`
  return { customers: found, total }
}

/** The most results that a search counts and pages through. */
const foundMax = 1_000
/** Fewer than three letters match nearly everything, so only the newest customers are searched. */
const newestMax = 10_000

type Search = { readonly term: string; readonly seesEmails: boolean; readonly page: number; readonly limit: number }

/** Callers who see masked addresses find only complete ones: otherwise a search could reveal them letter by letter. */
export async function searchPage(tx: Tx, environmentId: string, search: Search): Promise<CustomerPage> {
  const { term, seesEmails, page, limit } = search
  const grams = gramsOf(environmentId, term)
  const rows =
    grams.length > 0
      ? await select(tx)`select ${customerColumns} from search_customers(${grams}, ${term}, ${foundMax})`
      : await select(tx)`
          select ${customerColumns} from (
            select id, email, name, folded from customers where environment_id = ${environmentId}
            order by id desc limit ${newestMax}
          ) newest where strpos(folded, ${term}) > 0 limit ${foundMax}`
  const isNamed = ({ name, email }: Customer): boolean => fold(name).includes(term) || fold(email) === term
  const found = seesEmails ? rows : rows.filter(isNamed)
  return { customers: found.slice((page - 1) * limit, page * limit), total: found.length }
}
