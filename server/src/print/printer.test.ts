import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/api-world.ts'
import { createTestDatabase } from '../../local/test-database.ts'
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
    ...{ number: 'Invoice', from: 'From', to: 'To', date: 'Date', due: 'Due' },
    ...{ description: 'Description', quantity: 'Quantity', unitPrice: 'Price', total: 'Total' },
  }
  return {
    ...{ number, labels, state: 'Pending', testMark: undefined, from: ['Ada'], to: 'Corner Books' },
    ...{ date: '1 May', due: '2 May', items: Array.from({ length: lines }, () => line), total: '1.00 USD' },
  }
}
const visitor = { environmentId: 'shop', audience: 'visitor' } as const

test('a document is drawn while the process goes on answering', async () => {
  let longestMs = 0
  const until = new AbortController()
  const watching = (async () => {
    while (!until.signal.aborted) {
      const startMs = performance.now()
      await sleep(5)
      longestMs = Math.max(longestMs, performance.now() - startMs)
    }
  })()
  const startMs = performance.now()
  const pdf = await printer.printInvoice(visitor, factsOf('1'))
  const drawnMs = performance.now() - startMs
  until.abort()
  await watching
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(longestMs).toBeLessThan(drawnMs / 2)
})

test('an invoice that did not change is not drawn again, and another merchant does not get it', async () => {
  const facts = factsOf('2', 20)
  const first = await printer.printInvoice(visitor, facts)
  const startMs = performance.now()
  const second = await printer.printInvoice(visitor, factsOf('2', 20))
  const cachedMs = performance.now() - startMs
  expect(second.equals(first)).toBe(true)
  const otherStartMs = performance.now()
  await printer.printInvoice({ ...visitor, environmentId: 'other' }, facts)
  expect(cachedMs).toBeLessThan(performance.now() - otherStartMs)
})

test('429: visitors of a merchant wait for four documents at most, and its staff are not kept waiting', async () => {
  const asked = Array.from({ length: 10 }, (_, i) => printer.printInvoice(visitor, factsOf(`many ${i}`, 5)))
  const staff = printer.printInvoice({ environmentId: 'shop', audience: 'merchant' }, factsOf('staff', 5))
  const settled = await Promise.allSettled(asked)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  for (const reason of refused) expect(reason).toMatchObject({ code: 'PRINT_BUSY' })
  expect((await staff).length).toBeGreaterThan(1_000)
})

test('one merchant prints a sheet at a time, and keeps no other waiting by reading it slowly', async () => {
  const world: ApiWorld = await createApiWorld((await createTestDatabase()).url)
  const baseUrl = new URL(await world.app.listen({ port: 0, host: '127.0.0.1' }))
  const path = '/merchant-integrations-server/voucher-batches'
  const makeBatch = async (as: typeof world.ours, size: number): Promise<string> => {
    await world.call('POST', '/sandbox/fund', { as, body: { amount: 5_000, currency: 'USD' } })
    const { text } = await world.call('POST', path, { as, body: { size, amount: 1, currency: 'USD' } })
    const { id } = (JSON.parse(text) as { data: { id: string } }).data
    await world.work()
    return id
  }
  const [big, small] = [await makeBatch(world.ours, 300), await makeBatch(world.theirs, 10)]
  const { publicKey, secretKey } = world.ours
  const slow = httpRequest(new URL(`${path}/${big}/vouchers.pdf`, baseUrl), {
    headers: { authorization: `Bearer ${publicKey}`, 'x-api-private-key': secretKey },
  })
  slow.on('error', () => undefined)
  // It takes the first bytes, and no more.
  const begun = new Promise<void>((resolve) => slow.on('response', (reply) => reply.once('readable', resolve)))
  slow.end()
  await begun
  expect((await world.call('GET', `${path}/${small}/vouchers.pdf`, { as: world.theirs })).status).toBe(200)
  slow.destroy()
  // A merchant's own sheets come one at a time.
  const both = [1, 2].map(async () => (await world.call('GET', `${path}/${big}/vouchers.pdf`)).status)
  expect((await Promise.all(both)).toSorted()).toEqual([200, 429])
  await world.close()
})
