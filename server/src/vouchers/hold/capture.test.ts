import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, type CallOptions, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'
type Hold = { id: string; state: string; expiresAt: string; capturedAmount: number; heldAmount: number } & Record<
  string,
  unknown
>
type Captured = { transactionId: string; receipt: string; hold: Hold }
type Details = Hold & { captures: { transactionId: string; amount: number; charge: number }[] }

let world: ApiWorld
let owner: Pool
// Only moved forward, since ids increase with it.
let aheadMs = 0
const clock = () => new Date(Date.now() + aheadMs)
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, clock)
  owner = createPool(ownerUrl, 2)
})
afterAll(async () => {
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
  await world.close()
})
beforeEach(() => world.charge())

const hold = async (voucherCode: string, amount: number | string, more: object = {}, as?: WorldMerchant) => {
  const reply = await world.post<Hold>(`${PK}/voucher-holds`, { voucherCode, amount, ...more }, as)
  expect(reply.status, reply.text).toBe(200)
  return reply.data
}
const act = <Data = Hold>({ id }: { id: string }, name: string, body: object = {}, options: CallOptions = {}) =>
  world.call<Data>('POST', `${SK}/voucher-holds/${id}/${name}`, { ...options, body })
const capture = (held: { id: string }, body: object = {}, options: CallOptions = {}) =>
  act<Captured>(held, 'capture', body, options)
const look = async ({ id }: { id: string }) => (await world.get<Details>(`${SK}/voucher-holds/${id}`)).data
const verify = async (voucherCode: string) =>
  (await world.post<{ balance: number; heldAmount: number }>(`${PK}/verify-voucher`, { voucherCode })).data
const transactionOf = async (reference: string, as = world.ours) =>
  (await world.get(`${SK}/verify-transaction/${reference}`, as)).data
const codesOf = (replies: { status: number; error: { code: string } | undefined }[]) =>
  replies.map(({ status, error }) => error?.code ?? String(status)).toSorted()
async function heldIn(ownerId: string): Promise<bigint> {
  const { rows } = await owner.query<{ held: bigint }>(
    'select sum(held) as held from ledger_accounts where owner_id = $1',
    [ownerId],
  )
  return rows[0]?.held ?? 0n
}

