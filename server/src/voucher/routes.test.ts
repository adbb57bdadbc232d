import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../local/api-world.ts'
import { settleEvents } from '../../local/settle-events.ts'
import { createTestDatabase } from '../../local/test-database.ts'
import { withEnvironment } from '../base/environment.ts'
import { insertDiscount } from '../charge/store.ts'
import { setManualRate } from '../currency/rates.ts'
import { setCurrencyActive } from '../currency/store.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { rotateKey, listKeys } from '../merchant/keys.ts'
import { systemClock } from '../base/clock.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'

type Reply = Awaited<ReturnType<ApiWorld['call']>>
type Json = {
  code: number
  message: string
  data: Record<string, unknown> & { charges: Record<string, unknown>; code: string; id: string }
  error: { code: string; maxAmount?: number; requestId: string }
}
const json = (reply: Reply): Json => JSON.parse(reply.text) as Json

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  await setManualRate(world.pool, 'USD', 'JPY', '155.55', systemClock)
})
afterAll(async () => {
  expect(await verifyLedger(world.pool)).toEqual([])
  await world.close()
})
beforeEach(() => world.charge())

async function voucher(amount = '100.00', more: Record<string, unknown> = {}, as?: WorldMerchant): Promise<string> {
  const reply = await world.call('POST', '/sandbox/vouchers', {
    body: { amount, currency: 'USD', ...more },
    ...(as && { as }),
  })
  expect(reply.status, reply.text).toBe(200)
  return json(reply).data.code
}
const post = (path: string, body: object, more: Parameters<ApiWorld['call']>[2] = {}) =>
  world.call('POST', `${PK}/${path}`, { body, ...more })
const redeem = (body: object, more?: Parameters<ApiWorld['call']>[2]) => post('redeem-voucher', body, more)
const quote = (body: object, more?: Parameters<ApiWorld['call']>[2]) =>
  post('fetch-voucher-redemption-charges', body, more)
const left = async (voucherCode: string) => json(await post('verify-voucher', { voucherCode })).data.balance
const balance = async (as = world.ours, currency = 'USD') =>
  json(await world.call('GET', `${PK}/fetch-balance?currencyAbbreviation=${currency}`, { as })).data.balance as number
const fund = (amount: string, account: 'balance' | 'admin', as = world.ours) =>
  world.call('POST', '/sandbox/fund', { body: { currency: 'USD', amount, account }, as })
const setTakes = (takeChargesFromWallet: boolean, as = world.ours) =>
  post('update-admin-charges', { takeChargesFromWallet }, { as })

