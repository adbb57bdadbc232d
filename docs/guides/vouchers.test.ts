import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../server/local/api-world.ts'
import { followGuide } from '../../server/local/guide.ts'
import { createTestDatabase } from '../../server/local/test-database.ts'
import { startSweeps } from '../../server/src/base/sweep.ts'
import { createLog } from '../../server/src/base/log.ts'

let world: ApiWorld
let worker: { stop: () => Promise<void> }
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  worker = startSweeps(world.sweeps, createLog('silent'))
  await world.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await worker.stop()
  await world.close()
})

test('every command on the page answers what the page says', async () => {
  expect(await followGuide(world, join(import.meta.dirname, 'vouchers.md'))).toBe(11)
})
