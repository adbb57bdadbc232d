import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { setExpiredTo } from '../../identity/merchant/store.ts'

const SK = '/merchant-integrations-server'
const dayMs = 24 * 60 * 60 * 1_000
type Voucher = { id: string; code: string; balance: number; amount: number; expiresAt: string; isLocked: boolean }

let world: ApiWorld
let owner: Pool
let now = new Date('2026-03-01T12:00:00Z')
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, () => now)
  owner = createPool(ownerUrl, 2)
  for (const as of [world.ours, world.theirs]) await world.fund(10_000, { as })
})
afterAll(async () => {
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
  await world.close()
})

const issue = async (body: object = {}) =>
  (await world.post<Voucher>(`${SK}/vouchers`, { amount: 100, currency: 'USD', ...body })).data
const act = (voucher: { id: string }, name: string, body: object = {}, as?: WorldMerchant) =>
  world.post<Voucher>(`${SK}/vouchers/${voucher.id}/${name}`, body, as)
const redeem = (voucherCode: string, amount: number, more: object = {}, as = world.ours) =>
  world.redeem({ voucherCode, amount, ...more }, { as })
const look = (code: string, lockPin?: string) => world.post<Voucher>('/holder/voucher', { code, lockPin })
async function balanceOf(ownerId: string, kind: string): Promise<bigint> {
  const { rows } = await owner.query<{ balance: bigint }>(
    'select balance from ledger_accounts where owner_id = $1 and kind::text = $2',
    [ownerId, kind],
  )
  return rows[0]?.balance ?? 0n
}
async function pass(days: number): Promise<void> {
  now = new Date(now.getTime() + days * dayMs)
  await world.work()
}

describe('cancelling', () => {
  test('returns the balance to the payer, with the code as the holder’s consent', async () => {
    const voucher = await issue()
    const before = await balanceOf(world.ours.environmentId, 'merchant')
    await redeem(voucher.code, 30, {}, world.theirs)
    expect((await act(voucher, 'cancel')).error?.code).toBe('CONSENT_MISSING')
    expect((await act(voucher, 'cancel', { voucherCode: (await issue()).code })).error?.code).toBe('CONSENT_MISSING')
    expect((await act(voucher, 'cancel', { voucherCode: voucher.code })).status).toBe(200)
    expect(await balanceOf(world.ours.environmentId, 'merchant')).toBe(before - 100_00n + 70_00n)
    expect((await redeem(voucher.code, 1)).error?.code).toBe('VOUCHER_CANCELLED')
    expect((await act(voucher, 'cancel', { voucherCode: voucher.code })).status).toBe(200)
    for (const name of ['block', 'unblock', 'reset-pin', 'reopen', 'replace'])
      expect((await act(voucher, name)).error?.code).toBe('VOUCHER_CANCELLED')
  })

  test('needs the PIN of a locked voucher and counts a wrong PIN', async () => {
    const voucher = await issue({ lockPin: '4821' })
    const consent = { voucherCode: voucher.code }
    expect((await act(voucher, 'cancel', consent)).error?.code).toBe('VOUCHER_PIN_MISSING')
    for (let i = 0; i < 5; i++)
      expect((await act(voucher, 'cancel', { ...consent, lockPin: '0000' })).error?.code).toBe('VOUCHER_PIN_WRONG')
    expect((await act(voucher, 'cancel', { ...consent, lockPin: '4821' })).error?.code).toBe('VOUCHER_PIN_LOCKED')
    now = new Date(now.getTime() + 16 * 60_000)
    expect((await act(voucher, 'cancel', { ...consent, lockPin: '4821' })).status).toBe(200)
  })

  test('needs no consent before the batch is exported, and the export leaves the voucher out', async () => {
    const { data: batch } = await world.post<Voucher>(`${SK}/voucher-batches`, { size: 2, amount: 5, currency: 'USD' })
    await world.work()
    const [first, second] = (await world.get<{ vouchers: Voucher[] }>(`${SK}/vouchers?limit=2`)).data.vouchers
    expect((await act(first!, 'cancel')).status).toBe(200)
    const csv = await world.call('GET', `${SK}/voucher-batches/${batch.id}/vouchers.csv`)
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(2)
    expect((await act(second!, 'cancel')).error?.code).toBe('CONSENT_MISSING')
  })

  test('is listed among the issuer’s transactions, and so is an expiry that credits the balance', async () => {
    const voucher = await issue()
    await act(voucher, 'cancel', { voucherCode: voucher.code })
    const { transactions } = (await world.get<{ transactions: object[] }>(`${SK}/transactions?limit=1`)).data
    expect(transactions[0]).toMatchObject({
      type: 'ADJUSTMENT',
      amount: 100,
      metaData: voucher.id,
      status: 'COMPLETED',
    })
  })

  test('a voucher that the sandbox funded credits no balance', async () => {
    const { data: voucher } = await world.post<Voucher>('/sandbox/vouchers', { amount: 50, currency: 'USD' })
    const before = await balanceOf(world.ours.environmentId, 'merchant')
    await act(voucher, 'cancel', { voucherCode: voucher.code })
    expect(await balanceOf(world.ours.environmentId, 'merchant')).toBe(before)
    expect(await balanceOf(voucher.id, 'voucher')).toBe(0n)
  })

  test('and every other act on a voucher of another merchant is refused with VOUCHER_UNKNOWN', async () => {
    const voucher = await issue()
    for (const name of ['cancel', 'block', 'unblock', 'replace', 'reset-pin', 'reopen'])
      expect((await act(voucher, name, {}, world.theirs)).error?.code).toBe('VOUCHER_UNKNOWN')
    expect((await act(voucher, 'cancel', { voucherCode: voucher.code }, world.theirs)).error?.code).toBe(
      'VOUCHER_UNKNOWN',
    )
  })
})

