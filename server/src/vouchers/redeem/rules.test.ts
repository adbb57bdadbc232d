// Rules on vouchers, at redemptions, quotes and holds.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, type CallOptions, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addPerson, type VisitingUser } from '../../../local/test/visitor.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { weekdayAt, weekdays } from '../voucher/rules.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'
const anonymous = { keys: 'public' } as const
const dayMs = 24 * 60 * 60 * 1_000

type Rules = Record<string, unknown>
type Shown = { id: string; code: string; rules: Rules | null }
type Options = Omit<CallOptions, 'body'>

let world: ApiWorld
let ada: VisitingUser
let bob: VisitingUser
let customerId: string
// Only moved forward, since ids increase with it.
let aheadMs = 0
const clock = (): Date => new Date(Date.now() + aheadMs)

beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url, clock)
  ada = await addPerson(world, 'test')
  bob = await addPerson(world, 'test')
  customerId = await addCustomer('grace@example.com')
})
afterAll(async () => {
  expect(await verifyLedger(world.pool)).toEqual([])
  await world.close()
})

async function addCustomer(email: string, as = world.ours): Promise<string> {
  await world.post(`${SK}/add-new-customer`, { email, name: 'Grace' }, as)
  const { data } = await world.get<{ customer: { id: string; email: string }[] }>(`${PK}/fetch-customers`, as)
  return data.customer.find((each) => each.email === email)?.id ?? ''
}

const make = (rules: Rules, terms: object = {}) => world.issueVoucher(50, { rules, ...terms })
const codeOf = (reply: { status: number; error?: { code: string } | undefined }) => reply.error?.code ?? reply.status
const redeem = (voucherCode: string, more: object = {}, options: Options = {}) =>
  world.redeem({ voucherCode, amount: 10, ...more }, options)
const quote = (voucherCode: string, more: object = {}, options: Options = {}) =>
  world.call('POST', `${PK}/fetch-voucher-redemption-charges`, {
    ...options,
    body: { voucherCode, amount: 10, ...more },
  })
const hold = (voucherCode: string, more: object = {}, options: Options = {}) =>
  world.call<{ id: string }>('POST', `${PK}/voucher-holds`, { ...options, body: { voucherCode, amount: 10, ...more } })
const verify = async (voucherCode: string, options: Options = {}): Promise<Shown> =>
  (await world.call<Shown>('POST', `${PK}/verify-voucher`, { ...options, body: { voucherCode } })).data

const none = {
  minimumPurchase: 0,
  validFrom: '',
  weekdays: [],
  onePerOrder: false,
  isBound: false,
  customerId: '',
  userIdentifier: '',
}

