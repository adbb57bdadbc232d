import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/api-world.ts'
import { type Mailbox, openMailbox } from '../../local/mailbox.ts'
import { createTestDatabase } from '../../local/test-database.ts'
import { oneTimeCode } from '../../local/one-time-code.ts'
import { addPerson, createVisitor, password, pin } from '../../local/visitor.ts'

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

/** The newest mail to somebody, and the token of its link. */
async function mailTo(address: string): Promise<{ subject: string; token: string }> {
  await world.work()
  const mail = mailbox.received.findLast(({ to }) => to?.some((each) => each.address === address))
  if (mail === undefined) throw new Error(`There is no mail to ${address}.`)
  return { subject: mail.subject ?? '', token: /\/link#([\w-]{43})/.exec(mail.text ?? '')?.[1] ?? '' }
}

test('whoever follows the mailed link is there, and nobody before', async () => {
  const visitor = createVisitor(world, 'test')
  const ask = { email: 'Zainab@Example.com', username: 'zainab', ...names }
  expect((await visitor.post('/auth/test/sign-up', ask)).status).toBe(200)
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

test('an address, a password and a token are in no log', () => {
  for (const secret of ['zainab@example.com', password, 'zainab'])
    expect(world.logged().toLowerCase()).not.toContain(secret)
})

test('signing up, signing in and a forgotten password answer alike for a known and an unknown address', async () => {
  const { person } = await addPerson(world, 'test')
  const visitor = createVisitor(world, 'test')
  const replies = async (email: string, username: string) => {
    const ask = { email, username, ...names }
    const all = [
      await visitor.post('/auth/test/sign-up', ask),
      await visitor.post('/auth/test/forgot', { email }),
      await visitor.signIn(email, 'a wrong password'),
    ]
    return all.map(({ status, text }) => [status, text.replace(/"requestId":"[^"]+"/, '')])
  }
  expect(await replies(person.email, 'somebody_1')).toEqual(await replies('nobody@example.com', 'somebody_2'))
  // Only the owner of the address is told.
  const known = mailbox.received
  await world.work()
  const subjects = (to: string) =>
    known.filter((mail) => mail.to?.[0]?.address === to).map(({ subject }) => subject ?? '')
  expect(subjects(person.email)).toEqual(['You have an account with Scrip', 'A new password for Scrip'])
  expect(subjects('nobody@example.com')).toEqual(['Welcome to Scrip: confirm your address', 'No account with Scrip'])
})

test('a new password ends every session, and the old one opens nothing', async () => {
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

test('nobody is in two realms: a session, an address and a password open one only', async () => {
  const tester = await addPerson(world, 'test', { email: 'same@example.com' })
  const real = await addPerson(world, 'live', { email: 'same@example.com' })
  expect(tester.person.id).not.toBe(real.person.id)
  expect((await tester.ask('GET', '/me', undefined, { 'scrip-realm': 'live' })).status).toBe(401)
  expect((await createVisitor(world, 'staff').signIn('same@example.com')).status).toBe(401)
  const [cookie = ''] = [...tester.cookies].map(([name, value]) => `${name.replace('test', 'live')}=${value}`)
  expect((await createVisitor(world, 'live').get('/me', { cookie })).status).toBe(401)
})

test('sessions can be listed, and others ended', async () => {
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

test('with a one-time code as second factor a password is not enough', async () => {
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

/** As an authenticator app makes it (RFC 6238). */
test('429: a password can be guessed ten times from one place', async () => {
  const { person } = await addPerson(world, 'test')
  const thief = createVisitor(world, 'test')
  const statuses: number[] = []
  for (let i = 0; i < 12; i++) statuses.push((await thief.signIn(person.email, `guess ${i}`)).status)
  // One sign-in was the owner's own, from the same place.
  expect(statuses).toEqual([...Array.from({ length: 9 }, () => 401), 429, 429, 429])
})

test('what one place is refused does not lock the owner out elsewhere, nor does it take our memory', async () => {
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

test('a changed password ends other sessions, and its owner is told', async () => {
  const here = await addPerson(world, 'test')
  const there = createVisitor(world, 'test')
  await there.signIn(here.person.email)
  const change = { currentPassword: password, newPassword: 'a new and better one' }
  expect((await here.post('/auth/test/change-password', change)).status).toBe(200)
  expect((await there.get('/me')).status).toBe(401)
  expect((await here.get('/me')).status).toBe(200)
  expect((await mailTo(here.person.email)).subject).toBe('Your password for Scrip was changed')
})

test('whoever sits at an open session cannot add a passkey to it without pin or password', async () => {
  const somebody = await addPerson(world, 'test')
  const register = (more: object) => somebody.post('/auth/test/passkey/verify-registration', { response: {}, ...more })
  expect((await register({})).json().error?.code).toBe('CONFIRMATION_MISSING')
  expect((await register({ password: 'not mine at all' })).json().error?.code).toBe('PASSWORD_WRONG')
  expect((await register({ pin })).json().error?.code).toBe('SIGN_IN_REFUSED')
})

test('a username never reads as a phone number, and a name never as a link', async () => {
  const visitor = createVisitor(world, 'test')
  const signUp = (more: object) =>
    visitor.post('/auth/test/sign-up', { email: 'n@example.com', username: 'nora', ...names, ...more })
  for (const username of ['2348012345678', '234.801.2345', '1_2']) expect((await signUp({ username })).status).toBe(400)
  for (const surname of ['https://evil.example', 'a@b', 'x\r\ny', ''])
    expect((await signUp({ surname })).status).toBe(400)
  expect((await signUp({ surname: 'O’Neill-Müller Jr.' })).status).toBe(200)
})

test('forgetting the password too often is answered as ever, and sends no more mails', async () => {
  const { person } = await addPerson(world, 'test')
  const visitor = createVisitor(world, 'test')
  for (let i = 0; i < 8; i++)
    expect((await visitor.post('/auth/test/forgot', { email: person.email })).status).toBe(200)
  await world.work()
  expect(mailbox.received.filter(({ recipients }) => recipients.includes(person.email))).toHaveLength(3)
})

test('a pin is set with the password only, and another session does not help', async () => {
  const somebody = await addPerson(world, 'test', { hasPin: false })
  expect((await somebody.post('/me/pin', { pin })).json().error?.code).toBe('PIN_NOT_SET')
  expect((await somebody.post('/me/pin', { pin, password: 'not mine at all' })).json().error?.code).toBe(
    'PASSWORD_WRONG',
  )
  expect((await somebody.post('/me/pin', { pin, password })).status).toBe(200)
})

test('401: a request without our header does nothing, whatever cookies it brings', async () => {
  const somebody = await addPerson(world, 'test')
  expect((await somebody.get('/me', { 'scrip-realm': '' })).json().error?.code).toBe('REALM_MISSING')
})

test('a username and a phone number belong to one person of a realm', async () => {
  const [one, two] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  expect((await one.post('/me', { phone: '+2348012345678', isDiscoverable: false })).json().data).toMatchObject({
    phone: '+2348012345678',
    isDiscoverable: false,
  })
  expect((await two.post('/me', { phone: '+2348012345678' })).json().error?.code).toBe('PHONE_TAKEN')
  expect((await two.post('/me', { username: one.person.username })).json().error?.code).toBe('USERNAME_TAKEN')
})