describe('a capture', () => {
  test('is a redemption: same type, receipt, history and refund', async () => {
    const code = await world.voucher(50)
    const before = await world.balance()
    const held = await hold(code, 20)
    const reply = await capture(held, { referenceId: 'shipped-1', metaData: 'parcel 1' })
    expect(reply.data.hold).toMatchObject({ state: 'CAPTURED', capturedAmount: 20, capturedCharge: 0.4, heldAmount: 0 })
    expect(await transactionOf('shipped-1')).toMatchObject({
      id: reply.data.transactionId,
      type: 'VOUCHER_REDEMPTION',
      status: 'COMPLETED',
      amount: 20,
      chargedAmount: 20.4,
      chargeType: 'MIXED',
      metaData: 'parcel 1',
    })
    const claims = JSON.parse(Buffer.from(reply.data.receipt.split('.')[1] ?? '', 'base64url').toString()) as object
    expect(claims).toMatchObject({
      type: 'voucher.redemption',
      jti: reply.data.transactionId,
      merchant: 'OURS',
      amount: '20.00',
      charge: '0.40',
      taken: '20.40',
      received: { amount: '20.00', currency: 'USD' },
    })
    expect(await world.balance()).toBe(before + 20)
    expect(await verify(code)).toMatchObject({ balance: 29.6, heldAmount: 0, redeemedVouchers: [{ amount: 20 }] })
    const refund = { referenceId: 'shipped-1', amount: 5, refundReferenceId: 'returned-1' }
    expect((await world.post(`${SK}/refund`, refund)).status).toBe(200)
    expect(await verify(code)).toMatchObject({ balance: 34.6, heldAmount: 0 })
  })

  test('in three parts takes exactly the fee of the hold, and the last part may be below the minimum', async () => {
    await world.charge(100n, 0n)
    const code = await world.voucher('4.00')
    const held = await hold(code, '3.00')
    for (const amount of ['1.00', '1.00']) expect((await capture(held, { amount })).status).toBe(200)
    expect(await look(held)).toMatchObject({ state: 'OPEN', capturedAmount: 2, capturedCharge: 0.67, heldAmount: 1.33 })
    expect((await capture(held, { amount: '1.01' })).error).toMatchObject({
      code: 'VOUCHER_HOLD_TOO_SMALL',
      maxAmount: 1,
    })
    expect((await capture(held)).data.hold).toMatchObject({ state: 'CAPTURED', capturedAmount: 3, capturedCharge: 1 })
    expect((await look(held)).captures.map(({ charge }) => charge)).toEqual([0.34, 0.33, 0.33])
    expect(await verify(code)).toMatchObject({ balance: 0, heldAmount: 0 })
    expect((await capture(held)).error?.code).toBe('VOUCHER_HOLD_ENDED')
  })

  test('that is final releases what is left', async () => {
    const code = await world.voucher(50)
    const held = await hold(code, 40)
    const reply = await capture(held, { amount: 10, final: true })
    expect(reply.data.hold).toMatchObject({ state: 'CAPTURED', capturedAmount: 10, heldAmount: 0 })
    expect(await verify(code)).toMatchObject({ balance: 39.82, heldAmount: 0 })
    expect((await act(held, 'release')).error?.code).toBe('VOUCHER_HOLD_ENDED')
  })

  test('pays its share of the fee from the admin balance that the hold reserved, also if it is empty by now', async () => {
    const set = (takeChargesFromWallet: boolean) =>
      world.post(`${PK}/update-admin-charges`, { takeChargesFromWallet }, world.theirs)
    restoreAfterTest(() => set(false))
    await set(true)
    await world.fund('0.26', { account: 'admin', as: world.theirs })
    const code = await world.voucher(50)
    const as = { as: world.theirs }
    const held = await hold(code, 10, {}, world.theirs)
    expect(held).toMatchObject({ chargedTo: 'merchant', charge: 0.25, heldAmount: 10 })
    // Takes the voucher's own fee: what the admin balance has left is one cent.
    expect((await world.redeem({ voucherCode: code, amount: 10 }, as)).status).toBe(200)
    await set(false)
    expect((await capture(held, { amount: 3, referenceId: 'part-1' }, as)).data.hold).toMatchObject({
      capturedCharge: 0.08,
    })
    expect((await capture(held, { amount: 3, final: true }, as)).data.hold).toMatchObject({ capturedCharge: 0.15 })
    expect(await transactionOf('part-1', world.theirs)).toMatchObject({ amount: 3, chargedAmount: 3 })
    expect(await verify(code)).toMatchObject({ balance: 33.75, heldAmount: 0 })
    expect(await heldIn(world.theirs.environmentId)).toBe(0n)
  })

  test('into another currency uses the rate of the capture, not of the hold', async () => {
    await world.convertFree('USD', 'EUR')
    await setManualRate(world.pool, 'USD', 'EUR', '0.5', clock)
    const held = await hold(await world.voucher(50), 20)
    await setManualRate(world.pool, 'USD', 'EUR', '0.52', clock)
    const before = await world.balance('EUR')
    expect((await capture(held, { toCurrencyAbbreviation: 'eur' })).status).toBe(200)
    expect(await world.balance('EUR')).toBeCloseTo(before + 10.4, 9)
  })

  test('needs the secret key, and the hold of another merchant is unknown', async () => {
    const held = await hold(await world.voucher(50), 20)
    for (const name of ['capture', 'release', 'extend']) {
      const body = name === 'extend' ? { expiresInSeconds: 60 } : {}
      expect((await act(held, name, body, { keys: 'public' })).error?.code).toBe('KEY_SECRET_MISSING')
      expect((await act(held, name, body, { as: world.theirs })).error?.code).toBe('VOUCHER_HOLD_NOT_FOUND')
    }
    expect((await capture(held)).status).toBe(200)
  })

  test('repeated returns the first result, also after the hold has ended; another body is 409', async () => {
    const code = await world.voucher(50)
    const held = await hold(code, 20)
    const body = { amount: 5, referenceId: 'once' }
    const replies = await Promise.all(Array.from({ length: 20 }, () => capture(held, body)))
    expect(new Set(replies.map(({ data }) => data.transactionId)).size).toBe(1)
    expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(19)
    await act(held, 'release')
    const again = await capture(held, { ...body, amount: '5.00' })
    expect([again.status, again.data.transactionId]).toEqual([200, replies[0]?.data.transactionId])
    expect(again.data.receipt).toBe(replies[0]?.data.receipt)
    for (const other of [{ amount: 6 }, { final: true }, { metaData: 'x' }])
      expect((await capture(held, { ...body, ...other })).error?.code).toBe('REFERENCE_TAKEN')
    expect(await verify(code)).toMatchObject({ balance: 44.9, heldAmount: 0 })
  })

  test('without an amount takes the rest, of which zero or more digits than the currency has are refused', async () => {
    const held = await hold(await world.voucher(50), 20)
    expect((await capture(held, { amount: 0 })).error?.code).toBe('AMOUNT_ZERO')
    expect((await capture(held, { amount: '1.001' })).error?.code).toBe('AMOUNT_TOO_PRECISE')
    expect((await capture(held)).data.hold.capturedAmount).toBe(20)
  })
})

