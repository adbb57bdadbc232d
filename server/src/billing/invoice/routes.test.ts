import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { type Mailbox, openMailbox } from '../../../local/parts/mailbox.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { systemClock } from '../../base/clock.ts'
import { createPool } from '../../base/db.ts'
import { systemRandom } from '../../base/random.ts'
import { createSeals } from '../../base/seal.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { setPaysInvoices } from './store.ts'

let world: ApiWorld
let mailbox: Mailbox
let ownerUrl: string
beforeAll(async () => {
  const database = await createTestDatabase()
  mailbox = await openMailbox()
  ownerUrl = database.ownerUrl
  const mail = { SMTP_URL: mailbox.url, MAIL_FROM: 'Scrip <pay@scrip.example>' }
  world = await createApiWorld(database.url, undefined, mail)
  const body = { currencies: ['USD', 'JPY', 'KWD', 'ETH'] }
  for (const as of [world.ours, world.theirs]) await world.call('POST', `${server}/invoice-currencies`, { as, body })
})
afterAll(async () => {
  await world.close()
  await mailbox.close()
})

const server = '/merchant-integrations-server'
type Item = { description: string; quantity: unknown; unitPrice: unknown }
type Listed = {
  id: string
  invoiceNumber: string
  status: string
  totalAmount: number
  paidAt: string
  invoiceDate: string
}

let addresses = 0
async function submit(items: Item[], more: Record<string, unknown> = {}, as = world.ours) {
  const email = `i${addresses++}@example.com`
  const dates = { invoiceDate: '2030-01-01', dueDate: '2030-01-31' }
  const who = { email, fullName: 'Ivy Submitter', merchantCode: as.code }
  const body = { currencyAbbreviation: 'USD', ...dates, ...who, invoiceItems: items, ...more }
  const text = JSON.stringify(body)
  // From different addresses: one network may submit 60 per hour.
  const address = `10.0.${addresses >> 8}.${addresses & 255}`
  return {
    email,
    ...(await world.call<Listed>('POST', `${server}/create-invoice`, { keys: 'public', body: text, as, address })),
  }
}
const one: Item[] = [{ description: 'Work', quantity: 1, unitPrice: 5 }]
const list = async (query = '', as = world.ours) => {
  const path = `${server}/fetch-invoice?${query.includes('limit') ? '' : 'limit=100'}${query}`
  const { text, data } = await world.get<{ invoices: Listed[]; total: number; hasMore: boolean }>(path, as)
  return { text, ...data }
}
const newest = async (): Promise<Listed> => {
  const { invoices } = await list()
  if (invoices[0] === undefined) throw new Error('There is no invoice.')
  return invoices[0]
}
const act = (what: string, invoiceID: string, more: object = {}, as = world.ours) =>
  world.post<Listed>(`${server}/${what}`, { invoiceID, ...more }, as)

test('an invoice is read by the id that its submission returned, and its approval says whether it is paid', async () => {
  const { id } = (await submit(one)).data
  const read = (as = world.ours) => world.call('GET', `${server}/invoices/${id}`, { as })
  expect((await read()).body).toMatchObject({ data: { id, status: 'Pending', totalAmount: 5, paidAt: '' } })
  expect((await read(world.theirs)).status).toBe(404)
  const unpaid = (await act('approve-invoice', id)).data
  expect(unpaid).toMatchObject({ id, status: 'Approved', paidAt: '' })
  const other = (await submit(one)).data
  await world.fund(5)
  const paid = (await act('approve-invoice', other.id)).data
  expect(paid.status).toBe('Approved')
  expect(Date.parse(paid.paidAt)).toBeGreaterThan(0)
  // No invoice stays unpaid: the tests below pay the oldest approval first.
  await world.fund(5)
  expect((await act('pay-invoice', id)).status).toBe(200)
  expect((await list('&limit=1')).hasMore).toBe(true)
  expect((await list('&limit=1&page=2')).hasMore).toBe(false)
})

