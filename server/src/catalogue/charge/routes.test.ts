import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { withEnvironment } from '../../base/environment.ts'
import { insertDiscount, saveRule } from './store.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

const read = async (as?: WorldMerchant): Promise<unknown> =>
  (await world.get('/merchant-integrations/fetch-admin-charges', as)).data
const update = (body: unknown, as?: WorldMerchant) =>
  world.call('POST', '/merchant-integrations/update-admin-charges', { body, ...(as && { as }) })
const day = (offset: number): Date => new Date(Date.now() + offset * 86_400_000)

test('a new merchant has no discount, and the voucher pays fees', async () => {
  expect(await read()).toEqual({
    redeemChargesFixRate: 0,
    redeemChargesPercentage: 0,
    redeemChargesPercentageDiscount: 0,
    takeChargesFromWallet: false,
  })
})

test('a merchant changes for itself only which balance pays fees', async () => {
  restoreAfterTest(() => update({ takeChargesFromWallet: false }))
  const reply = await update({ takeChargesFromWallet: true })
  expect([reply.status, reply.body]).toMatchObject([200, { success: true }])
  expect(await read()).toMatchObject({ takeChargesFromWallet: true })
  expect(await read(world.theirs)).toMatchObject({ takeChargesFromWallet: false })
  await update({ takeChargesFromWallet: false })
  expect(await read()).toMatchObject({ takeChargesFromWallet: false })
})

test('the fee and the largest current discount are shown exactly', async () => {
  await saveRule(world.pool, 'test', 'USD', { fixed: 25n, sharePpm: 12_345n })
  await saveRule(world.pool, 'live', 'USD', { fixed: 99n, sharePpm: 15_000n })
  const { environmentId } = world.ours
  for (const [discountPpm, from, until] of [
    [125_000n, -1, 1],
    [50_000n, -1, 1],
    [900_000n, -5, -1],
    [800_000n, 1, 5],
  ] as const)
    await withEnvironment(world.pool, environmentId, (tx) =>
      insertDiscount(tx, environmentId, { id: world.newId(), discountPpm, startsAt: day(from), endsAt: day(until) }),
    )
  expect(await read()).toMatchObject({
    redeemChargesFixRate: 0.25,
    redeemChargesPercentage: 1.2345,
    redeemChargesPercentageDiscount: 12.5,
  })
  expect(await read(world.theirs)).toMatchObject({ redeemChargesPercentageDiscount: 0 })
})

test('an error has success: false beside the envelope', async () => {
  for (const reply of [
    await update({ takeChargesFromWallet: 'yes' }),
    await update({}),
    await world.call('POST', '/merchant-integrations/update-admin-charges', {
      keys: 'public',
      body: { takeChargesFromWallet: true },
    }),
  ])
    expect(reply.body).toMatchObject({ success: false, status: 'error', code: reply.status })
})

test('the admin balance is read with the secret key, per merchant and currency', async () => {
  const balanceOf = async (as: WorldMerchant, currency = 'USD') => {
    const path = `/merchant-integrations-server/admin-balance?currencyAbbreviation=${currency}`
    return (await world.get(path, as)).data
  }
  expect(await balanceOf(world.ours)).toMatchObject({ balance: 0, currency: { Abbreviation: 'USD' } })
  await world.fund('3.25', { account: 'admin' })
  expect(await balanceOf(world.ours, 'usd')).toMatchObject({ balance: 3.25 })
  expect(await balanceOf(world.ours, 'EUR')).toMatchObject({ balance: 0 })
  expect(await balanceOf(world.theirs)).toMatchObject({ balance: 0 })
  const path = '/merchant-integrations-server/admin-balance?currencyAbbreviation='
  expect((await world.call('GET', `${path}USD`, { keys: 'public' })).status).toBe(403)
  expect((await world.call('GET', `${path}ZZZ`)).status).toBe(422)
})