describe('a race', () => {
  test('of two captures for the last unit has one winner', async () => {
    const code = await world.voucher(50)
    const held = await hold(code, 10)
    const replies = await Promise.all(Array.from({ length: 10 }, () => capture(held, { amount: 6 })))
    expect(codesOf(replies)).toEqual(['200', ...Array.from({ length: 9 }, () => 'VOUCHER_HOLD_TOO_SMALL')])
    expect((await look(held)).capturedAmount).toBe(6)
  })

  test('of captures against a release ends the hold once', async () => {
    for (let round = 0; round < 10; round++) {
      const code = await world.voucher(50)
      const held = await hold(code, 10)
      const [captured, released] = await Promise.all([capture(held), act(held, 'release')])
      expect(codesOf([captured, released])).toEqual(['200', 'VOUCHER_HOLD_ENDED'])
      const left = captured.status === 200 ? 39.75 : 50
      expect(await verify(code)).toMatchObject({ balance: left, heldAmount: 0 })
    }
  })

  test('of captures against expiry, early or by time, ends the hold once', async () => {
    for (let round = 0; round < 10; round++) {
      const code = await world.voucher(50)
      const held = await hold(code, 10, { expiresInSeconds: 30 })
      const expire = () => world.post<Hold>(`/sandbox/voucher-holds/${held.id}/expire`)
      const captures = Array.from({ length: 3 }, () => capture(held, { amount: 4 }))
      const expiring = round % 2 === 0 ? expire() : Promise.resolve().then(() => void (aheadMs += 31_000))
      const replies = await Promise.all(captures)
      await expiring
      await world.work()
      const { capturedAmount, state } = await look(held)
      expect(capturedAmount).toBe(4 * replies.filter(({ status }) => status === 200).length)
      expect(state).toBe('EXPIRED')
      expect(await heldIn((await look(held)).voucherId as string)).toBe(0n)
    }
  })
})

describe('the time of a hold', () => {
  test('ends it before any job has run: captures are refused and the amount is available', async () => {
    const code = await world.voucher(50)
    const held = await hold(code, 40, { expiresInSeconds: 60 })
    aheadMs += 60_000
    expect((await look(held)).state).toBe('EXPIRED')
    expect((await capture(held)).error?.code).toBe('VOUCHER_HOLD_EXPIRED')
    for (const name of ['release', 'extend'])
      expect((await act(held, name, name === 'extend' ? { expiresInSeconds: 60 } : {})).error?.code).toBe(
        'VOUCHER_HOLD_EXPIRED',
      )
    expect(await verify(code)).toMatchObject({ balance: 50, heldAmount: 0 })
    expect((await world.redeem({ voucherCode: code, amount: 'max' })).status).toBe(200)
    await world.work()
    expect(await look(held)).toMatchObject({ state: 'EXPIRED', heldAmount: 0 })
  })

  test('is extended to seven days from its creation at most, and the amount stays reserved meanwhile', async () => {
    const code = await world.voucher(50)
    const held = await hold(code, 40, { expiresInSeconds: 60 })
    const later = await act(held, 'extend', { expiresInSeconds: 3 * 86_400 })
    expect(Date.parse(later.data.expiresAt)).toBeGreaterThan(Date.parse(held.expiresAt) + 2 * 86_400_000)
    expect((await act(held, 'extend', { expiresInSeconds: 60 })).data.expiresAt).toBe(later.data.expiresAt)
    aheadMs += 2 * 86_400_000
    await world.work()
    expect(await verify(code)).toMatchObject({ balance: 9.3, heldAmount: 40.7 })
    const refused = await act(held, 'extend', { expiresInSeconds: 6 * 86_400 })
    expect([refused.status, refused.error?.code]).toEqual([422, 'VOUCHER_HOLD_TOO_LONG'])
    expect((await act(held, 'extend', { expiresInSeconds: 4 * 86_400 })).status).toBe(200)
    expect((await capture(held)).status).toBe(200)
    expect(await verify(code)).toMatchObject({ balance: 9.3, heldAmount: 0 })
  })

  test('ends at once in the sandbox, which is safe to retry', async () => {
    const held = await hold(await world.voucher(50), 40)
    const expire = (who: { id: string }) => world.post<Hold>(`/sandbox/voucher-holds/${who.id}/expire`)
    expect((await expire(held)).data).toMatchObject({ state: 'EXPIRED', heldAmount: 0 })
    expect((await expire(held)).status).toBe(200)
    const done = await hold(await world.voucher(50), 1)
    await capture(done)
    expect((await expire(done)).error?.code).toBe('VOUCHER_HOLD_ENDED')
  })
})

