import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiProcess, startApi } from '../local/drill/api-process.ts'
import { drillSettings } from '../local/drill/shop.ts'
import { cloneTemplate, createTemplate } from '../local/parts/database.ts'
import { type LocalPostgres, startPostgres } from '../local/parts/postgres.ts'
import { connect } from './base/db.ts'
import { systemRandom } from './base/random.ts'

// A server of its own, because the test freezes it.
let postgres: LocalPostgres
let api: ApiProcess
beforeAll(async () => {
  postgres = await startPostgres()
  const { url } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  api = await startApi(drillSettings(url, systemRandom(32)))
}, 180_000)
afterAll(async () => {
  await api.stop()
  await postgres.stop()
})

async function timed(url: string): Promise<{ status: number; ms: number }> {
  const startMs = performance.now()
  const { status } = await fetch(url)
  return { status, ms: performance.now() - startMs }
}

async function countConnections(): Promise<Record<string, number>> {
  const admin = await connect(postgres.adminUrl)
  const { rows } = await admin.query<{ name: string; count: bigint }>(
    `select application_name as name, count(*) from pg_stat_activity where application_name like 'scrip %' group by 1`,
  )
  await admin.end()
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]))
}

test('on a frozen database, readiness answers within a second, opens no more connections, and logs one outage', async () => {
  const urls = [`${api.baseUrl}/health/ready`, `${api.internalUrl}/health`]
  for (const url of urls) expect((await timed(url)).status).toBe(200)
  postgres.freeze()
  try {
    for (let round = 0; round < 8; round++) {
      const replies = await Promise.all([...urls, ...urls, ...urls].map(timed))
      for (const { status, ms } of replies) {
        expect(status).toBe(503)
        // The deadline, and what a busy machine adds.
        expect(ms).toBeLessThan(1_400)
      }
      expect((await timed(`${api.baseUrl}/health/live`)).ms).toBeLessThan(300)
    }
  } finally {
    postgres.thaw()
  }
  await expect.poll(async () => (await timed(`${api.baseUrl}/health/ready`)).status, { timeout: 10_000 }).toBe(200)
  // Connections that timed out meanwhile end first.
  await sleep(1_000)
  expect((await countConnections())['scrip api health']).toBe(1)
  await expect.poll(() => api.logs(), { timeout: 10_000 }).toContain('The database is back after')
  const lines = api.logs().split('\n')
  expect(lines.filter((line) => line.includes('The database does not respond'))).toHaveLength(1)
  expect(lines.find((line) => line.includes('does not respond'))).toMatch(/"level":40.*timeout/)
})

test('a stopped database is two lines of a process with all jobs, and every line names process and host', async () => {
  const { url } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const all = await startApi(drillSettings(url, systemRandom(32)), 'all')
  try {
    await sleep(1_000)
    await postgres.whileAway(async () => {
      // Every job that runs several times a second fails several times.
      await sleep(4_000)
      expect((await timed(`${all.baseUrl}/health/ready`)).status).toBe(503)
    })
    await expect.poll(() => all.logs(), { timeout: 20_000 }).toContain('The database is back after')
    await sleep(2_000)
    const lines = all.logs().trim().split('\n')
    expect(lines).toHaveLength(2)
    const [first, last] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(first).toMatchObject({ level: 40, process: 'all', host: hostname() })
    expect(first?.msg).toContain('not respond')
    expect(JSON.stringify(first?.err)).toMatch(/terminat|ECONN|57P01/)
    expect(last).toMatchObject({ level: 40, process: 'all', host: hostname() })
    expect(last?.msg).toMatch(/^The database is back after \d+ s, \d+ failures\.$/)
    expect(last?.failures).toBeGreaterThan(10)
  } finally {
    await all.stop()
  }
}, 120_000)
