// How the merchant API refuses requests: unknown parameters and values, all faults at once, wrong methods, and limits.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { createTestDatabase } from '../local/test/test-database.ts'

type Fault = { param: string; reason: string; allowed?: string[] }
type Refusal = {
  code: number
  status: string
  error: { code: string; type: string; param: string; reason?: string; faults?: Fault[] }
}

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

const server = '/merchant-integrations-server'
const refuse = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Refusal> => {
  const reply = await world.call(method, path, body === undefined ? {} : { body })
  const refusal = JSON.parse(reply.text) as Refusal
  expect([refusal.code, refusal.status], path).toEqual([reply.status, 'error'])
  return refusal
}

describe('a query', () => {
  test('with an unknown parameter is refused on every endpoint of the merchant API', async () => {
    for (const { credentials, method, url: path } of world.access) {
      if (method !== 'GET' || (credentials !== 'public' && credentials !== 'secret')) continue
      const url = path.replaceAll(/:\w+/g, world.newId())
      const { code, error } = await refuse('GET', `${url}?_=1731801600`)
      expect([code, error.code, error.faults?.some(({ param }) => param === '_')], path).toEqual([
        400,
        'FIELD_INVALID',
        true,
      ])
    }
  })

  test('with a misspelt parameter gets the names that exist', async () => {
    const { error } = await refuse('GET', `${server}/transactions?stauts=COMPLETED`)
    expect(error.param).toBe('stauts')
    expect(error.faults).toEqual([
      {
        param: 'stauts',
        reason: 'This parameter does not exist.',
        allowed: ['cursor', 'limit', 'type', 'status', 'currencyAbbreviation', 'from', 'until'],
      },
    ])
  })

  test.each([
    [`${server}/transactions?status=completed`, 'status', 'COMPLETED'],
    [`${server}/transactions?type=redemption`, 'type', 'VOUCHER_REDEMPTION'],
    [`${server}/fetch-invoice?filter=approved`, 'filter', 'Approved'],
  ])('with an unknown value is refused with the allowed values: %s', async (path, param, allowed) => {
    const { code, error } = await refuse('GET', path)
    expect([code, error.code, error.param]).toEqual([400, 'FIELD_INVALID', param])
    expect(error.faults?.[0]?.allowed).toContain(allowed)
    expect(error.reason).toMatch(/^Must be one of .*\.$/)
  })

  test.each([`${server}/transactions`, '/merchant-integrations/fetch-balance'])(
    'with an unknown currency is refused: %s',
    async (path) => {
      const { code, error } = await refuse('GET', `${path}?currencyAbbreviation=XXX`)
      expect([code, error.code, error.param]).toEqual([422, 'CURRENCY_UNKNOWN', 'currencyAbbreviation'])
    },
  )
})

test('a body with several faults gets all of them, in plain words', async () => {
  const { error } = await refuse('POST', `${server}/create-invoice`, {
    currencyAbbreviation: 'USD',
    dueDate: 5,
    email: 'nobody',
    fullName: '',
    merchantCode: 'OURS',
    colour: 'red',
    invoiceItems: [{ description: 'Bread', quantity: true, unitPrice: 1 }],
  })
  const { faults = [] } = error
  expect(Object.fromEntries(faults.map(({ param, reason }) => [param, reason]))).toEqual({
    colour: 'This field does not exist.',
    dueDate: 'Must be text.',
    email: 'Must be an email address.',
    fullName: 'Must not be empty.',
    invoiceDate: 'This field is required.',
    'invoiceItems.0.quantity': 'Must be a number.',
  })
  expect([error.param, error.reason]).toEqual([faults[0]?.param, faults[0]?.reason])
})

