import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { addMember, addPerson, pin, type VisitingUser } from '../../local/test/visitor.ts'
import { createPool, type Pool } from '../base/db.ts'
import { verifyLedger } from '../ledger/verify.ts'

let world: ApiWorld
let owner: Pool
beforeAll(async () => {
  const urls = await createTestDatabase()
  world = await createApiWorld(urls.url)
  owner = createPool(urls.ownerUrl)
})
afterAll(async () => {
  await owner.end()
  await world.close()
})

const codeOf = async (person: VisitingUser, body: object = { pin }): Promise<string> =>
  (await person.post('/me/erase', body)).json().error?.code ?? ''
type Section = { name: string; rows: Record<string, unknown>[] }
const sectionsOf = (reply: { json: () => { data: Record<string, unknown> } }): Map<string, Section['rows']> =>
  new Map((reply.json().data.sections as Section[]).map(({ name, rows }) => [name, rows]))

test('a user exports what is stored about them, without secrets and without what others did', async () => {
  const ada = await addPerson(world, 'test', { email: 'ada@example.com' })
  const ben = await addPerson(world, 'test', { email: 'ben@example.com', otherNames: 'Ben', surname: 'Else' })
  await world.fund(10, { user: 'ada@example.com' })
  await world.fund(77, { user: 'ben@example.com' })
  const send = { to: ben.person.username, amount: 4, currency: 'USD', note: 'for lunch', pin }
  await ada.post('/wallet/send', send, { 'idempotency-key': 'lunch' })

  expect((await ada.post('/me/export')).status).toBe(403)
  const reply = await ada.post('/me/export', { pin })
  expect(reply.status, reply.text).toBe(200)
  const sections = sectionsOf(reply)
  expect(sections.get('account')).toMatchObject([{ email: 'ada@example.com', surname: 'Obi' }])
  expect(sections.get('activity')).toMatchObject([
    { amount: '1000', kind: 'funded' },
    { amount: '-400', kind: 'sent', note: 'for lunch', with_name: 'Ben Else' },
  ])
  expect(sections.get('sessions')).toHaveLength(1)
  expect(reply.text).not.toContain('argon2')
  expect(reply.text).not.toContain('7700')
  const { rows } = await owner.query<{ token: string }>('select token from user_sessions')
  expect(rows.length).toBeGreaterThan(1)
  for (const { token } of rows) expect(reply.text).not.toContain(token)
})

test('409: an account with money, an open request or a voucher is not deleted, and the user stays signed in', async () => {
  const eve = await addPerson(world, 'test', { email: 'eve@example.com' })
  const ben = await addPerson(world, 'test')
  expect(await codeOf(eve, {})).toBe('CONFIRMATION_MISSING')
  expect(await codeOf(eve, { pin: '000001' })).toBe('PIN_WRONG')
  await world.fund(1, { user: 'eve@example.com' })
  expect(await codeOf(eve)).toBe('ACCOUNT_HAS_BALANCE')
  const send = { to: ben.person.username, amount: 1, currency: 'USD', pin }
  expect((await eve.post('/wallet/send', send, { 'idempotency-key': 'all' })).status).toBe(200)
  const { rows } = await owner.query<{ id: string }>(
    `insert into payment_requests (environment_id, id, user_id, note, expires_at) values ($1, $2, $3, '', '2099-01-01') returning id`,
    [world.ours.environmentId, world.newId(), eve.person.id],
  )
  expect(await codeOf(eve)).toBe('ACCOUNT_HAS_REQUESTS')
  await owner.query('update payment_requests set ended_at = now() where id = $1', [rows[0]?.id])
  const { id } = await world.issueVoucher(5)
  await owner.query('update vouchers set buyer_id = $2 where id = $1', [id, eve.person.id])
  expect(await codeOf(eve)).toBe('ACCOUNT_HAS_VOUCHERS')
  await owner.query('update vouchers set buyer_id = null where id = $1', [id])
  expect((await eve.get('/me')).status).toBe(200)

  expect((await eve.post('/me/erase', { pin })).status).toBe(200)
  expect((await eve.get('/me')).status).toBe(401)
  expect((await eve.signIn('eve@example.com')).status).toBe(401)
  // The wallet is closed: nothing arrives in it any more.
  const late = await world.post('/sandbox/fund', { amount: 1, currency: 'USD', user: 'eve@example.com' })
  expect(late.status).toBe(404)
  expect(await verifyLedger(owner)).toEqual([])
  // The address is free again.
  expect((await addPerson(world, 'test', { email: 'eve@example.com' })).person.email).toBe('eve@example.com')
})

test('a merchant exports and erases its own customer, and nothing of another merchant', async () => {
  const accountant = await addMember(world, world.ours, 'accountant')
  const customer = { email: 'Cara@example.com', name: 'Cara Customer' }
  const add = (as = world.ours) =>
    world.post<{ id: string }>('/merchant-integrations-server/add-new-customer', customer, as)
  const { id } = (await add()).data
  const theirs = (await add(world.theirs)).data.id
  const body = { voucherCode: await world.voucher(5), amount: 5, referenceId: 'cara-1' }
  expect(
    (await world.redeem({ ...body, metaData: JSON.stringify({ payer: customer.name, email: customer.email }) })).status,
  ).toBe(200)
  const voucher = await world.issueVoucher(3)
  await owner.query(`update vouchers set recipient_kind = 'email', recipient = 'cara@example.com' where id = $1`, [
    voucher.id,
  ])

  const exported = sectionsOf(await accountant.get(`/merchant/customers/${id}/data`))
  expect(exported.get('customers')).toMatchObject([
    { email: 'Cara@example.com', environment_id: world.ours.environmentId },
  ])
  expect(exported.get('vouchers')).toMatchObject([{ id: voucher.id, amount: '300' }])
  expect((await accountant.get(`/merchant/customers/${theirs}/data`)).status).toBe(404)
  expect((await accountant.post(`/merchant/customers/${theirs}/erase`)).status).toBe(404)

  expect((await accountant.post(`/merchant/customers/${id}/erase`)).status).toBe(200)
  await world.work()
  expect((await accountant.get(`/merchant/customers/${id}`)).status).toBe(404)
  const { rows } = await owner.query<{ text: string }>(
    `select metadata as text from transactions where reference = 'cara-1' union all select recipient from vouchers where id = $1
      union all select payload::text from ledger_outbox where environment_id = $2
      union all select total::text from environment_counts where environment_id = $2 and counted = 'customers'`,
    [voucher.id, world.ours.environmentId],
  )
  const left = rows.map(({ text }) => text)
  expect(left).toContain('{"payer":"[erased]","email":"[erased]"}')
  expect(left).toContain('[erased]')
  expect(left).toContain('0')
  expect(left.join().toLowerCase()).not.toContain('cara@')
  const kept = await owner.query('select email from customers where id = $1', [theirs])
  expect(kept.rows).toEqual([{ email: 'Cara@example.com' }])
  expect((await world.redeem({ voucherCode: voucher.code, amount: 3, referenceId: 'cara-2' })).status).toBe(200)
})
