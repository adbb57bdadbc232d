// One rule decides every outflow from a shop's balance. These are ways around a payout limit that used to work.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { addMember, addPerson, enrolOneTimeCode, pin } from '../local/test/visitor.ts'
import { createPool, type Pool } from './base/db.ts'
import { withEnvironment } from './base/environment.ts'
import { setManualRate } from './catalogue/currency/rates.ts'
import { setInvoiceCurrencies } from './billing/invoice/store.ts'
import { verifyLedger } from './ledger/verify.ts'
import { approveAsOperator } from './payments/outflow/finish.ts'
import { createSenders } from './senders.ts'
import { createKeyRing } from './vouchers/code/key-ring.ts'
import { openLedger } from './ledger/post.ts'
import { systemRandom } from './base/random.ts'
import { readConfig } from './config.ts'

const S = '/merchant-integrations-server'
let world: ApiWorld
let books: Pool
let ownerUrl: string
let url: string
let now = new Date('2026-05-04T10:00:00Z')
const clock = () => now
type Member = Awaited<ReturnType<typeof addMember>>
let owner: Member
let accountant: Member
let thief: Awaited<ReturnType<typeof addPerson>>

beforeAll(async () => {
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  url = database.url
  world = await createApiWorld(url, clock)
  books = createPool(ownerUrl, 2)
  owner = await addMember(world, world.ours, 'owner')
  accountant = await addMember(world, world.ours, 'accountant')
  thief = await addPerson(world, 'test')
  const { environmentId } = world.ours
  await withEnvironment(world.pool, environmentId, (tx) => setInvoiceCurrencies(tx, environmentId, ['USD', 'EUR']))
  await world.fund(100_000)
})
afterAll(async () => {
  expect(await verifyLedger(books)).toEqual([])
  await books.end()
  await world.close()
})
// Each test has its own day.
beforeEach(async () => {
  now = new Date(now.getTime() + 2 * 86_400_000)
  await limit({ daily: 'none', approvalAbove: 'none', newRecipientHours: 0 })
})

type Answer = {
  code: number
  status: string
  data: Record<string, unknown>
  error?: { code: string }
}
const limit = async (limits: object): Promise<void> => {
  const reply = await owner.post('/merchant/outflow-limits', { ...limits, pin })
  expect(reply.status, reply.text).toBe(200)
}
const byKey = async (path: string, body: object): Promise<Answer> => (await world.post(path, body)).body as Answer
const byStaff = async (who: Member, path: string, body: object): Promise<Answer> =>
  (await who.post(path, body)).as<Answer>()
