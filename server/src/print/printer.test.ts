import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { picture } from '../../local/test/images.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import type { InvoiceFacts } from './draw-invoice.ts'
import { createPrinter, type Printer } from './printer.ts'

let printer: Printer
beforeAll(() => {
  printer = createPrinter()
})
afterAll(() => printer.close())

const line = { description: 'aΩ'.repeat(180), quantity: '1.123456', unitPrice: '9,999.99 USD', total: '11,234.55 USD' }
function factsOf(number: string, lines = 100): InvoiceFacts {
  const labels = {
    ...{ number: 'Invoice', from: 'From', to: 'To', date: 'Date', due: 'Due', senderNumber: 'Number' },
    ...{ description: 'Description', quantity: 'Quantity', unitPrice: 'Price', total: 'Total' },
  }
  return {
    ...{
      number,
      labels,
      state: 'Pending',
      testMark: undefined,
      from: ['Ada'],
      to: ['Corner Books'],
      accent: '',
      logoVersion: '',
    },
    ...{ senderNumber: 'A-1', sums: [['Net', '1.00 USD']] as const },
    ...{ date: '1 May', due: '2 May', items: Array.from({ length: lines }, () => line), total: '1.00 USD' },
  }
}
const visitor = { environmentId: 'shop', audience: 'visitor' } as const

test('the process keeps responding while a document is drawn', async () => {
  const drawing = new AbortController()
  let turns = 0
  const watching = (async () => {
    for (; !drawing.signal.aborted; turns++) await sleep(5)
  })()
  const pdf = await printer.printInvoice(visitor, factsOf('1'))
  drawing.abort()
  await watching
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  // Drawing takes hundreds of milliseconds. In this thread it would be one turn.
  expect(turns).toBeGreaterThan(5)
})

test('an unchanged invoice is cached, separately for each merchant', async () => {
  const first = await printer.printInvoice(visitor, factsOf('2', 20))
  const ended: string[] = []
  const print = async (environmentId: string): Promise<Buffer> => {
    const pdf = await printer.printInvoice({ ...visitor, environmentId }, factsOf('2', 20))
    ended.push(environmentId)
    return pdf
  }
  const [, second] = await Promise.all([print('other'), print(visitor.environmentId)])
  expect(second.equals(first)).toBe(true)
  // That of the other merchant was requested first, and had to be drawn.
  expect(ended).toEqual([visitor.environmentId, 'other'])
})

test('an invoice has the logo of the shop, which is read only to draw it', async () => {
  const logo = await picture({ width: 300, height: 100 }).png().toBuffer()
  let reads = 0
  const readLogo = (): Promise<Buffer> => {
    reads++
    return Promise.resolve(logo)
  }
  const facts = { ...factsOf('logo', 1), accent: '#a3211b', logoVersion: 'first' }
  const pdf = await printer.printInvoice(visitor, facts, readLogo)
  await printer.printInvoice(visitor, facts, readLogo)
  expect(reads).toBe(1)
  expect(pdf.toString('latin1')).toMatch(/\/Width 300\b/)
  await printer.printInvoice(visitor, { ...facts, logoVersion: 'second' }, readLogo)
  expect(reads).toBe(2)
  const without = await printer.printInvoice(visitor, { ...facts, logoVersion: '' }, readLogo)
  expect([reads, without.includes('/Subtype /Image')]).toEqual([2, false])
})

test('an address of six lines moves the lines of an invoice down and off no page', async () => {
  const lines = ['Corner Books', ...'abcdef'.split('').map((letter) => `${letter} <b>Street</b>`), 'Tax number: 1']
  const pdf = await printer.printInvoice(visitor, { ...factsOf('long address', 1), to: lines })
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
})

test('429: visitors of a merchant print at most four documents at once, without delaying its staff', async () => {
  const printing = Array.from({ length: 10 }, (_, i) => printer.printInvoice(visitor, factsOf(`many ${i}`, 5)))
  const staff = printer.printInvoice({ environmentId: 'shop', audience: 'merchant' }, factsOf('staff', 5))
  const settled = await Promise.allSettled(printing)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  for (const reason of refused) expect(reason).toMatchObject({ code: 'PRINT_BUSY' })
  expect((await staff).length).toBeGreaterThan(1_000)
})

test('a merchant prints one sheet at a time, and reading it slowly delays no other merchant', async () => {
  const world: ApiWorld = await createApiWorld((await createTestDatabase()).url)
  const baseUrl = new URL(await world.app.listen({ port: 0, host: '127.0.0.1' }))
  const path = '/merchant-integrations-server/voucher-batches'
  const makeBatch = async (as: typeof world.ours, size: number): Promise<string> => {
    await world.fund(5_000, { as })
    const { id } = (await world.post<{ id: string }>(path, { size, amount: 1, currency: 'USD' }, as)).data
    await world.work()
    return id
  }
  const [big, small] = [await makeBatch(world.ours, 300), await makeBatch(world.theirs, 10)]
  const { publicKey, secretKey } = world.ours
  const slow = httpRequest(new URL(`${path}/${big}/vouchers.pdf`, baseUrl), {
    headers: { authorization: `Bearer ${publicKey}`, 'x-api-private-key': secretKey },
  })
  slow.on('error', () => undefined)
  // Reads only the first bytes.
  const begun = new Promise<void>((resolve) => slow.on('response', (reply) => reply.once('readable', resolve)))
  slow.end()
  await begun
  expect((await world.call('GET', `${path}/${small}/vouchers.pdf`, { as: world.theirs })).status).toBe(200)
  slow.destroy()
  // A client that disconnects during drawing does not block the merchant's next sheet.
  const gone = httpRequest(new URL(`${path}/${big}/vouchers.pdf`, baseUrl), {
    headers: { authorization: `Bearer ${publicKey}`, 'x-api-private-key': secretKey },
  })
  gone.on('error', () => undefined)
  gone.end()
  await sleep(200)
  gone.destroy()
  const next = async (): Promise<number> => (await world.call('GET', `${path}/${big}/vouchers.pdf`)).status
  await expect.poll(next, { timeout: 60_000, interval: 500 }).toBe(200)
  // The merchant's own sheets are printed one at a time.
  const both = [1, 2].map(async () => (await world.call('GET', `${path}/${big}/vouchers.pdf`)).status)
  expect((await Promise.all(both)).toSorted()).toEqual([200, 429])
  await world.close()
  // Draws more than a thousand vouchers, which takes a minute on a busy machine.
}, 180_000)
