// A merchant with many customers, inserted directly: through the API a million would take half an hour.
import type { Db } from '../../src/base/db.ts'
import type { NewId } from '../../src/base/id.ts'
import { fold, gramsOf } from '../../src/identity/customer/search.ts'

const first = ['Ada', 'Zoë', 'Chidi', 'Ngozi', 'Kofi', 'Amara', 'Jürgen', 'María', 'Tunde', 'Wanjiru']
const last = ['Okafor', 'Müller', 'Mensah', 'García', 'Otieno', 'Smith', 'Dlamini', 'Diallo', 'Haile', 'Nkosi']
const rowsAtOnce = 10_000

/** A hundred names, with an email address for each customer: customer.0@example.com, and so on. */
export async function makeManyCustomers(owner: Db, environmentId: string, total: number, newId: NewId): Promise<void> {
  // The search index is built afterwards.
  await owner.query('drop index customers_by_gram')
  for (let from = 0; from < total; from += rowsAtOnce) {
    const rows = Array.from({ length: Math.min(rowsAtOnce, total - from) }, (_, i) => {
      const n = from + i
      const name = `${first[n % 10]} ${last[Math.floor(n / 10) % 10]}`
      const email = `customer.${n}@example.com`
      const folded = fold(`${name} ${email}`)
      return { id: newId(), email, name, folded, grams: `{${gramsOf(environmentId, folded).join(',')}}` }
    })
    const columns = (['id', 'email', 'name', 'folded', 'grams'] as const).map((column) =>
      rows.map((row) => row[column]),
    )
    await owner.query(
      `insert into customers (environment_id, id, email, name, email_key, folded, grams, created_at)
        select $1, id, email, name, email, folded, grams::bigint[], '2026-01-01'
        from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) as row (id, email, name, folded, grams)`,
      [environmentId, ...columns],
    )
  }
  await owner.query(`insert into environment_counts values ($1, 'customers', $2)`, [environmentId, total])
  await owner.query('create index customers_by_gram on customers using gin (grams) with (fastupdate = off)')
  await owner.query('vacuum analyze customers')
}
