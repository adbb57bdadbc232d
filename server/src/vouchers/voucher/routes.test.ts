import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import type { Reply } from '../../../local/test/reply.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { withEnvironment } from '../../base/environment.ts'
import { insertDiscount } from '../../catalogue/charge/store.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { setCurrencyActive } from '../../catalogue/currency/store.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { rotateKey, listKeys } from '../../identity/merchant/keys.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'

type Data = Record<string, unknown> & { charges: Record<string, unknown>; code: string; id: string }

let world: ApiWorld
// Only moved forward, since ids increase with it.
let aheadMs = 0
const clock = () => new Date(Date.now() + aheadMs)
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url, clock)
  await setYen(yen)
})
afterAll(async () => {
  expect(await verifyLedger(world.pool)).toEqual([])
  await world.close()
})
beforeEach(() => world.charge())

const post = (path: string, body: object, more: Parameters<ApiWorld['call']>[2] = {}) =>
  world.call<Data>('POST', `${PK}/${path}`, { body, ...more })
const quote = (body: object, more?: Parameters<ApiWorld['call']>[2]) =>
  post('fetch-voucher-redemption-charges', body, more)
const issue = (body: object, as?: WorldMerchant) => world.post<Data>(`${SK}/vouchers`, body, as)
const yen = '155.55'
const setYen = (rate: string) => setManualRate(world.pool, 'USD', 'JPY', rate, clock)
/** Withdraws a currency from the catalogue, until the end of the test. */
const withdraw = async (currency: string): Promise<void> => {
  restoreAfterTest(() => setCurrencyActive(world.pool, currency, true))
  await setCurrencyActive(world.pool, currency, false)
}
/** The admin balance pays fees, until the end of the test. */
const takeFromAdmin = async (as: WorldMerchant): Promise<void> => {
  const set = (takeChargesFromWallet: boolean) => post('update-admin-charges', { takeChargesFromWallet }, { as })
  restoreAfterTest(() => set(false))
  await set(true)
}

describe('issuing', () => {
  test('takes the value from the balance, and a retry returns the same voucher', async () => {
    await world.fund('50.00')
    const before = await world.balance()
    const body = {
      amount: '20.00',
      currency: 'usd',
      referenceId: 'gift-1',
      forEmail: 'ada@example.com',
      lockPin: '0042',
    }
    const first = await issue(body)
    const again = await issue({ ...body, lockPin: '1111' })
    expect(first.data).toMatchObject({
      amount: 20,
      balance: 20,
      wasPaidFor: true,
      isUsed: false,
      isLocked: true,
      createdForMerchant: false,
      createdForExistingUser: false,
      createdForNonExistingUser: true,
    })
    expect(again.text).toBe(first.text)
    const open = await issue({ ...body, lockPin: '' })
    expect(open.status).toBe(409)
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
    expect(first.headers['scrip-reference-id']).toBe('gift-1')
    expect(await world.balance()).toBe(before - 20)
    const other = await issue({ ...body, amount: 21 })
    expect([other.status, other.error?.code]).toEqual([409, 'REFERENCE_TAKEN'])
    const transaction = (await world.get(`${SK}/verify-transaction/gift-1`)).data
    expect(transaction).toMatchObject({ type: 'VOUCHER_PURCHASE', status: 'COMPLETED', amount: 20, chargeType: 'NONE' })
  })

  test('a retry succeeds after the currency is no longer offered', async () => {
    await world.fund('5.00')
    const body = { amount: 1, currency: 'USD', referenceId: 'before-usd' }
    const first = await issue(body)
    await withdraw('USD')
    expect((await issue(body)).text).toBe(first.text.replace('"isActive":true', '"isActive":false'))
    expect((await issue({ ...body, referenceId: 'after-usd' })).status).toBe(422)
  })

  test('refuses an amount above the balance with 402', async () => {
    const reply = await issue({ amount: 1_000_000, currency: 'USD' })
    expect([reply.status, reply.error?.code]).toEqual([402, 'ISSUER_BALANCE_TOO_LOW'])
    const poor = await issue({ amount: 1, currency: 'EUR' }, world.theirs)
    expect([poor.status, poor.error?.code]).toEqual([402, 'ISSUER_BALANCE_TOO_LOW'])
  })

  test.each([
    [{ expiresAt: '2020-01-01' }, 'EXPIRY_INVALID'],
    [{ expiresAt: '2030-02-30' }, 'EXPIRY_INVALID'],
    [{ expiresAt: 'soon' }, 'EXPIRY_INVALID'],
    [{ expiresAt: '9999-12-31T23:59:59-05:00' }, 'EXPIRY_INVALID'],
    [{ expiresAt: '2030-12-31T23:59:60Z' }, 'EXPIRY_INVALID'],
    [{ onlyAt: ['NOBODY'] }, 'MERCHANT_NOT_FOUND'],
    [{ forMerchant: 'NOBODY' }, 'MERCHANT_NOT_FOUND'],
    [{ forMerchant: 'OURS', forEmail: 'a@example.com' }, 'RECIPIENT_TWICE'],
    [{ currency: 'ZZZ' }, 'CURRENCY_UNKNOWN'],
    [{ amount: 0 }, 'AMOUNT_ZERO'],
    [{ amount: '1.005' }, 'AMOUNT_TOO_PRECISE'],
    [{ amount: '99999999999' }, 'AMOUNT_ABOVE_LIMIT'],
    [{ referenceId: 'with space' }, 'REFERENCE_INVALID'],
  ])('refuses %j', async (body, code) => {
    const reply = await issue({ amount: 1, currency: 'USD', ...body })
    expect(reply.error?.code).toBe(code)
  })

  test("reads an expiry date as the end of that day in the merchant's time zone", async () => {
    await world.fund('5.00')
    const body = { amount: 1, currency: 'USD', expiresAt: '2030-12-31' }
    // Lagos is an hour ahead of UTC.
    expect((await issue(body)).data.expiresAt).toBe('2030-12-31T23:00:00.000Z')
  })

  test("lists only the merchant's own vouchers, newest first, page by page", async () => {
    await world.fund('10.00', { as: world.theirs })
    const codes: string[] = []
    for (let i = 0; i < 3; i++) {
      const body = { amount: 1, currency: 'USD', onlyAt: ['OURS', 'THEIRS'] }
      codes.unshift((await issue(body, world.theirs)).data.code)
    }
    type Page = { data: { vouchers: { codeTail: string }[]; nextCursor: string; hasMore: boolean } }
    const page = async (query: string) =>
      (JSON.parse((await world.get(`${SK}/vouchers?${query}`, world.theirs)).text) as Page).data
    const first = await page('limit=2')
    const second = await page(`limit=2&cursor=${first.nextCursor}`)
    const tails = [...first.vouchers, ...second.vouchers].map(({ codeTail }) => codeTail)
    expect(tails).toEqual(codes.map((code) => code.slice(-4)))
    expect([first.hasMore, second.hasMore, second.nextCursor]).toEqual([true, false, ''])
    // A page that ends with the last row is the last page.
    expect(await page('limit=3')).toMatchObject({ hasMore: false, nextCursor: '' })
  })
})

