import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { type Mailbox, openMailbox } from '../../../local/parts/mailbox.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createSeals } from '../../base/seal.ts'
import { systemClock } from '../../base/clock.ts'
import { inviteMember } from './members.ts'
import {
  addMember,
  enrolOneTimeCode,
  addPerson,
  createVisitor,
  password,
  pin,
  type VisitingUser,
} from '../../../local/test/visitor.ts'

let world: ApiWorld
let mailbox: Mailbox
beforeAll(async () => {
  mailbox = await openMailbox()
  const { url } = await createTestDatabase()
  world = await createApiWorld(url, undefined, { SMTP_URL: mailbox.url, MAIL_FROM: 'Scrip <pay@scrip.example>' })
})
afterAll(async () => {
  await world.close()
  await mailbox.close()
})

const tokenOf = async (address: string): Promise<string> => {
  await world.work()
  const mail = mailbox.received.findLast(({ recipients }) => recipients.includes(address))
  return /\/link#([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? ''
}

test('an invited cashier joins by the emailed link and can use the till only', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  const code = await enrolOneTimeCode(owner)
  const invitation = { email: 'Till@example.com', role: 'cashier' }
  const byPin = await owner.post('/merchant/members', { ...invitation, pin })
  expect(byPin.json().error?.code).toBe('SECOND_FACTOR_MISSING')
  expect((await owner.post('/merchant/members', { ...invitation, oneTimeCode: code() })).status).toBe(200)
  const token = await tokenOf('till@example.com')
  const visitor = createVisitor(world, 'staff', { 'scrip-merchant': 'OURS', 'scrip-mode': 'test' })
  const look = await visitor.post('/auth/links/look', { token })
  expect(look.json().data).toMatchObject({ purpose: 'invite', merchant: 'OURS', email: 'till@example.com' })
  expect((await visitor.post('/auth/links/use', { token })).json().error?.code).toBe('PASSWORD_MISSING')
  const use = { token, password, surname: 'Kasse', otherNames: 'Kim' }
  expect((await visitor.post('/auth/links/use', use)).status).toBe(200)
  expect((await visitor.signIn('till@example.com')).status).toBe(200)
  expect((await visitor.get('/me/merchants')).json().data).toEqual({
    merchants: [expect.objectContaining({ code: 'OURS', role: 'cashier', timeZone: 'Africa/Lagos', isTill: false })],
  })
  expect((await visitor.get('/merchant-integrations/fetch-customers')).status).toBe(200)
  expect((await visitor.get('/merchant-integrations-server/transactions')).status).toBe(403)
})

test('two owners who demote each other at the same time leave one owner', async () => {
  const [one, two] = [await addMember(world, world.theirs, 'owner'), await addMember(world, world.theirs, 'owner')]
  const [codeOfOne, codeOfTwo] = [await enrolOneTimeCode(one), await enrolOneTimeCode(two)]
  const replies = await Promise.all([
    one.post(`/merchant/members/${two.person.id}`, { role: 'cashier', oneTimeCode: codeOfOne() }),
    two.post(`/merchant/members/${one.person.id}`, { role: 'none', oneTimeCode: codeOfTwo() }),
  ])
  const lasting = replies.filter(({ status }) => status === 200)
  expect(lasting).toHaveLength(1)
  expect(replies.find(({ status }) => status !== 200)?.json().error?.code).toMatch(
    /OWNER_LAST|ROLE_FORBIDDEN|NOT_FOUND|SESSION_MISSING/,
  )
})

test('an old invitation does not restore a member who was removed or demoted', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  const member = await addMember(world, world.ours, 'owner')
  const { email, id } = member.person
  const code = await enrolOneTimeCode(owner)
  await owner.post('/merchant/members', { email, role: 'owner', oneTimeCode: code() })
  const token = await tokenOf(email)
  expect((await owner.post(`/merchant/members/${id}`, { role: 'none', oneTimeCode: code() })).status).toBe(200)
  expect((await member.post('/auth/links/use', { token })).json().error?.code).toBe('LINK_DEAD')
  // The sessions of a removed member end.
  expect((await member.get('/merchant/members')).status).toBe(401)
})

