import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { addMember, addPerson, pin } from '../../local/test/visitor.ts'
import { createPool, type Pool } from '../base/db.ts'

const api = '/merchant-integrations'
const server = '/merchant-integrations-server'
type Row = Record<string, string>
type Member = Awaited<ReturnType<typeof addMember>>

let world: ApiWorld
/** Owns the tables, for states that only a network brings about. */
let tables: Pool
let owner: Member
let at = new Date(Date.UTC(2026, 10, 16, 9))

beforeAll(async () => {
  const database = await createTestDatabase()
  world = await createApiWorld(database.url, () => at)
  tables = createPool(database.ownerUrl, 1)
  await world.charge()
  owner = await addMember(world, world.ours, 'owner')
  await world.call('POST', '/sandbox/fund', { body: { currency: 'USD', amount: 1_000 } })
})
afterAll(async () => {
  await tables.end()
  await world.close()
})

const post = async (path: string, body: object = {}): Promise<Row> => {
  const { status, text } = await world.call('POST', path, { body })
  expect([path, status, text]).toEqual([path, 200, text])
  return (JSON.parse(text) as { data: Row }).data
}
const shown = async (reference: string) => {
  const reply = await owner.get(`/merchant/payments/${reference}`)
  return (reply.json().data as { payment: Row }).payment
}
const passMinutes = async (minutes: number): Promise<void> => {
  at = new Date(at.getTime() + minutes * 60_000)
  await world.work()
}
const redeem = async (amount: number, referenceId: string): Promise<void> => {
  const { code } = await post('/sandbox/vouchers', { amount: 100, currency: 'USD' })
  await post(`${api}/redeem-voucher`, { voucherCode: code, amount, referenceId })
}

/** Changes a transaction to a status that needs a network, without the allowed moves. */
async function store(reference: string, changes: object): Promise<string> {
  const { rows } = await tables.query<{ id: string }>(
    `with old as (delete from transactions where reference = $1 returning *), made as (
       insert into transactions select (jsonb_populate_record(null::transactions, to_jsonb(old) || $2)).* from old returning id)
     select id from made`,
    [reference, { updated_at: at, ...changes }],
  )
  return rows[0]?.id ?? ''
}

test('a payment request that ended unpaid says who or what ended it, and when', async () => {
  const ada = await addPerson(world, 'test')
  const ask = (reference_id: string) =>
    post(`${api}/payment-request`, { amount: 5, currency: 'USD', user_identifier: ada.person.email, reference_id })
  for (const reference of ['declined', 'withdrawn', 'expired']) await ask(reference)
  await post('/sandbox/payment-requests/declined/decline')
  await passMinutes(1)
  await post(`${server}/payment-requests/withdrawn/cancel`)
  const declinedAt = new Date(at.getTime() - 60_000).toISOString()
  const withdrawnAt = at.toISOString()
  await passMinutes(15)
  const unpaid = { settledAt: '', moved: '' }
  expect([await shown('declined'), await shown('withdrawn'), await shown('expired')]).toMatchObject([
    { ...unpaid, status: 'FAILED', statusReason: 'declined', endedAt: declinedAt },
    { ...unpaid, status: 'CANCELED', statusReason: 'withdrawn', endedAt: withdrawnAt },
    { ...unpaid, status: 'CANCELED', statusReason: 'expired', endedAt: at.toISOString() },
  ])
  const csv = await owner.get('/merchant/payments.csv?search=declined')
  expect(csv.text.split('\r\n')[1]).toMatch(/,declined$/)
})

