// No merchant reaches the objects of another. Every case creates a real object of THEIRS. OURS must get the same
// refusal for it as for an unknown id, and the same request by THEIRS must succeed: a case with a wrong path or body
// fails.
import { type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../local/test/chain-world.ts'
import { settleEvents } from '../local/test/settle-events.ts'
import { addMember, addPerson, enrolOneTimeCode, pin } from '../local/test/visitor.ts'
import type { Access } from './identity/merchant/guard.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'

type Method = 'GET' | 'POST' | 'DELETE'
type Member = Awaited<ReturnType<typeof addMember>>
type Side = { readonly owner: Member; readonly oneTimeCode: () => string }
type Ids = Readonly<Record<string, string>>
type Reply = { readonly status: number; readonly text: string }
type Case = {
  /** Creates an object of THEIRS. Returns its ids by path parameter or body field. */
  readonly make: () => Promise<Ids>
  readonly body?: (ids: Ids, by: Side) => object
}

let world: ChainWorld
let ours: Side
let theirs: Side
let payer: Awaited<ReturnType<typeof addPerson>>
const sideOf = async (merchant: ChainWorld['ours']): Promise<Side> => {
  const owner = await addMember(world, merchant, 'owner')
  return { owner, oneTimeCode: await enrolOneTimeCode(owner) }
}
beforeAll(async () => {
  world = await createChainWorld()
  ours = await sideOf(world.ours)
  theirs = await sideOf(world.theirs)
  payer = await addPerson(world, 'test')
  await limitOutflows('none')
  await byThem(`${SK}/invoice-currencies`, { currencies: ['USD', 'JPY'] })
  await byThem('/sandbox/fund', { currency: 'USD', amount: 10_000 })
  await byThem('/sandbox/fund', { currency: 'USD', amount: 1_000, user: payer.person.email })
  await world.settle()
  await world.settle()
}, 60_000)
afterAll(() => world.stop())

const dataOf = ({ text }: Reply): unknown => (JSON.parse(text) as { data: unknown }).data
async function byThem<T>(path: string, body: object): Promise<T> {
  const reply = await world.call('POST', path, { as: world.theirs, body })
  if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`)
  return dataOf(reply) as T
}
async function byVisitor<T>(path: string, body: object): Promise<T> {
  const reply = await world.call('POST', path, { keys: 'none', body })
  if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`)
  return dataOf(reply) as T
}
const listOfThem = async <T>(path: string): Promise<T> =>
  dataOf(await world.call('GET', path, { as: world.theirs })) as T
async function limitOutflows(approvalAbove: string): Promise<void> {
  const limits = { daily: 'none', approvalAbove, newRecipientHours: 0, pin }
  const reply = await theirs.owner.post('/merchant/outflow-limits', limits)
  if (reply.status !== 200) throw new Error(reply.text)
}

const makeCustomer = async (): Promise<Ids> => {
  const email = `${world.newId()}@example.com`
  const { id } = await byThem<{ id: string }>(`${SK}/add-new-customer`, { email, name: 'Theirs' })
  return { id, customerID: id }
}
const makeVoucher = (more: object = {}): Promise<{ id: string; code: string }> =>
  byThem(`${SK}/vouchers`, { amount: 1, currency: 'USD', ...more })
const makeVoucherId = async (more: object = {}): Promise<Ids> => ({ id: (await makeVoucher(more)).id })
const makeVoucherWithCode = async (): Promise<Ids> => {
  const { id, code } = await makeVoucher()
  return { id, code }
}
const makeExpiredVoucher = async (): Promise<Ids> => {
  const ids = await makeVoucherId({ expiresAt: new Date(world.clock().getTime() + 2_000).toISOString() })
  await world.pass(10)
  await world.settle()
  return ids
}
const makeBatch = async (): Promise<Ids> => {
  const { id } = await byThem<{ id: string }>(`${SK}/voucher-batches`, { size: 2, amount: 1, currency: 'USD' })
  await world.work()
  return { id }
}
const makeHold = async (): Promise<Ids> => {
  const { code } = await makeVoucher()
  return byThem<{ id: string }>(`${PK}/voucher-holds`, { voucherCode: code, amount: 'max' }).then(({ id }) => ({ id }))
}
const sellVoucher = (more: object = {}): Promise<{ sale: { id: string }; voucher: { id: string } }> =>
  byThem(`${SK}/voucher-sales`, { amount: 1, currency: 'USD', tender: 'cash', ...more })
