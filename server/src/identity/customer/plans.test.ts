import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { connect, type Connection } from '../../base/db.ts'
import { fold, gramsOf } from './search.ts'

let world: ApiWorld
let owner: Connection
const total = 20_000

beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url)
  owner = await connect(ownerUrl)
  const { environmentId } = world.ours
  const rows = Array.from({ length: total }, (_, n) => {
    const folded = fold(`Ada Number ${n} customer.${n}@example.com`)
    return {
      id: world.newId(),
      email: `customer.${n}@example.com`,
      folded,
      grams: `{${gramsOf(environmentId, folded).join(',')}}`,
    }
  })
  await owner.query(
    `insert into customers (environment_id, id, email, name, email_key, folded, grams, created_at)
      select $1, id, email, 'Ada', email, folded, grams::bigint[], '2026-01-01'
      from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as row (id, email, folded, grams)`,
    [environmentId, ...(['id', 'email', 'folded', 'grams'] as const).map((column) => rows.map((row) => row[column]))],
  )
  await owner.query(`insert into environment_counts values ($1, 'customers', $2)`, [environmentId, total])
  await owner.query('vacuum analyze customers')
}, 120_000)
afterAll(async () => {
  await owner.end()
  await world.close()
})

const scans = async (): Promise<bigint> => {
  await owner.query('select pg_stat_clear_snapshot()')
  const { rows } = await owner.query<{ seq_scan: bigint }>(
    `select seq_scan from pg_stat_user_tables where relname = 'customers'`,
  )
  return rows[0]?.seq_scan ?? -1n
}
// Sessions report their statistics about a second after their last statement.
const settled = () => new Promise((resolve) => setTimeout(resolve, 2_500))

test('no customer endpoint reads the whole table', async () => {
  const list = '/merchant-integrations/fetch-customers'
  const server = '/merchant-integrations-server'
  await settled()
  const before = await scans()
  const replies = [
    await world.call('GET', list),
    await world.call('GET', `${list}?page=${total / 20}`),
    await world.call('GET', `${list}?page=${total / 100}&limit=100`),
    await world.call('GET', `${list}?search=customer.777@`),
    await world.call('GET', `${list}?search=example.com`),
    await world.call('GET', `${list}?search=nobody%20has%20this`),
    await world.call('GET', `${list}?search=ad`),
    await world.call('POST', `${server}/add-new-customer`, { body: { email: 'new@example.com', name: 'New' } }),
  ]
  const { id } = (JSON.parse(replies[3]!.text) as { data: { customer: { id: string }[] } }).data.customer[0]!
  replies.push(
    await world.call('POST', `${server}/update-customer`, {
      body: { id, email: 'changed@example.com', name: 'Changed' },
    }),
  )
  replies.push(await world.call('DELETE', `/merchant-integrations/delete-customer/${id}`))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  await settled()
  expect(await scans()).toBe(before)

  // Check that the test would detect a sequential scan.
  await owner.query(
    'begin; set local enable_indexscan = off; set local enable_bitmapscan = off; set local enable_indexonlyscan = off',
  )
  await owner.query(`select count(*) from customers where email_key = 'x'`)
  await owner.query('commit')
  await settled()
  expect(await scans()).toBeGreaterThan(before)
}, 60_000)
