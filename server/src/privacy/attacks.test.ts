import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { addMember, addPerson } from '../../local/test/visitor.ts'
import { createPool, type Pool } from '../base/db.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { eraseAddress, eraseAgain, eraseUser, finishErasures } from './erase.ts'
import { listErasures, listUnfinished } from './store.ts'

let world: ApiWorld
let owner: Pool
let operator: Pool
let server: Pool
beforeAll(async () => {
  const urls = await createTestDatabase()
  world = await createApiWorld(urls.url)
  owner = createPool(urls.ownerUrl)
  operator = createPool(urls.operatorUrl)
  server = createPool(urls.url)
})
afterAll(async () => {
  await owner.end()
  await operator.end()
  await server.end()
  await world.close()
})

const tools = () => ({
  pool: operator,
  clock: () => new Date(),
  newId: world.newId,
  peppers: [Buffer.from(world.pepper, 'hex')] as [Buffer],
})
const erase = async (address: string): Promise<void> => {
  await eraseAddress(tools(), address)
  expect(await finishErasures(tools())).toEqual([])
}
const addCustomer = (email: string, name: string) =>
  world.post<{ id: string }>('/merchant-integrations-server/add-new-customer', { email, name })
const pay = async (metaData: string): Promise<string> => {
  const referenceId = `order-${world.newId()}`
  const reply = await world.redeem({ voucherCode: await world.voucher(5), amount: 5, referenceId, metaData })
  expect(reply.status, reply.text).toBe(200)
  return referenceId
}
const metadataOf = async (reference: string): Promise<string> => {
  const { rows } = await owner.query<{ metadata: string }>('select metadata from transactions where reference = $1', [
    reference,
  ])
  return rows[0]?.metadata ?? ''
}
const insertPayout = `insert into payouts (environment_id, id, user_id, to_book_id, network, created_at)
  select $1, $2, $3, id, '', '2026-05-01' from ledger_books limit 1`