test('a payout that was not sent says whether the shop cancelled it or nobody approved it in time', async () => {
  const ada = await addPerson(world, 'test')
  await owner.post('/merchant/outflow-limits', { approvalAbove: '1', newRecipientHours: 0, pin })
  const common = { fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD', amount: 5 }
  for (const referenceId of ['cancelled', 'forgotten'])
    await post(`${server}/payout`, { ...common, platformUsernameOrEmail: ada.person.email, referenceId })
  expect(await shown('cancelled')).toMatchObject({ status: 'PENDING', statusReason: '', endedAt: '' })
  await post(`${server}/payouts/cancelled/cancel`)
  await passMinutes(60 * 24 * 40)
  expect([await shown('cancelled'), await shown('forgotten')]).toMatchObject([
    { status: 'CANCELED', statusReason: 'withdrawn' },
    { status: 'CANCELED', statusReason: 'not_approved', endedAt: at.toISOString() },
  ])
})

test('a redemption that its network did not carry out is not money in', async () => {
  await redeem(5, 'refused')
  expect(await shown('refused')).toMatchObject({ status: 'COMPLETED', statusReason: '', endedAt: '' })
  const id = await store('refused', { status: 'FAILED' })
  // The journal that returned the value.
  await store('refused', { settled_by: id })
  expect(await shown('refused')).toMatchObject({
    ...{ status: 'FAILED', statusReason: 'network_failed', settledAt: '', endedAt: at.toISOString() },
    ...{ canMailReceipt: false },
  })
})

test.for([
  ['expired', 'FAILED', 10, 0],
  ['underpaid', 'FAILED', 10, 3],
  ['network_reversed', 'FAILED', -10, 0],
  ['network_reversed', 'REVERSED', -10, 0],
  ['withdrawn', 'CANCELED', -10, 0],
] as const)('a deposit: %s if it is %s %s minutes after its end and %s was paid', async (row) => {
  const [statusReason, status, minutes, paid] = row
  const reference = `deposit-${row.join('')}`
  await redeem(5, reference)
  const id = await store(reference, { type: 'WALLET_DEPOSIT', status, code_tail: null })
  await tables.query(
    `insert into deposits (environment_id, id, network_id, address, token, unit, pay_book_id, to_deposit, charge,
        rate_numerator, rate_denominator, tolerance, paid, expires_at, ended_at)
      select environment_id, id, (select id from networks limit 1), '0x', '', 1, book_id, 500, 0, 1, 1, 0, $2, $3, $4
        from transactions where id = $1`,
    [id, paid, new Date(at.getTime() - minutes * 60_000), at],
  )
  expect(await shown(reference)).toMatchObject({ status, statusReason, settledAt: '', endedAt: at.toISOString() })
})

test('a partial refund has a status of its own, also as a filter and in the export, and a full one is REFUNDED', async () => {
  for (const reference of ['kept', 'partly', 'wholly']) await redeem(5, reference)
  await post(`${server}/refund`, { referenceId: 'partly', amount: 2, refundReferenceId: 'partly-back' })
  await post(`${server}/refund`, { referenceId: 'wholly', refundReferenceId: 'wholly-back' })
  const statuses = ['kept', 'partly', 'wholly'].map(async (reference) => (await shown(reference)).status)
  expect(await Promise.all(statuses)).toEqual(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'])
  const found = async (status: string): Promise<string[]> => {
    const reply = await owner.get(`/merchant/payments?type=VOUCHER_REDEMPTION&status=${status}`)
    return (reply.json().data as { payments: Row[] }).payments.map(({ reference = '' }) => reference)
  }
  expect([await found('COMPLETED'), await found('PARTIALLY_REFUNDED'), await found('REFUNDED')]).toEqual([
    ['kept'],
    ['partly'],
    ['wholly'],
  ])
  const csv = await owner.get('/merchant/payments.csv?search=partly')
  expect(csv.text).toContain(',partly,VOUCHER_REDEMPTION,PARTIALLY_REFUNDED,in,USD,')
  // The merchant API keeps its statuses.
  const { text } = await world.call('GET', `${server}/verify-transaction/partly`)
  expect(JSON.parse(text)).toMatchObject({ data: { status: 'COMPLETED', refundedAmount: 2 } })
})

test('the sales of a cashier have one row each, and their total is what is left after refunds, once', async () => {
  at = new Date(at.getTime() + 2 * 86_400_000)
  const { code } = await post('/sandbox/vouchers', { amount: 100, currency: 'USD' })
  const sell = (amount: number, referenceId: string) =>
    owner.post(`${api}/redeem-voucher`, { voucherCode: code, amount, referenceId })
  for (const reference of ['till-1', 'till-2', 'till-3', 'till-failed']) await sell(10, reference)
  await owner.post(`${server}/refund`, { referenceId: 'till-2', amount: 4, refundReferenceId: 'till-2-back' })
  await owner.post(`${server}/refund`, { referenceId: 'till-3', refundReferenceId: 'till-3-back' })
  await owner.post(`${server}/vouchers`, { amount: 7, currency: 'USD', pin })
  await store('till-failed', { status: 'FAILED' })
  const { payments, totals } = (await owner.get('/merchant/till/sales?limit=3')).json().data as {
    payments: Row[]
    totals: object[]
  }
  expect(payments.map(({ reference, status }) => [reference, status])).toEqual([
    ['till-failed', 'FAILED'],
    ['till-3', 'REFUNDED'],
    ['till-2', 'PARTIALLY_REFUNDED'],
  ])
  expect(totals).toEqual([{ currency: 'USD', count: 3, amount: '16.00', refunded: '14.00' }])
})
