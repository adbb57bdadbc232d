import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ApiWorld, type CallOptions, createApiWorld } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'
const anonymous = { keys: 'public' } as const
type Hold = { id: string; state: string; expiresAt: string; createdAt: string } & Record<string, unknown>

let world: ApiWorld
let owner: Pool
// Only moved forward, since ids increase with it.
let aheadMs = 0
const clock = () => new Date(Date.now() + aheadMs)
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, clock)
  owner = createPool(ownerUrl, 1)
})
afterAll(async () => {
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
  await world.close()
})
beforeEach(() => world.charge())

const hold = (body: object, options: Omit<CallOptions, 'body'> = {}) =>
  world.call<Hold>('POST', `${PK}/voucher-holds`, { ...options, body })
const verify = async (voucherCode: string) =>
  (await world.post<{ balance: number; heldAmount: number; isUsed: boolean }>(`${PK}/verify-voucher`, { voucherCode }))
    .data
const adminBalance = async (as = world.ours) =>
  (await world.get<{ balance: number }>(`${SK}/admin-balance?currencyAbbreviation=USD`, as)).data.balance
const setAdminPays = (takeChargesFromWallet: boolean, as = world.ours) =>
  world.call('POST', `${PK}/update-admin-charges`, { body: { takeChargesFromWallet }, as })
const life = ({ createdAt, expiresAt }: Hold) => (Date.parse(expiresAt) - Date.parse(createdAt)) / 1_000

test('a hold reserves its amount and fee, which nobody else can redeem, and no money moves', async () => {
  const voucherCode = await world.voucher(50)
  const before = await world.balance()
  const { status, data } = await hold({ voucherCode, amount: 20, referenceId: 'order-1' })
  expect(status).toBe(200)
  expect(data).toMatchObject({
    referenceId: 'order-1',
    state: 'OPEN',
    amount: 20,
    charge: 0.4,
    chargedTo: 'voucher',
    capturedAmount: 0,
    heldAmount: 20.4,
    currency: 'USD',
  })
  expect(life(data)).toBe(15 * 60)
  expect(await verify(voucherCode)).toMatchObject({ balance: 29.6, heldAmount: 20.4, isUsed: false })
  const refused = await world.redeem({ voucherCode, amount: 30 })
  expect([refused.status, refused.error?.code]).toEqual([402, 'VOUCHER_BALANCE_TOO_LOW'])
  expect((await world.redeem({ voucherCode, amount: refused.error?.maxAmount })).status).toBe(200)
  expect(await verify(voucherCode)).toMatchObject({ balance: 0, heldAmount: 20.4, isUsed: false })
  expect(await world.balance()).toBe(before + Number(refused.error?.maxAmount))
})

test('"max" holds what is left after other holds, with its fee', async () => {
  const voucherCode = await world.voucher(10)
  await hold({ voucherCode, amount: 4 })
  const { data } = await hold({ voucherCode, amount: 'max' })
  expect(await verify(voucherCode)).toMatchObject({ balance: 0, heldAmount: 10 })
  expect(data.heldAmount).toBe(5.84)
  const refused = await hold({ voucherCode, amount: 'max' })
  expect([refused.status, refused.error?.code]).toEqual([402, 'VOUCHER_EMPTY'])
})

test('of 20 concurrent holds and redemptions of the last dollar one succeeds', async () => {
  await world.charge(0n, 0n)
  const voucherCode = await world.voucher(1)
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0 ? hold({ voucherCode, amount: 1 }) : world.redeem({ voucherCode, amount: 1 }),
    ),
  )
  expect(replies.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
  expect(replies.filter(({ status }) => status === 402)).toHaveLength(19)
})

test('the public key holds for 15 minutes at most, the secret key for seven days', async () => {
  const voucherCode = await world.voucher(50)
  const tooLong = await hold({ voucherCode, amount: 1, expiresInSeconds: 901 }, anonymous)
  expect([tooLong.status, tooLong.error?.code]).toEqual([422, 'VOUCHER_HOLD_TOO_LONG'])
  expect(life((await hold({ voucherCode, amount: 1, expiresInSeconds: 900 }, anonymous)).data)).toBe(900)
  expect(life((await hold({ voucherCode, amount: 1 }, anonymous)).data)).toBe(900)
  expect(life((await hold({ voucherCode, amount: 1, expiresInSeconds: 604_800 })).data)).toBe(604_800)
  expect((await hold({ voucherCode, amount: 1, expiresInSeconds: 604_801 })).status).toBe(400)
  expect((await hold({ voucherCode, amount: 1, expiresInSeconds: 0 })).status).toBe(400)
})

test('a merchant that redeems with its secret key only also holds with it only', async () => {
  const voucherCode = await world.voucher(5)
  const needSecret = (needs: boolean) =>
    world.pool.query('update merchant_environments set redeem_needs_secret = $2 where id = $1', [
      world.ours.environmentId,
      needs,
    ])
  restoreAfterTest(() => needSecret(false))
  await needSecret(true)
  expect((await hold({ voucherCode, amount: 1 }, anonymous)).error?.code).toBe('VOUCHER_SECRET_NEEDED')
  expect((await hold({ voucherCode, amount: 1 })).status).toBe(200)
})