test('42501: the server may not call a function that exports or erases', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'public'
      where p.prosecdef and (p.proname ~ '^(erase|what_blocks|personal_data|stored_addresses|list_erasures|unfinished_erasures)')`,
  )
  expect(rows.length).toBe(11)
  const allowed = await server.query<{ name: string }>(
    `select name from unnest($1::text[]) name where has_function_privilege(name, 'execute')`,
    [rows.map(({ name }) => name)],
  )
  expect(allowed.rows).toEqual([])
  const call = server.query(`select erase_user($1, $1, '2026-05-01')`, [world.newId()])
  await expect(call).rejects.toMatchObject({ code: '42501' })
})

test('a name, a username or a phone number that someone chose changes nothing of others', async () => {
  const crafted = ['COMPLETED', '25.00', 'Jo \\', 'Al "', '+2348011122233', world.newId(), 'refund@till']
  await addPerson(world, 'test', { email: 'phone@example.com', phone: '+2348011122233' })
  const about = { status: 'COMPLETED', amount: '25.00', id: 'x', currency: { name: 'US Dollar' }, list: crafted }
  const theirs = await pay(JSON.stringify({ ...about, name: 'Al "', email: 'xa@b.co', cc: 'a@b.co.uk' }))
  const plain = await pay(`${crafted.join(' ')} xa@b.co a@b.co.uk a@b.community`)
  const before = [await metadataOf(theirs), await metadataOf(plain)]
  await addCustomer('xa@b.co', 'Jo \\')
  await addPerson(world, 'test', {
    email: 'a@b.co',
    username: 'refundattill',
    surname: 'COMPLETED',
    otherNames: 'Al "',
  })
  await addCustomer('a@b.co', 'COMPLETED 25.00')
  const own = await pay(
    JSON.stringify({ ...about, name: 'Jo \\', note: 'Al "', email: 'A@b.co', nested: '{"to":"a@b.co"}' }),
  )
  const escaped = await pay('{"to":"a\\u0040b.co"}')
  const deep = await pay(`${'['.repeat(400)}"a@b.co"${']'.repeat(400)}`)

  await erase('a@b.co')
  expect([await metadataOf(theirs), await metadataOf(plain)]).toEqual(before)
  expect(JSON.parse(await metadataOf(own))).toEqual({
    ...about,
    ...{ name: '[erased]', note: '[erased]', email: '[erased]', nested: '{"to": "[erased]"}' },
  })
  expect(JSON.parse(await metadataOf(escaped))).toEqual({ to: '[erased]' })
  expect(await metadataOf(deep)).not.toContain('a@b.co')
  const { rows } = await owner.query('select email, name from customers order by email')
  expect(rows).toEqual([{ email: 'xa@b.co', name: 'Jo \\' }])
  const phones = await owner.query('select phone from users where email = $1', ['phone@example.com'])
  expect(phones.rows).toEqual([{ phone: '+2348011122233' }])
  expect(await verifyLedger(owner)).toEqual([])
})

test('an invoice whose sender wrote another address as a name is no way to that address', async () => {
  await addCustomer('victim@example.com', 'Victim')
  await owner.query(
    `insert into invoices (environment_id, id, number, status, email, full_name, book_id, total, network, invoice_date, due_date,
        decided_at, created_at)
      select $1, $2::uuid, $2::uuid::text, 'Rejected', 'thief@example.com', 'victim@example.com', id, 5, '', '2026-05-01', '2026-05-01', '2026-05-01', '2026-05-01'
      from ledger_books limit 1`,
    [world.ours.environmentId, world.newId()],
  )
  const act = `insert into acts (id, user_id, operation, object, address, created_at) values ($1, $2, 'POST /x', $3, '192.0.2.7', '2026-05-01')`
  const staff = await addMember(world, world.ours, 'accountant')
  await owner.query(act, [world.newId(), staff.person.id, 'victim@example.com'])
  await owner.query(act, [world.newId(), staff.person.id, 'thief@example.com'])
  await erase('thief@example.com')
  const { rows } = await owner.query(`select object, address from acts where address = '192.0.2.7' order by object`)
  expect(rows).toEqual([
    { object: '[erased]', address: '192.0.2.7' },
    { object: 'victim@example.com', address: '192.0.2.7' },
  ])
  expect((await owner.query(`select from customers where email = 'victim@example.com'`)).rowCount).toBe(1)
})

test('an erasure that fails, or that another process has, does not keep the others', async () => {
  const broken = world.newId()
  await owner.query(
    `insert into erasures (id, kind, user_ids, digest, address, step, after_key, requested_at)
      values ($1, 'address', '{}', '\\x00', 'x@example.com', 3, '{no-uuid}', '2026-05-01')`,
    [broken],
  )
  await addCustomer('next@example.com', 'Next')
  await eraseAddress(tools(), 'next@example.com')
  const failures = await finishErasures(tools())
  expect(failures).toMatchObject([{ what: broken, reason: expect.stringContaining('no-uuid') as string }])
  expect(await listUnfinished(operator)).toEqual([broken])
  const client = await owner.connect()
  await client.query('begin')
  await client.query('select from erasures where id = $1 for update', [broken])
  expect(await finishErasures(tools())).toEqual([{ what: broken, reason: 'Another process erases this.' }])
  await client.query('rollback')
  client.release()
  await owner.query('delete from erasures where id = $1', [broken])
  await expect(eraseAgain(tools(), ['user x'])).rejects.toThrow('This line names no erasure')
})

test('`erase-again` collects what is refused and erases the rest', async () => {
  const rich = await addPerson(world, 'test', { email: 'rich@example.com' })
  const gone = await addPerson(world, 'test', { email: 'leaves@example.com' })
  await world.fund(1, { user: 'rich@example.com' })
  const again = await eraseAgain(tools(), [`user ${rich.person.id}`, `user ${world.newId()}`, `user ${gone.person.id}`])
  expect(again).toMatchObject({ started: 1, failures: [{ what: `user ${rich.person.id}` }] })
  expect(await finishErasures(tools())).toEqual([])
})

test('409: an address or a user with something open is not erased', async () => {
  const code = async (work: () => Promise<void>): Promise<unknown> =>
    work().then(
      () => 'erased',
      (error: unknown) => (error as { code?: string }).code,
    )
  const refused = () => code(() => eraseAddress(tools(), 'open@example.com'))
  expect(await code(() => eraseAddress(tools(), 'Jo Smith'))).toBe('ADDRESS_INVALID')
  const voucher = await world.issueVoucher(5)
  await owner.query(`update vouchers set recipient_kind = 'email', recipient = 'Open@example.com' where id = $1`, [
    voucher.id,
  ])
  expect(await refused()).toBe('ADDRESS_HAS_VOUCHERS')
  const gift = `insert into voucher_gifts (environment_id, voucher_id, email, sender, message, send_at) values ($1, $2, $3, '', '', '2026-05-01')`
  await owner.query(gift, [world.ours.environmentId, voucher.id, 'open@example.com'])
  expect(await refused()).toBe('ADDRESS_HAS_GIFTS')
  const { person } = await addPerson(world, 'test', { email: 'buyer@example.com' })
  await owner.query('update vouchers set buyer_id = $2 where id = $1', [voucher.id, person.id])
  expect(await code(() => eraseUser(tools(), person.id))).toBe('ACCOUNT_HAS_GIFTS')
  await owner.query(`update voucher_gifts set sent_at = '2026-05-01' where voucher_id = $1`, [voucher.id])
  await world.redeem({ voucherCode: voucher.code, amount: 2, referenceId: `part-${world.newId()}` })
  expect(await refused()).toBe('ADDRESS_HAS_VOUCHERS')
  await world.redeem({ voucherCode: voucher.code, amount: 3, referenceId: `rest-${world.newId()}` })
  await owner.query(
    `insert into mails (id, about_id, recipient, language, kind, content, status, next_attempt_at, key_id, secret_sealed, said, attempts, created_at)
      values ($1, $1, 'open@example.com', 'en', 'gift', '{}', 'pending', '2099-01-01', 1, '\\x00', '', 0, '2026-05-01')`,
    [world.newId()],
  )
  expect(await refused()).toBe('ADDRESS_HAS_MAILS')
  await owner.query(`delete from mails where recipient = 'open@example.com'`)
  const outflow = world.newId()
  await owner.query(
    `insert into outflows (environment_id, id, kind, reference, book_id, amount, home_amount, hour, recipient, needs_approval, held_until,
        request, created_at)
      select $1, $2::uuid, 'refund', $2::uuid::text, id, 5, 5, '2026-05-01', 'open@example.com', true, '2026-05-01', '', '2026-05-01' from ledger_books limit 1`,
    [world.ours.environmentId, outflow],
  )
  expect(await refused()).toBe('ADDRESS_HAS_OUTFLOWS')
  await owner.query(insertPayout, [world.ours.environmentId, outflow, person.id])
  expect(await code(() => eraseUser(tools(), person.id))).toBe('ACCOUNT_HAS_PAYOUTS')
  await owner.query(`delete from payouts where id = $1`, [outflow])
  await owner.query(`update outflows set ended_at = '2026-05-01', outcome = 'done' where id = $1`, [outflow])
  expect(await refused()).toBe('erased')
  // The gift that was sent belongs to its recipient.
  expect(await code(() => eraseUser(tools(), person.id))).toBe('erased')
  expect(await finishErasures(tools())).toEqual([])
})

test('no money reaches an erased user, and an erasure gives way to a payout that has begun', async () => {
  const { person } = await addPerson(world, 'test', { email: 'closed@example.com' })
  const payment = await owner.connect()
  await payment.query('begin')
  await payment.query(insertPayout, [world.ours.environmentId, world.newId(), person.id])
  await expect(
    operator.query(`select erase_user($1, $2, '2026-05-01')`, [world.newId(), person.id]),
  ).rejects.toMatchObject({
    code: '55P03',
  })
  await payment.query('rollback')
  payment.release()

  const erasing = await operator.connect()
  await erasing.query('begin')
  await erasing.query(`select erase_user($1, $2, '2026-05-01')`, [world.newId(), person.id])
  const late = owner.query(insertPayout, [world.ours.environmentId, world.newId(), person.id]).catch(String)
  await erasing.query('commit')
  erasing.release()
  expect(await late).toContain('the user is not active')
  const { rows } = await owner.query(
    `select from ledger_books b left join ledger_accounts a on a.book_id = b.id and a.owner_id = $1 and a.kind::text = 'wallet'
      where b.mode = 'test' and a.state is distinct from 'closed'`,
    [person.id],
  )
  expect(rows).toEqual([])
  expect((await world.post('/sandbox/fund', { amount: 1, currency: 'USD', user: 'closed@example.com' })).status).toBe(
    404,
  )
  expect(await finishErasures(tools())).toEqual([])
  expect(await verifyLedger(owner)).toEqual([])
})

test('the account of a user is erased in its realm only, and no address of a merchant with it', async () => {
  const email = 'twice@example.com'
  const wallet = await addPerson(world, 'test', { email })
  const live = await addPerson(world, 'live', { email })
  await owner.query('update merchants set contact_email = $1 where id = $2', [email, world.ours.merchantId])
  await addCustomer(email, 'Twice')
  const reference = await pay(JSON.stringify({ email }))
  await eraseUser(tools(), wallet.person.id)
  expect(await finishErasures(tools())).toEqual([])
  expect((await wallet.signIn(email)).status).toBe(401)
  expect((await live.signIn(email)).status).toBe(200)
  expect(await metadataOf(reference)).toContain(email)
  const merchants = await owner.query('select from merchants where contact_email = $1', [email])
  const customers = await owner.query('select from customers where email = $1', [email])
  expect([merchants.rowCount, customers.rowCount]).toEqual([1, 1])
})

test('rows that are added behind the walk are erased, and a customer who comes back is kept', async () => {
  const email = 'returns@example.com'
  const staff = await addMember(world, world.ours, 'accountant')
  await eraseAddress(tools(), email)
  await addCustomer(email, 'New')
  const [id] = await listUnfinished(operator)
  const stepOf = async () =>
    (await owner.query<{ step: number }>('select step from erasures where id = $1', [id])).rows[0]?.step ?? 99
  while ((await stepOf()) < 40) await operator.query(`select erase_page($1, '2026-05-01', 100)`, [id])
  // Before all that the walk has passed.
  await owner.query(
    `insert into acts (id, user_id, operation, object, address, created_at)
      values ('00000000-0000-7000-8000-000000000001', $2, 'x', $1, '', '2026-05-01')`,
    [email, staff.person.id],
  )
  expect(await finishErasures(tools())).toEqual([])
  expect((await owner.query('select from acts where object = $1', [email])).rowCount).toBe(0)
  const { rows } = await owner.query('select name from customers where email = $1', [email])
  expect(rows).toEqual([{ name: 'New' }])
  expect((await listErasures(operator)).every(({ isFinished }) => isFinished)).toBe(true)
})

test('the erasure of a user walks no whole table, and none joins the attempts of webhooks to events', async () => {
  const { rows } = await owner.query<{ kind: string; name: string; walk: string; found: string }>(
    'select kind, name, walk, found from erasure_steps()',
  )
  const ofUsers = rows.filter(({ kind }) => kind === 'user')
  expect(ofUsers.length).toBeGreaterThan(3)
  for (const { name, walk } of ofUsers) {
    expect(walk).toBe('t.user_id = ($1)[1]')
    const client = await owner.connect()
    await client.query('begin')
    await client.query('set local enable_seqscan = off')
    const plan = await client.query<{ 'QUERY PLAN': string }>(
      `explain select from ${name} t where t.user_id = '${world.newId()}' order by t.id limit 10`,
    )
    await client.query('rollback')
    client.release()
    // The rows of other users are not read.
    expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
      /Index Cond: .*user_id =|One-Time Filter: false/,
    )
  }
  expect(rows.filter(({ name, found }) => name === 'webhook_attempts' && found.includes('ledger_outbox'))).toEqual([])
})
