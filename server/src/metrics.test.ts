import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiProcess, startApi } from '../local/drill/api-process.ts'
import { drillSettings, openShop } from '../local/drill/shop.ts'
import { cloneTemplate, createTemplate } from '../local/parts/database.ts'
import { type LocalPostgres, startPostgres } from '../local/parts/postgres.ts'
import { connect, createPool } from './base/db.ts'
import { systemRandom } from './base/random.ts'
import { gaugeReadings } from './reporting/metrics/database-gauges.ts'

// A server of its own, because a test freezes it.
let postgres: LocalPostgres
let api: ApiProcess
let workers: ApiProcess[]
let url: string
let ownerUrl: string
beforeAll(async () => {
  postgres = await startPostgres()
  ;({ url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl)))
  await fillGauges()
  const settings = drillSettings(url, systemRandom(32))
  api = await startApi(settings)
  workers = [await startApi(settings, 'worker'), await startApi(settings, 'worker')]
}, 180_000)
afterAll(async () => {
  await Promise.all([api, ...workers].map((each) => each.stop()))
  await postgres.stop()
})

/** A row for each gauge with labels. */
async function fillGauges(): Promise<void> {
  const pool = createPool(ownerUrl, 1)
  const { environmentId } = await openShop(pool, systemRandom(32), 'SHOP')
  const now = `'${new Date().toISOString()}'::timestamptz`
  await pool.query(`
    insert into exchange_rates values ('ETH', 'USD', 'manual', 2000, ${now});
    update networks set is_active = true, factory = '0x${'1'.repeat(40)}', treasury = '0x${'2'.repeat(40)}',
      sweeper_hash = '0x${'3'.repeat(64)}' where abbreviation = 'LOCAL';
    insert into chain_blocks select id, 7, '0x7', '0x6', ${now} from networks where abbreviation = 'LOCAL';
    insert into chain_finality select id, 5, ${now}, ${now}, 1 from networks where abbreviation = 'LOCAL';
    insert into ledger_books (mode, currency) values ('test', 'USD') on conflict do nothing;
    insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
      select id, '${environmentId}', 'exchange', true from ledger_books where mode = 'test' and currency = 'USD';
    insert into outflow_hours values ('${environmentId}', date_trunc('hour', ${now}), 12345);
    insert into outflows select '${environmentId}', gen_random_uuid(), 'payout', 'r', id, 2500, 2500,
      date_trunc('hour', ${now}), 'ada', null, true, false, null, ${now} + interval '1 day', 'sealed', null, null, ${now}
      from ledger_books where mode = 'test' and currency = 'USD'`)
  await pool.end()
}

async function scrape({ internalUrl }: ApiProcess): Promise<string> {
  return (await fetch(`${internalUrl}/metrics`)).text()
}

async function scrapeAll(): Promise<string> {
  return (await Promise.all([api, ...workers].map(scrape))).join('\n')
}

async function untilRead(): Promise<void> {
  await expect.poll(scrapeAll, { timeout: 30_000 }).toMatch(/^scrip_outflow_day_amount\{/m)
}

type Described = Record<string, { type: string; labels: string[] }>

/** What the scrapes have, by name. */
function describeScrape(scraped: string): Described {
  const found: Described = {}
  for (const [, name = '', type = ''] of scraped.matchAll(/^# TYPE (\S+) (\S+)$/gm)) found[name] = { type, labels: [] }
  for (const [, sample = '', labels = ''] of scraped.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const name = found[sample] === undefined ? sample.replace(/_(?:bucket|sum|count)$/, '') : sample
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label).filter((label) => label !== 'le')
    const metric = found[name]
    if (metric !== undefined) metric.labels = [...new Set([...metric.labels, ...names])]
  }
  return found
}

function describePage(): Described {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/metrics.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (.+?) \| .+ \|$/gm)]
  return Object.fromEntries(
    rows.map(([, name = '', type = '', labels = '']) => {
      return [name, { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) }]
    }),
  )
}

const sorted = (described: Described): Described =>
  Object.fromEntries(Object.entries(described).map(([name, one]) => [name, { ...one, labels: one.labels.toSorted() }]))

test('the page of metrics lists what an API and a worker serve, with types and labels, and nothing else', async () => {
  await untilRead()
  await fetch(`${api.baseUrl}/health/ready`)
  const served = describeScrape(await scrapeAll())
  const page = describePage()
  const isOurs = ([name]: readonly [string, unknown]): boolean => name.startsWith('scrip_')
  const ours = (described: Described): Described => sorted(Object.fromEntries(Object.entries(described).filter(isOurs)))
  expect(Object.keys(page).length).toBeGreaterThan(40)
  expect(ours(page)).toEqual(ours(served))
  for (const name of Object.keys(page)) expect(served[name], name).toBeDefined()
})

test('gauges of the database are in major units, and one worker has them', async () => {
  await untilRead()
  const scraped = await Promise.all(workers.map(scrape))
  const [reader, ...others] = scraped.filter((text) => text.includes('scrip_outflow_day_amount{'))
  expect(others).toEqual([])
  expect(reader).toContain('scrip_outflow_day_amount{mode="test",currency="USD"} 123.45')
  expect(reader).toContain('scrip_outflow_waiting_amount{mode="test",currency="USD"} 25')
  expect(reader).toContain('scrip_rate_max_age_seconds{base="ETH",quote="USD",source="manual"} 300')
  expect(reader).toContain('scrip_chain_unfinal_blocks{network="LOCAL"} 2')
  expect(await scrape(api)).not.toContain('scrip_outflow_day_amount{')
})

test('no statement of the gauges reads all of a table that grows', async () => {
  const admin = await connect(new URL(new URL(url).pathname, postgres.adminUrl).href)
  await admin.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
    set client_min_messages = log`)
  const plans: string[] = []
  admin.on('notice', ({ message }) => plans.push(message ?? ''))
  for (const { read } of gaugeReadings) await read(Object.assign(admin, { inTransaction: true as const }), new Date())
  await admin.end()
  expect(plans.length).toBeGreaterThan(gaugeReadings.length)
  const grows =
    /Seq Scan on (?:webhook_deliveries|ledger_\w*(?<!books)|mails|pushes|outflows|outflow_hours|chain_blocks|chain_sends)\b/
  expect(plans.filter((plan) => grows.test(plan))).toEqual([])
})

test('on a frozen database a scrape replies at once, without the gauges of the database, and says so', async () => {
  postgres.freeze()
  try {
    await expect
      .poll(async () => (await scrapeAll()).match(/^scrip_metrics_database_up .$/gm)?.join(), { timeout: 60_000 })
      .toBe('scrip_metrics_database_up 0,scrip_metrics_database_up 0')
    const startMs = performance.now()
    const scraped = await scrapeAll()
    expect(performance.now() - startMs).toBeLessThan(1_000)
    expect(scraped).not.toMatch(/^scrip_outflow_day_amount\{/m)
    expect(scraped.match(/^scrip_database_up .$/gm)).toEqual(Array.from({ length: 3 }, () => 'scrip_database_up 0'))
  } finally {
    postgres.thaw()
  }
  await untilRead()
}, 120_000)
