import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApiWorld } from '../../server/local/test/api-world.ts'
import { createChainWorld } from '../../server/local/test/chain-world.ts'
import { followGuide } from '../../server/local/test/guide.ts'
import { createTestDatabase } from '../../server/local/test/test-database.ts'
import { addPerson } from '../../server/local/test/visitor.ts'
import { createLog } from '../../server/src/base/log.ts'
import { startJobs } from '../../server/src/base/jobs.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'

// How many responses each page shows, and whether its shop pays fees.
test.each([
  { page: 'webhooks.md', responses: 8, hasFees: false },
  { page: 'payments.md', responses: 8, hasFees: false },
  { page: 'payouts.md', responses: 4, hasFees: false },
  { page: 'invoices.md', responses: 8, hasFees: false },
  { page: 'reserve-at-checkout.md', responses: 11, hasFees: true },
  { page: 'sell-vouchers.md', responses: 9, hasFees: false },
  { page: 'reports.md', responses: 4, hasFees: false },
])('every command on $page returns the response on the page', async ({ page, responses, hasFees }) => {
  const world = await createApiWorld((await createTestDatabase()).url)
  const worker = startJobs(world.jobs, createLog('silent'))
  try {
    if (hasFees) await world.charge()
    // The same user as in `npm run dev`.
    await addPerson(world, 'test', { email: 'ada@demo.example', username: 'ada' })
    await world.app.listen({ host: '127.0.0.1', port: 0 })
    expect(await followGuide(world, join(import.meta.dirname, page))).toBe(responses)
  } finally {
    await worker.stop()
    await world.close()
  }
})

// As in `npm run dev`: a local network that mines a block several times a second here.
test.each([
  { page: 'redeem.md', responses: 14, hasFees: true },
  { page: 'vouchers.md', responses: 21, hasFees: false },
])(
  'every command on $page returns the response on the page, with a network',
  async ({ page, responses, hasFees }) => {
    const world = await createChainWorld()
    const mining = setInterval(() => void world.ask('anvil_mine', '0x1').catch(() => undefined), 200)
    const worker = startJobs(world.jobs, createLog('silent'))
    try {
      if (hasFees) await world.charge()
      await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
      await world.app.listen({ host: '127.0.0.1', port: 0 })
      expect(await followGuide(world, join(import.meta.dirname, page))).toBe(responses)
    } finally {
      await worker.stop()
      clearInterval(mining)
      await world.stop()
    }
  },
  120_000,
)
