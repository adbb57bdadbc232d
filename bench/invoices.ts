// Every list of invoices with 100,000 invoices of one merchant, over the real API.
//   npm run bench -- invoices [short]
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { createApiWorld } from '../server/local/test/api-world.ts'
import { countOfStatus, makeManyInvoices } from '../server/local/test/many-invoices.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { connect } from '../server/src/base/db.ts'
import { ensureBook } from '../server/src/ledger/book.ts'
import { timeCases } from './time-cases.ts'

const total = process.argv.includes('short') ? 5_000 : 100_000

const postgres = await startPostgres({ settings: { shared_buffers: '512MB' } })
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const world = await createApiWorld(url)
const { environmentId } = world.ours
const bookId = await ensureBook(world.pool, 'test', 'USD')
const owner = await connect(ownerUrl)

await makeManyInvoices(owner, environmentId, bookId, total, world.newId)
await owner.end()

const list = '/merchant-integrations-server/fetch-invoice'
const cases: [string, string][] = [
  ['first page', list],
  ['middle page', `${list}?page=${total / 200}&limit=100`],
  ['last page', `${list}?page=${total / 100}&limit=100`],
  ...['Pending', 'Approved', 'Rejected'].flatMap((filter): [string, string][] => [
    [`${filter}, first page`, `${list}?filter=${filter}&limit=100`],
    [`${filter}, middle page`, `${list}?filter=${filter}&limit=10&page=${countOfStatus(filter, total) / 20}`],
  ]),
]
const { slowestMs } = await timeCases(cases.map(([name, path]) => [name, () => world.call('GET', path)] as const))
await world.close()
await postgres.stop()
console.log(`invoices total=${total} slowest_median_ms=${slowestMs.toFixed(1)}`)