describe('a redemption', () => {
  test('takes amount and fee from the voucher and credits the merchant with the amount', async () => {
    const code = await world.voucher()
    const before = await world.balance()
    const { charges } = (await quote({ voucherCode: code, amount: 10 })).data
    expect(charges).toMatchObject({
      swapAmount: 10,
      toAmount: 10,
      processingFee: 0.25,
      totalGasAndProceesingFeeInFromCurrency: 0.25,
      totalGasCostAndProcessingFeeInWei: 0,
      exchangeRate: 1,
      percentageCharge: 1.5,
      isPercentageCharge: true,
      totalDeductable: 10.25,
      chargedTo: 'voucher',
    })
    const reply = await world.redeem({ voucherCode: code, amount: 10 })
    expect(reply.status, reply.text).toBe(200)
    expect(await world.left(code)).toBe(89.75)
    expect(await world.balance()).toBe(before + 10)
  })

  test('a 402 names the largest amount that can be redeemed', async () => {
    const code = await world.voucher('10.00')
    const refused = await world.redeem({ voucherCode: code, amount: 10 })
    expect([refused.status, refused.error?.code]).toEqual([402, 'VOUCHER_BALANCE_TOO_LOW'])
    expect(refused.error?.maxAmount).toBe((await quote({ voucherCode: code, amount: 10 })).error?.maxAmount)
    const amount = refused.error?.maxAmount
    expect(amount).toBe(9.75)
    expect((await world.redeem({ voucherCode: code, amount })).status).toBe(200)
    expect((await world.redeem({ voucherCode: await world.voucher('0.10'), amount: '0.05' })).error?.maxAmount).toBe(
      0.01,
    )
  })

  test('"max" empties the voucher, and an empty voucher is refused with 402', async () => {
    const code = await world.voucher('33.33')
    expect((await world.redeem({ voucherCode: code, amount: 'max' })).status).toBe(200)
    const after = (await post('verify-voucher', { voucherCode: code })).data
    expect([after.balance, after.isUsed]).toEqual([0, true])
    const again = await world.redeem({ voucherCode: code, amount: 'max' })
    expect([again.status, again.error?.code]).toEqual([402, 'VOUCHER_EMPTY'])
  })

  test('"max" means the balance at posting time, also with concurrent redemptions', async () => {
    const code = await world.voucher('50.00')
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => world.redeem({ voucherCode: code, amount: i % 2 === 0 ? 'max' : 3 })),
    )
    expect(replies.map(({ status }) => status).filter((status) => ![200, 402].includes(status))).toEqual([])
    expect(await world.left(code)).toBe(0)
    // Both requests have read the full balance when the first one posts.
    const other = await world.voucher('50.00')
    const both = [world.redeem({ voucherCode: other, amount: 3 }), world.redeem({ voucherCode: other, amount: 'max' })]
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
    expect(await world.left(other)).toBe(0)
  })

  test('one of 50 concurrent redemptions of the last dollar succeeds', async () => {
    await world.charge(0n, 0n)
    const code = await world.voucher('1.00')
    const before = await world.balance()
    const replies = await Promise.all(Array.from({ length: 50 }, () => world.redeem({ voucherCode: code, amount: 1 })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 402)).toHaveLength(49)
    expect([await world.left(code), await world.balance()]).toEqual([0, before + 1])
  })

  test('credits another currency minus the spread, rounded down, and records the exact rate', async () => {
    const code = await world.voucher()
    const before = await world.balance('JPY')
    const reply = await world.redeem({
      voucherCode: code,
      amount: '9.99',
      toCurrencyAbbreviation: 'jpy',
      referenceId: 'yen',
    })
    expect(reply.status, reply.text).toBe(200)
    // 9.99 × 155.55 × 0.995 is 1546.17….
    expect(await world.balance('JPY')).toBe(before + 1546)
    const { rows } = await withEnvironment(world.pool, world.ours.environmentId, (tx) =>
      tx.query(`select r.amount * rate_numerator / (rate_denominator * 100) - to_amount as rest, rate_source
        from redemptions r join transactions t using (environment_id, id) where t.reference = 'yen'`),
    )
    expect(rows).toMatchObject([{ rate_source: 'manual' }])
    expect(Number((rows[0] as { rest: string }).rest)).toBeCloseTo(0.174_777, 4)
  })

  test('is refused with 503 without a rate', async () => {
    const code = await world.voucher()
    const reply = await world.redeem({ voucherCode: code, amount: 1, toCurrencyAbbreviation: 'XOF' })
    expect([reply.status, reply.error?.code]).toEqual([503, 'RATE_UNKNOWN'])
  })

  test('to a wallet address is refused without a currency, on an unknown network, and for an invalid address', async () => {
    const body = { voucherCode: await world.voucher(), amount: 1, walletAddress: `0x${'1'.repeat(40)}` }
    const { quoteId } = (await quote({ voucherCode: body.voucherCode, amount: 1 })).data.charges
    const refusalOf = (reply: Pick<Reply, 'status' | 'error'>): [number, unknown] => [reply.status, reply.error?.code]
    const missing = [422, 'WALLET_CURRENCY_MISSING']
    expect(refusalOf(await world.redeem({ ...body, quoteId }))).toEqual(missing)
    expect(refusalOf(await quote(body))).toEqual(missing)
    const unknown = [404, 'WALLET_NETWORK_UNKNOWN']
    const toEth = { ...body, toCurrencyAbbreviation: 'ETH' }
    expect(refusalOf(await world.redeem(toEth))).toEqual(unknown)
    expect(refusalOf(await world.redeem({ ...toEth, blockchainNetworkAbbreviation: 'NOPE' }))).toEqual(unknown)
    for (const walletAddress of ['0x1', `0x${'0'.repeat(40)}`, '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'])
      expect(refusalOf(await world.redeem({ ...toEth, walletAddress }))).toEqual([422, 'WALLET_ADDRESS_INVALID'])
  })

  test('the admin balance pays fees while it covers them, also with concurrent redemptions', async () => {
    await takeFromAdmin(world.theirs)
    await world.fund('0.75', { account: 'admin', as: world.theirs })
    const code = await world.voucher('200.00')
    expect((await quote({ voucherCode: code, amount: 10 }, { as: world.theirs })).data.charges).toMatchObject({
      totalDeductable: 10,
      chargedTo: 'merchant',
    })
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => world.redeem({ voucherCode: code, amount: 10 }, { as: world.theirs })),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    // The admin balance of 0.75 pays 3 of 10 fees of 0.25; the voucher pays the others.
    expect(await world.left(code)).toBe(200 - 100 - 7 * 0.25)
  })

  test('an admin balance too low for a fee is an event, once until it is funded again', async () => {
    const as = world.theirs
    const alerts = async () => {
      await settleEvents(world.pool)
      const { data } = await world.get('/events?type=admin_balance.low', as)
      return (data as { events?: object[] }).events ?? []
    }
    const before = (await alerts()).length
    const newAlerts = async () => (await alerts()).slice(before)
    await takeFromAdmin(as)
    await world.fund('0.30', { account: 'admin', as })
    const voucherCode = await world.voucher('200.00')
    const redeemTen = (more: object = {}) => world.redeem({ voucherCode, amount: 10, ...more }, { as })
    await redeemTen()
    expect(await newAlerts()).toEqual([])
    const replies = await Promise.all([redeemTen({ referenceId: 'low-1' }), redeemTen(), redeemTen()])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await newAlerts()).toMatchObject([{ data: { currency: 'USD', balance: '0.05', fee: '0.25' } }])
    // Too little again, and the price is fixed by a quote.
    await world.fund('0.10', { account: 'admin', as })
    const { quoteId } = (await quote({ voucherCode, amount: 10 }, { as })).data.charges
    expect((await redeemTen({ quoteId, referenceId: 'low-2' })).status).toBe(200)
    await redeemTen()
    expect(await newAlerts()).toMatchObject([{}, { data: { balance: '0.15', reference: 'low-2' } }])
    await world.fund('0.10', { account: 'admin', as })
    await redeemTen()
    expect(await newAlerts()).toHaveLength(2)
  })

  test('a discount lowers the fee', async () => {
    const code = await world.voucher()
    const [startsAt, endsAt] = [new Date(clock().getTime() - 1_000), new Date(clock().getTime() + 60_000)]
    const discount = { id: world.newId(), discountPpm: 500_000n, startsAt, endsAt }
    const { environmentId } = world.theirs
    await withEnvironment(world.pool, environmentId, (tx) => insertDiscount(tx, environmentId, discount))
    const { charges } = (await quote({ voucherCode: code, amount: 10 }, { as: world.theirs })).data
    expect(charges.processingFee).toBe(0.13)
  })
})