test('a wrong PIN is counted as at a redemption, and five lock the voucher for both', async () => {
  const voucherCode = await world.voucher(5, { lockPin: '0042' })
  expect((await hold({ voucherCode, amount: 1 })).error?.code).toBe('VOUCHER_PIN_MISSING')
  for (let i = 0; i < 4; i++)
    expect((await hold({ voucherCode, amount: 1, lockPin: '9999' })).error?.code).toBe('VOUCHER_PIN_WRONG')
  expect((await world.redeem({ voucherCode, amount: 1, lockPin: '9999' })).error?.code).toBe('VOUCHER_PIN_WRONG')
  const right = { voucherCode, amount: 1, lockPin: '0042' }
  expect((await hold(right)).error?.code).toBe('VOUCHER_PIN_LOCKED')
  aheadMs += 16 * 60_000
  expect((await hold(right)).status).toBe(200)
})

test('a voucher that cannot be redeemed cannot be held, and the public key does not learn why', async () => {
  await world.fund(10)
  const make = async (terms: object = {}) =>
    (await world.post<{ id: string; code: string }>(`${SK}/vouchers`, { amount: 2, currency: 'USD', ...terms })).data
  const elsewhere = await make({ onlyAt: ['THEIRS'] })
  const blocked = await make()
  await world.post(`${SK}/vouchers/${blocked.id}/block`)
  const missing = (await hold({ voucherCode: '0000000000000000', amount: 1 }, anonymous)).error
  for (const [{ code: voucherCode }, reason] of [
    [elsewhere, 'VOUCHER_ELSEWHERE'],
    [blocked, 'VOUCHER_BLOCKED'],
  ] as const) {
    expect((await hold({ voucherCode, amount: 1 })).error?.code).toBe(reason)
    expect((await hold({ voucherCode, amount: 1 }, anonymous)).error).toMatchObject({ code: missing?.code })
  }
  const expired = await make({ expiresAt: new Date(clock().getTime() + 60_000).toISOString() })
  aheadMs += 120_000
  expect((await hold({ voucherCode: expired.code, amount: 1 })).error?.code).toBe('VOUCHER_EXPIRED')
  const onchain = await make()
  await owner.query('update vouchers set is_onchain = true where id = $1', [onchain.id])
  const refused = await hold({ voucherCode: onchain.code, amount: 1 })
  expect([refused.status, refused.error?.code]).toEqual([422, 'VOUCHER_HOLD_ONCHAIN'])
})

test('unknown codes are counted as guesses together with those of other endpoints', async () => {
  const guess = { ...anonymous, address: '198.51.100.77' }
  const replies = []
  for (let i = 0; i < 101; i++) replies.push(await hold({ voucherCode: '0000000000000000', amount: 1 }, guess))
  expect(replies.at(-1)?.error?.code).toBe('VOUCHER_GUESSING')
  expect((await world.redeem({ voucherCode: '0000000000000000', amount: 1 }, guess)).error?.code).toBe(
    'VOUCHER_GUESSING',
  )
})

test('a retry returns the first hold, also if the voucher is empty or the PIN wrong by now; another body is 409', async () => {
  const voucherCode = await world.voucher(10, { lockPin: '0042' })
  const body = { voucherCode, amount: 5, lockPin: '0042', referenceId: 'held-once' }
  const first = await hold(body)
  await world.redeem({ voucherCode, amount: 'max', lockPin: '0042' })
  for (const retry of [body, { ...body, amount: '5.00' }, { ...body, lockPin: '0001' }]) {
    const again = await hold(retry)
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true'])
  }
  for (const other of [
    { ...body, amount: 4 },
    { ...body, expiresInSeconds: 60 },
  ])
    expect([(await hold(other)).status, (await hold(other)).error?.code]).toEqual([409, 'REFERENCE_TAKEN'])
  expect((await world.redeem({ ...body, amount: 1 })).error?.code).toBe('REFERENCE_TAKEN')
})

test('20 concurrent requests with one reference make one hold', async () => {
  const voucherCode = await world.voucher(100)
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => hold({ voucherCode, amount: 1, referenceId: 'at-once' })),
  )
  expect(new Set(replies.map(({ data }) => data.id)).size).toBe(1)
  expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(19)
  expect((await verify(voucherCode)).heldAmount).toBe(1.12)
})

test('where the admin balance pays the fee, the fee is held there, and released with the hold', async () => {
  restoreAfterTest(() => setAdminPays(false))
  await setAdminPays(true)
  await world.fund('0.50', { account: 'admin' })
  const voucherCode = await world.voucher(100)
  const first = await hold({ voucherCode, amount: 10 })
  expect(first.data).toMatchObject({ charge: 0.25, chargedTo: 'merchant', heldAmount: 10 })
  expect((await hold({ voucherCode, amount: 10 })).data).toMatchObject({ chargedTo: 'merchant' })
  // Both fees are reserved, so the third is the voucher's.
  expect((await hold({ voucherCode, amount: 10 })).data).toMatchObject({ chargedTo: 'voucher', heldAmount: 10.25 })
  expect((await world.post(`${SK}/voucher-holds/${first.data.id}/release`)).status).toBe(200)
  expect((await hold({ voucherCode, amount: 10 })).data).toMatchObject({ chargedTo: 'merchant' })
  expect(await adminBalance()).toBe(0)
})
