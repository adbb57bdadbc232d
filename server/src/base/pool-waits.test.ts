import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { createPool } from './db.ts'
import { countWaits } from './pool-waits.ts'

test('only callers that find no free connection count as waiting, with the time until they get one', async () => {
  const pool = createPool((await createTestDatabase()).url, 1)
  const waits = countWaits(pool)
  await pool.query('select 1')
  expect(waits).toEqual({ count: 0, ms: 0 })
  const client = await pool.connect()
  const waiting = Promise.all([pool.query('select 1'), pool.connect().then((other) => other.release())])
  await sleep(60)
  client.release()
  await waiting
  expect(waits.count).toBe(2)
  expect(waits.ms).toBeGreaterThan(100)
  await pool.end()
})
