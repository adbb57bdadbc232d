import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { addMember, type VisitingUser } from '../../local/test/visitor.ts'
import { shortenOperation } from '../../../web/dashboard/audit/shorten-operation.ts'
import { enOfAudit } from '../../../web/dashboard/words/en-audit.ts'
import { kindOfAct } from './act-kinds.ts'

type Entry = { id: string; who: string; by: string; kind: string; operation: string; about: string; outcome: string }
type Page = { acts: Entry[]; nextCursor: string; hasMore: boolean }

let world: ApiWorld
let owner: VisitingUser
let accountant: VisitingUser
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  owner = await addMember(world, world.ours, 'owner')
  accountant = await addMember(world, world.ours, 'accountant')
}, 180_000)
afterAll(() => world.close())

const list = async (query = ''): Promise<Page> =>
  (await owner.get(`/merchant/acts?limit=100&${query}`)).as<{ data: Page }>().data
const addCustomer = (as: VisitingUser, email: string) =>
  as.post('/merchant-integrations-server/add-new-customer', { email, name: 'Ada Customer' })

test('an owner filters the audit log by who, what and when, and entries name their objects', async () => {
  const id = String((await addCustomer(accountant, 'ada@example.com')).json().data.id)
  const change = { id, email: 'ada@example.com', name: 'Ada Changed' }
  await accountant.post('/merchant-integrations-server/update-customer', change)
  expect((await addCustomer(accountant, 'ada@example.com')).status).toBe(409)
  await world.post('/merchant-integrations-server/invoice-currencies', { currencies: ['USD'] })
  const ofAccountant = (await list(`who=${accountant.person.id}`)).acts
  expect(ofAccountant.slice(0, 2)).toMatchObject([
    { kind: 'customers', outcome: 'refused', by: 'member', who: 'Ada Obi' },
    { kind: 'customers', outcome: 'done', about: 'Ada Changed' },
  ])
  expect((await list('who=keys')).acts[0]).toMatchObject({ by: 'key', who: 'server', kind: 'settings' })
  const customers = (await list('kind=customers')).acts
  expect(customers).toHaveLength(3)
  expect((await list(`kind=settings&who=${accountant.person.id}`)).acts).toEqual([])
  expect((await list('from=2020-01-01&until=2020-12-31')).acts).toEqual([])
  expect((await list('from=2020-01-01')).acts.length).toBeGreaterThanOrEqual(4)
})

test('a filtered list read in pages has every entry once', async () => {
  for (let n = 0; n < 7; n++) await addCustomer(accountant, `page.${n}@example.com`)
  const all = (await list('kind=customers')).acts.map(({ id }) => id)
  const walked: string[] = []
  for (let cursor = ''; ; ) {
    const page = (await owner.get(`/merchant/acts?limit=3&kind=customers${cursor}`)).as<{ data: Page }>().data
    walked.push(...page.acts.map(({ id }) => id))
    if (!page.hasMore) break
    cursor = `&cursor=${page.nextCursor}`
  }
  expect(walked).toEqual(all)
})

test('the export has the filtered entries with outcome and network address', async () => {
  const { text } = await owner.get('/merchant/acts.csv?kind=customers')
  const lines = text.trimEnd().split('\r\n')
  expect(lines[0]).toBe('at,who,by,email,mode,kind,operation,object,about,address,outcome')
  expect(lines).toHaveLength((await list('kind=customers')).acts.length + 1)
  expect(lines[1]).toMatch(
    /,Ada Obi,member,.*,test,customers,POST \/merchant-integrations-server\/add-new-customer,.*,done$/,
  )
})

test('403: only owners read the audit log, and none reads that of another merchant', async () => {
  for (const role of ['accountant', 'cashier', 'developer']) {
    const member = await addMember(world, world.ours, role)
    for (const path of ['/merchant/acts', '/merchant/acts.csv']) expect((await member.get(path)).status).toBe(403)
  }
  const theirs = await addMember(world, world.theirs, 'owner')
  expect((await theirs.get('/merchant/acts')).as<{ data: Page }>().data.acts).toEqual([])
})

const listActing = (): string[] =>
  world.access
    .filter(({ method, credentials = '' }) => method !== 'GET' && ['public', 'secret', 'member'].includes(credentials))
    .map(({ method, url }) => `${method} ${url}`)

test('every endpoint that acts for a merchant has a kind', () => {
  expect(listActing().filter((operation) => kindOfAct(operation) === 'other')).toEqual([])
})

test('the dashboard has a sentence for every endpoint that acts for a merchant', () => {
  const hasSentence = (operation: string) => shortenOperation(operation) in enOfAudit.acts
  expect(listActing().filter((operation) => !hasSentence(operation))).toEqual([])
})