describe('issuing', () => {
  test('takes the value from the balance, and a retry returns the same voucher', async () => {
    await fund('50.00', 'balance')
    const before = await balance()
    const body = {
      amount: '20.00',
      currency: 'usd',
      referenceId: 'gift-1',
      forEmail: 'ada@example.com',
      lockPin: '0042',
    }
    const first = await world.call('POST', `${SK}/vouchers`, { body })
    const again = await world.call('POST', `${SK}/vouchers`, { body: { ...body, lockPin: '1111' } })
    expect(json(first).data).toMatchObject({
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
    const open = await world.call('POST', `${SK}/vouchers`, { body: { ...body, lockPin: '' } })
    expect(open.status).toBe(409)
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
    expect(first.headers['scrip-reference-id']).toBe('gift-1')
    expect(await balance()).toBe(before - 20)
    const other = await world.call('POST', `${SK}/vouchers`, { body: { ...body, amount: 21 } })
    expect([other.status, json(other).error.code]).toEqual([409, 'REFERENCE_TAKEN'])
    const transaction = json(await world.call('GET', `${SK}/verify-transaction/gift-1`)).data
    expect(transaction).toMatchObject({ type: 'VOUCHER_PURCHASE', status: 'COMPLETED', amount: 20, chargeType: 'NONE' })
  })

  test('a retry succeeds after the currency is no longer offered', async () => {
    await fund('5.00', 'balance')
    const body = { amount: 1, currency: 'USD', referenceId: 'before-usd' }
    const first = await world.call('POST', `${SK}/vouchers`, { body })
    await setCurrencyActive(world.pool, 'USD', false)
    expect((await world.call('POST', `${SK}/vouchers`, { body })).text).toBe(
      first.text.replace('"isActive":true', '"isActive":false'),
    )
    expect((await world.call('POST', `${SK}/vouchers`, { body: { ...body, referenceId: 'after-usd' } })).status).toBe(
      422,
    )
    await setCurrencyActive(world.pool, 'USD', true)
  })

  test('refuses an amount above the balance with 402', async () => {
    const reply = await world.call('POST', `${SK}/vouchers`, { body: { amount: 1_000_000, currency: 'USD' } })
    expect([reply.status, json(reply).error.code]).toEqual([402, 'ISSUER_BALANCE_TOO_LOW'])
    const poor = await world.call('POST', `${SK}/vouchers`, { body: { amount: 1, currency: 'EUR' }, as: world.theirs })
    expect([poor.status, json(poor).error.code]).toEqual([402, 'ISSUER_BALANCE_TOO_LOW'])
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
    const reply = await world.call('POST', `${SK}/vouchers`, { body: { amount: 1, currency: 'USD', ...body } })
    expect(json(reply).error.code).toBe(code)
  })

  test("reads an expiry date as the end of that day in the merchant's time zone", async () => {
    await fund('5.00', 'balance')
    const body = { amount: 1, currency: 'USD', expiresAt: '2030-12-31' }
    // Lagos is an hour ahead of UTC.
    expect(json(await world.call('POST', `${SK}/vouchers`, { body })).data.expiresAt).toBe('2030-12-31T23:00:00.000Z')
  })

  test("lists only the merchant's own vouchers, newest first, page by page", async () => {
    await fund('10.00', 'balance', world.theirs)
    const codes: string[] = []
    for (let i = 0; i < 3; i++) {
      const body = { amount: 1, currency: 'USD', onlyAt: ['OURS', 'THEIRS'] }
      codes.unshift(json(await world.call('POST', `${SK}/vouchers`, { body, as: world.theirs })).data.code)
    }
    type Page = { data: { vouchers: { codeTail: string }[]; nextCursor: string; hasMore: boolean } }
    const page = async (query: string) =>
      (JSON.parse((await world.call('GET', `${SK}/vouchers?${query}`, { as: world.theirs })).text) as Page).data
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
    const code = await voucher()
    const before = await balance()
    const { charges } = json(await quote({ voucherCode: code, amount: 10 })).data
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
    const reply = await redeem({ voucherCode: code, amount: 10 })
    expect(reply.status, reply.text).toBe(200)
    expect(await left(code)).toBe(89.75)
    expect(await balance()).toBe(before + 10)
  })

  test('a 402 names the largest amount that can be redeemed', async () => {
    const code = await voucher('10.00')
    const refused = await redeem({ voucherCode: code, amount: 10 })
    expect([refused.status, json(refused).error.code]).toEqual([402, 'VOUCHER_BALANCE_TOO_LOW'])
    expect(json(refused).error.maxAmount).toBe(json(await quote({ voucherCode: code, amount: 10 })).error.maxAmount)
    const amount = json(refused).error.maxAmount
    expect(amount).toBe(9.75)
    expect((await redeem({ voucherCode: code, amount })).status).toBe(200)
    expect(json(await redeem({ voucherCode: await voucher('0.10'), amount: '0.05' })).error.maxAmount).toBe(0.01)
  })

  test('"max" empties the voucher, and an empty voucher is refused with 402', async () => {
    const code = await voucher('33.33')
    expect((await redeem({ voucherCode: code, amount: 'max' })).status).toBe(200)
    const after = json(await post('verify-voucher', { voucherCode: code })).data
    expect([after.balance, after.isUsed]).toEqual([0, true])
    const again = await redeem({ voucherCode: code, amount: 'max' })
    expect([again.status, json(again).error.code]).toEqual([402, 'VOUCHER_EMPTY'])
  })

  test('"max" means the balance at posting time, also with concurrent redemptions', async () => {
    const code = await voucher('50.00')
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => redeem({ voucherCode: code, amount: i % 2 === 0 ? 'max' : 3 })),
    )
    expect(replies.map(({ status }) => status).filter((status) => ![200, 402].includes(status))).toEqual([])
    expect(await left(code)).toBe(0)
    // Both requests have read the full balance when the first one posts.
    const other = await voucher('50.00')
    const both = [redeem({ voucherCode: other, amount: 3 }), redeem({ voucherCode: other, amount: 'max' })]
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
    expect(await left(other)).toBe(0)
  })

  test('one of 50 concurrent redemptions of the last dollar succeeds', async () => {
    await world.charge(0n, 0n)
    const code = await voucher('1.00')
    const before = await balance()
    const replies = await Promise.all(Array.from({ length: 50 }, () => redeem({ voucherCode: code, amount: 1 })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 402)).toHaveLength(49)
    expect([await left(code), await balance()]).toEqual([0, before + 1])
  })

  test('credits another currency minus the spread, rounded down, and records the exact rate', async () => {
    const code = await voucher()
    const before = await balance(world.ours, 'JPY')
    const reply = await redeem({ voucherCode: code, amount: '9.99', toCurrencyAbbreviation: 'jpy', referenceId: 'yen' })
    expect(reply.status, reply.text).toBe(200)
    // 9.99 × 155.55 × 0.995 is 1546.17….
    expect(await balance(world.ours, 'JPY')).toBe(before + 1546)
    const { rows } = await withEnvironment(world.pool, world.ours.environmentId, (tx) =>
      tx.query(`select r.amount * rate_numerator / (rate_denominator * 100) - to_amount as rest, rate_source
        from redemptions r join transactions t using (environment_id, id) where t.reference = 'yen'`),
    )
    expect(rows).toMatchObject([{ rate_source: 'manual' }])
    expect(Number((rows[0] as { rest: string }).rest)).toBeCloseTo(0.174_777, 4)
  })

  test('is refused with 503 without a rate', async () => {
    const code = await voucher()
    const reply = await redeem({ voucherCode: code, amount: 1, toCurrencyAbbreviation: 'XOF' })
    expect([reply.status, json(reply).error.code]).toEqual([503, 'RATE_UNKNOWN'])
  })

  test('to a wallet address is refused without a currency, on an unknown network, and for an invalid address', async () => {
    const body = { voucherCode: await voucher(), amount: 1, walletAddress: `0x${'1'.repeat(40)}` }
    const { quoteId } = json(await quote({ voucherCode: body.voucherCode, amount: 1 })).data.charges
    const refusalOf = (reply: Reply): [number, unknown] => [reply.status, json(reply).error.code]
    const missing = [422, 'WALLET_CURRENCY_MISSING']
    expect(refusalOf(await redeem({ ...body, quoteId }))).toEqual(missing)
    expect(refusalOf(await quote(body))).toEqual(missing)
    const unknown = [404, 'WALLET_NETWORK_UNKNOWN']
    const toEth = { ...body, toCurrencyAbbreviation: 'ETH' }
    expect(refusalOf(await redeem(toEth))).toEqual(unknown)
    expect(refusalOf(await redeem({ ...toEth, blockchainNetworkAbbreviation: 'NOPE' }))).toEqual(unknown)
    for (const walletAddress of ['0x1', `0x${'0'.repeat(40)}`, '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'])
      expect(refusalOf(await redeem({ ...toEth, walletAddress }))).toEqual([422, 'WALLET_ADDRESS_INVALID'])
  })

  test('the admin balance pays fees while it covers them, also with concurrent redemptions', async () => {
    await setTakes(true, world.theirs)
    await fund('0.75', 'admin', world.theirs)
    const code = await voucher('200.00')
    expect(json(await quote({ voucherCode: code, amount: 10 }, { as: world.theirs })).data.charges).toMatchObject({
      totalDeductable: 10,
      chargedTo: 'merchant',
    })
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => redeem({ voucherCode: code, amount: 10 }, { as: world.theirs })),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    // The admin balance of 0.75 pays 3 of 10 fees of 0.25; the voucher pays the others.
    expect(await left(code)).toBe(200 - 100 - 7 * 0.25)
    await setTakes(false, world.theirs)
  })

  test('an admin balance too low for a fee is an event, once until it is funded again', async () => {
    const as = world.theirs
    const alerts = async () => {
      await settleEvents(world.pool)
      const { data } = json(await world.call('GET', '/events?type=admin_balance.low', { as }))
      return (data as { events?: object[] }).events ?? []
    }
    const before = (await alerts()).length
    const newAlerts = async () => (await alerts()).slice(before)
    await setTakes(true, as)
    await fund('0.30', 'admin', as)
    const voucherCode = await voucher('200.00')
    const redeemTen = (more: object = {}) => redeem({ voucherCode, amount: 10, ...more }, { as })
    await redeemTen()
    expect(await newAlerts()).toEqual([])
    const replies = await Promise.all([redeemTen({ referenceId: 'low-1' }), redeemTen(), redeemTen()])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await newAlerts()).toMatchObject([{ data: { currency: 'USD', balance: '0.05', fee: '0.25' } }])
    // Too little again, and the price is fixed by a quote.
    await fund('0.10', 'admin', as)
    const { quoteId } = json(await quote({ voucherCode, amount: 10 }, { as })).data.charges
    expect((await redeemTen({ quoteId, referenceId: 'low-2' })).status).toBe(200)
    await redeemTen()
    expect(await newAlerts()).toMatchObject([{}, { data: { balance: '0.15', reference: 'low-2' } }])
    await fund('0.10', 'admin', as)
    await redeemTen()
    expect(await newAlerts()).toHaveLength(2)
    await setTakes(false, as)
  })

  test('a discount lowers the fee', async () => {
    const code = await voucher()
    const [startsAt, endsAt] = [new Date(Date.now() - 1_000), new Date(Date.now() + 60_000)]
    const discount = { id: world.newId(), discountPpm: 500_000n, startsAt, endsAt }
    const { environmentId } = world.theirs
    await withEnvironment(world.pool, environmentId, (tx) => insertDiscount(tx, environmentId, discount))
    const { charges } = json(await quote({ voucherCode: code, amount: 10 }, { as: world.theirs })).data
    expect(charges.processingFee).toBe(0.13)
  })
})