describe.each([
  ['a redemption', redeem],
  ['a quote', quote],
  ['a hold', hold],
])('%s', (_, use) => {
  test('before the start is refused with the start, and not after it', async () => {
    const validFrom = new Date(clock().getTime() + dayMs).toISOString()
    const { code } = await make({ validFrom })
    const early = await use(code)
    expect([early.status, codeOf(early), early.error?.validFrom]).toEqual([409, 'VOUCHER_NOT_VALID_YET', validFrom])
    aheadMs += dayMs
    expect(codeOf(await use(code))).toBe(200)
  })

  test('on another weekday of the merchant is refused with the days', async () => {
    const today = weekdayAt(clock(), 'Africa/Lagos')
    const others = weekdays.filter((day) => day !== today)
    const { code } = await make({ weekdays: others })
    const refused = await use(code)
    expect([refused.status, codeOf(refused), refused.error?.weekdays]).toEqual([409, 'VOUCHER_WRONG_WEEKDAY', others])
    expect(codeOf(await use((await make({ weekdays: [today] })).code))).toBe(200)
  })

  test('for an order below the minimum purchase is refused with the minimum', async () => {
    const { code } = await make({ minimumPurchase: '40.50' })
    const missing = await use(code)
    expect([missing.status, codeOf(missing), missing.error?.param]).toEqual([
      422,
      'VOUCHER_PURCHASE_MISSING',
      'purchaseAmount',
    ])
    const low = await use(code, { purchaseAmount: '40.49' })
    expect([low.status, codeOf(low), low.error?.minimumPurchase]).toEqual([409, 'VOUCHER_MINIMUM_PURCHASE', 40.5])
    expect(codeOf(await use(code, { purchaseAmount: 'much' }))).toBe('AMOUNT_INVALID')
    expect(codeOf(await use(code, { purchaseAmount: '40.501' }))).toBe('AMOUNT_TOO_PRECISE')
    expect(codeOf(await use(code, { purchaseAmount: 40.5 }, anonymous))).toBe(200)
  })

  test('of a voucher of a customer needs that customer, named with the secret key', async () => {
    const { code } = await make({ customerId })
    const another = await addCustomer(`${world.newId()}@example.com`)
    expect(codeOf(await use(code))).toBe('VOUCHER_BOUND')
    expect(codeOf(await use(code, { customerId: another }))).toBe('VOUCHER_BOUND')
    expect(codeOf(await use(code, { userIdentifier: ada.person.email }))).toBe('VOUCHER_BOUND')
    expect(codeOf(await use(code, { customerId }, anonymous))).toBe('VOUCHER_PERSON_SECRET_NEEDED')
    expect(codeOf(await use(code, { customerId }, { as: world.theirs }))).toBe('VOUCHER_BOUND')
    expect(codeOf(await use(code, { customerId: customerId.toUpperCase() }))).toBe(200)
  })

  test('of a voucher of a user needs that user, named with the secret key', async () => {
    const { code } = await make({ userIdentifier: ada.person.username })
    expect(codeOf(await use(code))).toBe('VOUCHER_BOUND')
    expect(codeOf(await use(code, { userIdentifier: bob.person.email }))).toBe('VOUCHER_BOUND')
    expect(codeOf(await use(code, { userIdentifier: 'nobody@example.com' }))).toBe('VOUCHER_BOUND')
    expect(codeOf(await use(code, { userIdentifier: ada.person.email }, anonymous))).toBe(
      'VOUCHER_PERSON_SECRET_NEEDED',
    )
    expect(codeOf(await use(code, { userIdentifier: ada.person.email }))).toBe(200)
    // Users are the platform's: another merchant may know them too.
    expect(codeOf(await use(code, { userIdentifier: ada.person.username }, { as: world.theirs }))).toBe(200)
  })

  test('of a voucher that an order takes once needs the order, and is refused when the order has one', async () => {
    const orderReference = world.newId()
    const [first, second] = [await make({ onePerOrder: true }), await make({ onePerOrder: true })]
    const missing = await use(first.code)
    expect([missing.status, codeOf(missing), missing.error?.param]).toEqual([
      422,
      'VOUCHER_ORDER_MISSING',
      'orderReference',
    ])
    expect(codeOf(await redeem(first.code, { orderReference }))).toBe(200)
    for (const { code } of [first, second]) {
      const taken = await use(code, { orderReference })
      expect([taken.status, codeOf(taken)]).toEqual([409, 'VOUCHER_ONE_PER_ORDER'])
    }
    expect(codeOf(await use(second.code, { orderReference: world.newId() }, anonymous))).toBe(200)
  })

  test('checks the PIN before the rules', async () => {
    const { code } = await make({ minimumPurchase: 40 }, { lockPin: '0042' })
    expect(codeOf(await use(code))).toBe('VOUCHER_PIN_MISSING')
    expect(codeOf(await use(code, { lockPin: '9999' }))).toBe('VOUCHER_PIN_WRONG')
    expect(codeOf(await use(code, { lockPin: '0042' }))).toBe('VOUCHER_PURCHASE_MISSING')
  })
})