test('totals are exact in currencies with 0, 2, 3 and 18 decimals and fractional quantities', async () => {
  const cases: [string, [string, string][], string, string[]][] = [
    [
      'USD',
      [
        ['3', '0.1'],
        ['1', '2.35'],
      ],
      '2.65',
      ['0.30', '2.35'],
    ],
    [
      'USD',
      [
        ['0.333', '10.00'],
        ['1.5', '33.33'],
      ],
      '53.33',
      ['3.33', '50.00'],
    ],
    ['JPY', [['2.5', '333']], '832', ['832']],
    [
      'KWD',
      [
        ['0.000001', '1000.000'],
        ['7', '0.001'],
      ],
      '0.008',
      ['0.001', '0.007'],
    ],
    [
      'ETH',
      [
        ['3', '0.000000000000000001'],
        ['1', '1'],
      ],
      '1.000000000000000003',
      ['0.000000000000000003', '1.000000000000000000'],
    ],
  ]
  for (const [currencyAbbreviation, items, total, parts] of cases) {
    const lines = items.map(([quantity, unitPrice]) => ({ description: 'x', quantity, unitPrice }))
    expect((await submit(lines, { currencyAbbreviation })).status).toBe(200)
    const { text } = await list('&page=1&limit=1')
    expect(text).toContain(`"totalAmount":${total},`)
    for (const part of parts) expect(text).toContain(`"totalPrice":${part},`)
  }
})

test('422: an invalid invoice is refused and takes no number', async () => {
  const before = (await newest()).invoiceNumber
  const refusals: [Record<string, unknown>, Item[], string][] = [
    [{ currencyAbbreviation: 'EUR' }, one, 'INVOICE_CURRENCY_REFUSED'],
    [{ merchantCode: 'THEIRS' }, one, 'INVOICE_MERCHANT_FOREIGN'],
    [{ dueDate: '2029-12-31' }, one, 'INVOICE_DATE_INVALID'],
    [{ invoiceDate: '2030-02-30' }, one, 'INVOICE_DATE_INVALID'],
    [{ blockchainNetworkAbbreviation: 'NOPE' }, one, 'INVOICE_NETWORK_UNKNOWN'],
    [{}, [{ description: 'x', quantity: 0, unitPrice: 5 }], 'INVOICE_QUANTITY_INVALID'],
    [{}, [{ description: 'x', quantity: '0.0000001', unitPrice: 5 }], 'INVOICE_QUANTITY_INVALID'],
    [{}, [{ description: 'x', quantity: 1, unitPrice: 0 }], 'INVOICE_EMPTY'],
    [{}, [{ description: 'x', quantity: 1, unitPrice: '1.005' }], 'AMOUNT_TOO_PRECISE'],
  ]
  for (const [more, items, code] of refusals) {
    const reply = await submit(items, more)
    expect([code, reply.status, reply.error?.code]).toEqual([code, 422, code])
  }
  expect((await submit([])).status).toBe(400)
  await submit(one)
  expect(Number((await newest()).invoiceNumber.slice(5))).toBe(Number(before.slice(5)) + 1)
})

test('dates are in the merchant’s time zone', async () => {
  await submit(one, { invoiceDate: '2030-01-01', dueDate: '2030-01-31T12:00:00Z' })
  expect(await newest()).toMatchObject({
    invoiceDate: '2030-01-01T00:00:00+01:00',
    dueDate: '2030-01-31T13:00:00+01:00',
  })
})

test('50 concurrent submissions get consecutive numbers without duplicates', async () => {
  const before = Number((await newest()).invoiceNumber.slice(5))
  const replies = await Promise.all(Array.from({ length: 50 }, () => submit(one, {})))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(50)
  const numbers = (await list()).invoices.slice(0, 50).map(({ invoiceNumber }) => Number(invoiceNumber.slice(5)))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => before + 1 + i))
})

test('an approved invoice is paid by voucher in the same commit if the balance covers it', async () => {
  await world.fund(5)
  await submit(one)
  const { id } = await newest()
  expect((await act('approve-invoice', id, { onChain: true }, world.theirs)).status).toBe(404)
  // No network holds vouchers in this currency.
  expect((await act('approve-invoice', id, { onChain: true })).status).toBe(422)
  expect((await act('approve-invoice', id)).status).toBe(200)
  expect(await newest()).toMatchObject({
    status: 'Approved',
    onChain: false,
    paidAt: expect.stringMatching(/^20/) as string,
  })
  const transaction = await world.call('GET', `${server}/verify-transaction/invoice-${id}`)
  expect(transaction.body).toMatchObject({
    data: { type: 'INVOICE_PAYMENT', status: 'COMPLETED', amount: 5 },
  })
  for (const again of ['approve-invoice', 'reject-invoice', 'pay-invoice'])
    expect([again, (await act(again, id)).status]).toEqual([again, 409])
})