test('an invitation cannot demote the last owner', async () => {
  const { rows } = await world.pool.query<{ userId: string; email: string }>(
    `select u.id as "userId", u.email from merchant_members m join users u on u.id = m.user_id
      where m.merchant_id = $1 and m.role = 'owner'`,
    [world.theirs.merchantId],
  )
  expect(rows).toHaveLength(1)
  const secret = Buffer.from(world.keyRing.slice(2), 'hex')
  const links = { ...world.tools, seals: createSeals([{ id: 1, secret }]) }
  const invitation = { email: rows[0]?.email ?? '', role: 'cashier' } as const
  const token = await inviteMember(links, world.theirs.merchantId, invitation)
  const used = await createVisitor(world, 'staff').post('/auth/links/use', { token })
  expect(used.json().error?.code).toBe('OWNER_LAST')
})

test('the audit log has the actions of users with their status, and never the request body', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  await owner.post('/merchant/members', { email: 'x@example.com', role: 'cashier', pin: '000000' })
  await owner.post('/merchant-integrations/update-admin-charges', { takeChargesFromWallet: true })
  const acts = await owner.get('/merchant/acts')
  expect(acts.as<{ data: { acts: object[] } }>().data.acts.slice(0, 2)).toMatchObject([
    {
      operation: 'POST /merchant-integrations/update-admin-charges',
      email: owner.person.email,
      outcome: 'done',
      mode: 'test',
    },
    { operation: 'POST /merchant/members', outcome: 'refused', who: 'Ada Obi' },
  ])
  expect(acts.text).not.toContain('000000')
})

test('the operator sees the actions of all users, and deactivating a user ends the user’s sessions', async () => {
  const operator = await addPerson(world, 'staff', { isOperator: true })
  await enrolOneTimeCode(operator)
  const somebody = await addPerson(world, 'test')
  const off = { realm: 'test', identifier: somebody.person.email, isActive: false }
  expect((await operator.post('/operator/people', off)).json().error?.code).toBe('CONFIRMATION_MISSING')
  expect((await operator.post('/operator/people', { ...off, pin })).status).toBe(200)
  expect((await somebody.get('/me')).status).toBe(401)
  expect((await somebody.signIn(somebody.person.email)).status).not.toBe(200)
  expect((await operator.get('/operator/acts')).as<{ data: { acts: object[] } }>().data.acts[0]).toMatchObject({
    operation: 'POST /operator/people',
    status: 200,
  })
})

type Session = { id: string; isThis: boolean; isTill: boolean }
type Team = {
  members: { id: string; lastSeenAt: string; hasSecondFactor: boolean; isYou: boolean }[]
  invitations: { email: string; role: string }[]
}
const teamOf = async (owner: VisitingUser): Promise<Team> =>
  (await owner.get('/merchant/members')).as<{ data: Team }>().data
const sessionsOf = async (owner: VisitingUser, id: string): Promise<Session[]> =>
  (await owner.get(`/merchant/members/${id}/sessions`)).as<{ data: { sessions: Session[] } }>().data.sessions

test('an invitation is listed until it is accepted; sent again it has a new link, and withdrawn it has none', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  const code = await enrolOneTimeCode(owner)
  const email = 'ann@example.com'
  await owner.post('/merchant/members', { email: 'Ann@example.com', role: 'accountant', oneTimeCode: code() })
  const first = await tokenOf(email)
  expect((await teamOf(owner)).invitations).toContainEqual(expect.objectContaining({ email, role: 'accountant' }))
  expect((await owner.post('/merchant/invitations/resend', { email: 'ANN@example.com' })).status).toBe(200)
  const second = await tokenOf(email)
  expect(second).not.toBe(first)
  const visitor = createVisitor(world, 'staff')
  expect((await visitor.post('/auth/links/look', { token: first })).json().error?.code).toBe('LINK_DEAD')
  expect((await visitor.post('/auth/links/look', { token: second })).status).toBe(200)
  const stranger = await addMember(world, world.theirs, 'owner')
  expect((await stranger.post('/merchant/invitations/withdraw', { email })).status).toBe(404)
  expect((await owner.post('/merchant/invitations/withdraw', { email })).status).toBe(200)
  expect((await visitor.post('/auth/links/look', { token: second })).json().error?.code).toBe('LINK_DEAD')
  expect((await teamOf(owner)).invitations.map((each) => each.email)).not.toContain(email)
  expect((await owner.post('/merchant/invitations/resend', { email })).json().error?.code).toBe('INVITATION_NOT_FOUND')
})