const voucher = (amount: number, more: object = {}) => byKey(`${S}/vouchers`, { amount, currency: 'USD', ...more })
const payout = (amount: number, more: object = {}) =>
  byKey(`${S}/payout`, {
    ...{ amount, fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD' },
    ...{ platformUsernameOrEmail: thief.person.email, referenceId: world.newId(), ...more },
  })
/** A payout file with a row for each amount. */
const payFile = async (amounts: readonly number[]): Promise<Answer> => {
  const rows = amounts.map((amount) => `${thief.person.email},${amount},${world.newId()}`)
  const file = { csv: ['recipient,amount,reference', ...rows].join('\n'), currency: 'USD' }
  const { confirmation } = (await byKey(`${S}/payout-batches`, file)).data.check as { confirmation: string }
  return byKey(`${S}/payout-batches`, { ...file, confirmation })
}
const newestInvoice = async (): Promise<string> => {
  const path = `${S}/fetch-invoice?filter=Pending&limit=1`
  return (await world.get<{ invoices: { id: string }[] }>(path)).data.invoices[0]?.id ?? ''
}
const approve = (who: Member, reference: string, more: object = { pin }) =>
  byStaff(who, `/merchant/outflows/${reference}/approve`, more)

describe('a stolen secret key', () => {
  test('cannot exceed the daily limit by a voucher, a batch, an import, a replacement, a payout file or an invoice', async () => {
    const { data: lost } = await voucher(40)
    await limit({ daily: '50', approvalAbove: 'none' })
    const submission = await byKey(`${S}/create-invoice`, {
      ...{ currencyAbbreviation: 'USD', dueDate: '2030-01-01', invoiceDate: '2026-05-01', email: thief.person.email },
      ...{ fullName: 'X', merchantCode: world.ours.code, blockchainNetworkAbbreviation: 'BSC' },
      invoiceItems: [{ description: 'x', quantity: 1, unitPrice: 800 }],
    })
    expect(submission.code).toBe(200)
    const csv = 'code,balance\nABCDEFGH1234,800\n'
    const trial = await byKey(`${S}/voucher-imports`, { csv, currency: 'USD' })
    const { confirmation } = trial.data.trial as { confirmation: string }
    const before = await world.balance()
    const refused = [
      await payout(500),
      await voucher(5_000),
      await byKey(`${S}/voucher-batches`, { size: 50, amount: 20, currency: 'USD' }),
      await byKey(`${S}/voucher-imports`, { csv, currency: 'USD', confirmation }),
      await byKey(`${S}/vouchers/${String(lost.id)}/replace`, {}),
      await payFile(Array.from({ length: 60 }, () => 1)),
    ]
    expect(refused.map(({ code, error }) => [code, error?.code])).toEqual(
      refused.map(() => [422, 'OUTFLOW_ABOVE_DAILY']),
    )
    const invoiceID = await newestInvoice()
    expect((await byKey(`${S}/approve-invoice`, { invoiceID })).code).toBe(200)
    // Approved but not paid.
    const { rows } = await books.query(`select status, paid_at from invoices where id = $1`, [invoiceID])
    expect(rows).toEqual([{ status: 'Approved', paid_at: null }])
    expect(await world.balance()).toBe(before)
  })

  test('gains nothing by splitting: the threshold is cumulative over all kinds', async () => {
    await limit({ approvalAbove: '100' })
    const before = await world.balance()
    const answers = [await voucher(60), await payout(40), await voucher(0.01), await payout(40), await voucher(40)]
    expect(answers.map(({ code, status }) => [code, status])).toEqual([
      [200, 'success'],
      [200, 'success'],
      [200, 'PENDING'],
      [200, 'PENDING'],
      [200, 'PENDING'],
    ])
    expect(answers.slice(2).map(({ data }) => data.code)).toEqual([undefined, undefined, undefined])
    // Waiting amounts are held.
    expect(before - (await world.balance())).toBeCloseTo(180.01, 9)
  })

  test('gains nothing by splitting an amount over the rows of payout files', async () => {
    await limit({ approvalAbove: '100' })
    const cents = (count: number) => Array.from({ length: count }, () => 1)
    const answers = [await payFile(cents(60)), await payFile(cents(41)), await payFile(cents(40)), await payout(0.01)]
    expect(answers.map(({ code, status }) => [code, status])).toEqual([
      [200, 'success'],
      [200, 'PENDING'],
      [200, 'PENDING'],
      [200, 'PENDING'],
    ])
    await world.work()
    const { rows } = await books.query<{ paid: bigint }>(
      `select coalesce(sum(amount), 0) as paid from ledger_transfers
        where to_owner = $1 and from_kind = 'batch' and to_kind = 'wallet'`,
      [thief.person.id],
    )
    expect(rows[0]?.paid).toBe(60_00n)
  })

  test('cannot exceed the threshold with concurrent requests', async () => {
    await limit({ approvalAbove: '100' })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? voucher(10) : payout(10))))
    expect(answers.filter(({ status }) => status === 'success')).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 'PENDING')).toHaveLength(30)
  })

  test('cannot avoid the threshold with a currency that has an old rate or none', async () => {
    await world.fund(1_000, { currency: 'EUR' })
    await world.fund(1_000, { currency: 'SEK' })
    await setManualRate(world.pool, 'EUR', 'USD', '1.0835', clock)
    await limit({ approvalAbove: '100' })
    now = new Date(now.getTime() + 3 * 3_600_000)
    // 93 euros are 100.77 dollars at the last known rate.
    expect((await voucher(93, { currency: 'EUR' })).status).toBe('PENDING')
    expect((await voucher(0.01, { currency: 'SEK' })).status).toBe('PENDING')
  })

  test('a request by API key needs approvals by two different people', async () => {
    await limit({ approvalAbove: '1' })
    const reference = world.newId()
    expect((await payout(50, { referenceId: reference })).status).toBe('PENDING')
    expect((await approve(accountant, reference)).code).toBe(200)
    expect(await world.statusOf(reference)).toBe('PENDING')
    expect((await approve(accountant, reference)).error?.code).toBe('OUTFLOW_APPROVED_TWICE')
    expect((await approve(owner, reference, {})).error?.code).toBe('CONFIRMATION_MISSING')
    expect((await approve(owner, reference)).code).toBe(200)
    expect(await world.statusOf(reference)).toBe('COMPLETED')
    expect((await approve(owner, reference)).error?.code).toBe('OUTFLOW_ENDED')
  })
})