describe('a lost voucher', () => {
  test('can be blocked for all merchants and unblocked', async () => {
    const voucher = await issue()
    for (const body of [{}, undefined])
      expect((await world.post<Voucher>(`${SK}/vouchers/${voucher.id}/block`, body)).status).toBe(200)
    expect((await redeem(voucher.code, 1)).error?.code).toBe('VOUCHER_BLOCKED')
    expect((await look(voucher.code)).status).toBe(404)
    expect((await act(voucher, 'unblock')).status).toBe(200)
    expect((await redeem(voucher.code, 1)).status).toBe(200)
  })

  test('can be replaced: the old code stops working, the new voucher has its balance and terms', async () => {
    const voucher = await issue({ lockPin: '4821', expiresAt: '2027-01-31', onlyAt: ['OURS'] })
    await redeem(voucher.code, 40, { lockPin: '4821' })
    await act(voucher, 'block')
    expect((await act(voucher, 'replace')).error?.code).toBe('PIN_NEEDED')
    const ask1 = { lockPin: '1111', referenceId: `lost-${voucher.id}` }
    const { status, data } = await act(voucher, 'replace', ask1)
    expect(status).toBe(200)
    expect(data).toMatchObject({ amount: 60, balance: 60, isLocked: true, expiresAt: '2027-01-31T23:00:00.000Z' })
    const again = await act(voucher, 'replace', ask1)
    expect([again.data.id, again.headers['idempotent-replayed']]).toEqual([data.id, 'true'])
    expect((await act(voucher, 'replace', { lockPin: '1111' })).error?.code).toBe('VOUCHER_REPLACED')
    expect((await act(voucher, 'unblock')).error?.code).toBe('VOUCHER_REPLACED')
    expect((await redeem(voucher.code, 1, { lockPin: '4821' })).error?.code).toBe('VOUCHER_CANCELLED')
    expect((await redeem(data.code, 1, { lockPin: '1111' }, world.theirs)).error?.code).toBe('VOUCHER_ELSEWHERE')
    expect((await redeem(data.code, 60, { lockPin: '1111' })).status).toBe(200)
    expect((await act(data, 'replace', { lockPin: '1111' })).error?.code).toBe('VOUCHER_EMPTY')
  })
})

describe('a frozen PIN', () => {
  test('can be reset by the issuer, with the same PIN or a new one', async () => {
    const voucher = await issue({ lockPin: '4821' })
    for (let i = 0; i < 10; i++) {
      await redeem(voucher.code, 1, { lockPin: '0000' })
      now = new Date(now.getTime() + 16 * 60_000)
    }
    expect((await redeem(voucher.code, 1, { lockPin: '4821' })).error?.code).toBe('VOUCHER_FROZEN')
    expect((await act(voucher, 'reset-pin')).status).toBe(200)
    expect((await redeem(voucher.code, 1, { lockPin: '4821' })).status).toBe(200)
    expect((await act(voucher, 'reset-pin', { lockPin: '7777' })).status).toBe(200)
    expect((await redeem(voucher.code, 1, { lockPin: '4821' })).error?.code).toBe('VOUCHER_PIN_WRONG')
    expect((await redeem(voucher.code, 1, { lockPin: '7777' })).status).toBe(200)
    expect((await act(await issue(), 'reset-pin')).error?.code).toBe('VOUCHER_NOT_LOCKED')
  })
})

