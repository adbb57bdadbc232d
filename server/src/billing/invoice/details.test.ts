// Taxes, and the sender's own number and address.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { type Mailbox, openMailbox } from '../../../local/parts/mailbox.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'

let world: ApiWorld
let mailbox: Mailbox
beforeAll(async () => {
  mailbox = await openMailbox()
  const mail = { SMTP_URL: mailbox.url, MAIL_FROM: 'Scrip <pay@scrip.example>' }
  world = await createApiWorld((await createTestDatabase()).url, undefined, mail)
  const body = { currencies: ['USD', 'JPY', 'KWD', 'ETH'] }
  for (const as of [world.ours, world.theirs]) await world.call('POST', `${server}/invoice-currencies`, { as, body })
})
afterAll(async () => {
  await world.close()
  await mailbox.close()
})

const server = '/merchant-integrations-server'
const line = (unitPrice: string, quantity = '1') => ({ description: 'Work', quantity, unitPrice })
let addresses = 0
const invoiceOf = (more: object = {}, as = world.ours) => ({
  ...{ currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-31', merchantCode: as.code },
  ...{ email: `d${addresses++}@example.com`, fullName: 'Ivy Submitter', invoiceItems: [line('10')] },
  ...more,
})
const submit = (more: object = {}, as = world.ours) => {
  const address = `10.1.${addresses >> 8}.${addresses & 255}`
  const body = invoiceOf(more, as)
  return world.call<{ id: string }>('POST', `${server}/create-invoice`, { keys: 'public', body, as, address })
}
const onPage = <Data>(path: string, body: object) => world.call<Data>('POST', path, { keys: 'none', body })
const read = (id: string) => world.call('GET', `${server}/invoices/${id}`)
const codeOf = ({ status, error }: Awaited<ReturnType<typeof submit>>) => [status, error?.code, error?.param]

test('the total with taxes is what is shown, announced, emailed, approved and paid', async () => {
  await world.pool.query(`update merchants set contact_email = 'tax@ours.example' where code = 'OURS'`)
  const taxes = [
    { name: 'VAT', rate: '20' },
    { name: 'Levy', rate: 2.5 },
  ]
  const invoice = invoiceOf({ invoiceItems: [line('10.05', '3')], taxes, totalAmount: '36.93' })
  const { token } = (await onPage<{ token: string }>('/invoice/submit', { mode: 'test', invoice })).data
  const state = await onPage('/invoice/state', { token })
  expect(state.data).toMatchObject({
    ...{ net: '30.15', total: '36.93' },
    taxes: [
      { name: 'VAT', rate: '20', amount: '6.03' },
      { name: 'Levy', rate: '2.5', amount: '0.75' },
    ],
  })
  const { text } = await world.call('GET', `${server}/fetch-invoice?limit=1`)
  expect(text).toContain('"totalAmount":36.93,')
  expect(text).toContain('"netAmount":30.15,')
  expect(text).toContain('"taxes":[{"name":"VAT","rate":20,"amount":6.03},{"name":"Levy","rate":2.5,"amount":0.75}]')
  const { id } = (JSON.parse(text) as { data: { invoices: [{ id: string }] } }).data.invoices[0]

  // The net amount alone does not cover it.
  await world.fund(30.15)
  const pay = () => world.post(`${server}/pay-invoice`, { invoiceID: id })
  expect((await world.post(`${server}/approve-invoice`, { invoiceID: id })).data).toMatchObject({ paidAt: '' })
  expect((await pay()).error?.code).toBe('INVOICE_BALANCE_TOO_LOW')
  await world.fund(6.78)
  expect((await pay()).status).toBe(200)
  const payment = await world.call('GET', `${server}/verify-transaction/invoice-${id}`)
  expect(payment.body).toMatchObject({ data: { type: 'INVOICE_PAYMENT', amount: 36.93 } })

  await world.work()
  await settleEvents(world.pool)
  const { events } = (await world.call<{ events: { type: string; data: { amount: string } }[] }>('GET', '/events')).data
  const amounts = events.filter(({ type }) => type.startsWith('invoice.')).map(({ data }) => data.amount)
  expect(amounts).toEqual(['36.93', '36.93', '36.93'])
  const mails = mailbox.received.filter(({ text: words }) => words?.includes('36.93') === true)
  expect(mails.map(({ recipients }) => recipients[0]).toSorted()).toEqual([
    ...[invoice.email, invoice.email, invoice.email, 'tax@ours.example'],
  ])
  const pdf = await onPage('/invoice/pdf', { token })
  expect(pdf.text.startsWith('%PDF')).toBe(true)
})

test('taxes round half up in currencies with 0, 2, 3 and 18 decimals', async () => {
  const cases: [string, string, string, string, string][] = [
    ['JPY', '5', '50', '3', '8'],
    ['JPY', '7', '10', '1', '8'],
    ['USD', '0.01', '50', '0.01', '0.02'],
    ['USD', '0.25', '10', '0.03', '0.28'],
    ['USD', '0.25', '9.999', '0.02', '0.27'],
    ['KWD', '0.005', '50', '0.003', '0.008'],
    ['KWD', '1000.000', '0.001', '0.010', '1000.010'],
    ['ETH', '0.000000000000000005', '50', '0.000000000000000003', '0.000000000000000008'],
    ['ETH', '1.000000000000000001', '12.345', '0.123450000000000000', '1.123450000000000001'],
  ]
  for (const [currencyAbbreviation, unitPrice, rate, amount, totalAmount] of cases) {
    const more = { currencyAbbreviation, invoiceItems: [line(unitPrice)], taxes: [{ name: 'Tax', rate }], totalAmount }
    const { status, data } = await submit(more)
    expect([currencyAbbreviation, status]).toEqual([currencyAbbreviation, 200])
    const { text } = await read(data.id)
    expect(text).toContain(`"totalAmount":${totalAmount},`)
    expect(text).toContain(`"amount":${amount}}`)
  }
})

test('422: a wrong total, a negative or huge rate, and more than five taxes', async () => {
  const vat = (rate: unknown) => ({ taxes: [{ name: 'VAT', rate }] })
  for (const totalAmount of ['12.01', '11.99', '10.00', '0'])
    expect(codeOf(await submit({ ...vat(20), totalAmount }))).toEqual([422, 'INVOICE_TOTAL_DIFFERS', 'totalAmount'])
  expect(codeOf(await submit({ totalAmount: '10.001' }))).toEqual([422, 'AMOUNT_TOO_PRECISE', 'totalAmount'])
  expect(codeOf(await submit({ totalAmount: '-10' }))).toEqual([400, 'AMOUNT_INVALID', 'totalAmount'])
  for (const rate of [-1, '-20', 100.001, 101, 1e9, 1e300, '1e400', '20,5', 'x', 0.0001])
    expect(codeOf(await submit(vat(rate)))).toEqual([422, 'INVOICE_TAX_INVALID', 'taxes.0.rate'])
  const huge = { invoiceItems: [line('1000000000000')], ...vat('0.001') }
  expect(codeOf(await submit(huge))).toEqual([422, 'INVOICE_TOO_LARGE', 'invoiceItems'])
  const taxes = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `Tax ${i}`, rate: 1 }))
  expect((await submit({ taxes: taxes(5), totalAmount: '10.5' })).status).toBe(200)
  expect((await submit({ taxes: taxes(6) })).status).toBe(400)
  expect((await submit({ taxes: [{ name: '', rate: 1 }] })).status).toBe(400)
  // Nothing that is seen, and a character that would turn "21" into "12".
  const blank = { taxes: [{ name: ' \u202e ', rate: 21 }] }
  expect(codeOf(await submit(blank))).toEqual([422, 'INVOICE_TAX_INVALID', 'taxes.0.name'])
  const turned = await submit({ taxes: [{ name: 'VAT \u202e', rate: 21 }] })
  expect((await read(turned.data.id)).data).toMatchObject({ taxes: [{ name: 'VAT' }] })
  // The amount of a tax is ours to compute.
  expect((await submit({ taxes: [{ name: 'VAT', rate: 20, amount: 1 }] })).status).toBe(400)
})

