import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLedgerWorld, type LedgerWorld } from '../../local/test/ledger-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { inTransaction } from '../base/db.ts'
import { lockAccountsOf } from './lock.ts'
import { openLedger } from './post.ts'

let world: LedgerWorld
beforeAll(async () => {
  world = await createLedgerWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

test('a journal has an age from when it is posted until it is committed, also while it waits for a locked account', async () => {
  const [voucher, merchant] = [await world.funded('voucher', 100n), await world.open('merchant')]
  const ledger = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
  const waiting = (): string[] => ledger.queues().flatMap(({ lane, ageMs }) => (ageMs > 0 ? [lane] : []))
  const seen = new Set<string>()
  let posted: Promise<unknown> = Promise.resolve()
  await inTransaction(world.pool, async (tx) => {
    await lockAccountsOf(tx, [voucher])
    posted = ledger.post(world.journal(world.move(voucher, merchant, 1n)))
    await expect
      .poll(
        () => {
          for (const lane of waiting()) seen.add(lane)
          return seen.has('set_aside')
        },
        { timeout: 5_000, interval: 5 },
      )
      .toBe(true)
  })
  // First in its lane's batch, then apart.
  expect([...seen].filter((lane) => /^\d$/.test(lane))).toHaveLength(1)
  await posted
  await expect.poll(() => ledger.queues().filter(({ length, ageMs }) => length > 0 || ageMs > 0)).toEqual([])
  const { sizes, seconds } = ledger.stats
  expect(sizes.sum).toBeGreaterThanOrEqual(2)
  expect(seconds.oneRound.counts.reduce((sum, count) => sum + count, 0)).toBe(1)
  await ledger.close()
})

test('batches that one round could not post are counted', async () => {
  const [voucher, merchant] = [await world.funded('voucher', 1n), await world.open('merchant')]
  const ledger = openLedger({ url: world.url, clock: world.clock, newId: world.newId, lanes: 1 })
  const journals = [1, 2].map(() => world.journal(world.move(voucher, merchant, 1n)))
  await Promise.allSettled(journals.map((journal) => ledger.post(journal)))
  expect(ledger.stats.careful).toBe(1)
  await ledger.close()
})
