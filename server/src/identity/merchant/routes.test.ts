import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { asRole } from '../../../local/parts/database.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { systemClock } from '../../base/clock.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { HoldAct } from '../../ledger/journal.ts'
import { type Ledger, openLedger } from '../../ledger/post.ts'

let world: ApiWorld
let ledger: Ledger
beforeAll(async () => {
  const { url } = await createTestDatabase()
  world = await createApiWorld(url)
  ledger = openLedger({ url: asRole(url, 'scrip_operator'), clock: systemClock, newId: world.newId })
})
afterAll(async () => {
  await ledger.close()
  await world.close()
})

const balance = (code: string, as?: WorldMerchant) =>
  world.call('GET', `/merchant-integrations/fetch-balance?currencyAbbreviation=${code}`, { ...(as && { as }) })

async function fund(mode: 'live' | 'test', code: string, amount: bigint, hold = 0n, lifeMs = 60_000): Promise<void> {
  const bookId = await ensureBook(world.pool, mode, code)
  const to = { bookId, ownerId: world.ours.environmentId, kind: 'merchant' as const }
  const from = { ...to, kind: 'treasury' as const }
  const id = world.newId()
  const expiresAt = new Date(Date.now() + lifeMs)
  const holds: HoldAct[] =
    hold > 0n ? [{ act: 'reserve', holdId: world.newId(), account: to, amount: hold, expiresAt }] : []
  const alternatives = [{ transfers: [{ from, to, amount }], open: [from, to], holds }] as const
  await ledger.post({ id, kind: 'test.fund', key: `fund/${id}`, requestFingerprint: id, alternatives })
}

test('an unused account has a balance of zero; the response contains currency and merchant', async () => {
  const reply = await balance('NGN')
  expect(JSON.parse(reply.text)).toMatchObject({
    code: 200,
    status: 'success',
    data: {
      balance: 0,
      currency: { Abbreviation: 'NGN', abbrev: 'NGN', name: 'Nigerian naira', currencyType: 'Fiat', isActive: true },
      merchant: {
        companyName: 'OURS Ltd',
        merchantCode: 'OURS',
        merchantDescription: 'The shop OURS',
        tradingName: 'OURS',
        avatar: '',
      },
    },
  })
})

test('the balance excludes held money, other modes and other merchants', async () => {
  await fund('test', 'USD', 100_00n, 30_00n)
  await fund('live', 'USD', 5_000_00n)
  expect((await balance('USD')).text).toContain('"balance":70.00,')
  expect((await balance('usd')).text).toContain('"balance":70.00,')
  expect((await balance('USD', world.theirs)).text).toContain('"balance":0.00,')
})

test('an expired hold no longer reduces the balance, even before it is released', async () => {
  await fund('test', 'GBP', 10_00n, 4_00n, 300)
  expect((await balance('GBP')).text).toContain('"balance":6.00,')
  await expect.poll(async () => (await balance('GBP')).text, { timeout: 3_000 }).toContain('"balance":10.00,')
})

test('the balance has every digit', async () => {
  await fund('test', 'ETH', 12345678901234567890123456789012345678n)
  expect((await balance('ETH')).text).toContain('"balance":12345678901234567890.123456789012345678,')
})

test('refuses an unknown or missing currency, and the public key alone', async () => {
  expect((await balance('ZZZ')).status).toBe(422)
  expect((await world.call('GET', '/merchant-integrations/fetch-balance')).status).toBe(400)
  expect(
    (await world.call('GET', '/merchant-integrations/fetch-balance?currencyAbbreviation=USD', { keys: 'public' }))
      .status,
  ).toBe(403)
})