describe('an order that takes one voucher', () => {
  const isFree = async (orderReference: string): Promise<boolean> =>
    (await quote((await make({ onePerOrder: true })).code, { orderReference })).status === 200
  const captureOf = (id: string, body: object) => world.post(`${SK}/voucher-holds/${id}/capture`, body)
  const refundOf = (referenceId: string, amount?: number) =>
    world.post(`${SK}/refund`, { referenceId, amount, reason: 'returned', refundReferenceId: world.newId() })

  test('gets exactly one of 20 concurrent redemptions and holds with two vouchers', async () => {
    for (let round = 0; round < 3; round++) {
      const orderReference = world.newId()
      const vouchers = [await make({ onePerOrder: true }), await make({ onePerOrder: true })]
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 3 === 0 ? hold : redeem)(vouchers[i % 2]?.code ?? '', { amount: 1, orderReference }),
        ),
      )
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(replies.filter((reply) => codeOf(reply) === 'VOUCHER_ONE_PER_ORDER')).toHaveLength(19)
      const left = await Promise.all(vouchers.map(({ code }) => world.left(code)))
      expect(left.toSorted((a, b) => a - b)).toEqual([49, 50])
    }
  })

  test('gives 20 concurrent retries of a redemption the same result', async () => {
    for (let round = 0; round < 5; round++) {
      const { code } = await make({ onePerOrder: true })
      const more = { orderReference: world.newId(), referenceId: world.newId() }
      const replies = await Promise.all(Array.from({ length: 20 }, () => redeem(code, more)))
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
      expect(new Set(replies.map(({ data }) => data.transactionId)).size).toBe(1)
      expect(await world.left(code)).toBe(40)
    }
  })

  test('gives a retry of a hold the same hold, and refuses the reference for another order', async () => {
    const { code } = await make({ onePerOrder: true })
    const more = { orderReference: world.newId(), referenceId: world.newId() }
    const { data } = await hold(code, more)
    expect((await hold(code, more)).data).toEqual(data)
    expect(codeOf(await hold(code, { ...more, orderReference: world.newId() }))).toBe('REFERENCE_TAKEN')
  })

  test('is the order of one merchant', async () => {
    const orderReference = world.newId()
    await redeem((await make({ onePerOrder: true })).code, { orderReference })
    const { code } = await make({ onePerOrder: true })
    expect(codeOf(await redeem(code, { orderReference }, { as: world.theirs }))).toBe(200)
  })

  test('may have any number of vouchers without the rule', async () => {
    const orderReference = world.newId()
    for (const rules of [{ onePerOrder: true }, { minimumPurchase: 1 }, { minimumPurchase: 1 }]) {
      const { code } = await make(rules)
      expect(codeOf(await redeem(code, { orderReference, purchaseAmount: 1 }))).toBe(200)
    }
    const plain = await world.voucher(50)
    expect(codeOf(await redeem(plain, { orderReference }))).toBe(200)
  })

  test('is free again when its hold is released, and not while it is open or captured', async () => {
    const orderReference = world.newId()
    const { code } = await make({ onePerOrder: true })
    const { data: released } = await hold(code, { orderReference })
    expect(await isFree(orderReference)).toBe(false)
    await world.post(`${SK}/voucher-holds/${released.id}/release`, {})
    expect(await isFree(orderReference)).toBe(true)
    const { data: captured } = await hold(code, { orderReference })
    await captureOf(captured.id, { amount: 4 })
    await world.post(`${SK}/voucher-holds/${captured.id}/release`, {})
    expect(await isFree(orderReference)).toBe(false)
  })

  test('is free again when its hold expires, also before the job has marked it', async () => {
    const orderReference = world.newId()
    const { code } = await make({ onePerOrder: true })
    await hold(code, { orderReference, expiresInSeconds: 60 })
    aheadMs += 61_000
    const { data } = await hold(code, { orderReference, expiresInSeconds: 60 })
    expect(await isFree(orderReference)).toBe(false)
    // The job ends the first hold; the order belongs to the second one.
    await world.work()
    expect(await isFree(orderReference)).toBe(false)
    await world.post(`${SK}/voucher-holds/${data.id}/extend`, { expiresInSeconds: 600 })
    aheadMs += 61_000
    expect(await isFree(orderReference)).toBe(false)
  })

  test('is free again after a full refund, and not after a partial one', async () => {
    const [orderReference, referenceId] = [world.newId(), world.newId()]
    const { code } = await make({ onePerOrder: true })
    const first = await redeem(code, { orderReference, referenceId })
    await refundOf(referenceId, 4)
    expect(await isFree(orderReference)).toBe(false)
    await refundOf(referenceId)
    expect(await isFree(orderReference)).toBe(true)
    // The retry of what was refunded is still the same redemption.
    expect((await redeem(code, { orderReference, referenceId })).data).toEqual(first.data)
    expect(codeOf(await redeem(code, { orderReference }))).toBe(200)
  })

  test('is free again after a full refund of all captures of its hold', async () => {
    const [orderReference, one, two] = [world.newId(), world.newId(), world.newId()]
    const { data } = await hold((await make({ onePerOrder: true })).code, { orderReference })
    await captureOf(data.id, { amount: 4, referenceId: one })
    await refundOf(one)
    expect(await isFree(orderReference)).toBe(false)
    await captureOf(data.id, { amount: 3, referenceId: two, final: true })
    expect(await isFree(orderReference)).toBe(false)
    await refundOf(two)
    expect(await isFree(orderReference)).toBe(true)
  })
})