test('a role with fewer rights ends the sessions of the member at once, and a promotion keeps them', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  const code = await enrolOneTimeCode(owner)
  const member = await addMember(world, world.ours, 'developer')
  const change = (role: string) => owner.post(`/merchant/members/${member.person.id}`, { role, oneTimeCode: code() })
  expect((await change('owner')).status).toBe(200)
  expect((await member.get('/me')).status).toBe(200)
  expect((await change('owner')).status).toBe(200)
  expect((await member.get('/me')).status).toBe(200)
  expect((await change('accountant')).status).toBe(200)
  expect((await member.get('/me')).status).toBe(401)
  expect((await member.signIn(member.person.email)).status).toBe(200)
  expect((await member.get('/merchant/invoices')).status).toBe(200)
})

test('an invitation with fewer rights that a member accepts ends the sessions too', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  const code = await enrolOneTimeCode(owner)
  const member = await addMember(world, world.ours, 'accountant')
  await owner.post('/merchant/members', { email: member.person.email, role: 'cashier', oneTimeCode: code() })
  const token = await tokenOf(member.person.email)
  expect((await createVisitor(world, 'staff').post('/auth/links/use', { token })).status).toBe(200)
  expect((await member.get('/me')).status).toBe(401)
})

test('an owner sees and ends the sessions of a member, but none at a till of another merchant', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  const member = await addMember(world, world.ours, 'cashier')
  const { id } = member.person
  const again = createVisitor(world, 'staff')
  await again.signIn(member.person.email)
  const [elsewhere] = (
    await world.pool.query<{ id: string }>(
      `insert into user_sessions (id, user_id, token, expires_at, created_at, updated_at, till_of)
        values ($1, $2, 'till of theirs', $3, $4, $4, $5) returning id`,
      [world.newId(), id, new Date(Date.now() + 60_000), systemClock(), world.theirs.merchantId],
    )
  ).rows
  const sessions = await sessionsOf(owner, id)
  expect(sessions).toHaveLength(2)
  expect(sessions.map((each) => each.id)).not.toContain(elsewhere?.id)
  const path = `/merchant/members/${id}/sessions`
  expect((await owner.post(`${path}/${elsewhere?.id}/end`)).json().error?.code).toBe('SESSION_NOT_FOUND')
  expect((await owner.post(`${path}/${sessions[0]?.id}/end`)).status).toBe(200)
  expect((await again.get('/me')).status).toBe(401)
  expect((await member.get('/me')).status).toBe(200)
  expect((await owner.post(`${path}/end`)).status).toBe(200)
  expect((await member.get('/me')).status).toBe(401)
  expect((await sessionsOf(owner, owner.person.id)).filter(({ isThis }) => isThis)).toHaveLength(1)
  const stranger = await addMember(world, world.theirs, 'owner')
  expect((await stranger.get(path)).json().error?.code).toBe('MEMBER_NOT_FOUND')
})

test('the team shows the second factor and when each member was last here', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  const member = await addMember(world, world.ours, 'accountant')
  const find = async (id: string) => (await teamOf(owner)).members.find((each) => each.id === id)
  expect(await find(member.person.id)).toMatchObject({ lastSeenAt: '', hasSecondFactor: false, isYou: false })
  await member.get('/merchant/payments')
  const seen = Date.parse((await find(member.person.id))?.lastSeenAt ?? '')
  expect(Math.abs(seen - Date.now())).toBeLessThan(60_000)
  expect(await find(owner.person.id)).toMatchObject({ hasSecondFactor: true, isYou: true })
})

test('the audit log names the address of an invitation and the new role of a member', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  const code = await enrolOneTimeCode(owner)
  const member = await addMember(world, world.ours, 'cashier')
  await owner.post('/merchant/members', { email: 'new@example.com', role: 'cashier', oneTimeCode: code() })
  await owner.post(`/merchant/members/${member.person.id}`, { role: 'none', oneTimeCode: code() })
  const acts = (await owner.get('/merchant/acts')).as<{ data: { acts: { operation: string; object: string }[] } }>()
  expect(acts.data.acts.slice(0, 2).map(({ operation, object }) => [operation, object])).toEqual([
    ['POST /merchant/members/:id', `${member.person.id} none`],
    ['POST /merchant/members', 'new@example.com cashier'],
  ])
  expect(JSON.stringify(acts.data.acts.slice(0, 2))).not.toContain(code())
})