describe('a reference', () => {
  test('returns the first response after the rate moved, the voucher was emptied, the PIN locked and the key rotated', async () => {
    const code = await voucher('50.00', { lockPin: '4821' })
    const body = {
      voucherCode: code,
      amount: '10.00',
      lockPin: '4821',
      toCurrencyAbbreviation: 'JPY',
      referenceId: 'r-1',
    }
    const first = await redeem(body)
    expect(first.status, first.text).toBe(200)
    const same = async (change: object = {}, more?: Parameters<ApiWorld['call']>[2]) => {
      const again = await redeem({ ...body, ...change }, more)
      expect(again.text).toBe(first.text)
      expect(again.headers['idempotent-replayed']).toBe('true')
      expect(again.headers['scrip-reference-id']).toBe('r-1')
    }
    await setManualRate(world.pool, 'USD', 'JPY', '99', systemClock)
    await same()
    expect((await redeem({ voucherCode: code, amount: 'max', lockPin: '4821' })).status).toBe(200)
    await same()
    for (let i = 0; i < 5; i++) await redeem({ voucherCode: code, amount: 1, lockPin: '0000' })
    expect(json(await redeem({ voucherCode: code, amount: 1, lockPin: '4821' })).error.code).toBe('VOUCHER_PIN_LOCKED')
    await same()
    await same({ lockPin: '9999', amount: 10 })
    const [key] = (await listKeys(world.tools, world.ours)).filter(({ kind, endsAt }) => kind === 'secret' && !endsAt)
    const { key: secretKey } = await rotateKey(world.tools, world.ours, key?.id ?? '')
    await same({}, { as: { ...world.ours, secretKey } })
    await same({}, { keys: 'public' })
    await setManualRate(world.pool, 'USD', 'JPY', '155.55', systemClock)
  })

  test.each([
    ['amount', { amount: 11 }],
    ['currency', { toCurrencyAbbreviation: 'JPY' }],
    ['metadata', { metaData: 'other' }],
  ])('is refused with 409 for a redemption with another %s', async (_, change) => {
    const referenceId = world.newId()
    const body = { voucherCode: await voucher(), amount: 10, referenceId }
    expect((await redeem(body)).status).toBe(200)
    const other = await redeem({ ...body, ...change })
    expect([other.status, json(other).error.code]).toEqual([409, 'REFERENCE_TAKEN'])
  })

  test('is refused with 409 for another voucher, and with 404 for callers without a voucher', async () => {
    const body = { voucherCode: await voucher(), amount: 10, referenceId: 'one-voucher' }
    expect((await redeem(body)).status).toBe(200)
    expect((await redeem({ ...body, voucherCode: await voucher() })).status).toBe(409)
    expect((await redeem({ ...body, voucherCode: '0000000000000000' }, { keys: 'public' })).status).toBe(404)
  })

  test('can be used again after a refusal', async () => {
    const code = await voucher('5.00')
    expect((await redeem({ voucherCode: code, amount: 10, referenceId: 'again' })).status).toBe(402)
    expect((await redeem({ voucherCode: code, amount: 1, referenceId: 'again' })).status).toBe(200)
  })

  test('can be sent as Idempotency-Key, and is generated and returned if missing', async () => {
    const code = await voucher()
    const named = { headers: { 'idempotency-key': 'header-1' } }
    const [first, again] = [
      await redeem({ voucherCode: code, amount: 1 }, named),
      await redeem({ voucherCode: code, amount: 1 }, named),
    ]
    expect([first.headers['scrip-reference-id'], again.headers['idempotent-replayed']]).toEqual(['header-1', 'true'])
    const made = (await redeem({ voucherCode: code, amount: 1 })).headers['scrip-reference-id'] as string
    expect((await world.call('GET', `${SK}/verify-transaction/${made}`)).status).toBe(200)
  })

  test('can be used by two merchants independently', async () => {
    const code = await voucher()
    const body = { voucherCode: code, amount: 1, referenceId: 'shared' }
    for (const as of [world.ours, world.theirs]) {
      const { status, headers } = await redeem(body, { as })
      expect([status, headers['idempotent-replayed']]).toEqual([200, undefined])
    }
    expect(await left(code)).toBeLessThan(98)
  })

  test('sent five times at once makes one redemption and five equal responses', async () => {
    const code = await voucher()
    const body = { voucherCode: code, amount: 10, referenceId: 'five' }
    const replies = await Promise.all(Array.from({ length: 5 }, () => redeem(body)))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(await left(code)).toBe(89.75)
  })
})