describe('a stolen session of an accountant', () => {
  test('every outflow is refused with 403 without the PIN', async () => {
    const { data: lost } = await voucher(5)
    const asks = [
      [`${S}/vouchers`, { amount: 1_000, currency: 'USD' }],
      [`${S}/voucher-batches`, { size: 2, amount: 5, currency: 'USD' }],
      [`${S}/voucher-imports`, { csv: 'code,balance\nQ,1', currency: 'USD', confirmation: 'x' }],
      [`${S}/payout-batches`, { csv: 'recipient,amount\nada,1', currency: 'USD', confirmation: 'x' }],
      [`${S}/vouchers/${String(lost.id)}/replace`, {}],
      [`${S}/approve-invoice`, { invoiceID: world.newId() }],
      [`${S}/pay-invoice`, { invoiceID: world.newId() }],
      [
        `${S}/payout`,
        {
          ...{ amount: 1, fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD' },
          platformUsernameOrEmail: thief.person.email,
        },
      ],
    ] as const
    for (const [path, body] of asks) {
      const { code, error } = await byStaff(accountant, path, body)
      expect([path, code, error?.code]).toEqual([path, 403, 'CONFIRMATION_MISSING'])
    }
    expect((await byStaff(accountant, `${S}/vouchers`, { amount: 1, currency: 'USD', pin })).code).toBe(200)
  })

  test('with the PIN, an outflow above the threshold still needs another approver', async () => {
    await limit({ approvalAbove: '10' })
    const referenceId = world.newId()
    const ask = { amount: 25, currency: 'USD', referenceId, lockPin: '4821', pin }
    expect((await byStaff(accountant, `${S}/vouchers`, ask)).status).toBe('PENDING')
    expect((await approve(accountant, referenceId)).error?.code).toBe('OUTFLOW_SAME_PERSON')
    expect((await approve(owner, referenceId)).code).toBe(200)
    // A retry now returns the voucher, with the requested lock PIN.
    const { status, data } = await byStaff(accountant, `${S}/vouchers`, ask)
    expect([status, data.amount, data.isLocked]).toEqual(['success', 25, true])
    const redeemed = await byKey('/merchant-integrations/redeem-voucher', {
      ...{ voucherCode: data.code, amount: 1, lockPin: '4821' },
    })
    expect(redeemed.code).toBe(200)
  })
})

describe('a waiting outflow', () => {
  test('of each kind is sent when it is approved', async () => {
    const { data: lost } = await voucher(30)
    await limit({ approvalAbove: '0' })
    const [batchReference, replaceReference] = [world.newId(), world.newId()]
    const batchAsk = { size: 3, amount: 5, currency: 'USD', referenceId: batchReference, pin }
    expect((await byStaff(accountant, `${S}/voucher-batches`, batchAsk)).status).toBe('PENDING')
    const replaceAsk = { referenceId: replaceReference, pin }
    const path = `${S}/vouchers/${String(lost.id)}/replace`
    expect((await byStaff(accountant, path, replaceAsk)).status).toBe('PENDING')
    for (const reference of [batchReference, replaceReference]) expect((await approve(owner, reference)).code).toBe(200)
    await world.work()
    expect((await byStaff(accountant, `${S}/voucher-batches`, batchAsk)).data).toMatchObject({ issued: 3 })
    const replaced = await byStaff(accountant, path, replaceAsk)
    expect([replaced.status, replaced.data.balance]).toEqual(['success', 30])
    const old = await byKey('/merchant-integrations/verify-voucher', { voucherCode: lost.code })
    expect(old.code).toBe(409)
  })

  test('pays an invoice when approved, and the invoice can be paid again after a cancellation', async () => {
    const submit = async (email: string): Promise<string> => {
      await byKey(`${S}/create-invoice`, {
        ...{ currencyAbbreviation: 'USD', dueDate: '2030-01-01', invoiceDate: '2026-05-01', email, fullName: 'X' },
        ...{ merchantCode: world.ours.code, invoiceItems: [{ description: 'x', quantity: 1, unitPrice: 80 }] },
      })
      return newestInvoice()
    }
    const paidAt = async (id: string): Promise<Date | null> =>
      (await books.query<{ paid_at: Date | null }>('select paid_at from invoices where id = $1', [id])).rows[0]
        ?.paid_at ?? null
    await limit({ approvalAbove: '10' })
    const id = await submit('painter@bills.example')
    expect((await byKey(`${S}/approve-invoice`, { invoiceID: id })).code).toBe(200)
    expect(await paidAt(id)).toBeNull()
    expect((await byKey(`${S}/pay-invoice`, { invoiceID: id })).error?.code).toBe('INVOICE_PAYMENT_WAITING')
    expect((await byKey(`${S}/outflows/invoice-${id}/cancel`, {})).code).toBe(200)
    expect((await byKey(`${S}/pay-invoice`, { invoiceID: id })).code).toBe(200)
    expect((await approve(owner, `invoice-${id}-2`)).code).toBe(200)
    expect((await approve(accountant, `invoice-${id}-2`)).code).toBe(200)
    expect(await paidAt(id)).not.toBeNull()
  })

  test('releases its amount and its share of the daily total when canceled', async () => {
    await limit({ approvalAbove: '10' })
    const before = await world.balance()
    const referenceId = world.newId()
    expect((await voucher(100, { referenceId })).status).toBe('PENDING')
    expect((await byKey(`${S}/outflows/${referenceId}/cancel`, {})).code).toBe(200)
    expect(await world.balance()).toBe(before)
    expect((await voucher(100, { referenceId })).status).toBe('CANCELED')
    expect((await voucher(9)).status).toBe('success')
  })

  test('is still bound by the daily limit after waiting for a day', async () => {
    await limit({ approvalAbove: '10', daily: '100' })
    const [first, second] = [world.newId(), world.newId()]
    expect((await voucher(80, { referenceId: first })).status).toBe('PENDING')
    now = new Date(now.getTime() + 26 * 3_600_000)
    expect((await voucher(80, { referenceId: second })).status).toBe('PENDING')
    expect((await approve(owner, first)).code).toBe(200)
    expect((await approve(accountant, first)).error?.code).toBe('OUTFLOW_ABOVE_DAILY')
    expect((await byKey(`${S}/outflows/${second}/cancel`, {})).code).toBe(200)
    expect((await approve(accountant, first)).code).toBe(200)
  })

  test('needs the operator if the shop has fewer than two approvers', async () => {
    const single = await addMember(world, world.theirs, 'owner')
    const theirs = { as: world.theirs }
    await world.call('POST', '/sandbox/fund', { body: { amount: 100, currency: 'USD' }, ...theirs })
    await single.post('/merchant/outflow-limits', { approvalAbove: '10', pin })
    const reference = world.newId()
    const body = { amount: 50, currency: 'USD', referenceId: reference }
    const reply = await world.call('POST', `${S}/vouchers`, { body, ...theirs })
    expect(reply.body).toMatchObject({ status: 'PENDING' })
    expect((await approve(single, reference)).code).toBe(200)
    const state = async () => {
      const { rows } = await books.query<{ outcome: string | null }>(
        'select outcome from outflows where reference = $1',
        [reference],
      )
      return rows
    }
    expect(await state()).toEqual([{ outcome: null }])
    const ledger = openLedger({ url, clock, newId: world.newId })
    const { keyRing } = readConfig({ DATABASE_URL: url, KEY_PEPPER: world.pepper, KEY_RING: world.keyRing })
    const tools = { ...world.tools, random: systemRandom, ledger, keyRing: createKeyRing(keyRing) }
    const finish = { ...tools, senders: createSenders(tools) }
    expect(await approveAsOperator(finish, world.theirs.environmentId, { reference })).toBe('sent')
    expect(await state()).toEqual([{ outcome: 'done' }])
    await limit({ approvalAbove: '10' })
    const ours = world.newId()
    await voucher(50, { referenceId: ours })
    await expect(approveAsOperator(finish, world.ours.environmentId, { reference: ours })).rejects.toMatchObject({
      code: 'OUTFLOW_STAFF_DECIDES',
    })
    await ledger.close()
  })
})

describe('limits', () => {
  test('cannot be set by API keys, and in live mode need the owner’s second factor', async () => {
    const live = { 'scrip-mode': 'live' }
    const set = (more: object) => owner.post('/merchant/outflow-limits', { daily: '500', ...more }, live)
    expect((await set({ pin })).json().error?.code).toBe('SECOND_FACTOR_MISSING')
    const code = await enrolOneTimeCode(owner)
    expect((await set({ oneTimeCode: '000000' })).json().error?.code).toBe('ONE_TIME_CODE_WRONG')
    expect((await set({ oneTimeCode: code() })).status).toBe(200)
    expect((await accountant.post('/merchant/outflow-limits', { daily: '500', pin })).status).toBe(403)
  })

  test('apply by default to a live shop', async () => {
    const reply = await (await addMember(world, world.theirs, 'accountant')).get('/merchant/outflow-limits', {
      'scrip-mode': 'live',
    })
    expect(reply.json().data).toMatchObject({
      ...{ currency: 'USD', approvalAbove: '1000.00', daily: '10000.00', newRecipientHours: 24, isDefault: true },
    })
  })
})