test('409: a sender cannot send a number twice to a merchant, unless the first invoice was rejected', async () => {
  const email = 'numbers@example.com'
  const send = (senderNumber: string, as = world.ours) => submit({ email, senderNumber }, as)
  const first = await send(' INV  7 ')
  expect(first.status).toBe(200)
  expect((await read(first.data.id)).data).toMatchObject({ senderNumber: 'INV 7' })
  for (const again of ['INV 7', 'inv 7', '\tINV\u00a07\n'])
    expect(codeOf(await send(again))).toEqual([409, 'INVOICE_NUMBER_TAKEN', 'senderNumber'])
  const { status } = await submit({ email: 'NUMBERS@example.com', senderNumber: 'INV 7' })
  expect(status).toBe(409)
  // Another merchant, another sender, another number, no number.
  expect((await send('INV 7', world.theirs)).status).toBe(200)
  expect((await submit({ senderNumber: 'INV 7' })).status).toBe(200)
  for (const other of ['INV 8', '', '']) expect((await send(other)).status).toBe(200)
  await world.post(`${server}/reject-invoice`, { invoiceID: first.data.id })
  const second = await send('INV 7')
  expect(second.status).toBe(200)
  await world.post(`${server}/approve-invoice`, { invoiceID: second.data.id })
  expect((await send('INV 7')).status).toBe(409)
  expect((await send('x'.repeat(40))).status).toBe(200)
  expect((await send('x'.repeat(41))).status).toBe(400)
})

test('of 20 concurrent submissions with one number, one is stored', async () => {
  const email = 'race@example.com'
  const replies = await Promise.all(Array.from({ length: 20 }, () => submit({ email, senderNumber: 'R-1' })))
  const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([200, ...Array<number>(19).fill(409)])
})

test('an address keeps its lines, without empty ones and control characters, and has at most 8', async () => {
  const senderAddress = ' 1 Long Street\r\n\r\n\u202eFlat 2\u0007\nLagos '
  const { data } = await submit({ senderAddress })
  expect((await read(data.id)).data).toMatchObject({ senderAddress: '1 Long Street\nFlat 2\nLagos' })
  const lines = (count: number) => ({ senderAddress: Array.from({ length: count }, (_, i) => `Line ${i}`).join('\n') })
  expect((await submit(lines(8))).status).toBe(200)
  expect(codeOf(await submit(lines(9)))).toEqual([422, 'INVOICE_ADDRESS_INVALID', 'senderAddress'])
  expect((await submit({ senderAddress: 'x'.repeat(301) })).status).toBe(400)
})

test('an invoice without the new fields is what it was', async () => {
  const { data } = await submit()
  expect((await read(data.id)).data).toMatchObject({
    ...{ totalAmount: 10, netAmount: 10, taxes: [], senderNumber: '', senderAddress: '', attachments: [] },
  })
})