describe('a quote', () => {
  test('fixes rate and fee, also if the market moves in favour of the desk', async () => {
    const code = await voucher()
    const body = { voucherCode: code, amount: 10, toCurrencyAbbreviation: 'JPY' }
    const { charges } = json(await quote(body)).data
    await world.charge(500n, 0n)
    await setManualRate(world.pool, 'USD', 'JPY', '300', systemClock)
    const before = await balance(world.ours, 'JPY')
    expect((await redeem({ ...body, quoteId: charges.quoteId })).status).toBe(200)
    expect(await balance(world.ours, 'JPY')).toBe(before + (charges.toAmount as number))
    expect(await left(code)).toBe(100 - (charges.totalDeductable as number))
    await setManualRate(world.pool, 'USD', 'JPY', '155.55', systemClock)
  })

  test('is refused with 409 for another amount, voucher, merchant or currency, or if altered', async () => {
    const code = await voucher()
    const quoteId = json(await quote({ voucherCode: code, amount: 10 })).data.charges.quoteId as string
    const body = { voucherCode: code, amount: 10, quoteId }
    const stale = [
      await redeem({ ...body, amount: 11 }),
      await redeem({ ...body, amount: 'max' }),
      await redeem({ ...body, voucherCode: await voucher() }),
      await redeem({ ...body, toCurrencyAbbreviation: 'JPY' }),
      await redeem(body, { as: world.theirs }),
      await redeem({ ...body, quoteId: quoteId.replace(/.(?=.{60}$)/, (c) => (c === 'A' ? 'B' : 'A')) }),
      await redeem({ ...body, quoteId: 'nonsense' }),
      await redeem({ ...body, quoteId: quoteId.replace('.1.', '.2.') }),
    ]
    expect(stale.map((reply) => [reply.status, json(reply).error.code])).toEqual(stale.map(() => [409, 'QUOTE_STALE']))
    expect((await redeem(body)).status).toBe(200)
  })

  test('is refused with 409 once the voucher has less than quoted; accepted after the currency is no longer offered', async () => {
    const code = await voucher('20.00')
    const all = json(await quote({ voucherCode: code, amount: 'max' })).data.charges.quoteId
    const yen = { voucherCode: code, amount: 5, toCurrencyAbbreviation: 'JPY' }
    const { quoteId } = json(await quote(yen)).data.charges
    await setCurrencyActive(world.pool, 'JPY', false)
    expect((await redeem({ ...yen, quoteId })).status).toBe(200)
    expect((await redeem(yen)).status).toBe(422)
    await setCurrencyActive(world.pool, 'JPY', true)
    const stale = await redeem({ voucherCode: code, amount: 'max', quoteId: all })
    expect([stale.status, json(stale).error.code]).toEqual([409, 'QUOTE_STALE'])
  })

  test('is refused with 409 once the admin balance that should pay the fee is used up', async () => {
    await setTakes(true, world.theirs)
    await fund('0.30', 'admin', world.theirs)
    const code = await voucher()
    const { charges } = json(await quote({ voucherCode: code, amount: 10 }, { as: world.theirs })).data
    expect(charges.chargedTo).toBe('merchant')
    const body = { voucherCode: code, amount: 10, quoteId: charges.quoteId }
    expect((await redeem({ voucherCode: code, amount: 10 }, { as: world.theirs })).status).toBe(200)
    expect((await redeem({ voucherCode: code, amount: 10 }, { as: world.theirs })).status).toBe(200)
    const stale = await redeem(body, { as: world.theirs })
    expect([stale.status, json(stale).error.code]).toEqual([409, 'QUOTE_STALE'])
    await setTakes(false, world.theirs)
  })
})

