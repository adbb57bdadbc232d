import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { fillPerson } from '../../local/test/fill-person.ts'
import { findTraces, mentions, readAll, type Rows } from '../../local/test/personal-traces.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { addMember, addPerson, pin, type VisitingUser } from '../../local/test/visitor.ts'
import { createPool, type Pool } from '../base/db.ts'
import { archiveParts } from '../ledger/archive.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { columns } from './columns.ts'
import { eraseAddress, eraseAgain, eraseOldSenders, finishErasures, writeErasure } from './erase.ts'
import { listErasures, listUnfinished } from './store.ts'

// The whole database is read several times.
vi.setConfig({ testTimeout: 120_000 })

let world: ApiWorld
let owner: Pool
let operator: Pool
let urls: Awaited<ReturnType<typeof createTestDatabase>>
let now = new Date()
beforeAll(async () => {
  urls = await createTestDatabase()
  world = await createApiWorld(urls.url, () => new Date(now))
  owner = createPool(urls.ownerUrl)
  operator = createPool(urls.operatorUrl)
})
afterAll(async () => {
  await owner.end()
  await operator.end()
  await world.close()
})

const email = 'zenobia.quill@example.com'
// With a character that JSON escapes.
const [otherNames, surname, username] = ['Zenobia', 'Quill"feather', 'zenquill_x']
const name = `${otherNames} ${surname}`
const words = [email, otherNames, surname, username, '2348055512345']

const peppers = (): [Buffer] => [Buffer.from(world.pepper, 'hex')]
const tools = () => ({ pool: operator, clock: () => new Date(now), newId: world.newId, peppers: peppers() })