describe('a reference', () => {
  test('returns the first response after the rate moved, the voucher was emptied, the PIN locked and the key rotated', async () => {
    const code = await world.voucher('50.00', { lockPin: '4821' })
    const body = {
      voucherCode: code,
      amount: '10.00',
      lockPin: '4821',
      toCurrencyAbbreviation: 'JPY',
      referenceId: 'r-1',
    }
    const first = await world.redeem(body)
    expect(first.status, first.text).toBe(200)
    const same = async (change: object = {}, more?: Parameters<ApiWorld['call']>[2]) => {
      const again = await world.redeem({ ...body, ...change }, more)
      expect(again.text).toBe(first.text)
      expect(again.headers['idempotent-replayed']).toBe('true')
      expect(again.headers['scrip-reference-id']).toBe('r-1')
    }
    restoreAfterTest(() => setYen(yen))
    await setYen('99')
    await same()
    expect((await world.redeem({ voucherCode: code, amount: 'max', lockPin: '4821' })).status).toBe(200)
    await same()
    for (let i = 0; i < 5; i++) await world.redeem({ voucherCode: code, amount: 1, lockPin: '0000' })
    expect((await world.redeem({ voucherCode: code, amount: 1, lockPin: '4821' })).error?.code).toBe(
      'VOUCHER_PIN_LOCKED',
    )
    await same()
    await same({ lockPin: '9999', amount: 10 })
    const [key] = (await listKeys(world.tools, world.ours)).filter(({ kind, endsAt }) => kind === 'secret' && !endsAt)
    const { key: secretKey } = await rotateKey(world.tools, world.ours, key?.id ?? '')
    await same({}, { as: { ...world.ours, secretKey } })
    await same({}, { keys: 'public' })
  })

  test.each([
    ['amount', { amount: 11 }],
    ['currency', { toCurrencyAbbreviation: 'JPY' }],
    ['metadata', { metaData: 'other' }],
  ])('is refused with 409 for a redemption with another %s', async (_, change) => {
    const referenceId = world.newId()
    const body = { voucherCode: await world.voucher(), amount: 10, referenceId }
    expect((await world.redeem(body)).status).toBe(200)
    const other = await world.redeem({ ...body, ...change })
    expect([other.status, other.error?.code]).toEqual([409, 'REFERENCE_TAKEN'])
  })

  test('is refused with 409 for another voucher, and with 404 for callers without a voucher', async () => {
    const body = { voucherCode: await world.voucher(), amount: 10, referenceId: 'one-voucher' }
    expect((await world.redeem(body)).status).toBe(200)
    expect((await world.redeem({ ...body, voucherCode: await world.voucher() })).status).toBe(409)
    expect((await world.redeem({ ...body, voucherCode: '0000000000000000' }, { keys: 'public' })).status).toBe(404)
  })

  test('can be used again after a refusal', async () => {
    const code = await world.voucher('5.00')
    expect((await world.redeem({ voucherCode: code, amount: 10, referenceId: 'again' })).status).toBe(402)
    expect((await world.redeem({ voucherCode: code, amount: 1, referenceId: 'again' })).status).toBe(200)
  })

  test('can be sent as Idempotency-Key, and is generated and returned if missing', async () => {
    const code = await world.voucher()
    const named = { headers: { 'idempotency-key': 'header-1' } }
    const [first, again] = [
      await world.redeem({ voucherCode: code, amount: 1 }, named),
      await world.redeem({ voucherCode: code, amount: 1 }, named),
    ]
    expect([first.headers['scrip-reference-id'], again.headers['idempotent-replayed']]).toEqual(['header-1', 'true'])
    const made = (await world.redeem({ voucherCode: code, amount: 1 })).headers['scrip-reference-id'] as string
    expect((await world.get(`${SK}/verify-transaction/${made}`)).status).toBe(200)
  })

  test('can be used by two merchants independently', async () => {
    const code = await world.voucher()
    const body = { voucherCode: code, amount: 1, referenceId: 'shared' }
    for (const as of [world.ours, world.theirs]) {
      const { status, headers } = await world.redeem(body, { as })
      expect([status, headers['idempotent-replayed']]).toEqual([200, undefined])
    }
    expect(await world.left(code)).toBeLessThan(98)
  })

  test('sent five times at once makes one redemption and five equal responses', async () => {
    const code = await world.voucher()
    const body = { voucherCode: code, amount: 10, referenceId: 'five' }
    const replies = await Promise.all(Array.from({ length: 5 }, () => world.redeem(body)))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(await world.left(code)).toBe(89.75)
  })
})

