import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'

const SK = '/merchant-integrations-server'
type Transaction = { referenceId: string; createdAt: string } & Record<string, unknown>

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  await world.charge()
  const voucherCode = await world.voucher(1000)
  for (let i = 0; i < 7; i++) {
    const body = { voucherCode, amount: 1 + i, referenceId: `t-${i}`, metaData: 'order 7' }
    expect((await world.call('POST', '/merchant-integrations/redeem-voucher', { body })).status).toBe(200)
  }
  await world.fund(10)
  await world.call('POST', `${SK}/vouchers`, { body: { amount: 5, currency: 'USD', referenceId: 'bought' } })
})
afterAll(() => world.close())

async function list(
  query: string,
  as = world.ours,
): Promise<{ references: string[]; next: string; all: Transaction[] }> {
  const reply = await world.call('GET', `${SK}/transactions?${query}`, { as })
  expect(reply.status, reply.text).toBe(200)
  const { data } = JSON.parse(reply.text) as { data: { transactions: Transaction[]; nextCursor: string } }
  return { references: data.transactions.map((one) => one.referenceId), next: data.nextCursor, all: data.transactions }
}

describe('verify-transaction', () => {
  test('returns the transaction of a reference', async () => {
    const reply = await world.call('GET', `${SK}/verify-transaction/t-3`)
    expect((JSON.parse(reply.text) as { data: Transaction }).data).toMatchObject({
      userId: null,
      referenceId: 't-3',
      amount: 4,
      chargedAmount: 4.16,
      chargeType: 'MIXED',
      type: 'VOUCHER_REDEMPTION',
      status: 'COMPLETED',
      title: 'Voucher redemption',
      message: '4.00 USD was redeemed from a voucher.',
      applicationName: 'Scrip',
      referenceHash: hash('sha256', 't-3'),
      metaData: 'order 7',
      transactionHash: '',
    })
  })

  test("responds with 404 to an unknown reference and to another merchant's", async () => {
    expect((await world.call('GET', `${SK}/verify-transaction/nobody`)).status).toBe(404)
    expect((await world.call('GET', `${SK}/verify-transaction/t-3`, { as: world.theirs })).status).toBe(404)
  })
})

describe('the list of transactions', () => {
  test('is newest first and has each transaction once over all pages', async () => {
    const seen: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await list(`limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.references)
      cursor = page.next === '' ? undefined : page.next
    }
    expect(seen).toEqual(['bought', 't-6', 't-5', 't-4', 't-3', 't-2', 't-1', 't-0'])
    expect((await list('', world.theirs)).references).toEqual([])
  })

  test('can be filtered by type, status, currency and time', async () => {
    expect((await list('type=VOUCHER_PURCHASE')).references).toEqual(['bought'])
    expect((await list('type=VOUCHER_REDEMPTION&limit=100')).references).toHaveLength(7)
    expect((await list('status=PENDING')).references).toEqual([])
    expect((await list('currencyAbbreviation=EUR')).references).toEqual([])
    const { all } = await list('limit=100')
    const middle = all.find(({ referenceId }) => referenceId === 't-3')?.createdAt ?? ''
    const from = encodeURIComponent(middle)
    expect((await list(`from=${from}`)).references).toContain('t-3')
    expect((await list(`from=${from}`)).references).not.toContain('t-2')
    expect((await list(`until=${from}`)).references).toEqual(['t-2', 't-1', 't-0'])
  })

  test.each(['cursor=x', 'limit=0', 'limit=101', 'from=yesterday', 'until=2016-12-31T23:59:60Z'])(
    'refuses %s',
    async (query) => {
      expect((await world.call('GET', `${SK}/transactions?${query}`)).status).toBe(400)
    },
  )
})
