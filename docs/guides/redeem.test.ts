import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../server/local/api-world.ts'
import { followGuide } from '../../server/local/guide.ts'
import { createTestDatabase } from '../../server/local/test-database.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  await world.charge()
  await world.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => world.close())

test('every command on the page answers what the page says', async () => {
  expect(await followGuide(world, join(import.meta.dirname, 'redeem.md'))).toBe(11)
})