describe('a voucher with an open hold', () => {
  const issue = async (terms: object = {}) => {
    await world.fund(20)
    const body = { amount: 20, currency: 'USD', ...terms }
    return (await world.post<{ id: string; code: string }>(`${SK}/vouchers`, body)).data
  }
  const change = (voucher: { id: string }, name: string, body: object = {}) =>
    world.post(`${SK}/vouchers/${voucher.id}/${name}`, body)

  test('cannot be cancelled or replaced until the hold ends', async () => {
    const voucher = await issue()
    const held = await hold(voucher.code, 5, {}, world.theirs)
    const consent = { voucherCode: voucher.code }
    expect((await change(voucher, 'cancel', consent)).error?.code).toBe('VOUCHER_HELD')
    expect((await change(voucher, 'replace')).error?.code).toBe('VOUCHER_HELD')
    expect((await act(held, 'release', {}, { as: world.theirs })).status).toBe(200)
    expect((await act(held, 'release', {}, { as: world.theirs })).status).toBe(200)
    expect((await change(voucher, 'cancel', consent)).status).toBe(200)
  })

  test('expires when its holds have ended: until then they can be captured', async () => {
    const voucher = await issue({ expiresAt: new Date(clock().getTime() + 3_600_000).toISOString() })
    const held = await hold(voucher.code, 5, { expiresInSeconds: 7_200 })
    const lost = await hold(voucher.code, 5, { expiresInSeconds: 7_200 })
    aheadMs += 3_700_000
    await world.work()
    expect((await world.redeem({ voucherCode: voucher.code, amount: 1 })).error?.code).toBe('VOUCHER_EXPIRED')
    expect((await capture(held)).status).toBe(200)
    aheadMs += 7_200_000
    await world.work()
    await world.work()
    expect((await look(lost)).state).toBe('EXPIRED')
    const { rows } = await owner.query<{ balance: bigint; held: bigint }>(
      `select balance, held from ledger_accounts where owner_id = $1 and kind = 'voucher'`,
      [voucher.id],
    )
    expect(rows).toEqual([{ balance: 0n, held: 0n }])
  })

  test('that is blocked refuses captures and extensions until it is unblocked, and can be released', async () => {
    const voucher = await issue()
    const [first, second] = [await hold(voucher.code, 5), await hold(voucher.code, 5)]
    await change(voucher, 'block')
    expect((await capture(first)).error?.code).toBe('VOUCHER_BLOCKED')
    expect((await act(first, 'extend', { expiresInSeconds: 3_600 })).error?.code).toBe('VOUCHER_BLOCKED')
    expect((await act(second, 'release')).status).toBe(200)
    await change(voucher, 'unblock')
    expect((await capture(first)).status).toBe(200)
  })
})

test('a capture that waits while its time ends and the voucher is replaced is refused as expired', async () => {
  const voucher = await world.issueVoucher()
  const held = await hold(voucher.code, 5, { expiresInSeconds: 60 })
  const blocker = await owner.connect()
  await blocker.query('begin')
  await blocker.query('select from ledger_accounts where owner_id = $1 for no key update', [voucher.id])
  const waiting = async (count: number): Promise<void> => {
    const query = `select count(*)::int as count from pg_locks l join pg_stat_activity a using (pid)
      where not l.granted and a.datname = current_database()`
    while ((await owner.query<{ count: number }>(query)).rows[0]?.count !== count) await sleep(10)
  }
  const replacing = world.post(`${SK}/vouchers/${voucher.id}/replace`, {})
  await waiting(1)
  // It has found the hold open, and waits for the voucher.
  const capturing = capture(held)
  await waiting(2)
  aheadMs += 61_000
  await blocker.query('commit')
  blocker.release()
  expect((await replacing).status).toBe(200)
  expect((await capturing).error?.code).toBe('VOUCHER_HOLD_EXPIRED')
})