test('an approved invoice that the balance does not cover is paid later, on request or automatically, in order of approval', async () => {
  await submit(one)
  const first = await newest()
  await submit(one)
  const second = await newest()
  for (const { id } of [first, second]) expect((await act('approve-invoice', id)).status).toBe(200)
  expect((await newest()).paidAt).toBe('')
  expect((await act('pay-invoice', first.id)).error?.code).toBe('INVOICE_BALANCE_TOO_LOW')
  const payByItself = (isOn: boolean) => setPaysInvoices(world.pool, world.ours.environmentId, isOn)
  restoreAfterTest(() => payByItself(false))
  await payByItself(true)
  await world.fund(5)
  await world.work()
  const paid = (await list()).invoices.filter(({ paidAt }) => paidAt !== '').map(({ id }) => id)
  expect([paid.includes(first.id), paid.includes(second.id)]).toEqual([true, false])
  await payByItself(false)
  await world.fund(5)
  await world.work()
  expect((await newest()).paidAt).toBe('')
  expect((await act('pay-invoice', second.id)).status).toBe(200)
})

test('of concurrent approvals and rejections one counts, and at most one voucher is issued', async () => {
  await world.fund(100)
  for (let round = 0; round < 10; round++) {
    await submit(one)
    const { id } = await newest()
    const acts = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0 ? act('approve-invoice', id) : act('reject-invoice', id, { reason: 'Not ours' }),
    )
    const statuses = (await Promise.all(acts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(19)
    const isApproved = statuses.indexOf(200) % 2 === 0
    const paid = await world.call('GET', `${server}/verify-transaction/invoice-${id}`)
    expect([await newest(), paid.status]).toMatchObject([
      { status: isApproved ? 'Approved' : 'Rejected' },
      isApproved ? 200 : 404,
    ])
  }
})

test('merchant and submitter get an email at every step, and the submitter the voucher', async () => {
  await world.pool.query(`update merchants set contact_email = 'office@ours.example' where code = 'OURS'`)
  const [paid, refused] = [await submit(one), await submit(one)]
  const { invoices } = await list()
  await world.fund(5)
  await act('approve-invoice', invoices[1]?.id ?? '')
  await act('reject-invoice', invoices[0]?.id ?? '', { reason: 'Never ordered' })
  await world.work()
  const subjects = (to: string) =>
    mailbox.received
      .filter(({ recipients }) => recipients.includes(to))
      .map(({ subject }) => subject?.replace('\u00a0', ' '))
  expect(subjects('office@ours.example')).toEqual(['You received an invoice', 'You received an invoice'])
  expect(subjects(paid.email).toSorted()).toEqual([
    'OURS approved your invoice',
    'OURS received your invoice',
    'OURS sent you a voucher worth $5.00',
  ])
  expect(subjects(refused.email)).toEqual(['OURS received your invoice', 'OURS rejected your invoice'])
  expect(mailbox.received.findLast(({ recipients }) => recipients.includes(refused.email))?.text).toContain(
    'Never ordered',
  )
})

test('lists count by status and page through all invoices', async () => {
  const [all, ...parts] = [
    await list(),
    await list('&filter=Pending'),
    await list('&filter=Approved'),
    await list('&filter=Rejected'),
  ]
  expect(parts.reduce((sum, { total }) => sum + total, 0)).toBe(all.total)
  const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`&limit=20&page=${page}`)))
  const ids = pages.flatMap(({ invoices }) => invoices.map(({ id }) => id))
  expect(new Set(ids).size).toBe(Math.min(80, all.total))
  expect(ids).toEqual(ids.toSorted().toReversed())
})

test('409: at most 20 pending invoices per email address', async () => {
  const email = 'many@example.com'
  const statuses: number[] = []
  for (let i = 0; i < 21; i++) statuses.push((await submit(one, { email }, world.theirs)).status)
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 409])
})

test('the ledger balances', async () => {
  const owner = createPool(ownerUrl, 1)
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
})

