// Every list of invoices with 100,000 invoices of one merchant, over the real API.
//   npm run bench -- invoices [short]
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { createApiWorld } from '../server/local/test/api-world.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { connect } from '../server/src/base/db.ts'
import { ensureBook } from '../server/src/ledger/book.ts'
import { timeCases } from './time-cases.ts'

const total = process.argv.includes('short') ? 5_000 : 100_000
const chunk = 5_000
// Of ten invoices, six are approved, one is rejected and three are pending.
const statuses = [
  'Approved',
  'Approved',
  'Pending',
  'Approved',
  'Rejected',
  'Pending',
  'Approved',
  'Approved',
  'Pending',
  'Approved',
]
const linesEach = 3

const postgres = await startPostgres({ settings: { shared_buffers: '512MB' } })
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const world = await createApiWorld(url)
const { environmentId } = world.ours
const bookId = await ensureBook(world.pool, 'test', 'USD')
const owner = await connect(ownerUrl)

// Loaded as the owner: through the API it would take minutes.
for (let from = 0; from < total; from += chunk) {
  const ids = Array.from({ length: chunk }, () => world.newId())
  await owner.query(
    `insert into invoices (environment_id, id, number, status, email, full_name, book_id, total, network, invoice_date, due_date,
        decided_at, created_at)
      select $1, id, '2026-' || lpad((n + $3)::text, 6, '0'), status, 'i' || n % 500 || '@example.com', 'Ivy Submitter', $4, 1500,
        'BSC', '2026-01-01', '2026-02-01', case when status <> 'Pending' then timestamptz '2026-01-02' end, '2026-01-01'
      from unnest($2::uuid[], $5::text[]) with ordinality as row (id, status, n)`,
    [environmentId, ids, from, bookId, ids.map((_, i) => statuses[i % statuses.length])],
  )
  await owner.query(
    `insert into invoice_items (environment_id, invoice_id, id, position, description, quantity, unit_price, total)
      select $1, invoice, gen_random_uuid(), position, 'Work', 1, 500, 500
      from unnest($2::uuid[]) as invoice, generate_series(1, $3) as position`,
    [environmentId, ids, linesEach],
  )
}
const countOf = (status: string): number =>
  (total * statuses.filter((each) => each === status).length) / statuses.length
for (const counted of ['Pending', 'Approved', 'Rejected'])
  await owner.query('insert into environment_counts values ($1, $2, $3)', [environmentId, counted, countOf(counted)])
await owner.query(`insert into environment_counts values ($1, 'invoices', $2)`, [environmentId, total])
await owner.query('vacuum analyze invoices, invoice_items')
await owner.end()

const list = '/merchant-integrations-server/fetch-invoice'
const cases: [string, string][] = [
  ['first page', list],
  ['middle page', `${list}?page=${total / 200}&limit=100`],
  ['last page', `${list}?page=${total / 100}&limit=100`],
  ...['Pending', 'Approved', 'Rejected'].flatMap((filter): [string, string][] => [
    [`${filter}, first page`, `${list}?filter=${filter}&limit=100`],
    [`${filter}, middle page`, `${list}?filter=${filter}&limit=10&page=${countOf(filter) / 20}`],
  ]),
]
const { slowestMs } = await timeCases(cases.map(([name, path]) => [name, () => world.call('GET', path)] as const))
await world.close()
await postgres.stop()
console.log(`invoices total=${total} slowest_median_ms=${slowestMs.toFixed(1)}`)
