import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { type Mailbox, openMailbox } from '../../../local/parts/mailbox.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { oneTimeCode } from '../../../local/parts/one-time-code.ts'
import { addPerson, createVisitor, password, pin } from '../../../local/test/visitor.ts'

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

const names = { surname: 'Bello', otherNames: 'Zainab' }

/** The newest email to an address, and the token of its link. */
async function mailTo(address: string): Promise<{ subject: string; token: string }> {
  await world.work()
  const mail = mailbox.received.findLast(({ to }) => to?.some((each) => each.address === address))
  if (mail === undefined) throw new Error(`There is no email to ${address}.`)
  return { subject: mail.subject ?? '', token: /\/link#([\w-]{43})/.exec(mail.text ?? '')?.[1] ?? '' }
}

test('an account exists only after the emailed link is used', async () => {
  const visitor = createVisitor(world, 'test')
  const input = { email: 'Zainab@Example.com', username: 'zainab', ...names }
  expect((await visitor.post('/auth/test/sign-up', input)).status).toBe(200)
  expect((await visitor.signIn('zainab@example.com')).status).toBe(401)
  const { token } = await mailTo('zainab@example.com')
  const look = await visitor.post('/auth/links/look', { token })
  expect(look.json().data).toMatchObject({ purpose: 'sign_up', realm: 'test', email: 'zainab@example.com' })
  expect((await visitor.post('/auth/links/use', { token })).json().error?.code).toBe('PASSWORD_MISSING')
  expect((await visitor.post('/auth/links/use', { token, password })).status).toBe(200)
  expect((await visitor.post('/auth/links/use', { token })).json().error?.code).toBe('LINK_DEAD')
  expect((await visitor.signIn('zainab@example.com')).status).toBe(200)
  expect((await visitor.get('/me')).json().data).toMatchObject({ username: 'zainab', isPinSet: false, level: 1 })
})

test('the log contains no address, password or token', () => {
  for (const secret of ['zainab@example.com', password, 'zainab'])
    expect(world.logged().toLowerCase()).not.toContain(secret)
})

test('sign-up, sign-in and password reset respond alike for known and unknown addresses', async () => {
  const { person } = await addPerson(world, 'test')
  const visitor = createVisitor(world, 'test')
  const replies = async (email: string, username: string) => {
    const input = { email, username, ...names }
    const all = [
      await visitor.post('/auth/test/sign-up', input),
      await visitor.post('/auth/test/forgot', { email }),
      await visitor.signIn(email, 'a wrong password'),
    ]
    return all.map(({ status, text }) => [status, text.replace(/"requestId":"[^"]+"/, '')])
  }
  expect(await replies(person.email, 'somebody_1')).toEqual(await replies('nobody@example.com', 'somebody_2'))
  // Only the owner of the address learns it, by email.
  const known = mailbox.received
  await world.work()
  const subjects = (to: string) =>
    known.filter((mail) => mail.to?.[0]?.address === to).map(({ subject }) => subject ?? '')
  expect(subjects(person.email)).toEqual(['You have an account with Scrip', 'Reset your Scrip password'])
  expect(subjects('nobody@example.com')).toEqual(['Welcome to Scrip: confirm your address', 'No account with Scrip'])
})

test('a password reset ends every session and the old password no longer works', async () => {
  const somebody = await addPerson(world, 'live')
  const { email } = somebody.person
  await createVisitor(world, 'live').post('/auth/live/forgot', { email })
  const { token } = await mailTo(email)
  const other = createVisitor(world, 'live')
  expect((await other.post('/auth/links/use', { token, password: 'another good one' })).status).toBe(200)
  expect((await somebody.get('/me')).status).toBe(401)
  expect((await other.signIn(email)).status).toBe(401)
  expect((await other.signIn(email, 'another good one')).status).toBe(200)
  expect((await mailTo(email)).subject).toBe('Your password for Scrip was changed')
  expect((await other.post('/auth/links/use', { token, password })).json().error?.code).toBe('LINK_DEAD')
})

test('a session, an address and a password are valid in one realm only', async () => {
  const tester = await addPerson(world, 'test', { email: 'same@example.com' })
  const real = await addPerson(world, 'live', { email: 'same@example.com' })
  expect(tester.person.id).not.toBe(real.person.id)
  expect((await tester.ask('GET', '/me', undefined, { 'scrip-realm': 'live' })).status).toBe(401)
  expect((await createVisitor(world, 'staff').signIn('same@example.com')).status).toBe(401)
  const [cookie = ''] = [...tester.cookies].map(([name, value]) => `${name.replace('test', 'live')}=${value}`)
  expect((await createVisitor(world, 'live').get('/me', { cookie })).status).toBe(401)
})

test('sessions can be listed, and other sessions ended', async () => {
  const here = await addPerson(world, 'test')
  const there = createVisitor(world, 'test')
  await there.signIn(here.person.email)
  const list = await here.get('/auth/test/list-sessions')
  expect(list.as<{ data: unknown[] }>().data).toHaveLength(2)
  expect((await here.post('/auth/test/revoke-other-sessions')).status).toBe(200)
  expect((await there.get('/me')).status).toBe(401)
  expect((await here.get('/me')).status).toBe(200)
  expect((await here.post('/auth/test/sign-out')).status).toBe(200)
  expect((await here.get('/me')).status).toBe(401)
})

test('with two-factor authentication the password alone is not enough', async () => {
  const somebody = await addPerson(world, 'test')
  const enabled = await somebody.post('/auth/test/two-factor/enable', { password })
  const { totpURI } = enabled.as<{ data: { totpURI: string } }>().data
  const code = () => oneTimeCode(new URL(totpURI).searchParams.get('secret') ?? '')
  expect((await somebody.post('/auth/test/two-factor/verify-totp', { code: code() })).status).toBe(200)
  const later = createVisitor(world, 'test')
  expect((await later.signIn(somebody.person.email)).json().data).toMatchObject({ twoFactorRedirect: true })
  expect((await later.get('/me')).status).toBe(401)
  expect((await later.post('/auth/test/two-factor/verify-totp', { code: '000000' })).status).toBe(401)
  expect((await later.post('/auth/test/two-factor/verify-totp', { code: code() })).status).toBe(200)
  expect((await later.get('/me')).status).toBe(200)
})

test('429: a password can be tried ten times from one address', async () => {
  const { person } = await addPerson(world, 'test')
  const thief = createVisitor(world, 'test')
  const statuses: number[] = []
  for (let i = 0; i < 12; i++) statuses.push((await thief.signIn(person.email, `guess ${i}`)).status)
  // One attempt was the owner's own sign-in, from the same address.
  expect(statuses).toEqual([...Array.from({ length: 9 }, () => 401), 429, 429, 429])
})

test('attempts refused at one address do not lock the owner out elsewhere, and long inputs are refused', async () => {
  const { person } = await addPerson(world, 'test')
  const from = (remoteAddress: string, email: string, word: string) =>
    world.app.inject({
      method: 'POST',
      url: '/auth/test/sign-in/email',
      remoteAddress,
      headers: { origin: 'https://pay.example', 'content-type': 'application/json' },
      payload: JSON.stringify({ email, password: word }),
    })
  for (let i = 0; i < 120; i++) await from('198.51.100.1', person.email, 'a wrong password')
  expect((await from('198.51.100.2', person.email, password)).statusCode).toBe(200)
  expect((await from('198.51.100.3', `${'x'.repeat(60_000)}@example.com`, 'y')).statusCode).toBe(400)
})

test('changing the password ends other sessions and emails the user', async () => {
  const here = await addPerson(world, 'test')
  const there = createVisitor(world, 'test')
  await there.signIn(here.person.email)
  const change = { currentPassword: password, newPassword: 'a new and better one' }
  expect((await here.post('/auth/test/change-password', change)).status).toBe(200)
  expect((await there.get('/me')).status).toBe(401)
  expect((await here.get('/me')).status).toBe(200)
  expect((await mailTo(here.person.email)).subject).toBe('Your password for Scrip was changed')
})

test('adding a passkey requires the PIN or the password', async () => {
  const somebody = await addPerson(world, 'test')
  const register = (more: object) => somebody.post('/auth/test/passkey/verify-registration', { response: {}, ...more })
  expect((await register({})).json().error?.code).toBe('CONFIRMATION_MISSING')
  expect((await register({ password: 'not mine at all' })).json().error?.code).toBe('PASSWORD_WRONG')
  expect((await register({ pin })).json().error?.code).toBe('SIGN_IN_REFUSED')
})

test('refuses usernames that read as a phone number, and names that read as a link', async () => {
  const visitor = createVisitor(world, 'test')
  const signUp = (more: object) =>
    visitor.post('/auth/test/sign-up', { email: 'n@example.com', username: 'nora', ...names, ...more })
  for (const username of ['2348012345678', '234.801.2345', '1_2']) expect((await signUp({ username })).status).toBe(400)
  for (const surname of ['https://evil.example', 'a@b', 'x\r\ny', ''])
    expect((await signUp({ surname })).status).toBe(400)
  expect((await signUp({ surname: 'O’Neill-Müller Jr.' })).status).toBe(200)
})

test('repeated password resets get the same response, but no more emails', async () => {
  const { person } = await addPerson(world, 'test')
  const visitor = createVisitor(world, 'test')
  for (let i = 0; i < 8; i++)
    expect((await visitor.post('/auth/test/forgot', { email: person.email })).status).toBe(200)
  await world.work()
  expect(mailbox.received.filter(({ recipients }) => recipients.includes(person.email))).toHaveLength(3)
})

test('setting a PIN requires the password', async () => {
  const somebody = await addPerson(world, 'test', { hasPin: false })
  expect((await somebody.post('/me/pin', { pin })).json().error?.code).toBe('PIN_NOT_SET')
  expect((await somebody.post('/me/pin', { pin, password: 'not mine at all' })).json().error?.code).toBe(
    'PASSWORD_WRONG',
  )
  expect((await somebody.post('/me/pin', { pin, password })).status).toBe(200)
})

test('401: a request without our header is refused even with cookies', async () => {
  const somebody = await addPerson(world, 'test')
  expect((await somebody.get('/me', { 'scrip-realm': '' })).json().error?.code).toBe('REALM_MISSING')
})

test('usernames and phone numbers are unique within a realm', async () => {
  const [one, two] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  expect((await one.post('/me', { phone: '+2348012345678', isDiscoverable: false })).json().data).toMatchObject({
    phone: '+2348012345678',
    isDiscoverable: false,
  })
  expect((await two.post('/me', { phone: '+2348012345678' })).json().error?.code).toBe('PHONE_TAKEN')
  expect((await two.post('/me', { username: one.person.username })).json().error?.code).toBe('USERNAME_TAKEN')
})