describe('a quote', () => {
  test('fixes rate and fee, also if the market moves in favour of the desk', async () => {
    const code = await world.voucher()
    const body = { voucherCode: code, amount: 10, toCurrencyAbbreviation: 'JPY' }
    const { charges } = (await quote(body)).data
    await world.charge(500n, 0n)
    restoreAfterTest(() => setYen(yen))
    await setYen('300')
    const before = await world.balance('JPY')
    expect((await world.redeem({ ...body, quoteId: charges.quoteId })).status).toBe(200)
    expect(await world.balance('JPY')).toBe(before + (charges.toAmount as number))
    expect(await world.left(code)).toBe(100 - (charges.totalDeductable as number))
  })

  test('is refused with 409 for another amount, voucher, merchant or currency, or if altered', async () => {
    const code = await world.voucher()
    const quoteId = (await quote({ voucherCode: code, amount: 10 })).data.charges.quoteId as string
    const body = { voucherCode: code, amount: 10, quoteId }
    const stale = [
      await world.redeem({ ...body, amount: 11 }),
      await world.redeem({ ...body, amount: 'max' }),
      await world.redeem({ ...body, voucherCode: await world.voucher() }),
      await world.redeem({ ...body, toCurrencyAbbreviation: 'JPY' }),
      await world.redeem(body, { as: world.theirs }),
      await world.redeem({ ...body, quoteId: quoteId.replace(/.(?=.{60}$)/, (c) => (c === 'A' ? 'B' : 'A')) }),
      await world.redeem({ ...body, quoteId: 'nonsense' }),
      await world.redeem({ ...body, quoteId: quoteId.replace('.1.', '.2.') }),
    ]
    expect(stale.map((reply) => [reply.status, reply.error?.code])).toEqual(stale.map(() => [409, 'QUOTE_STALE']))
    expect((await world.redeem(body)).status).toBe(200)
  })

  test('is refused with 409 once the voucher has less than quoted; accepted after the currency is no longer offered', async () => {
    const code = await world.voucher('20.00')
    const all = (await quote({ voucherCode: code, amount: 'max' })).data.charges.quoteId
    const yen = { voucherCode: code, amount: 5, toCurrencyAbbreviation: 'JPY' }
    const { quoteId } = (await quote(yen)).data.charges
    await withdraw('JPY')
    expect((await world.redeem({ ...yen, quoteId })).status).toBe(200)
    expect((await world.redeem(yen)).status).toBe(422)
    const stale = await world.redeem({ voucherCode: code, amount: 'max', quoteId: all })
    expect([stale.status, stale.error?.code]).toEqual([409, 'QUOTE_STALE'])
  })

  test('is refused with 409 once the admin balance that should pay the fee is used up', async () => {
    await takeFromAdmin(world.theirs)
    await world.fund('0.30', { account: 'admin', as: world.theirs })
    const code = await world.voucher()
    const { charges } = (await quote({ voucherCode: code, amount: 10 }, { as: world.theirs })).data
    expect(charges.chargedTo).toBe('merchant')
    const body = { voucherCode: code, amount: 10, quoteId: charges.quoteId }
    expect((await world.redeem({ voucherCode: code, amount: 10 }, { as: world.theirs })).status).toBe(200)
    expect((await world.redeem({ voucherCode: code, amount: 10 }, { as: world.theirs })).status).toBe(200)
    const stale = await world.redeem(body, { as: world.theirs })
    expect([stale.status, stale.error?.code]).toEqual([409, 'QUOTE_STALE'])
  })
})