test('a capture does not check the rules again: its hold has', async () => {
  const today = weekdayAt(clock(), 'Africa/Lagos')
  const { code } = await make({ weekdays: [today], minimumPurchase: 40 })
  const { data } = await hold(code, { purchaseAmount: 40, expiresInSeconds: 2 * 24 * 3_600 })
  aheadMs += dayMs
  expect(codeOf(await redeem(code, { purchaseAmount: 40 }))).toBe('VOUCHER_WRONG_WEEKDAY')
  expect(codeOf(await world.post(`${SK}/voucher-holds/${data.id}/capture`, {}))).toBe(200)
})

test('a quote does not replace what the redemption says about its order', async () => {
  const { code } = await make({ minimumPurchase: 40 })
  const { data } = await quote(code, { purchaseAmount: 40 })
  const { quoteId } = (data as { charges: { quoteId: string } }).charges
  expect(codeOf(await redeem(code, { quoteId }))).toBe('VOUCHER_PURCHASE_MISSING')
  expect(codeOf(await redeem(code, { quoteId, purchaseAmount: '40.00' }))).toBe(200)
})

test('an order that is written in another way is the same request, another order is not', async () => {
  const { code } = await make({ minimumPurchase: 40 })
  const referenceId = world.newId()
  const first = await redeem(code, { referenceId, purchaseAmount: 45 })
  expect((await redeem(code, { referenceId, purchaseAmount: '45.00' })).data).toEqual(first.data)
  expect(codeOf(await redeem(code, { referenceId, purchaseAmount: 46 }))).toBe('REFERENCE_TAKEN')
})

test('in the wallet, a voucher of a user is redeemed by that user only', async () => {
  const { code } = await make({ userIdentifier: ada.person.email })
  const wrong = await bob.post('/wallet/vouchers/redeem', { code })
  expect([wrong.status, wrong.text]).toEqual([403, expect.stringContaining('VOUCHER_BOUND')])
  expect((await ada.post('/wallet/vouchers/redeem', { code })).status).toBe(200)
  // A wallet has no order and no customer of a shop.
  for (const rules of [{ minimumPurchase: 1 }, { onePerOrder: true }, { customerId }]) {
    const reply = await ada.post('/wallet/vouchers/redeem', { code: (await make(rules)).code })
    expect(reply.text).toMatch(/VOUCHER_(PURCHASE_MISSING|ORDER_MISSING|BOUND)/)
  }
})

test('only the issuer with its secret key sees to whom a voucher is bound', async () => {
  const identifier = ada.person.email
  for (const [rules, shown] of [
    [{ customerId }, { customerId }],
    [{ userIdentifier: identifier }, { userIdentifier: identifier }],
  ] as const) {
    const { code } = await make(rules)
    expect((await verify(code)).rules).toEqual({ ...none, isBound: true, ...shown })
    for (const options of [anonymous, { as: world.theirs }, { as: world.theirs, ...anonymous }])
      expect((await verify(code, options)).rules).toEqual({ ...none, isBound: true })
    for (const use of [redeem, quote, hold])
      for (const reply of [await use(code, {}, anonymous), await verifyText(code)])
        for (const secret of [customerId, identifier, ada.person.id]) expect(reply.text).not.toContain(secret)
    const quoted = await quote(code, rules, { as: world.theirs })
    expect(quoted.text).not.toContain('customerId":"0')
  }
})
const verifyText = (voucherCode: string) =>
  world.call('POST', `${PK}/verify-voucher`, { ...anonymous, body: { voucherCode } })

test('a voucher without rules shows null and accepts what is said about an order', async () => {
  const code = await world.voucher(50)
  expect((await verify(code)).rules).toBeNull()
  const about = { purchaseAmount: 1, orderReference: 'order-1', customerId, userIdentifier: ada.person.email }
  expect(codeOf(await redeem(code, about))).toBe(200)
  expect(codeOf(await redeem(code, about))).toBe(200)
})
