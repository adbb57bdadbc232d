import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, type VisitingUser } from '../../../local/test/visitor.ts'

type Customer = { id: string; email: string; name: string; createdAt: string }
type Page = { customers: Customer[]; count: number; nextCursor: string; hasMore: boolean }
type Imported = { isDone: boolean; added: number; known: number; faults: object[] }

let world: ApiWorld
let accountant: VisitingUser
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  accountant = await addMember(world, world.ours, 'accountant')
})
afterAll(() => world.close())

const list = async (query = '', as = accountant): Promise<Page> =>
  (await as.get(`/merchant/customers?limit=100&${query}`)).as<{ data: Page }>().data
const send = (csv: string, isConfirmed: boolean, as = accountant) =>
  as.post('/merchant/customers/import', { csv, isConfirmed })
const importFile = async (csv: string, isConfirmed: boolean): Promise<Imported> =>
  (await send(csv, isConfirmed)).as<{ data: Imported }>().data

test('an accountant adds, changes and deletes a customer, and sees the address in full', async () => {
  const added = await accountant.post('/merchant-integrations-server/add-new-customer', {
    email: 'Zoe@example.com',
    name: 'Zoë Grant',
  })
  expect(added.status).toBe(200)
  const id = String(added.json().data.id)
  expect((await accountant.get(`/merchant/customers/${id}`)).json().data).toMatchObject({ email: 'Zoe@example.com' })
  expect((await list('search=zoe%20gr')).customers.map((one) => one.id)).toEqual([id])
  const change = { id, email: 'zoe@example.com', name: 'Zoë G.' }
  expect((await accountant.post('/merchant-integrations-server/update-customer', change)).status).toBe(200)
  const path = `/merchant-integrations/delete-customer/${id}`
  expect((await accountant.ask('DELETE', path)).status).toBe(200)
  expect((await accountant.get(`/merchant/customers/${id}`)).status).toBe(404)
})

test('a file is checked without importing, then imported once; known addresses keep their names', async () => {
  const before = (await list()).count
  const csv = 'name,email\n"Grant, Ada",ada@example.com\nBen,BEN@example.com\n'
  expect(await importFile(csv, false)).toEqual({ isDone: false, added: 2, known: 0, faults: [] })
  expect((await list()).count).toBe(before)
  expect(await importFile(csv, true)).toEqual({ isDone: true, added: 2, known: 0, faults: [] })
  expect((await list()).count).toBe(before + 2)
  const more = 'email,name\nADA@example.com,Another name\ncem@example.com,Cem\n'
  expect(await importFile(more, false)).toMatchObject({ added: 1, known: 1 })
  expect(await importFile(more, true)).toMatchObject({ isDone: true, added: 1, known: 1 })
  expect(await importFile(more, true)).toMatchObject({ isDone: true, added: 0, known: 2 })
  expect((await list('search=ada@example.com')).customers[0]?.name).toBe('Grant, Ada')
  expect((await list()).count).toBe(before + 3)
  expect((await list('search=ben@example.com')).customers).toHaveLength(1)
})

test('every bad row of a file is explained, and with one nothing is imported', async () => {
  const before = (await list()).count
  const csv = `email,name\nnobody,Nobody\ndan@example.com,\neve@example.com,Eve\nEVE@example.com,Eva\nfay@example.com,${'x'.repeat(201)}\n`
  const faults = [
    { line: 2, fault: 'email_invalid', other: 0 },
    { line: 3, fault: 'name_missing', other: 0 },
    { line: 5, fault: 'email_twice', other: 4 },
    { line: 6, fault: 'name_too_long', other: 0 },
  ]
  for (const isConfirmed of [false, true])
    expect(await importFile(csv, isConfirmed)).toEqual({ isDone: false, added: 0, known: 0, faults })
  expect((await list()).count).toBe(before)
  const codes: Record<string, string> = {
    'email,phone\na@example.com,1\n': 'CUSTOMERS_COLUMNS',
    'email,name\n': 'CUSTOMERS_EMPTY',
    'email,name\na@example.com\n': 'CUSTOMERS_UNREADABLE',
  }
  for (const [text, code] of Object.entries(codes)) expect((await send(text, false)).json().error?.code).toBe(code)
})

test('two imports of one file at the same time add each customer once', async () => {
  const rows = Array.from({ length: 500 }, (_, n) => `race.${n}@example.com,Racer ${n}`)
  const files = [rows, rows.toReversed()].map((lines) => `email,name\n${lines.join('\n')}\n`)
  const before = (await list()).count
  const done = await Promise.all(files.map((csv) => importFile(csv, true)))
  expect(done.reduce((sum, { added }) => sum + added, 0)).toBe(500)
  expect((await list()).count).toBe(before + 500)
})

test('an export has every customer and can be imported again; formulas in names stay text', async () => {
  await importFile('email,name\nformula@example.com,=1+1\n', true)
  const { text } = await accountant.get('/merchant/customers.csv')
  const { count } = await list()
  expect(text.trimEnd().split('\r\n')).toHaveLength(count + 1)
  expect(text).toContain("formula@example.com,'=1+1,")
  expect(await importFile(text, false)).toMatchObject({ added: 0, known: count, faults: [] })
})

test('403: cashiers and developers have no list, no customer, no import and no export; other merchants see nothing of it', async () => {
  const id = (await list()).customers[0]?.id ?? ''
  for (const role of ['cashier', 'developer']) {
    const member = await addMember(world, world.ours, role)
    for (const path of ['/merchant/customers', `/merchant/customers/${id}`, '/merchant/customers.csv'])
      expect((await member.get(path)).status).toBe(403)
    expect((await send('email,name\nx@example.com,X\n', true, member)).status).toBe(403)
  }
  const theirs = await addMember(world, world.theirs, 'accountant')
  expect((await theirs.get(`/merchant/customers/${id}`)).status).toBe(404)
  expect(await list('', theirs)).toMatchObject({ customers: [], count: 0 })
})