const makeVoucherSale = async (): Promise<Ids> => ({ id: (await sellVoucher()).sale.id })
const makeGift = async (): Promise<Ids> => ({
  id: (await sellVoucher({ gift: { email: 'eve@example.com' } })).voucher.id,
})
const makeLocation = (): Promise<Ids> => byThem(`${SK}/locations`, { name: `Shop ${world.newId()}` })
const makeRegister = async (): Promise<Ids> => {
  const { id = '' } = await makeLocation()
  return byThem(`${SK}/locations/${id}/registers`, { name: 'Till' })
}
const makeShift = async (): Promise<Ids> => {
  const { id: registerId } = await makeRegister()
  const reply = await theirs.owner.post('/merchant/shifts', { registerId, currency: 'USD', openingFloat: 0 })
  return { id: (dataOf(reply) as { id: string }).id }
}
/** A redemption, which can be refunded. */
const makeSale = async (): Promise<Ids> => {
  const { code } = await makeVoucher()
  const reference = world.newId()
  await byThem(`${PK}/redeem-voucher`, { voucherCode: code, amount: 'max', referenceId: reference })
  return { reference, referenceID: reference, referenceId: reference }
}
const makePaymentRequest = async (): Promise<Ids> => {
  const reference = `request-${world.newId()}`
  const payment = { amount: 1, currency: 'USD', user_identifier: payer.person.email, reference_id: reference }
  await byThem(`${PK}/payment-request`, payment)
  return { reference }
}
const makePayoutFile = async (): Promise<Ids> => {
  const file = { csv: `recipient,amount\n${payer.person.email},1\n`, currency: 'USD' }
  const { check } = await byThem<{ check: { confirmation: string } }>(`${SK}/payout-batches`, file)
  const { confirmation } = check
  const { batch } = await byThem<{ batch: { id: string } }>(`${SK}/payout-batches`, { ...file, confirmation })
  return { id: batch.id }
}
const makeWaitingPayout = async (): Promise<Ids> => {
  const reference = `payout-${world.newId()}`
  await limitOutflows('0.01')
  await byThem(`${SK}/payout`, {
    amount: 1,
    fromCurrencyAbbreviation: 'USD',
    toCurrencyAbbreviation: 'USD',
    platformUsernameOrEmail: payer.person.email,
    referenceId: reference,
  })
  await limitOutflows('none')
  return { reference }
}
const invoiceOf = (currencyAbbreviation: string): object => ({
  currencyAbbreviation,
  invoiceDate: world.clock().toISOString().slice(0, 10),
  dueDate: '2031-01-31',
  email: `${world.newId()}@example.com`,
  fullName: 'Ivy Submitter',
  merchantCode: world.theirs.code,
  invoiceItems: [{ description: 'Work', quantity: 1, unitPrice: 5 }],
})
const newestInvoiceOfThem = async (): Promise<string> => {
  const { invoices } = await listOfThem<{ invoices: { id: string }[] }>(`${SK}/fetch-invoice?limit=1`)
  return invoices[0]?.id ?? ''
}
const makeInvoice = async (currencyAbbreviation = 'USD'): Promise<Ids> => {
  await byThem(`${SK}/create-invoice`, invoiceOf(currencyAbbreviation))
  const id = await newestInvoiceOfThem()
  return { id, invoiceID: id }
}
const makeAttachment = async (): Promise<Ids> => {
  const page = { merchantCode: world.theirs.code, mode: 'test' }
  const file = { name: 'work.pdf', content: Buffer.from('%PDF-1.7 work').toString('base64') }
  const { id: attachmentId } = await byVisitor<{ id: string }>('/invoice/attachments', { ...page, ...file })
  const invoice = { ...invoiceOf('USD'), attachments: [attachmentId] }
  await byVisitor('/invoice/submit', { mode: 'test', invoice })
  return { id: await newestInvoiceOfThem(), attachmentId }
}
/** An approved invoice that is not paid, since there was no balance when it was approved. */
const makeApprovedInvoice = async (): Promise<Ids> => {
  const { invoiceID = '' } = await makeInvoice('JPY')
  await byThem(`${SK}/approve-invoice`, { invoiceID })
  await byThem('/sandbox/fund', { currency: 'JPY', amount: 5 })
  return { id: invoiceID, invoiceID }
}
type DepositData = { address: Hex; amountToDeposit: number }
const makeDeposit = async (): Promise<DepositData & { reference: string }> => {
  const reference = `deposit-${world.newId()}`
  const body = {
    amount: 1,
    blockchainNetworkId: world.networkId,
    currency_abbreviation: 'ETH',
    pay_with_currency_abbreviation: 'ETH',
    reference_id: reference,
  }
  return { reference, ...(await byThem<DepositData>(`${PK}/deposit-address-payment-request`, body)) }
}
const makeUnmatchedDeposit = async (): Promise<Ids> => {
  const { address, amountToDeposit } = await makeDeposit()
  await world.client.sendTransaction({ to: address, value: parseEther(String(amountToDeposit)) + parseEther('1') })
  await world.settle()
  await world.settle()
  const { cases } = await listOfThem<{ cases: { id: string }[] }>(`${SK}/deposit-cases?limit=1`)
  return { id: cases[0]?.id ?? '' }
}
const makeWebhookEndpoint = async (): Promise<Ids> => {
  const { endpoint } = await byThem<{ endpoint: { id: string } }>('/webhook-endpoints', {
    url: 'https://hook.example/',
  })
  return { id: endpoint.id }
}
const makeDelivery = async (): Promise<Ids> => {
  const { id } = await makeWebhookEndpoint()
  const { eventId } = await byThem<{ eventId: string }>(`/webhook-endpoints/${id}/test`, {})
  await world.work()
  return { id: id ?? '', eventId }
}
const makeKey = async (): Promise<Ids> => {
  const reply = await theirs.owner.post('/merchant/keys', { kind: 'secret', name: 'server', pin })
  return { id: (dataOf(reply) as { id: string }).id }
}
const makeEvent = async (): Promise<Ids> => {
  await makeVoucher()
  const reply = await theirs.owner.get('/merchant/events?limit=1')
  return { position: (dataOf(reply) as { events: { position: string }[] }).events[0]?.position ?? '' }
}
const makeLoggedRequest = async (): Promise<Ids> => {
  const { headers } = await world.call('GET', `${PK}/fetch-supported-currencies`, { as: world.theirs })
  const id = String(headers['x-request-id'])
  await expect.poll(async () => (await theirs.owner.get(`/merchant/requests/${id}`)).status).toBe(200)
  return { id }
}
const makeMember = async (): Promise<Ids> => ({ id: (await addMember(world, world.theirs, 'cashier')).person.id })

