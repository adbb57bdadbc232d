import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { withEnvironment } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { ensureBook } from '../ledger/book.ts'
import { insertDocument } from '../ledger/document.ts'
import { freeTransaction, moveTransaction } from '../payments/transaction/store.ts'
import { readDays, readRange } from './days.ts'
import { sumDays } from './figures.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

const moveTo = (zone: string) => world.pool.query('update merchants set time_zone = $1', [zone])

test.for([
  // Clocks are set back over midnight: the day starts at the first of two midnights.
  ['Atlantic/Azores', '2026-10-25T00:30:00Z', '2026-10-25T00:00:00.000Z', '2026-10-26T01:00:00.000Z'],
  ['Europe/Paris', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['Europe/Paris', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['Africa/Lagos', '2026-11-15T23:30:00Z', '2026-11-15T23:00:00.000Z', '2026-11-16T23:00:00.000Z'],
] as const)('a day in %s at %s starts and ends at local midnight', async ([zone, at, starts, ends]) => {
  await moveTo(zone)
  const [today] = await readDays(world.pool, world.ours.merchantId, new Date(at), 1)
  expect([today?.from, today?.below].map((id) => timeOfId(id ?? '').toISOString())).toEqual([starts, ends])
  const name = today?.name
  const range = await readRange(world.pool, world.ours.merchantId, { from: name, until: name })
  expect(range).toEqual({ from: today?.from, below: today?.below })
})

test('a reversal removes its amount from the stored totals of a past day, also during a concurrent read', async () => {
  await moveTo('Africa/Lagos')
  const { environmentId, merchantId } = world.ours
  const bookId = await ensureBook(world.pool, 'test', 'USD')
  const id = world.newId()
  const document = freeTransaction('WALLET_DEPOSIT', 'undone', {
    environmentId,
    id,
    bookId,
    amount: 5_000n,
  })
  await withEnvironment(world.pool, environmentId, (tx) => insertDocument(tx, document))
  const later = new Date(timeOfId(id).getTime() + 2 * 86_400_000)
  const look = async () => {
    const days = await readDays(world.pool, merchantId, later, 5)
    return withEnvironment(world.pool, environmentId, (tx) => sumDays(tx, environmentId, days, later))
  }
  expect((await look()).map(({ amount }) => amount)).toEqual([5_000n])
  // A concurrent reader waits and stores no outdated total.
  let seen: ReturnType<typeof look> | undefined
  await withEnvironment(world.pool, environmentId, async (tx) => {
    await moveTransaction(tx, { environmentId, id }, 'REVERSED', later)
    seen = look()
    await new Promise((resolve) => setTimeout(resolve, 200))
  })
  expect(await seen).toEqual([])
  expect(await look()).toEqual([])
})