describe('access to a voucher', () => {
  const anonymous = { keys: 'public' } as const

  test('a locked voucher needs its PIN for a quote and for a redemption', async () => {
    const code = await world.voucher('10.00', { lockPin: '0042' })
    for (const ask of [world.redeem, quote]) {
      expect((await ask({ voucherCode: code, amount: 1 })).error?.code).toBe('VOUCHER_PIN_MISSING')
      expect((await ask({ voucherCode: code, amount: 1, lockPin: '0043' })).error?.code).toBe('VOUCHER_PIN_WRONG')
      expect((await ask({ voucherCode: code, amount: 1, lockPin: '0042' })).status).toBe(200)
    }
  })

  test('of 500 concurrent wrong PINs five are compared; ten in total freeze the voucher and notify its issuer', async () => {
    const code = await world.voucher('10.00', { lockPin: '0042' })
    const wrong = () => world.redeem({ voucherCode: code, amount: 1, lockPin: '9999' })
    const codes = (await Promise.all(Array.from({ length: 500 }, wrong))).map((reply) => reply.error?.code)
    expect(codes.filter((one) => one === 'VOUCHER_PIN_WRONG')).toHaveLength(5)
    expect(codes.filter((one) => one === 'VOUCHER_PIN_LOCKED')).toHaveLength(495)
    await world.pool.query(`update voucher_pins set locked_until = '2020-01-01' where wrong_in_row = 5`)
    const more = (await Promise.all(Array.from({ length: 20 }, wrong))).map((reply) => reply.error?.code)
    expect(more.filter((one) => one === 'VOUCHER_PIN_WRONG')).toHaveLength(5)
    const right = { voucherCode: code, amount: 1, lockPin: '0042' }
    expect((await world.redeem(right)).error?.code).toBe('VOUCHER_FROZEN')
    expect(more.filter((one) => one === 'VOUCHER_FROZEN')).toHaveLength(15)
    expect((await world.redeem(right, anonymous)).error?.code).toBe('VOUCHER_NOT_FOUND')
    const { rows } = await withEnvironment(world.pool, world.ours.environmentId, (tx) =>
      tx.query<{ sequence: bigint }>(`select sequence from ledger_outbox where type = 'voucher.pin_frozen'`),
    )
    expect(rows).toEqual([{ sequence: 2n }])
  })

  test('onlyAt, blocked and cancelled are the same 404 for the public key; the secret key gets the reason', async () => {
    await world.fund('10.00')
    await world.fund('10.00', { as: world.theirs })
    const make = async (more: object, as = world.ours) =>
      (await issue({ amount: 1, currency: 'USD', ...more }, as)).data
    const elsewhere = await make({ onlyAt: ['THEIRS'] }, world.theirs)
    const [blocked, cancelled] = [await make({}), await make({})]
    const set = (id: string, state: string) =>
      world.pool.query(`update ledger_accounts set state = $2 where owner_id = $1 and kind = 'voucher'`, [id, state])
    await set(blocked.id, 'no_debit')
    await world.redeem({ voucherCode: cancelled.code, amount: 'max' })
    await set(cancelled.id, 'closed')
    const missing = await post('verify-voucher', { voucherCode: '0000000000000000' }, anonymous)
    for (const [{ code: voucherCode }, reason] of [
      [elsewhere, 'VOUCHER_ELSEWHERE'],
      [blocked, 'VOUCHER_BLOCKED'],
      [cancelled, 'VOUCHER_CANCELLED'],
    ] as const)
      for (const [path, body] of [
        ['verify-voucher', { voucherCode }],
        ['fetch-voucher-redemption-charges', { voucherCode, amount: 1 }],
        ['redeem-voucher', { voucherCode, amount: 1 }],
      ] as const) {
        const hidden = await post(path, body, anonymous)
        expect(hidden.body).toEqual({
          ...missing.body,
          error: { ...missing.error, requestId: hidden.error?.requestId },
        })
        expect((await post(path, body)).error?.code).toBe(reason)
      }
    expect((await world.redeem({ voucherCode: elsewhere.code, amount: 0.5 }, { as: world.theirs })).status).toBe(200)
  })

  test('the issuer sees a voucher limited to other merchants but cannot redeem it', async () => {
    await world.fund('1.00')
    const body = { amount: 1, currency: 'USD', onlyAt: ['THEIRS'] }
    const { code } = (await issue(body)).data
    expect((await post('verify-voucher', { voucherCode: code })).status).toBe(200)
    expect((await world.redeem({ voucherCode: code, amount: 1 })).status).toBe(403)
  })

  test('a locked PIN row of one voucher does not delay other vouchers', async () => {
    const [busy, free] = [
      await world.voucher('5.00', { lockPin: '0042' }),
      await world.voucher('5.00', { lockPin: '0042' }),
    ]
    const id = (await post('verify-voucher', { voucherCode: busy })).data.id
    const locker = await world.pool.connect()
    await locker.query('begin')
    await locker.query('select from voucher_pins where voucher_id = $1 for update', [id])
    const waiting = world.redeem({ voucherCode: busy, amount: 1, lockPin: '0042' })
    const others = await Promise.all(
      Array.from({ length: 5 }, () => world.redeem({ voucherCode: free, amount: 0.5, lockPin: '0042' })),
    )
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await locker.query('rollback')
    locker.release()
    expect([200, 503]).toContain((await waiting).status)
  })

  test('an expired voucher is refused with 409, and verify-voucher still shows it', async () => {
    await world.fund('1.00')
    const expiresAt = new Date(clock().getTime() + 60_000).toISOString()
    const body = { amount: 1, currency: 'USD', expiresAt }
    const { code } = (await issue(body)).data
    aheadMs += 61_000
    expect((await world.redeem({ voucherCode: code, amount: 1 }, anonymous)).error?.code).toBe('VOUCHER_EXPIRED')
    expect((await post('verify-voucher', { voucherCode: code }, anonymous)).data.expiresAt).toBe(expiresAt)
  })

  test('a live key gets 404 for a test voucher', async () => {
    const { livePublicKey, liveSecretKey } = world.ours
    const live = { as: { ...world.ours, publicKey: livePublicKey, secretKey: liveSecretKey } }
    expect((await world.redeem({ voucherCode: await world.voucher(), amount: 1 }, live)).status).toBe(404)
    const sandbox = await world.call('POST', '/sandbox/vouchers', { body: { amount: 1, currency: 'USD' }, ...live })
    expect([sandbox.status, sandbox.error?.code]).toEqual([403, 'SANDBOX_ONLY'])
  })

  test('a merchant can require the secret key for redemptions; retries with the public key still succeed', async () => {
    const body = { voucherCode: await world.voucher(), amount: 1, referenceId: 'before-secret' }
    expect((await world.redeem(body, anonymous)).status).toBe(200)
    const set = (needs: boolean) =>
      world.pool.query('update merchant_environments set redeem_needs_secret = $2 where id = $1', [
        world.ours.environmentId,
        needs,
      ])
    restoreAfterTest(() => set(false))
    await set(true)
    const refused = await world.redeem({ ...body, referenceId: 'after-secret' }, anonymous)
    expect([refused.status, refused.error?.code]).toEqual([403, 'VOUCHER_SECRET_NEEDED'])
    expect((await world.redeem(body, anonymous)).status).toBe(200)
    expect((await world.redeem({ ...body, referenceId: 'after-secret' })).status).toBe(200)
  })

  test('a burst of guesses counts each guess, and a burst of valid requests counts none', async () => {
    const [guesser, shop] = [
      { ...anonymous, address: '198.51.100.8' },
      { ...anonymous, address: '198.51.100.9' },
    ]
    const code = await world.voucher()
    const burst = async (voucherCode: string, from: typeof shop) => {
      const ask = () => post('verify-voucher', { voucherCode }, from)
      return (await Promise.all(Array.from({ length: 150 }, ask))).map(({ status }) => status)
    }
    for (let i = 0; i < 3; i++) {
      expect((await burst(code, shop)).filter((status) => status === 200)).toHaveLength(100)
      expect((await post('verify-voucher', { voucherCode: code }, shop)).status).toBe(200)
    }
    expect((await burst('0000000000000000', guesser)).filter((status) => status === 404)).toHaveLength(100)
    expect((await burst('0000000000000000', guesser)).filter((status) => status === 404)).toHaveLength(0)
  })

  test('with the public key, a voucher of other merchants and a missing voucher have the same error', async () => {
    await world.fund('1.00')
    const body = { amount: 1, currency: 'USD', onlyAt: ['THEIRS'] }
    const { code } = (await issue(body)).data
    expect((await world.redeem({ voucherCode: await world.voucher(), amount: 1, referenceId: 'seen' })).status).toBe(
      200,
    )
    for (const change of [
      { amount: '1.005' },
      { amount: 'abc' },
      { amount: 1, referenceId: 'seen' },
      { amount: 'max' },
    ]) {
      const [elsewhere, missing] = await Promise.all(
        [code, '0000000000000000'].map((voucherCode) => world.redeem({ voucherCode, ...change }, anonymous)),
      )
      expect(elsewhere?.error?.code).toBe(missing?.error?.code)
    }
  })

  test('100 unknown codes from one address lead to 429 there; the secret key and other addresses go on', async () => {
    const address = '198.51.100.7'
    const guess = { ...anonymous, address }
    const code = await world.voucher()
    const statuses: number[] = []
    for (let i = 0; i < 110; i++)
      statuses.push((await post('verify-voucher', { voucherCode: '0000000000000000' }, guess)).status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(100)
    const refused = await post('verify-voucher', { voucherCode: code }, guess)
    expect([refused.status, Number(refused.headers['retry-after']) > 500]).toEqual([429, true])
    expect((await post('verify-voucher', { voucherCode: code }, { address })).status).toBe(200)
    expect((await post('verify-voucher', { voucherCode: code }, anonymous)).status).toBe(200)
  })
})

describe('visibility', () => {
  type Shown = { redeemedUserID: string; isMerchant: boolean; user: Record<string, unknown> }[]
  const shown = async (code: string, more?: Parameters<ApiWorld['call']>[2]) =>
    (await post('verify-voucher', { voucherCode: code }, more)).data.redeemedVouchers as Shown

  test('the issuer sees all redeeming merchants, a merchant sees itself, the public key sees none', async () => {
    const code = await world.voucher()
    await world.redeem({ voucherCode: code, amount: 1 })
    await world.redeem({ voucherCode: code, amount: 2 }, { as: world.theirs })
    expect((await shown(code)).map(({ user }) => user.username)).toEqual(['THEIRS', 'OURS'])
    expect((await shown(code, { as: world.theirs })).map(({ user }) => user.username)).toEqual(['THEIRS', ''])
    for (const one of await shown(code, { keys: 'public' }))
      for (const value of [one.redeemedUserID, ...Object.values(one.user)]) expect(['', false]).toContain(value)
    const [theirs] = await shown(code)
    expect(theirs).toMatchObject({
      isMerchant: true,
      redeemedUserID: world.theirs.merchantId,
      user: { role: 'MERCHANT' },
    })
  })

  test('logs and events of redemptions contain no code and no PIN', async () => {
    const code = await world.voucher('5.00', { lockPin: '7391' })
    await world.redeem({ voucherCode: code, amount: 1, lockPin: '7391' })
    await world.redeem({ voucherCode: code, amount: 1, lockPin: '7392' })
    await world.redeem({ voucherCode: code, amount: 1000, lockPin: '7391' })
    const { rows } = await withEnvironment(world.pool, world.ours.environmentId, (tx) =>
      tx.query<{ payload: unknown }>('select payload from ledger_outbox'),
    )
    expect(rows.length).toBeGreaterThan(1)
    const written = world.logged() + JSON.stringify(rows)
    for (const secret of [code, code.replaceAll('-', ''), '7391', '7392']) expect(written).not.toContain(`"${secret}"`)
    expect(written.replaceAll('-', '')).not.toContain(code.replaceAll('-', ''))
  })
})

describe('a receipt', () => {
  test('verifies with the published key, and an altered one does not', async () => {
    const reply = await world.redeem({ voucherCode: await world.voucher(), amount: 10, referenceId: 'receipt-1' })
    const [header = '', claims = '', signature = ''] = (reply.data.receipt as string).split('.')
    const published = await world.app.inject('/.well-known/scrip-receipt-keys.json')
    const { keys } = published.json<{ keys: { kid: string; kty: string; crv: string; x: string }[] }>()
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
    const { kty = '', crv = '', x = '' } = keys.find((one) => one.kid === kid) ?? {}
    const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
    const isGenuine = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
    expect(isGenuine(`${header}.${claims}`)).toBe(true)
    const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
    expect(read).toMatchObject({
      iss: 'https://pay.example',
      mode: 'test',
      merchant: 'OURS',
      reference: 'receipt-1',
      currency: 'USD',
      amount: '10.00',
      charge: '0.25',
      taken: '10.25',
      received: { amount: '10.00', currency: 'USD' },
    })
    const altered = Buffer.from(JSON.stringify({ ...read, amount: '1.00' })).toString('base64url')
    expect(isGenuine(`${header}.${altered}`)).toBe(false)
  })
})