/** A member of theirs with the session that they have. */
const makeMemberSession = async (): Promise<Ids> => {
  const { id = '' } = await makeMember()
  const { sessions } = (await theirs.owner.get(`/merchant/members/${id}/sessions`)).as<{
    data: { sessions: { id: string }[] }
  }>().data
  return { id, sessionId: sessions[0]?.id ?? '' }
}

const empty = (): object => ({})
const withPin = (): object => ({ pin })
const byReference: Case = { make: makePaymentRequest }
const byWaitingPayout: Case = { make: makeWaitingPayout }
const byInvoice: Case = { make: makeInvoice, body: ({ invoiceID }) => ({ invoiceID }) }

/** Every endpoint of the merchant interface and the dashboard that takes the id or the reference of an object. */
const cases: Readonly<Record<string, Case>> = {
  [`POST ${SK}/update-customer`]: {
    make: makeCustomer,
    body: ({ id }) => ({ id, email: `${world.newId()}@example.com`, name: 'Changed' }),
  },
  [`DELETE ${PK}/delete-customer/:customerID`]: { make: makeCustomer },
  [`GET ${SK}/verify-transaction/:referenceID`]: { make: makeSale },
  [`POST ${SK}/transactions/:referenceID/receipt`]: { make: makeSale, body: () => ({ email: 'ada@example.com' }) },
  [`POST ${SK}/refund`]: {
    make: makeSale,
    body: ({ referenceId }) => ({ referenceId, refundReferenceId: world.newId() }),
  },
  [`POST ${SK}/vouchers/:id/code`]: { make: makeVoucherId, body: empty },
  [`POST ${SK}/vouchers/:id/cancel`]: { make: makeVoucherWithCode, body: ({ code }) => ({ voucherCode: code }) },
  [`POST ${SK}/vouchers/:id/block`]: { make: makeVoucherId, body: empty },
  [`POST ${SK}/vouchers/:id/unblock`]: { make: makeVoucherId, body: empty },
  [`POST ${SK}/vouchers/:id/replace`]: { make: makeVoucherId, body: empty },
  [`POST ${SK}/vouchers/:id/reset-pin`]: { make: () => makeVoucherId({ lockPin: '0042' }), body: empty },
  [`POST ${SK}/vouchers/:id/reopen`]: { make: makeExpiredVoucher, body: empty },
  [`GET ${SK}/voucher-holds/:id`]: { make: makeHold },
  [`POST ${SK}/voucher-holds/:id/capture`]: { make: makeHold, body: empty },
  [`POST ${SK}/voucher-holds/:id/release`]: { make: makeHold, body: empty },
  [`POST ${SK}/voucher-holds/:id/extend`]: { make: makeHold, body: () => ({ expiresInSeconds: 3_600 }) },
  'POST /sandbox/voucher-holds/:id/expire': { make: makeHold, body: empty },
  [`GET ${SK}/voucher-sales/:id`]: { make: makeVoucherSale },
  [`POST ${SK}/voucher-sales/:id/void`]: { make: makeVoucherSale, body: empty },
  [`POST ${SK}/vouchers/:id/send`]: { make: makeGift, body: empty },
  [`POST ${SK}/locations/:id`]: { make: makeLocation, body: () => ({ name: `Shop ${world.newId()}` }) },
  [`DELETE ${SK}/locations/:id`]: { make: makeLocation },
  [`POST ${SK}/locations/:id/registers`]: { make: makeLocation, body: () => ({ name: 'Till' }) },
  [`DELETE ${SK}/registers/:id`]: { make: makeRegister },
  'GET /merchant/registers/:id/shift': { make: makeRegister },
  'POST /merchant/shifts/:id/close': { make: makeShift, body: () => ({ counted: 0 }) },
  [`GET ${SK}/voucher-batches/:id`]: { make: makeBatch },
  [`GET ${SK}/voucher-batches/:id/vouchers.csv`]: { make: makeBatch },
  [`GET ${SK}/voucher-batches/:id/vouchers.pdf`]: { make: makeBatch },
  'GET /webhook-endpoints/:id': { make: makeWebhookEndpoint },
  'POST /webhook-endpoints/:id': { make: makeWebhookEndpoint, body: () => ({ description: 'Changed' }) },
  'DELETE /webhook-endpoints/:id': { make: makeWebhookEndpoint },
  'POST /webhook-endpoints/:id/rotate-secret': { make: makeWebhookEndpoint },
  'POST /webhook-endpoints/:id/test': { make: makeWebhookEndpoint },
  'GET /webhook-endpoints/:id/deliveries': { make: makeDelivery },
  'GET /webhook-endpoints/:id/deliveries/:eventId': { make: makeDelivery },
  'POST /webhook-endpoints/:id/deliveries/:eventId/replay': { make: makeDelivery },
  'POST /webhook-endpoints/:id/replay-failed': {
    make: makeWebhookEndpoint,
    body: () => ({ since: '2026-01-01T00:00:00Z' }),
  },
  [`POST ${SK}/payment-requests/:reference/cancel`]: byReference,
  'GET /merchant/payment-requests/:reference': byReference,
  [`GET ${SK}/payout-batches/:id`]: { make: makePayoutFile },
  [`GET ${SK}/payout-batches/:id/rows`]: { make: makePayoutFile },
  'GET /merchant/payout-batches/:id/results.csv': { make: makePayoutFile },
  'POST /sandbox/payment-requests/:reference/authorise': byReference,
  'POST /sandbox/payment-requests/:reference/decline': byReference,
  [`POST ${SK}/payouts/:reference/cancel`]: byWaitingPayout,
  [`POST ${SK}/outflows/:reference/cancel`]: byWaitingPayout,
  'POST /merchant/outflows/:reference/approve': { ...byWaitingPayout, body: withPin },
  'POST /merchant/payouts/:reference/approve': { ...byWaitingPayout, body: withPin },
  [`POST ${SK}/approve-invoice`]: byInvoice,
  [`POST ${SK}/reject-invoice`]: { ...byInvoice, body: ({ invoiceID }) => ({ invoiceID, reason: 'Not ours' }) },
  [`POST ${SK}/pay-invoice`]: { ...byInvoice, make: makeApprovedInvoice },
  [`POST ${SK}/invoices/:id/revoke-links`]: { make: makeInvoice },
  [`GET ${SK}/invoices/:id`]: { make: makeInvoice },
  [`GET ${SK}/invoices/:id/invoice.pdf`]: { make: makeInvoice },
  'GET /merchant/invoices/:id/attachments/:attachmentId': { make: makeAttachment },
  [`GET ${SK}/deposit-cases/:id`]: { make: makeUnmatchedDeposit },
  [`POST ${SK}/deposit-cases/:id/credit`]: { make: makeUnmatchedDeposit },
  [`POST ${SK}/deposit-cases/:id/match`]: {
    make: async () => ({ ...(await makeUnmatchedDeposit()), ...(await makeSale()) }),
    body: ({ referenceId }) => ({ matchReference: referenceId }),
  },
  [`POST ${SK}/deposit-cases/:id/return`]: {
    make: makeUnmatchedDeposit,
    body: () => ({ refundReferenceId: world.newId(), merchantCode: world.ours.code }),
  },
  'POST /sandbox/deposits/:reference/pay': {
    make: async () => ({ reference: (await makeDeposit()).reference }),
    body: empty,
  },
  'GET /merchant/payments/:reference': { make: makeSale },
  'GET /merchant/issued/:id': { make: makeVoucherId },
  'POST /merchant/issued/:id/code': { make: makeVoucherId, body: withPin },
  'POST /merchant/keys/:id/rotate': { make: makeKey, body: withPin },
  'POST /merchant/keys/:id/revoke': { make: makeKey, body: withPin },
  'GET /merchant/events/:position': { make: makeEvent },
  'GET /merchant/requests/:id': { make: makeLoggedRequest },
  'POST /merchant/members/:id': {
    make: makeMember,
    body: (_, { oneTimeCode }) => ({ role: 'accountant', oneTimeCode: oneTimeCode() }),
  },
  'GET /merchant/members/:id/sessions': { make: makeMember },
  'POST /merchant/members/:id/sessions/end': { make: makeMember },
  'POST /merchant/members/:id/sessions/:sessionId/end': { make: makeMemberSession },
  'GET /merchant/customers/:id': { make: makeCustomer },
  'GET /merchant/invoices/:id': { make: makeInvoice },
  'POST /merchant/invoices/:id/approve': { make: makeInvoice, body: withPin },
  'POST /merchant/invoices/:id/reject': { make: makeInvoice, body: () => ({ reason: 'Not ours' }) },
  'POST /merchant/invoices/:id/pay': { make: makeApprovedInvoice, body: withPin },
}

