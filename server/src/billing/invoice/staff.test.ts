import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, pin, type VisitingUser } from '../../../local/test/visitor.ts'

type Listed = { id: string; number: string; state: string; email: string; total: string }
type Page = { invoices: Listed[]; nextCursor: string; hasMore: boolean }
type Entry = { kind: string; by: string }

let world: ApiWorld
let owner: VisitingUser
let accountant: VisitingUser
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  await world.post('/merchant-integrations-server/invoice-currencies', { currencies: ['USD'] })
  owner = await addMember(world, world.ours, 'owner')
  accountant = await addMember(world, world.ours, 'accountant')
  await world.fund(1_000)
})
afterAll(() => world.close())

async function submit(unitPrice: number, email = 'sam@supplier.example'): Promise<string> {
  const dates = { invoiceDate: '2030-01-01', dueDate: '2030-01-31' }
  const who = { email, fullName: 'Sam Supplier', merchantCode: 'OURS' }
  const invoiceItems = [{ description: 'Work', quantity: 1, unitPrice }]
  const body = { currencyAbbreviation: 'USD', ...dates, ...who, invoiceItems }
  return (await world.post<{ id: string }>('/merchant-integrations-server/create-invoice', body)).data.id
}
const list = async (query = '', as = accountant): Promise<Page> =>
  (await as.get(`/merchant/invoices?limit=100&${query}`)).as<{ data: Page }>().data
const read = async (id: string) =>
  (await accountant.get(`/merchant/invoices/${id}`)).as<{ data: Record<string, unknown> & { history: Entry[] } }>().data
const decide = (id: string, what: string, body: object, as = accountant) =>
  as.post(`/merchant/invoices/${id}/${what}`, body)

test('an accountant approves an invoice with the PIN: it is paid, and its history names the accountant', async () => {
  const id = await submit(12.5)
  expect(await read(id)).toMatchObject({ state: 'pending', total: '12.50', isKnownSender: false, voucherId: '' })
  expect((await decide(id, 'approve', {})).json().error?.code).toBe('CONFIRMATION_MISSING')
  expect((await decide(id, 'approve', { pin })).json().data).toEqual({ state: 'paid' })
  const paid = await read(id)
  expect(paid).toMatchObject({ state: 'paid', isKnownSender: true })
  expect(paid.history.map(({ kind, by }) => [kind, by])).toEqual([
    ['submitted', ''],
    ['approved', 'Ada Obi'],
    ['paid', 'Ada Obi'],
  ])
  expect((await accountant.get(`/merchant/issued/${String(paid.voucherId)}`)).status).toBe(200)
})

test('a rejection needs a reason, and a decided invoice is not decided again', async () => {
  const id = await submit(5)
  expect((await decide(id, 'reject', { reason: ' ' })).status).toBe(400)
  expect((await decide(id, 'reject', { reason: 'Not ours' })).json().data).toEqual({ state: 'rejected' })
  expect(await read(id)).toMatchObject({ state: 'rejected', reason: 'Not ours' })
  expect((await decide(id, 'approve', { pin })).json().error?.code).toBe('INVOICE_DECIDED')
})

test('an invoice that the balance does not cover stays unpaid until it is paid', async () => {
  const id = await submit(5_000)
  expect((await decide(id, 'approve', { pin })).json().data).toEqual({ state: 'unpaid' })
  expect((await decide(id, 'pay', { pin })).json().error?.code).toBe('INVOICE_BALANCE_TOO_LOW')
  expect((await list('state=unpaid')).invoices.map((one) => one.id)).toContain(id)
  await world.fund(5_000)
  expect((await decide(id, 'pay', { pin })).json().data).toEqual({ state: 'paid' })
})

test('a payment above the limit waits for another person; its request, approval and cancellation are in the history', async () => {
  const limit = (approvalAbove: unknown) => owner.post('/merchant/payout-limits', { approvalAbove, pin })
  restoreAfterTest(() => limit('none'))
  expect((await limit(0)).status).toBe(200)
  const id = await submit(7)
  expect((await decide(id, 'approve', { pin })).json().data).toEqual({ state: 'waiting' })
  expect((await list('state=unpaid')).invoices.find((one) => one.id === id)?.state).toBe('waiting')
  expect((await decide(id, 'pay', { pin })).json().error?.code).toBe('INVOICE_PAYMENT_WAITING')
  await owner.post(`/merchant-integrations-server/outflows/invoice-${id}/cancel`)
  expect((await decide(id, 'pay', { pin })).json().data).toEqual({ state: 'waiting' })
  expect((await owner.post(`/merchant/outflows/invoice-${id}-2/approve`, { pin })).status).toBe(200)
  const { state, history } = await read(id)
  expect(state).toBe('paid')
  expect(history.map(({ kind }) => kind)).toEqual([
    'submitted',
    'approved',
    'payment_requested',
    'payment_cancelled',
    'payment_requested',
    'payment_approved',
    'paid',
  ])
})

test('invoices are listed by state, by number and by the address of their sender', async () => {
  const [one, two] = [await submit(1, 'ivy@supplier.example'), await submit(2, 'ivy@supplier.example')]
  const number = (await read(one)).number as string
  expect((await list('search=IVY@supplier.example')).invoices.map(({ id }) => id)).toEqual([two, one])
  const [year, count = ''] = number.split('-')
  expect((await list(`search=${year}-${Number(count)}`)).invoices.map(({ id }) => id)).toEqual([one])
  expect((await list('search=ivy@supplier.example&state=rejected')).invoices).toEqual([])
  expect(new Set((await list('state=pending')).invoices.map(({ state }) => state))).toEqual(new Set(['pending']))
  expect((await list('state=paid')).invoices.every(({ state }) => state === 'paid')).toBe(true)
})

test('403: cashiers and developers see no invoice; 404: neither does another merchant', async () => {
  const id = await submit(1)
  const theirs = await addMember(world, world.theirs, 'accountant')
  expect((await theirs.get(`/merchant/invoices/${id}`)).status).toBe(404)
  expect((await decide(id, 'reject', { reason: 'x' }, theirs)).status).toBe(404)
  for (const role of ['cashier', 'developer']) {
    const member = await addMember(world, world.ours, role)
    expect((await member.get('/merchant/invoices')).status).toBe(403)
    expect((await decide(id, 'approve', { pin }, member)).status).toBe(403)
  }
})