describe('expiry', () => {
  const soon = () => new Date(now.getTime() + dayMs).toISOString()

  test('moves the balance to unclaimed once, and the issuer can restore it for 30 days', async () => {
    const voucher = await issue({ expiresAt: soon() })
    await redeem(voucher.code, 25)
    const unclaimed = await balanceOf(world.ours.environmentId, 'unclaimed')
    await pass(2)
    await Promise.all([world.work(), world.work()])
    expect(await balanceOf(world.ours.environmentId, 'unclaimed')).toBe(unclaimed + 75_00n)
    expect((await redeem(voucher.code, 1)).error?.code).toBe('VOUCHER_EXPIRED')
    expect((await look(voucher.code)).data).toMatchObject({ isExpired: true, balance: '0.00', expiredTo: 'unclaimed' })

    expect((await act(voucher, 'reopen')).status).toBe(200)
    expect(await balanceOf(world.ours.environmentId, 'unclaimed')).toBe(unclaimed)
    expect((await act(voucher, 'reopen')).error?.code).toBe('VOUCHER_NOT_EXPIRED')
    expect((await redeem(voucher.code, 5)).status).toBe(200)
    await pass(29)
    expect((await redeem(voucher.code, 5)).status).toBe(200)
    await pass(2)
    expect((await redeem(voucher.code, 5)).error?.code).toBe('VOUCHER_EXPIRED')
    expect(await balanceOf(world.ours.environmentId, 'unclaimed')).toBe(unclaimed + 65_00n)
    const kinds = (await look(voucher.code)).data as unknown as { history: { kind: string; amount: string }[] }
    expect(kinds.history.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual([
      'expired 65.00',
      'redeemed 5.00',
      'redeemed 5.00',
      'reopened 75.00',
      'expired 75.00',
      'redeemed 25.00',
      'issued 100.00',
    ])
  })

  test('cannot be bypassed by reopening and cancelling: the balance goes to unclaimed', async () => {
    const voucher = await issue({ expiresAt: soon() })
    const [merchant, unclaimed] = [
      await balanceOf(world.ours.environmentId, 'merchant'),
      await balanceOf(world.ours.environmentId, 'unclaimed'),
    ]
    now = new Date(now.getTime() + 2 * dayMs)
    expect((await act(voucher, 'cancel', { voucherCode: voucher.code })).error?.code).toBe('VOUCHER_EXPIRED')
    await world.work()
    await act(voucher, 'reopen')
    // Nor by a replacement in between.
    const { data: second } = await act(voucher, 'replace')
    expect((await act(second, 'cancel', { voucherCode: second.code })).status).toBe(200)
    expect(await balanceOf(world.ours.environmentId, 'merchant')).toBe(merchant)
    expect(await balanceOf(world.ours.environmentId, 'unclaimed')).toBe(unclaimed + 100_00n)
  })

  test('that happened several times is restored in full', async () => {
    const voucher = await issue({ expiresAt: soon() })
    await redeem(voucher.code, 10, { referenceId: `late-${voucher.id}` }, world.theirs)
    await pass(2)
    await world.post<Voucher>(
      `${SK}/refund`,
      { referenceId: `late-${voucher.id}`, refundReferenceId: world.newId() },
      world.theirs,
    )
    expect((await look(voucher.code)).data).toMatchObject({ balance: '10.00', isExpired: false })
    await pass(31)
    expect((await act(voucher, 'reopen')).status).toBe(200)
    expect((await look(voucher.code)).data).toMatchObject({ balance: '100.00' })
  })

  test('returns the balance to the payer if the issuer chose so when the voucher was issued', async () => {
    restoreAfterTest(() => setExpiredTo(world.pool, world.ours.environmentId, 'unclaimed'))
    await setExpiredTo(world.pool, world.ours.environmentId, 'payer')
    const voucher = await issue({ expiresAt: soon() })
    await setExpiredTo(world.pool, world.ours.environmentId, 'unclaimed')
    const before = await balanceOf(world.ours.environmentId, 'merchant')
    await act(voucher, 'block')
    await pass(2)
    expect(await balanceOf(world.ours.environmentId, 'merchant')).toBe(before + 100_00n)
    // A blocked voucher stays blocked.
    expect((await redeem(voucher.code, 1)).error?.code).toBe('VOUCHER_BLOCKED')
  })

  test('waits for a pending payment, and so does a cancellation', async () => {
    const voucher = await issue({ expiresAt: soon() })
    const account = await owner.query<{ book: number }>('select book_id as book from vouchers where id = $1', [
      voucher.id,
    ])
    const { bookId } = { bookId: account.rows[0]?.book ?? 0 }
    const { openLedger } = await import('../../ledger/post.ts')
    const ledger = openLedger({ url: world.pool.options.connectionString ?? '', clock: () => now, newId: world.newId })
    const hold = { holdId: world.newId(), account: { bookId, ownerId: voucher.id, kind: 'voucher' as const } }
    const expiresAt = new Date(now.getTime() + 5 * dayMs)
    const holds = [{ act: 'reserve' as const, ...hold, amount: 10_00n, expiresAt }]
    await ledger.post({
      id: world.newId(),
      kind: 'test.hold',
      key: world.newId(),
      requestFingerprint: '',
      alternatives: [{ transfers: [], holds }],
    })
    await ledger.close()
    expect((await act(voucher, 'cancel', { voucherCode: voucher.code })).error?.code).toBe('VOUCHER_HELD')
    expect((await act(voucher, 'replace')).error?.code).toBe('VOUCHER_HELD')
    await pass(2)
    expect(await balanceOf(voucher.id, 'voucher')).toBe(100_00n)
    // The hold has expired by now.
    await pass(4)
    await pass(0)
    expect(await balanceOf(voucher.id, 'voucher')).toBe(0n)
  })
})
