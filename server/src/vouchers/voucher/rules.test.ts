import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findBrokenRule, orderOf, type VoucherRules, type VoucherUse, weekdayAt, weekdays } from './rules.ts'

// A Sunday, 23:30 in UTC.
const at = new Date('2030-06-02T23:30:00Z')
const nothing: VoucherUse = {
  at,
  timeZone: 'UTC',
  isByBound: false,
  purchase: undefined,
  orderReference: undefined,
  isOrderTaken: false,
}
const user = { id: '0190', identifier: 'ada' }

describe('findBrokenRule', () => {
  test.each<[string, VoucherRules, Partial<VoucherUse>, string | undefined]>([
    ['no rules', {}, {}, undefined],
    ['a start that is now', { validFrom: at.toISOString() }, {}, undefined],
    ['a start in a millisecond', { validFrom: '2030-06-02T23:30:00.001Z' }, {}, 'VOUCHER_NOT_VALID_YET'],
    ['its weekday', { weekdays: ['sunday'] }, {}, undefined],
    ['another weekday', { weekdays: ['monday', 'saturday'] }, {}, 'VOUCHER_WRONG_WEEKDAY'],
    ['a weekday of the merchant', { weekdays: ['monday'] }, { timeZone: 'Africa/Lagos' }, undefined],
    ['a weekday of UTC only', { weekdays: ['sunday'] }, { timeZone: 'Africa/Lagos' }, 'VOUCHER_WRONG_WEEKDAY'],
    ['a customer who is not named', { customerId: 'c' }, {}, 'VOUCHER_BOUND'],
    ['a user who is not named', { user }, {}, 'VOUCHER_BOUND'],
    ['the person that it is bound to', { user }, { isByBound: true }, undefined],
    ['a minimum without a purchase', { minimumPurchase: '5000' }, {}, 'VOUCHER_PURCHASE_MISSING'],
    ['a purchase below it', { minimumPurchase: '5000' }, { purchase: 4_999n }, 'VOUCHER_MINIMUM_PURCHASE'],
    ['a purchase of the minimum', { minimumPurchase: '5000' }, { purchase: 5_000n }, undefined],
    ['one per order without an order', { onePerOrder: true }, {}, 'VOUCHER_ORDER_MISSING'],
    ['a free order', { onePerOrder: true }, { orderReference: '7' }, undefined],
    [
      'an order with another voucher',
      { onePerOrder: true },
      { orderReference: '7', isOrderTaken: true },
      'VOUCHER_ONE_PER_ORDER',
    ],
    ['an order without the rule', {}, { orderReference: '7', isOrderTaken: true }, undefined],
  ])('%s', (_, rules, use, code) => {
    expect(findBrokenRule(rules, { ...nothing, ...use })?.code).toBe(code)
  })

  test('says what would be right', () => {
    const late = { validFrom: '2030-06-03T00:00:00.000Z' }
    expect(findBrokenRule(late, nothing)).toEqual({ code: 'VOUCHER_NOT_VALID_YET', ...late })
    const monday = { weekdays: ['monday'] } as const
    expect(findBrokenRule(monday, nothing)).toEqual({ code: 'VOUCHER_WRONG_WEEKDAY', ...monday })
    const low = findBrokenRule({ minimumPurchase: '5000' }, { ...nothing, purchase: 1n })
    expect(low).toEqual({ code: 'VOUCHER_MINIMUM_PURCHASE', minimum: 5_000n })
  })

  const anyRules = fc.record<VoucherRules>(
    {
      minimumPurchase: fc.bigInt(1n, 10n ** 30n).map(String),
      validFrom: fc
        .date({ noInvalidDate: true, min: new Date('2029-01-01'), max: new Date('2031-01-01') })
        .map((date) => date.toISOString()),
      weekdays: fc.subarray([...weekdays], { minLength: 1 }),
      onePerOrder: fc.constant(true),
      customerId: fc.uuid(),
    },
    { requiredKeys: [] },
  )
  const anyUse = fc.record<VoucherUse>({
    at: fc.date({ noInvalidDate: true, min: new Date('2029-01-01'), max: new Date('2031-01-01') }),
    timeZone: fc.constantFrom('UTC', 'Africa/Lagos', 'America/New_York', 'Asia/Kathmandu'),
    isByBound: fc.boolean(),
    purchase: fc.option(fc.bigInt(0n, 10n ** 30n), { nil: undefined }),
    orderReference: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    isOrderTaken: fc.boolean(),
  })

  test('a use that is allowed stays allowed when a rule is removed', () => {
    fc.assert(
      fc.property(anyRules, anyUse, fc.nat(), (rules, use, n) => {
        fc.pre(findBrokenRule(rules, use) === undefined)
        const all = Object.entries(rules)
        const fewer = Object.fromEntries(all.filter((_, i) => i !== n % all.length))
        expect(findBrokenRule(fewer, use)).toBeUndefined()
      }),
    )
  })

  test('a use is allowed exactly if each rule alone allows it', () => {
    fc.assert(
      fc.property(anyRules, anyUse, (rules, use) => {
        const alone = Object.entries(rules).map(([name, rule]) => findBrokenRule({ [name]: rule }, use))
        expect(findBrokenRule(rules, use) === undefined).toBe(alone.every((broken) => broken === undefined))
      }),
    )
  })
})

test('the weekday is that of the calendar of the time zone, across changes of its clocks', () => {
  const date = fc.date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2100-01-01') })
  const zone = fc.constantFrom('UTC', 'Africa/Lagos', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland')
  fc.assert(
    fc.property(date, zone, (time, timeZone) => {
      const day = new Intl.DateTimeFormat('en', { timeZone, weekday: 'long' }).format(time).toLowerCase()
      expect(weekdayAt(time, timeZone)).toBe(day)
    }),
  )
})

test('an order is recorded only for a voucher of which it takes one', () => {
  expect(orderOf({ rules: { onePerOrder: true } }, { orderReference: '7' })).toBe('7')
  expect(orderOf({ rules: { onePerOrder: true } }, undefined)).toBeUndefined()
  expect(orderOf({ rules: { minimumPurchase: '1' } }, { orderReference: '7' })).toBeUndefined()
  expect(orderOf({ rules: null }, { orderReference: '7' })).toBeUndefined()
})