test('every change of a hold is published to its merchant in order; the issuer gets the redemption only', async () => {
  await world.work()
  await world.fund(50, { as: world.theirs })
  const { data: voucher } = await world.post<{ id: string; code: string }>(
    `${SK}/vouchers`,
    { amount: 50, currency: 'USD' },
    world.theirs,
  )
  const held = await hold(voucher.code, 9)
  await act(held, 'extend', { expiresInSeconds: 3_600 })
  await capture(held, { amount: 4, referenceId: 'first-parcel' })
  await act(held, 'release')
  const other = await hold(voucher.code, 9, { expiresInSeconds: 5 })
  aheadMs += 6_000
  await world.work()
  await settleEvents(world.pool)
  type Events = { events: { type: string; objectId: string; sequence: number; data: Record<string, unknown> }[] }
  const eventsOf = async (as: WorldMerchant) => {
    const all: Events['events'] = []
    for (let cursor = ''; ; ) {
      const page = (
        await world.get<Events & { nextCursor: string; hasMore: boolean }>(
          `/events?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
          as,
        )
      ).data
      all.push(...page.events)
      if (!page.hasMore) return all
      cursor = page.nextCursor
    }
  }
  const ours = await eventsOf(world.ours)
  const of = (objectId: string) =>
    ours.filter((event) => event.objectId === objectId).map(({ type, sequence }) => [type, sequence])
  expect(of(held.id)).toEqual([
    ['voucher_hold.created', 1],
    ['voucher_hold.extended', 2],
    ['voucher_hold.captured', 3],
    ['voucher_hold.released', 4],
  ])
  expect(of(other.id)).toEqual([
    ['voucher_hold.created', 1],
    ['voucher_hold.expired', 2],
  ])
  expect(
    ours.find(({ type, objectId }) => type === 'voucher_hold.captured' && objectId === held.id)?.data,
  ).toMatchObject({
    holdId: held.id,
    state: 'OPEN',
    amount: '9.00',
    capturedAmount: '4.00',
    captureAmount: '4.00',
    captureReference: 'first-parcel',
  })
  const theirs = await eventsOf(world.theirs)
  expect(theirs.filter(({ objectId }) => objectId === held.id || objectId === other.id)).toEqual([])
  expect(theirs.filter(({ type, data }) => type === 'voucher.redeemed' && data.voucherId === voucher.id)).toHaveLength(
    1,
  )
})

test('the list is filtered by state and read in pages, newest first', async () => {
  const code = await world.voucher(50)
  const list = async (query: string) =>
    (
      await world.get<{ holds: Hold[]; nextCursor: string; hasMore: boolean }>(
        `${SK}/voucher-holds?${query}`,
        world.theirs,
      )
    ).data
  const made: Hold[] = []
  for (let i = 0; i < 5; i++) made.push(await hold(code, 1, { expiresInSeconds: i === 4 ? 5 : 3_600 }, world.theirs))
  const [first, second, third, fourth, fifth] = made.map(({ id }) => id)
  await capture({ id: first ?? '' }, {}, { as: world.theirs })
  await act({ id: second ?? '' }, 'release', {}, { as: world.theirs })
  aheadMs += 6_000
  const ids = async (state: string) => (await list(`state=${state}&limit=100`)).holds.map(({ id }) => id)
  expect(await ids('OPEN')).toEqual([fourth, third])
  expect((await ids('CAPTURED'))[0]).toBe(first)
  expect((await ids('RELEASED'))[0]).toBe(second)
  // Not marked by the job yet.
  expect((await ids('EXPIRED'))[0]).toBe(fifth)
  const newest = await list('limit=2')
  expect([newest.holds.map(({ id }) => id), newest.hasMore]).toEqual([[fifth, fourth], true])
  const next = await list(`limit=2&cursor=${newest.nextCursor}`)
  expect(next.holds.map(({ id }) => id)).toEqual([third, second])
})
