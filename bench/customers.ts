// Every customer endpoint with 1,000,000 customers of one merchant, over the real API.
//   npm run bench -- customers [short]
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { createApiWorld } from '../server/local/test/api-world.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { connect } from '../server/src/base/db.ts'
import { fold, gramsOf } from '../server/src/identity/customer/search.ts'
import { timeCases } from './time-cases.ts'

const total = process.argv.includes('short') ? 20_000 : 1_000_000
const chunk = 10_000

const postgres = await startPostgres({
  settings: { shared_buffers: '2GB', max_wal_size: '8GB', maintenance_work_mem: '1GB' },
})
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const world = await createApiWorld(url)
const { environmentId } = world.ours
const owner = await connect(ownerUrl)

// Loaded as the owner, and the search index is built afterwards: through the API a million would take half an hour.
const first = ['Ada', 'Zoë', 'Chidi', 'Ngozi', 'Kofi', 'Amara', 'Jürgen', 'María', 'Tunde', 'Wanjiru']
const last = ['Okafor', 'Müller', 'Mensah', 'García', 'Otieno', 'Smith', 'Dlamini', 'Diallo', 'Haile', 'Nkosi']
await owner.query('drop index customers_by_gram')
for (let from = 0; from < total; from += chunk) {
  const rows = Array.from({ length: chunk }, (_, i) => {
    const n = from + i
    const name = `${first[n % 10]} ${last[Math.floor(n / 10) % 10]}`
    const email = `customer.${n}@example.com`
    const folded = fold(`${name} ${email}`)
    return { id: world.newId(), email, name, folded, grams: `{${gramsOf(environmentId, folded).join(',')}}` }
  })
  await owner.query(
    `insert into customers (environment_id, id, email, name, email_key, folded, grams, created_at)
      select $1, id, email, name, email, folded, grams::bigint[], '2026-01-01'
      from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) as row (id, email, name, folded, grams)`,
    [
      environmentId,
      ...(['id', 'email', 'name', 'folded', 'grams'] as const).map((column) => rows.map((row) => row[column])),
    ],
  )
}
await owner.query(`insert into environment_counts values ($1, 'customers', $2)`, [environmentId, total])
await owner.query('create index customers_by_gram on customers using gin (grams) with (fastupdate = off)')
await owner.query('vacuum analyze customers')
await owner.end()

const list = '/merchant-integrations/fetch-customers'
const server = '/merchant-integrations-server'
let made = 0
const cases: [string, () => ReturnType<typeof world.call>][] = [
  ['list, first page', () => world.call('GET', list)],
  ['list, middle page', () => world.call('GET', `${list}?page=${total / 20}&limit=10`)],
  ['list, last page', () => world.call('GET', `${list}?page=${total / 100}&limit=100`)],
  ['search, one customer', () => world.call('GET', `${list}?search=customer.${Math.floor(total / 3)}@`)],
  ['search, a name of many', () => world.call('GET', `${list}?search=zoe%20muller`)],
  ['search, in all of them', () => world.call('GET', `${list}?search=example.com`)],
  ['search, in none', () => world.call('GET', `${list}?search=nobody%20has%20this`)],
  ['search, common letters, in none', () => world.call('GET', `${list}?search=omexam`)],
  ['search, two letters', () => world.call('GET', `${list}?search=zo`)],
  [
    'add',
    () =>
      world.call('POST', `${server}/add-new-customer`, { body: { email: `new.${made++}@example.com`, name: 'New' } }),
  ],
]
const { slowestMs } = await timeCases(cases)
await world.close()
await postgres.stop()
console.log(`customers total=${total} slowest_median_ms=${slowestMs.toFixed(1)}`)
