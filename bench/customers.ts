// Every customer endpoint with 1,000,000 customers of one merchant, over the real API.
//   npm run bench -- customers [short]
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { createApiWorld } from '../server/local/test/api-world.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { connect } from '../server/src/base/db.ts'
import { makeManyCustomers } from '../server/local/test/many-customers.ts'
import { timeCases } from './time-cases.ts'

const total = process.argv.includes('short') ? 20_000 : 1_000_000

const postgres = await startPostgres({
  settings: { shared_buffers: '2GB', max_wal_size: '8GB', maintenance_work_mem: '1GB' },
})
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const world = await createApiWorld(url)
const { environmentId } = world.ours
const owner = await connect(ownerUrl)

await makeManyCustomers(owner, environmentId, total, world.newId)
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