/** Everything that reports and balances say. */
async function readBooks(accountant: VisitingUser): Promise<string[]> {
  const root = '/merchant/reports'
  const today = now.toISOString().slice(0, 10)
  const paths = ['liability', 'liability.csv', 'fees', 'fees.csv', 'statement?account=balance&currency=USD']
  const replies = await Promise.all(
    [...paths.map((path) => `${root}/${path}`), `${root}/journals.csv?from=${today.slice(0, 8)}01`].map((path) =>
      accountant.get(path),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  const { rows } = await owner.query<{ row: string }>(
    `select row_to_json(a)::text as row from (select book_id, owner_id, kind, balance, held from ledger_accounts
        where balance <> 0 or held <> 0 order by 1, 2, 3) a
      union all select row_to_json(t)::text from all_transfers t union all select row_to_json(j)::text from all_journals j
      union all select row_to_json(r)::text from all_redemptions r union all select row_to_json(d)::text from account_days d`,
  )
  return [...replies.map(({ text }) => text), ...rows.map(({ row }) => row).toSorted()]
}

type Lives = { person: VisitingUser; other: VisitingUser; voucherId: string; moveId: string }

/** What people do: pay each other, redeem; and what a merchant knows about them. The wallet is empty at the end. */
async function live(): Promise<Lives> {
  const person = await addPerson(world, 'test', { email, username, surname, otherNames })
  const other = await addPerson(world, 'test', {
    email: 'yolanda@example.com',
    surname: 'Other',
    otherNames: 'Yolanda',
  })
  await world.fund(1000)
  await world.fund(30, { user: email })
  const send = (amount: number) => {
    const body = { to: other.person.username, amount, currency: 'USD', note: `From ${name}`, pin }
    return person.post('/wallet/send', body, { 'idempotency-key': world.newId() })
  }
  expect((await send(25)).status).toBe(200)
  const sent = await send(5)
  expect(sent.status).toBe(200)
  await pay()
  const { id: voucherId, code } = await world.issueVoucher(10)
  expect((await world.redeem({ voucherCode: code, amount: 10, referenceId: `all-${world.newId()}` })).status).toBe(200)
  await owner.query(`update vouchers set recipient_kind = 'email', recipient = $2 where id = $1`, [voucherId, email])
  const added = await world.post('/merchant-integrations-server/add-new-customer', { email, name })
  expect(added.status, added.text).toBe(200)
  const { rows } = await owner.query<{ id: string }>(
    'select id from wallet_moves where user_id = $1 order by id desc',
    [person.person.id],
  )
  return { person, other, voucherId, moveId: rows[0]?.id ?? '' }
}

/** A payment whose metadata names the payer. */
async function pay(): Promise<string> {
  const metaData = JSON.stringify({ payer: name, email, order: 'A-7' })
  const referenceId = `order-${world.newId()}`
  const reply = await world.redeem({ voucherCode: await world.voucher(50), amount: 10, referenceId, metaData })
  expect(reply.status, reply.text).toBe(200)
  const sent = await world.post(`/merchant-integrations-server/transactions/${referenceId}/receipt`, { email })
  expect(sent.status, sent.text).toBe(200)
  return referenceId
}

async function archiveAll(person: VisitingUser): Promise<void> {
  await owner.query(
    `insert into acts (id, user_id, operation, object, address, created_at) values ($1, $2, 'POST /x', $3, $3, $4)`,
    [world.newId(), person.person.id, email, now],
  )
  await archiveParts(urls.ownerUrl, new Date('2031-02-03'), { clock: () => now, report: () => undefined })
}

/** Erases an address while the process is killed again and again. */
async function eraseWithCrashes(): Promise<void> {
  await eraseAddress(tools(), email)
  for (let page = 0; page < 60; page++) {
    const [id] = await listUnfinished(operator)
    if (id === undefined) break
    const client = await owner.connect()
    await client.query('begin')
    await client.query('select erase_page($1, $2, 3)', [id, now])
    const isKilled = page % 2 === 0
    await client.query(isKilled ? 'rollback' : 'commit')
    client.release()
  }
  expect(await finishErasures(tools())).toEqual([])
}

// A digest and hashes of parts of words contain no word, and an erasure has them while it runs.
const wordless = ['customers.grams', 'erasures.address', 'user_pins.digest']
const personal = Object.entries(columns).flatMap(([table, of]) =>
  Object.keys(of.personal ?? {}).map((each) => `${table}.${each}`),
)

const rowsOf = (all: Rows): string[] =>
  [...all].flatMap(([table, rows]) => rows.map((row) => `${table} ${JSON.stringify(row)}`))

test('nothing about an erased person is left in any table or log, and books, reports and other people are as before', async () => {
  const accountant = await addMember(world, world.ours, 'accountant')
  const { person, other, voucherId, moveId } = await live()
  await archiveAll(person)
  const referenceId = await pay()
  await world.work()
  const userId = person.person.id
  const { environmentId, merchantId } = world.theirs
  await fillPerson(owner, world.newId, { userId, email, name, username, environmentId, merchantId, voucherId, moveId })
  const books = await readBooks(accountant)
  expect(books.length).toBeGreaterThan(20)
  const before = await readAll(owner)
  const traces = findTraces(before, words)
  expect(traces).toContain('archive.transactions.metadata')
  expect(traces).toContain('archive.acts.object')
  const named = new Set(traces.map((found) => found.replace(/^(public|archive)\./, '')))
  // Each column for personal data has some, and no other column has.
  expect(personal.filter((each) => !named.has(each)).toSorted()).toEqual(wordless)
  expect([...named].filter((each) => !personal.includes(each))).toEqual([])

  await eraseWithCrashes()

  const after = await readAll(owner)
  expect(findTraces(after, words)).toEqual([])
  for (const table of ['user_pins', 'user_sessions', 'user_logins', 'push_subscriptions'])
    expect(after.get(`public.${table}`)?.filter((row) => row.user_id === userId)).toEqual([])
  expect(await readBooks(accountant)).toEqual(books)
  expect(await verifyLedger(owner)).toEqual([])

  const left = new Set(rowsOf(after))
  const counts = /^public\.(environment_counts|erasures) /
  const untouched = rowsOf(before).filter(
    (row) => !mentions(row, [...words, userId]) && !row.includes(moveId) && !counts.test(row),
  )
  expect(untouched.length).toBeGreaterThan(100)
  expect(untouched.filter((row) => !left.has(row))).toEqual([])
  const activity = await other.get('/wallet/activity')
  expect(activity.text).toContain('[erased]')
  expect(activity.text).toContain('"amount":"25.00"')

  // What follows a payment still works.
  expect((await world.get(`/merchant-integrations-server/verify-transaction/${referenceId}`)).status).toBe(200)
  const receipt = await world.post(`/merchant-integrations-server/transactions/${referenceId}/receipt`, {
    email: 'new@example.com',
  })
  expect(receipt.status).toBe(200)
  await world.work()
  expect(findTraces(await readAll(owner), words)).toEqual([])
  expect(world.logged().length).toBeGreaterThan(1000)
  expect(mentions(world.logged(), words)).toBe(false)
  expect((await person.signIn(email)).status).toBe(401)
})

test('what was erased is erased again after a backup was restored that still has it', async () => {
  const lines = (await listErasures(operator)).map(writeErasure)
  expect(mentions(lines.join('\n'), words)).toBe(false)
  const [, userId = ''] = lines.find((line) => line.startsWith('user'))?.split(' ') ?? []
  await owner.query('update users set email = $2, surname = $3, phone = $4 where id = $1', [
    userId,
    email,
    surname,
    '+2348055512345',
  ])
  await world.post('/merchant-integrations-server/add-new-customer', { email, name })
  expect(findTraces(await readAll(owner), words)).not.toEqual([])
  const again = await eraseAgain(tools(), [...lines, `user ${world.newId()}`])
  expect(again).toMatchObject({ failures: [] })
  expect(await finishErasures(tools())).toEqual([])
  expect(findTraces(await readAll(owner), words)).toEqual([])
  expect(await verifyLedger(owner)).toEqual([])
})

test('an address with an open invoice is not erased; that of a paid one is erased after the years that the law requires', async () => {
  const sender = 'sender@example.com'
  const invoice = (status: string, decidedAt: Date | null) =>
    owner.query(
      `insert into invoices (environment_id, id, number, status, email, full_name, book_id, total, network, invoice_date, due_date,
          decided_at, paid_at, voucher_id, created_at)
        select $1, $2::uuid, $2::uuid::text, $3, $4, 'Ann Sender', id, 5, '', $6::timestamptz, $6::timestamptz, $5::timestamptz, case $3 when 'Approved' then $5::timestamptz end, case $3 when 'Approved' then $2::uuid end, $6::timestamptz
        from ledger_books limit 1`,
      [world.ours.environmentId, world.newId(), status, sender, decidedAt, now],
    )
  await invoice('Pending', null)
  await expect(eraseAddress(tools(), sender)).rejects.toMatchObject({ code: 'ADDRESS_HAS_INVOICES' })
  await owner.query(`update invoices set status = 'Rejected', decided_at = $2 where email = $1`, [sender, now])
  await invoice('Approved', now)
  await eraseAddress(tools(), sender)
  expect(await finishErasures(tools())).toEqual([])
  const namedIn = async () =>
    (await readAll(owner)).get('public.invoices')?.filter((row) => row.email === sender).length
  expect(await namedIn()).toBe(1)
  expect(await eraseOldSenders(tools(), 10)).toBe(0)
  const today = now
  // A wrong clock does not erase what is younger than five years by the clock of the database.
  now = new Date(now.getTime() + 3_660 * 86_400_000)
  expect(await eraseOldSenders(tools(), 1)).toBe(0)
  now = today
  await owner.query(`update invoices set decided_at = decided_at - interval '6 years' where email = $1`, [sender])
  expect(await eraseOldSenders(tools(), 10)).toBe(0)
  expect(await namedIn()).toBe(1)
  expect(await eraseOldSenders(tools(), 5)).toBe(1)
  expect(await namedIn()).toBe(0)
})