/** Endpoints that name an object in their body only. */
const byBody = ['update-customer', 'refund', 'approve-invoice', 'reject-invoice', 'pay-invoice']
/** Users belong to the platform, not to a merchant. */
const ofPlatform = [`GET ${PK}/confirm-user/:identifier`]

const nameOf = ({ method, url }: Access): string => `${method} ${url}`
const isOfMerchant = ({ credentials }: Access): boolean =>
  credentials !== undefined && ['public', 'secret', 'member'].includes(credentials)

async function send(name: string, ids: Ids, side: Side, body?: object): Promise<Reply> {
  const access = world.access.find((one) => nameOf(one) === name)
  if (access === undefined) throw new Error(`There is no endpoint ${name}.`)
  const method = access.method as Method
  const path = access.url.replaceAll(/:(\w+)/g, (_, param: string) => ids[param] ?? '')
  if (access.credentials === 'member') return side.owner.ask(method, path, body)
  return world.call(method, path, { as: side === ours ? world.ours : world.theirs, ...(body && { body }) })
}
const errorOf = ({ status, text }: Reply): string =>
  `${status} ${text.startsWith('{') ? ((JSON.parse(text) as { error?: { code: string } }).error?.code ?? '') : ''}`
const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
/** Ids of the same form that no object has. Voucher codes stay: they are a secret that goes with an id. */
const unknownOf = (ids: Ids): Ids =>
  Object.fromEntries(
    Object.entries(ids).map(([name, value]) => {
      if (name === 'code') return [name, value]
      return [name, isUuid(value) ? world.newId() : `unknown-${world.newId()}`]
    }),
  )

