import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const SK = '/merchant-integrations-server'
type Data = { id: string; code: string; balance: number; refundedAmount: number; status: string; amount: number }

let world: ApiWorld
let owner: Pool
let now = new Date('2026-03-01T12:00:00Z')
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, () => now)
  owner = createPool(ownerUrl, 2)
  await world.charge()
  await world.fund(10_000)
})
afterAll(async () => {
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
  await world.close()
})

let references = 0
/** A voucher of 100 that OURS issued and THEIRS redeemed in part. */
async function redeemed(amount: number, issued: object = {}, more: object = {}) {
  const { data } = await world.post<Data>(`${SK}/vouchers`, { amount: 100, currency: 'USD', ...issued })
  const referenceId = `sale-${references++}`
  const body = { voucherCode: data.code, amount, referenceId, ...more }
  const reply = await world.redeem(body, { as: world.theirs })
  expect(reply.status, reply.text).toBe(200)
  return { ...data, referenceId }
}
const refund = (body: object, as = world.theirs) =>
  world.post<Data>(`${SK}/refund`, { refundReferenceId: world.newId(), ...body }, as)
const verify = async (reference: string) =>
  (await world.get<Data>(`${SK}/verify-transaction/${reference}`, world.theirs)).data
async function balanceOf(ownerId: string, kind: string, currency = 'USD'): Promise<bigint> {
  const { rows } = await owner.query<{ balance: bigint }>(
    `select balance from ledger_accounts a join ledger_books b on b.id = a.book_id and b.currency = $3
      where owner_id = $1 and kind::text = $2`,
    [ownerId, kind, currency],
  )
  return rows[0]?.balance ?? 0n
}

describe('a refund', () => {
  test('returns to the voucher in parts, up to the amount without fees, and the last part sets REFUNDED', async () => {
    const { code, referenceId } = await redeemed(40)
    const charged = await world.left(code)
    expect(charged).toBe(100 - 40 - 0.7)
    expect((await refund({ referenceId, amount: 15, reason: 'torn', refundReferenceId: 'r-1' })).status).toBe(200)
    expect(await world.left(code)).toBe(charged + 15)
    expect(await verify(referenceId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 15, amount: 40 })
    expect(await verify('r-1')).toMatchObject({ type: 'REFUND', status: 'COMPLETED', amount: 15, metaData: 'torn' })
    const tooMuch = await refund({ referenceId, amount: 25.01 })
    expect([tooMuch.status, tooMuch.error?.code, tooMuch.error?.maxAmount]).toEqual([422, 'REFUND_TOO_LARGE', 25])
    expect((await refund({ referenceId })).data.amount).toBe(25)
    expect(await verify(referenceId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 40 })
    expect((await refund({ referenceId })).error?.code).toBe('REFUND_TOO_LARGE')
    expect(await world.left(code)).toBe(charged + 40)
  })

  test('happens once per reference, and another request with that reference is a conflict', async () => {
    const { code, referenceId } = await redeemed(40)
    const ask1 = { referenceId, amount: 10, refundReferenceId: 'once' }
    const replies = await Promise.all(Array.from({ length: 10 }, () => refund({ ...ask1, amount: '10.00' })))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1)
    expect((await refund({ ...ask1, amount: 11 })).status).toBe(409)
    expect((await refund({ ...ask1, referenceId: (await redeemed(20)).referenceId })).status).toBe(409)
    expect(await world.left(code)).toBe(100 - 40 - 0.7 + 10)
  })

  test('is refused with 402 without balance, 404 for another merchant, and 409 for other transactions', async () => {
    const { referenceId } = await redeemed(40)
    expect((await refund({ referenceId }, world.ours)).status).toBe(404)
    const spent = await world.balance('USD', world.theirs)
    restoreAfterTest(() => world.fund(100, { as: world.theirs }))
    await world.post(`${SK}/vouchers`, { amount: spent, currency: 'USD', referenceId: 'spent' }, world.theirs)
    expect((await refund({ referenceId })).error?.code).toBe('REFUND_BALANCE_TOO_LOW')
    expect(await verify(referenceId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 })
    expect((await refund({ referenceId: 'spent' })).error?.code).toBe('REFUND_IMPOSSIBLE')
  })

  test('at an unchanged or better rate returns everything, in parts that add up to what the merchant received', async () => {
    await setManualRate(world.pool, 'USD', 'EUR', '0.9237', () => now)
    const { code, referenceId } = await redeemed(33.33, {}, { toCurrencyAbbreviation: 'EUR' })
    const got = await balanceOf(world.theirs.environmentId, 'merchant', 'EUR')
    // 33.33 × 0.9237 × 0.995 is 30.633….
    expect(got).toBe(30_63n)
    await setManualRate(world.pool, 'USD', 'EUR', '0.5', () => now)
    for (const amount of [0.01, 11.11, 0.02, 22.19]) expect((await refund({ referenceId, amount })).status).toBe(200)
    expect(await balanceOf(world.theirs.environmentId, 'merchant', 'EUR')).toBe(0n)
    expect(await balanceOf(world.theirs.environmentId, 'exchange', 'EUR')).toBe(0n)
    expect(await balanceOf(world.theirs.environmentId, 'exchange', 'USD')).toBe(0n)
    expect(await world.left(code)).toBe(99.4)
  })

  test('to an expired voucher reopens it for 30 days', async () => {
    const { code, referenceId } = await redeemed(40, { expiresAt: '2026-03-05' })
    now = new Date('2026-03-20T12:00:00Z')
    await world.work()
    expect((await refund({ referenceId, amount: 10 })).status).toBe(200)
    const { data } = await world.post<Data>('/merchant-integrations/verify-voucher', { voucherCode: code })
    expect(data).toMatchObject({ balance: 10, expiresAt: '2026-04-19T12:00:00.000Z' })
    const body = { voucherCode: code, amount: 'max' }
    expect((await world.redeem(body)).status).toBe(200)
  })

  test('goes to the payer of a cancelled voucher, and to the replacement of a replaced one', async () => {
    const cancelled = await redeemed(40)
    await world.post(`${SK}/vouchers/${cancelled.id}/cancel`, { voucherCode: cancelled.code })
    const before = await balanceOf(world.ours.environmentId, 'merchant')
    expect((await refund({ referenceId: cancelled.referenceId })).status).toBe(200)
    expect(await balanceOf(world.ours.environmentId, 'merchant')).toBe(before + 40_00n)

    const lost = await redeemed(40)
    const { data: second } = await world.post<Data>(`${SK}/vouchers/${lost.id}/replace`, {})
    const { data: third } = await world.post<Data>(`${SK}/vouchers/${second.id}/replace`, {})
    expect((await refund({ referenceId: lost.referenceId, amount: 30 })).status).toBe(200)
    expect(await world.left(third.code)).toBe(59.3 + 30)
  })

  test('of a merchant’s own cancelled voucher to itself is refused with 409', async () => {
    const { data } = await world.post<Data>(`${SK}/vouchers`, { amount: 100, currency: 'USD' })
    const body = { voucherCode: data.code, amount: 10, referenceId: 'own-sale' }
    await world.redeem(body)
    await world.post(`${SK}/vouchers/${data.id}/cancel`, { voucherCode: data.code })
    expect((await refund({ referenceId: 'own-sale' }, world.ours)).error?.code).toBe('REFUND_TO_SELF')
  })
})