describe('access to a voucher', () => {
  const anonymous = { keys: 'public' } as const

  test('a locked voucher needs its PIN for a quote and for a redemption', async () => {
    const code = await voucher('10.00', { lockPin: '0042' })
    for (const ask of [redeem, quote]) {
      expect(json(await ask({ voucherCode: code, amount: 1 })).error.code).toBe('VOUCHER_PIN_MISSING')
      expect(json(await ask({ voucherCode: code, amount: 1, lockPin: '0043' })).error.code).toBe('VOUCHER_PIN_WRONG')
      expect((await ask({ voucherCode: code, amount: 1, lockPin: '0042' })).status).toBe(200)
    }
  })

  test('of 500 concurrent wrong PINs five are compared; ten in total freeze the voucher and notify its issuer', async () => {
    const code = await voucher('10.00', { lockPin: '0042' })
    const wrong = () => redeem({ voucherCode: code, amount: 1, lockPin: '9999' })
    const codes = (await Promise.all(Array.from({ length: 500 }, wrong))).map((reply) => json(reply).error.code)
    expect(codes.filter((one) => one === 'VOUCHER_PIN_WRONG')).toHaveLength(5)
    expect(codes.filter((one) => one === 'VOUCHER_PIN_LOCKED')).toHaveLength(495)
    await world.pool.query(`update voucher_pins set locked_until = '2020-01-01' where wrong_in_row = 5`)
    const more = (await Promise.all(Array.from({ length: 20 }, wrong))).map((reply) => json(reply).error.code)
    expect(more.filter((one) => one === 'VOUCHER_PIN_WRONG')).toHaveLength(5)
    const right = { voucherCode: code, amount: 1, lockPin: '0042' }
    expect(json(await redeem(right)).error.code).toBe('VOUCHER_FROZEN')
    expect(more.filter((one) => one === 'VOUCHER_FROZEN')).toHaveLength(15)
    expect(json(await redeem(right, anonymous)).error.code).toBe('VOUCHER_NOT_FOUND')
    const { rows } = await withEnvironment(world.pool, world.ours.environmentId, (tx) =>
      tx.query<{ sequence: bigint }>(`select sequence from ledger_outbox where type = 'voucher.pin_frozen'`),
    )
    expect(rows).toEqual([{ sequence: 2n }])
  })

  test('onlyAt, blocked and cancelled are the same 404 for the public key; the secret key gets the reason', async () => {
    await fund('10.00', 'balance')
    await fund('10.00', 'balance', world.theirs)
    const issue = async (more: object, as = world.ours) =>
      json(await world.call('POST', `${SK}/vouchers`, { body: { amount: 1, currency: 'USD', ...more }, as })).data
    const elsewhere = await issue({ onlyAt: ['THEIRS'] }, world.theirs)
    const [blocked, cancelled] = [await issue({}), await issue({})]
    const set = (id: string, state: string) =>
      world.pool.query(`update ledger_accounts set state = $2 where owner_id = $1 and kind = 'voucher'`, [id, state])
    await set(blocked.id, 'no_debit')
    await redeem({ voucherCode: cancelled.code, amount: 'max' })
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
        const hidden = json(await post(path, body, anonymous))
        expect(hidden).toEqual({
          ...json(missing),
          error: { ...json(missing).error, requestId: hidden.error.requestId },
        })
        expect(json(await post(path, body)).error.code).toBe(reason)
      }
    expect((await redeem({ voucherCode: elsewhere.code, amount: 0.5 }, { as: world.theirs })).status).toBe(200)
  })

  test('the issuer sees a voucher limited to other merchants but cannot redeem it', async () => {
    await fund('1.00', 'balance')
    const body = { amount: 1, currency: 'USD', onlyAt: ['THEIRS'] }
    const { code } = json(await world.call('POST', `${SK}/vouchers`, { body })).data
    expect((await post('verify-voucher', { voucherCode: code })).status).toBe(200)
    expect((await redeem({ voucherCode: code, amount: 1 })).status).toBe(403)
  })

  test('a locked PIN row of one voucher does not delay other vouchers', async () => {
    const [busy, free] = [await voucher('5.00', { lockPin: '0042' }), await voucher('5.00', { lockPin: '0042' })]
    const id = json(await post('verify-voucher', { voucherCode: busy })).data.id
    const locker = await world.pool.connect()
    await locker.query('begin')
    await locker.query('select from voucher_pins where voucher_id = $1 for update', [id])
    const waiting = redeem({ voucherCode: busy, amount: 1, lockPin: '0042' })
    const others = await Promise.all(
      Array.from({ length: 5 }, () => redeem({ voucherCode: free, amount: 0.5, lockPin: '0042' })),
    )
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await locker.query('rollback')
    locker.release()
    expect([200, 503]).toContain((await waiting).status)
  })

  test('an expired voucher is refused with 409, and verify-voucher still shows it', async () => {
    await fund('1.00', 'balance')
    const expiresAt = new Date(Date.now() + 300).toISOString()
    const body = { amount: 1, currency: 'USD', expiresAt }
    const { code } = json(await world.call('POST', `${SK}/vouchers`, { body })).data
    await new Promise((resolve) => setTimeout(resolve, 350))
    expect(json(await redeem({ voucherCode: code, amount: 1 }, anonymous)).error.code).toBe('VOUCHER_EXPIRED')
    expect(json(await post('verify-voucher', { voucherCode: code }, anonymous)).data.expiresAt).toBe(expiresAt)
  })

  test('a live key gets 404 for a test voucher', async () => {
    const { livePublicKey, liveSecretKey } = world.ours
    const live = { as: { ...world.ours, publicKey: livePublicKey, secretKey: liveSecretKey } }
    expect((await redeem({ voucherCode: await voucher(), amount: 1 }, live)).status).toBe(404)
    const sandbox = await world.call('POST', '/sandbox/vouchers', { body: { amount: 1, currency: 'USD' }, ...live })
    expect([sandbox.status, json(sandbox).error.code]).toEqual([403, 'SANDBOX_ONLY'])
  })

  test('a merchant can require the secret key for redemptions; retries with the public key still succeed', async () => {
    const body = { voucherCode: await voucher(), amount: 1, referenceId: 'before-secret' }
    expect((await redeem(body, anonymous)).status).toBe(200)
    const set = (needs: boolean) =>
      world.pool.query('update merchant_environments set redeem_needs_secret = $2 where id = $1', [
        world.ours.environmentId,
        needs,
      ])
    await set(true)
    const refused = await redeem({ ...body, referenceId: 'after-secret' }, anonymous)
    expect([refused.status, json(refused).error.code]).toEqual([403, 'VOUCHER_SECRET_NEEDED'])
    expect((await redeem(body, anonymous)).status).toBe(200)
    expect((await redeem({ ...body, referenceId: 'after-secret' })).status).toBe(200)
    await set(false)
  })

  test('a burst of guesses counts each guess, and a burst of valid requests counts none', async () => {
    const [guesser, shop] = [
      { ...anonymous, address: '198.51.100.8' },
      { ...anonymous, address: '198.51.100.9' },
    ]
    const code = await voucher()
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
    await fund('1.00', 'balance')
    const body = { amount: 1, currency: 'USD', onlyAt: ['THEIRS'] }
    const { code } = json(await world.call('POST', `${SK}/vouchers`, { body })).data
    expect((await redeem({ voucherCode: await voucher(), amount: 1, referenceId: 'seen' })).status).toBe(200)
    for (const change of [
      { amount: '1.005' },
      { amount: 'abc' },
      { amount: 1, referenceId: 'seen' },
      { amount: 'max' },
    ]) {
      const [elsewhere, missing] = [code, '0000000000000000'].map((voucherCode) =>
        redeem({ voucherCode, ...change }, anonymous),
      )
      const replies = [json((await elsewhere) as Reply), json((await missing) as Reply)]
      expect(replies[0]?.error.code).toBe(replies[1]?.error.code)
    }
  })

  test('100 unknown codes from one address lead to 429 there; the secret key and other addresses go on', async () => {
    const address = '198.51.100.7'
    const guess = { ...anonymous, address }
    const code = await voucher()
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
    json(await post('verify-voucher', { voucherCode: code }, more)).data.redeemedVouchers as Shown

  test('the issuer sees all redeeming merchants, a merchant sees itself, the public key sees none', async () => {
    const code = await voucher()
    await redeem({ voucherCode: code, amount: 1 })
    await redeem({ voucherCode: code, amount: 2 }, { as: world.theirs })
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
    const code = await voucher('5.00', { lockPin: '7391' })
    await redeem({ voucherCode: code, amount: 1, lockPin: '7391' })
    await redeem({ voucherCode: code, amount: 1, lockPin: '7392' })
    await redeem({ voucherCode: code, amount: 1000, lockPin: '7391' })
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
    const reply = json(await redeem({ voucherCode: await voucher(), amount: 10, referenceId: 'receipt-1' }))
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
