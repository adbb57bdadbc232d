// Every list of the OpenAPI document, and the lists of the dashboard: they say whether there is more, and how to go on.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { restoreAfterTest } from '../local/test/restore.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { addMember, addPerson, pin } from '../local/test/visitor.ts'

type Schema = { $ref?: string; type?: string; properties?: Record<string, Schema> }
type Operation = {
  parameters?: { name: string; in: string }[]
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}
type List = { path: string; hasCursor: boolean; fields: string[] }
type Page = Record<string, unknown> & { nextCursor: string; hasMore: boolean }

const server = '/merchant-integrations-server'
// Lists by page number have no cursor, complete catalogues no pages: the fields of both are fixed. Attempts belong to one delivery.
const byPage = ['/merchant-integrations/fetch-customers', `${server}/fetch-invoice`]
const others = [
  '/merchant-integrations/fetch-supported-currencies',
  '/merchant-integrations/fetch-supported-cryptonetworks',
  '/webhook-endpoints/{id}/deliveries/{eventId}',
  `${server}/locations`,
  ...['liability', 'fees', 'totals', 'account-numbers'].map((report) => `${server}/reports/${report}`),
]

let world: ApiWorld
let owner: Awaited<ReturnType<typeof addMember>>
let endpointId: string
let payoutFileId: string
let lists: List[]
beforeAll(async () => {
  const { url } = await createTestDatabase()
  world = await createApiWorld(url)
  owner = await addMember(world, world.ours, 'owner')
  lists = findLists()
  endpointId = await createThreeOfEach()
})
afterAll(() => world.close())

const post = async (path: string, body?: object) => {
  const reply = await world.call<Record<string, { id: string }>>('POST', path, { body })
  expect(reply.status, `${path} ${reply.text}`).toBe(200)
  return reply
}

/** Returns the id of a webhook endpoint that has three deliveries. */
async function createThreeOfEach(): Promise<string> {
  await world.fund(1_000)
  await post(`${server}/invoice-currencies`, { currencies: ['USD'] })
  const item = { description: 'Work', quantity: 1, unitPrice: 5 }
  const dates = { invoiceDate: '2030-01-01', dueDate: '2030-01-31' }
  const invoice = { currencyAbbreviation: 'USD', ...dates, merchantCode: world.ours.code, invoiceItems: [item] }
  let id = ''
  for (let i = 0; i < 3; i++) {
    await post(`${server}/vouchers`, { amount: 1, currency: 'USD' })
    payoutFileId = await payFile()
    const voucherCode = await world.voucher(1)
    await post('/merchant-integrations/voucher-holds', { voucherCode, amount: 1 })
    await post(`${server}/voucher-sales`, { amount: 1, currency: 'USD', tender: 'cash' })
    await post(`${server}/voucher-batches`, { amount: 1, currency: 'USD', size: 1 })
    await post(`${server}/add-new-customer`, { email: `c${i}@shop.example`, name: 'Ada' })
    await post(`${server}/create-invoice`, { ...invoice, email: `i${i}@shop.example`, fullName: 'Ada' })
    id = (await post('/webhook-endpoints', { url: 'https://shop.example/hooks' })).data.endpoint?.id ?? ''
  }
  for (let i = 0; i < 3; i++) await post(`/webhook-endpoints/${id}/test`)
  return id
}

/** Submits a file with three rows, of which one is paid. Returns its id. */
async function payFile(): Promise<string> {
  const { person } = await addPerson(world, 'test')
  const rows = [`${person.username ?? ''},1`, 'nobody,1', 'nobody,2']
  const file = { csv: ['recipient,amount', ...rows].join('\n'), currency: 'USD' }
  const path = `${server}/payout-batches`
  const { confirmation } = (await world.post<{ check: { confirmation: string } }>(path, file)).data.check
  return (await world.post<{ batch: { id: string } }>(path, { ...file, confirmation })).data.batch.id
}

/** The GET operations that return an array. */
function findLists(): List[] {
  const { paths = {}, components } = world.app.swagger() as unknown as {
    paths?: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Schema> }
  }
  const resolve = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref === undefined ? schema : resolve(components.schemas[schema.$ref.split('/').at(-1) ?? ''])
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const schema = resolve(get?.responses['200']?.content?.['application/json']?.schema)
    const data = resolve(schema?.properties?.data)
    const fieldSchemas = Object.values(data?.properties ?? {}).map((field) => resolve(field) ?? {})
    const arrays = data?.type === 'array' ? [data] : fieldSchemas.filter(isArray)
    if (get === undefined || arrays.length === 0 || isSingle(path)) return []
    const fields = Object.keys(data?.type === 'array' ? (schema?.properties ?? {}) : (data?.properties ?? {}))
    return [{ path, fields, hasCursor: (get.parameters ?? []).some(({ name }) => name === 'cursor') }]
  })
}

