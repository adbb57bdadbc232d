import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApiWorld } from '../../server/local/api-world.ts'
import { followGuide } from '../../server/local/guide.ts'
import { createTestDatabase } from '../../server/local/test-database.ts'
import { addPerson } from '../../server/local/visitor.ts'
import { createLog } from '../../server/src/base/log.ts'
import { startSweeps } from '../../server/src/base/sweep.ts'

// How many answers each page shows, and whether its shop has charges.
test.each([
  { page: 'redeem.md', answers: 11, hasCharges: true },
  { page: 'vouchers.md', answers: 11, hasCharges: false },
  { page: 'webhooks.md', answers: 8, hasCharges: false },
  { page: 'payments.md', answers: 8, hasCharges: false },
  { page: 'invoices.md', answers: 8, hasCharges: false },
])('every command on $page answers what the page says', async ({ page, answers, hasCharges }) => {
  const world = await createApiWorld((await createTestDatabase()).url)
  const worker = startSweeps(world.sweeps, createLog('silent'))
  try {
    if (hasCharges) await world.charge()
    // As `npm run dev` has her.
    await addPerson(world, 'test', { email: 'ada@demo.example', username: 'ada' })
    await world.app.listen({ host: '127.0.0.1', port: 0 })
    expect(await followGuide(world, join(import.meta.dirname, page))).toBe(answers)
  } finally {
    await worker.stop()
    await world.close()
  }
})