test('retries with the same key create one invoice, and another invoice with that key is refused', async () => {
  const body = {
    ...{ currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-31', fullName: 'Ivy Submitter' },
    ...{ merchantCode: world.ours.code, invoiceItems: one, email: 'twice@example.com' },
  }
  const headers = { 'idempotency-key': 'from-the-form' }
  const send = (more: object = {}) =>
    world.call('POST', `${server}/create-invoice`, { keys: 'public', body: { ...body, ...more }, headers })
  const before = (await list()).total
  const replies = await Promise.all(Array.from({ length: 10 }, () => send()))
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect((await send()).status).toBe(200)
  expect((await list()).total).toBe(before + 1)
  const other = await send({ fullName: 'Ivy Other' })
  expect([other.status, other.error?.code]).toEqual([409, 'REFERENCE_TAKEN'])
})

const request = (path: string, body: object) =>
  world.call('POST', path, { keys: 'none', body }).then((reply) => ({
    ...reply,
    body:
      reply.status === 200 && reply.text.startsWith('{')
        ? (JSON.parse(reply.text) as { data: Record<string, unknown> })
        : undefined,
  }))

test('a visitor submits without an API key and follows the invoice by a private link; a wrong link is refused', async () => {
  const { code: merchantCode } = world.ours
  const taker = await request('/invoice/merchant', { merchantCode: merchantCode.toLowerCase(), mode: 'test' })
  expect(taker.body).toMatchObject({
    data: { currencies: [{ abbreviation: 'USD', decimals: 2 }, {}, {}, {}], timeZone: 'Africa/Lagos' },
  })
  const invoice = {
    ...{ currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-31', fullName: '宋 Ødegård' },
    ...{ merchantCode, email: 'outsider@example.com' },
    invoiceItems: Array.from({ length: 40 }, () => ({
      description: 'Слово '.repeat(80),
      quantity: '3',
      unitPrice: '0.1',
    })),
  }
  const submitted = await request('/invoice/submit', { mode: 'test', invoice })
  const token = submitted.body?.data.token as string
  const state = await request('/invoice/state', { token })
  expect(state.body).toMatchObject({
    data: { status: 'Pending', total: '12.00', paidAt: null },
  })
  const { id } = await newest()
  await act('reject-invoice', id, { reason: 'Not ours' })
  expect((await request('/invoice/state', { token })).body).toMatchObject({
    data: { status: 'Rejected', reason: 'Not ours' },
  })
  const pdfs = [
    await request('/invoice/pdf', { token }),
    await world.call('GET', `${server}/invoices/${id}/invoice.pdf`, {}),
  ]
  for (const { status, text } of pdfs) {
    expect(status).toBe(200)
    expect(text.startsWith('%PDF')).toBe(true)
    expect((text.match(/\/Type \/Page\b/g) ?? []).length).toBeGreaterThan(1)
  }
  for (const wrong of ['', 'x', `${token.slice(0, -4)}AAAA`, token.slice(2)])
    expect((await request('/invoice/state', { token: wrong })).status).toBe(404)
  // One PDF was drawn above.
  const statuses = await Promise.all(Array.from({ length: 30 }, () => request('/invoice/pdf', { token: 'x' })))
  expect(statuses.filter(({ status }) => status === 404)).toHaveLength(19)
  expect(statuses.filter(({ status }) => status === 429)).toHaveLength(11)
  expect((await world.call('GET', `${server}/invoices/${id}/invoice.pdf`, { as: world.theirs })).status).toBe(404)
  expect((await request('/invoice/merchant', { merchantCode: 'NOBODY', mode: 'test' })).status).toBe(404)
})

const onPage = async (path: string, body: object, address = '10.9.0.1', headers: Record<string, string> = {}) => {
  const { status, text } = await world.call('POST', path, { keys: 'none', body, address, headers })
  const { data, error } = JSON.parse(text) as { data?: { token: string }; error?: { code: string } }
  return { status, data, error }
}
const invoiceOf = (more: object = {}) => ({
  mode: 'test',
  invoice: {
    ...{ merchantCode: 'OURS', currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-02' },
    ...{ email: `p${addresses++}@example.com`, fullName: 'X', invoiceItems: one, ...more },
  },
})

test('422: totals above a trillion and dates out of range', async () => {
  const nines = '9'.repeat(76)
  const lines = (quantity: string, unitPrice: string, count = 1) => ({
    invoiceItems: Array.from({ length: count }, () => ({ description: 'x', quantity, unitPrice })),
  })
  const refused = [
    ...[lines('99999999999999', nines), lines('1', nines), lines('1', nines, 20), lines('1', '1000000000000.01')],
    ...[lines('2', '600000000000'), lines('1', '600000000000', 2)],
    { invoiceDate: '0001-01-01', dueDate: '9999-12-31' },
    { invoiceDate: '2030-01-01', dueDate: '9999-12-31T23:59:59-23:59' },
    { invoiceDate: '0000-01-01', dueDate: '2030-01-01' },
    { invoiceDate: '+275760-09-13', dueDate: '2030-01-01' },
    { invoiceDate: '-000001-01-01', dueDate: '2030-01-01' },
    { invoiceDate: '2026-02-30', dueDate: '2030-01-01' },
  ]
  const statuses = []
  for (const more of refused) statuses.push((await onPage('/invoice/submit', invoiceOf(more))).status)
  expect(statuses).toEqual(refused.map(() => 422))
  expect((await onPage('/invoice/submit', invoiceOf(lines('1', '1000000000000')))).status).toBe(200)
})

test('the subject of an email to a merchant contains no text of the submitter', async () => {
  await world.pool.query(`update merchants set contact_email = 'fixed@ours.example' where code = 'OURS'`)
  const attack = 'Your account is locked. Open evil.example now\r\nBcc: victim@example.com'
  expect((await onPage('/invoice/submit', invoiceOf({ fullName: attack }))).status).toBe(200)
  await world.work()
  const mail = mailbox.received.findLast(({ recipients }) => recipients.includes('fixed@ours.example'))
  expect(mail?.subject).toBe('You received an invoice')
  expect(mail?.recipients).toEqual(['fixed@ours.example'])
  expect(mail?.text).toContain('evil.example')
})

test('a private link expires after 90 days, and at once when the merchant revokes it', async () => {
  const token = (await onPage('/invoice/submit', invoiceOf())).data?.token ?? ''
  const state = async (of: string) => (await onPage('/invoice/state', { token: of })).error?.code ?? 'shown'
  expect(await state(token)).toBe('shown')
  const { id } = await newest()
  const path = `${server}/invoices/${id}/revoke-links`
  expect((await world.call('POST', path, { body: {}, as: world.theirs })).status).toBe(404)
  expect(await state(token)).toBe('shown')
  expect((await world.call('POST', path, { body: {} })).status).toBe(200)
  expect([await state(token), (await onPage('/invoice/pdf', { token })).status]).toEqual(['INVOICE_LINK_ENDED', 404])
  // A link of an older version, without a time, counts from the creation of its invoice.
  const ring = createSeals([{ id: 1, secret: Buffer.from(world.keyRing.slice(2), 'hex') }])
  await onPage('/invoice/submit', invoiceOf())
  const second = (await newest()).id
  const old = ring.sealFacts('invoice', [world.ours.environmentId, second], systemRandom)
  expect(await state(old)).toBe('shown')
  const days = (count: number) => systemClock().getTime() - count * 86_400_000
  const made = (ms: number) => ring.sealFacts('invoice', [world.ours.environmentId, second, ms], systemRandom)
  expect([await state(made(days(89))), await state(made(days(91)))]).toEqual(['shown', 'INVOICE_LINK_ENDED'])
})

test('retrying a submission does not renew a revoked link, and visitors cannot take keys of the shop', async () => {
  const key = { 'idempotency-key': 'INV-2026-0001' }
  const submission = invoiceOf()
  const submit = () => onPage('/invoice/submit', submission, '10.9.0.2', key)
  expect((await submit()).status).toBe(200)
  const { id } = await newest()
  await world.call('POST', `${server}/invoices/${id}/revoke-links`, { body: {} })
  const token = (await submit()).data?.token ?? ''
  expect((await onPage('/invoice/state', { token })).error?.code).toBe('INVOICE_LINK_ENDED')
  const own = { ...submission.invoice, email: 'shop@example.com' }
  expect((await world.call('POST', `${server}/create-invoice`, { body: own, headers: key })).status).toBe(200)
})