test('the cases cover every endpoint that takes the id of a merchant’s object', () => {
  const withId = world.access.filter((one) => isOfMerchant(one) && one.url.includes(':')).map(nameOf)
  const expected = [
    ...withId.filter((name) => !ofPlatform.includes(name)),
    ...byBody.map((name) => `POST ${SK}/${name}`),
  ]
  expect(Object.keys(cases).sort()).toEqual(expected.sort())
})

test.for(Object.keys(cases))(
  '%s refuses an object of another merchant like an unknown one, and accepts its owner',
  { timeout: 60_000 },
  async (name) => {
    const { make, body } = cases[name] as Case
    const ids = await make()
    const foreign = await send(name, ids, ours, body?.(ids, ours))
    const unknown = unknownOf(ids)
    const missing = await send(name, unknown, ours, body?.(unknown, ours))
    expect(errorOf(foreign)).toMatch(/^40[34] [A-Z]/)
    expect(errorOf(foreign)).toBe(errorOf(missing))
    for (const id of Object.values(ids)) expect(foreign.text).not.toContain(id)
    const own = await send(name, ids, theirs, body?.(ids, theirs))
    expect(own.status, own.text).toBe(200)
  },
)

test('an own webhook endpoint gives no access to the events of another merchant', async () => {
  const { id = '', eventId = '' } = await makeDelivery()
  const made = await world.call('POST', '/webhook-endpoints', { body: { url: 'https://hook.example/' } })
  const { endpoint } = dataOf(made) as { endpoint: { id: string } }
  const own = endpoint.id
  for (const [method, path] of [
    ['GET', `deliveries/${eventId}`],
    ['POST', `deliveries/${eventId}/replay`],
  ] as const) {
    expect(errorOf(await world.call(method, `/webhook-endpoints/${own}/${path}`))).toBe('404 WEBHOOK_DELIVERY_UNKNOWN')
    expect((await world.call(method, `/webhook-endpoints/${id}/${path}`, { as: world.theirs })).status).toBe(200)
  }
})