describe('an error names the field of the request', () => {
  const code = { currency: 'USD', unknown: 'XXX' }
  const payout = { amount: 1, platformUsernameOrEmail: 'nobody@example.com' }
  const deposit = { amount: 1, blockchainNetworkId: '01900000-0000-7000-8000-000000000000' }
  const invoice = {
    dueDate: '2026-02-01',
    invoiceDate: '2026-01-01',
    email: 'ann@example.com',
    fullName: 'Ann',
    merchantCode: 'OURS',
    invoiceItems: [{ description: 'Bread', quantity: 1, unitPrice: 1 }],
  }
  test.each([
    [`${server}/payout`, 'fromCurrencyAbbreviation', { ...payout, toCurrencyAbbreviation: code.currency }],
    [`${server}/payout`, 'toCurrencyAbbreviation', { ...payout, fromCurrencyAbbreviation: code.currency }],
    ['/merchant-integrations/payment-request', 'currency', { amount: 1, user_identifier: 'ann@example.com' }],
    [
      '/merchant-integrations/deposit-address-payment-request',
      'currency_abbreviation',
      { ...deposit, pay_with_currency_abbreviation: 'USDT' },
    ],
    [`${server}/create-invoice`, 'currencyAbbreviation', invoice],
    [`${server}/vouchers`, 'currency', { amount: 1 }],
  ])('for an unknown currency at %s: %s', async (path, field, body) => {
    const { error } = await refuse('POST', path, { ...body, [field]: code.unknown })
    expect([error.code, error.param]).toEqual(['CURRENCY_UNKNOWN', field])
  })

  test('for a line of an invoice, with its place', async () => {
    const invoiceItems = [...invoice.invoiceItems, { description: 'Air', quantity: 0, unitPrice: 1 }]
    const { error } = await refuse('POST', `${server}/create-invoice`, {
      ...invoice,
      currencyAbbreviation: 'USD',
      invoiceItems,
    })
    expect([error.code, error.param]).toEqual(['INVOICE_QUANTITY_INVALID', 'invoiceItems.1.quantity'])
  })

  test('for an unknown user', async () => {
    const body = { amount: 1, currency: 'USD', user_identifier: 'nobody@example.com' }
    const { error } = await refuse('POST', '/merchant-integrations/payment-request', body)
    expect([error.code, error.param]).toEqual(['USER_NOT_FOUND', 'user_identifier'])
    const looked = await refuse('GET', '/merchant-integrations/confirm-user/nobody@example.com')
    expect([looked.error.code, looked.error.param]).toEqual(['USER_NOT_FOUND', 'identifier'])
  })

  test('for a reference that is taken: the header if it was sent as the header', async () => {
    await world.fund(100)
    const issue = async (headers: Record<string, string>, body: object) => {
      const reply = await world.call('POST', `${server}/vouchers`, { headers, body: { currency: 'USD', ...body } })
      return JSON.parse(reply.text) as Partial<Refusal>
    }
    const key = { 'idempotency-key': 'taken-1' }
    expect((await issue(key, { amount: 1 })).error).toBeUndefined()
    expect((await issue(key, { amount: 2 })).error).toMatchObject({ code: 'REFERENCE_TAKEN', param: 'Idempotency-Key' })
    expect((await issue({}, { amount: 2, referenceId: 'taken-1' })).error).toMatchObject({
      code: 'REFERENCE_TAKEN',
      param: 'referenceId',
    })
  })
})

describe('a wrong method', () => {
  test.each([
    ['GET', '/merchant-integrations/redeem-voucher', 'POST'],
    ['POST', '/merchant-integrations/fetch-balance', 'GET, HEAD'],
    ['POST', `${server}/verify-transaction/order-1`, 'GET, HEAD'],
    ['PUT', '/webhook-endpoints', 'GET, HEAD, POST'],
  ] as const)('is refused with 405 and the methods that exist: %s %s', async (method, url, allow) => {
    const reply = await world.app.inject({ method, url })
    expect([reply.statusCode, reply.headers['allow']]).toEqual([405, allow])
    expect(reply.json()).toMatchObject({ code: 405, status: 'error', error: { code: 'METHOD_NOT_ALLOWED' } })
  })

  test('on an unknown path is 404', async () => {
    const reply = await world.app.inject({ method: 'PUT', url: '/merchant-integrations/nowhere' })
    expect([reply.statusCode, reply.headers['allow']]).toEqual([404, undefined])
  })
})