const isArray = ({ type }: Schema): boolean => type === 'array'
/** One object of a list, which may contain arrays of its own. */
const isSingle = (path: string): boolean => /\{\w+\}$/.test(path) && !others.includes(path)

async function readPage(path: string, query: string): Promise<Page> {
  const id = path.includes('payout') ? payoutFileId : endpointId
  const { status, text } = await world.call('GET', `${path.replace('{id}', id)}${query}`)
  expect(status, `${path} ${text}`).toBe(200)
  const body = JSON.parse(text) as Page & { data: unknown[] | Page }
  return Array.isArray(body.data) ? body : body.data
}

const rowsOf = (page: Page): unknown[] => Object.values(page).find((value) => Array.isArray(value)) as unknown[]

test('the document has every list that this test knows, and no other without nextCursor and hasMore', () => {
  const fixed = [...byPage, ...others]
  expect(lists.map(({ path }) => path)).toEqual(expect.arrayContaining(fixed))
  const own = lists.filter(({ path }) => !fixed.includes(path))
  expect(own.length).toBeGreaterThanOrEqual(8)
  for (const { path, fields } of own) {
    expect(fields, path).toContain('nextCursor')
    expect(fields, path).toContain('hasMore')
  }
  for (const { path, fields } of lists.filter((list) => byPage.includes(list.path)))
    expect(fields, path).toEqual(expect.arrayContaining(['total', 'hasMore']))
})

test('a list read one row at a time has the rows of one page, and hasMore is true until the last', async () => {
  const byCursor = lists.filter(({ hasCursor }) => hasCursor)
  expect(byCursor.length).toBeGreaterThanOrEqual(6)
  for (const { path } of byCursor) {
    const all = await readPage(path, '?limit=100')
    expect(all.hasMore, path).toBe(false)
    const walked: unknown[] = []
    for (
      let page = await readPage(path, '?limit=1');
      ;
      page = await readPage(path, `?limit=1&cursor=${page.nextCursor}`)
    ) {
      walked.push(...rowsOf(page))
      // The cursor of events is always set, so that a client can poll with it.
      if (path !== '/events') expect(page.nextCursor !== '', path).toBe(page.hasMore)
      if (!page.hasMore) break
      expect(rowsOf(page), path).toHaveLength(1)
    }
    expect(walked, path).toEqual(rowsOf(all))
    // There are no unmatched deposits without a network.
    if (!path.endsWith('deposit-cases')) expect(walked.length, path).toBeGreaterThanOrEqual(3)
  }
})

test('a list without pages has an empty nextCursor, and one by page number says hasMore', async () => {
  const whole = lists.filter(({ path, hasCursor }) => !hasCursor && ![...byPage, ...others].includes(path))
  expect(whole.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/webhook-endpoints', `${server}/invoice-currencies`]),
  )
  for (const { path } of whole) expect(await readPage(path, ''), path).toMatchObject({ nextCursor: '', hasMore: false })
  for (const path of byPage) {
    expect(await readPage(path, '?limit=2'), path).toMatchObject({ hasMore: true })
    expect(await readPage(path, '?limit=2&page=2'), path).toMatchObject({ hasMore: false })
    expect(await readPage(path, '?limit=3'), path).toMatchObject({ hasMore: false })
  }
})

test('the lists of the dashboard and the wallet end with hasMore false and an empty nextCursor', async () => {
  const limit = (approvalAbove: unknown) =>
    owner.post('/merchant/payout-limits', { currency: 'USD', approvalAbove, pin })
  restoreAfterTest(() => limit('none'))
  await limit(0)
  for (let i = 0; i < 3; i++) await post(`${server}/vouchers`, { amount: 1, currency: 'USD' })
  const ada = await addPerson(world, 'test')
  const paths = [
    '/merchant/payments',
    '/merchant/issued',
    '/merchant/outflows',
    '/merchant/acts',
    '/merchant/invoices',
    '/merchant/customers',
    '/merchant/till/sales',
  ]
  const asked = [...paths.map((path) => [owner, path] as const)]
  for (const path of ['/wallet/activity', '/wallet/vouchers']) asked.push([ada, path])
  for (const [who, path] of asked) {
    const all = (await who.get(`${path}?limit=100`)).json().data as Page
    expect(all, path).toMatchObject({ nextCursor: '', hasMore: false })
    const count = rowsOf(all).length
    if (count < 2) continue
    const exact = (await who.get(`${path}?limit=${count - 1}`)).json().data as Page
    expect(exact.hasMore, path).toBe(true)
    const last = (await who.get(`${path}?limit=1&cursor=${exact.nextCursor}`)).json().data as Page
    expect([rowsOf(last), last.nextCursor, last.hasMore], path).toEqual([rowsOf(all).slice(-1), '', false])
  }
})