/** Every list, with an object of THEIRS that it must show to THEIRS only. */
const lists: Readonly<Record<string, () => Promise<string | undefined>>> = {
  [`${PK}/fetch-customers?limit=100`]: async () => (await makeCustomer()).id,
  [`${SK}/transactions?limit=100`]: async () => (await makeSale()).reference,
  [`${SK}/vouchers?limit=100`]: async () => (await makeVoucherId()).id,
  [`${SK}/voucher-holds?limit=100`]: async () => (await makeHold()).id,
  [`${SK}/voucher-batches?limit=100`]: async () => (await makeBatch()).id,
  [`${SK}/payout-batches?limit=100`]: async () => (await makePayoutFile()).id,
  [`${SK}/fetch-invoice?limit=100`]: async () => (await makeInvoice()).id,
  [`${SK}/deposit-cases?limit=100`]: async () => (await makeUnmatchedDeposit()).id,
  '/webhook-endpoints': async () => (await makeWebhookEndpoint()).id,
  '/events?limit=100': firstEventOfThem,
  '/merchant/payments?limit=100': async () => (await makeSale()).reference,
  '/merchant/payments.csv': async () => (await makeSale()).reference,
  '/merchant/issued?limit=100': async () => (await makeVoucherId()).id,
  '/merchant/issued.csv': async () => (await makeVoucher()).code.slice(-4),
  '/merchant/outflows': async () => (await makeWaitingPayout()).reference,
  '/merchant/reports/statement?limit=100': makeStatementLine,
  '/merchant/reports/statement.csv': makeStatementLine,
  '/merchant/reports/journals.csv': makeStatementLine,
  '/merchant/payouts?limit=100': async () => (await makeWaitingPayout()).reference,
  '/merchant/payment-requests?limit=100': async () => (await makePaymentRequest()).reference,
  '/merchant/members': async () => (await makeMember()).id,
  '/merchant/members/names': async () => (await makeMember()).id,
}
/** The journal of a voucher that was paid from the balance. */
async function makeStatementLine(): Promise<string | undefined> {
  await makeVoucher()
  const { lines } = await listOfThem<{ lines: { id: string }[] }>(`${SK}/reports/statement?limit=100`)
  return lines[0]?.id
}
async function firstEventOfThem(): Promise<string | undefined> {
  await world.work()
  await settleEvents(world.pool)
  const { events } = await listOfThem<{ events: { id: string }[] }>('/events?limit=100')
  return events[0]?.id
}

test.for(Object.keys(lists))('GET %s lists no object of another merchant', { timeout: 60_000 }, async (path) => {
  const id = (await lists[path]?.()) ?? ''
  expect(id).not.toBe('')
  const isOfStaff = path.startsWith('/merchant/')
  const read = (side: Side): Promise<Reply> =>
    isOfStaff ? side.owner.get(path) : world.call('GET', path, { as: side === ours ? world.ours : world.theirs })
  const own = await read(theirs)
  const foreign = await read(ours)
  expect([own.status, foreign.status]).toEqual([200, 200])
  expect(own.text).toContain(id)
  expect(foreign.text).not.toContain(id)
})
