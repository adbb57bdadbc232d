// Passkeys in a browser, with Chromium's virtual authenticator in place of a phone.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'
import { type Stack, startStack } from './stack.ts'

type Wallet = 'test' | 'live'
type Reply = {
  readonly status: number
  readonly body: { readonly data?: unknown; readonly error?: { readonly code: string } }
}
type Device = Awaited<ReturnType<typeof openDevice>>

const password = 'correct horse battery'
const pin = '135790'
const newId = createIds(systemClock, systemRandom)

let stack: Stack
let passwordHash: string
beforeAll(async () => {
  stack = await startStack()
  passwordHash = await hashPassword(password)
  await addUser('ben')
})
afterAll(() => stack.stop())

async function addUser(username: string, realm: Wallet = 'test'): Promise<string> {
  const user = { id: newId(), realm, email: `${username}@example.com`, username, language: 'en' } as const
  const names = { surname: 'Obi', otherNames: 'Ada' }
  await inTransaction(stack.pool, (tx) => insertUser(tx, { ...user, ...names }, passwordHash, systemClock()))
  return user.email
}

/** A fresh browser with an authenticator. */
async function openDevice() {
  const { page, close } = await stack.open()
  await page.goto(`${stack.baseUrl}/v`)
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })

  const request = (method: 'GET' | 'POST', path: string, body?: object, realm: Wallet = 'test'): Promise<Reply> => {
    const about: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = { method, headers: { ...about, 'scrip-realm': realm }, body: body && JSON.stringify(body) }
    // From the page itself, with its cookies, its origin and its policy.
    return page.evaluate<Reply, [string, typeof init]>(
      async ([where, { body: text, ...rest }]) => {
        const reply = await fetch(where, text === undefined ? rest : { ...rest, body: text })
        return { status: reply.status, body: (await reply.json()) as Reply['body'] }
      },
      [path, init],
    )
  }
  const post = (path: string, body: object = {}, realm?: Wallet) => request('POST', path, body, realm)
  const get = (path: string, realm?: Wallet) => request('GET', path, undefined, realm)

  /** What the authenticator signs. As text, because these tests are compiled without browser types. */
  const sign = (what: 'create' | 'get', options: unknown): Promise<object> => {
    const parse = what === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'
    const publicKey = `PublicKeyCredential.${parse}(${JSON.stringify(options)})`
    return page.evaluate<object>(
      `navigator.credentials.${what}({ publicKey: ${publicKey} }).then((signed) => signed.toJSON())`,
    )
  }

  return {
    get,
    post,
    close,
    signIn: (email: string) => post('/auth/test/sign-in/email', { email, password }),
    /** Creates a passkey for the signed-in user and returns its ID. */
    register: async (): Promise<string> => {
      const options = await get('/auth/test/passkey/generate-register-options')
      const response = await sign('create', options.body.data)
      const reply = await post('/auth/test/passkey/verify-registration', { response, password })
      expect(reply).toMatchObject({ status: 200, body: { code: 200, status: 'success' } })
      return (reply.body.data as { id: string }).id
    },
    /** The authenticator's response to a challenge. */
    answerChallenge: async (realm: Wallet, changes: object = {}): Promise<object> => {
      const { body } = await get(`/auth/${realm}/passkey/generate-authenticate-options`, realm)
      return sign('get', { ...(body.data as object), ...changes })
    },
    /** Signs in with the authenticator's response. */
    present: (response: object, realm: Wallet = 'test') =>
      post(`/auth/${realm}/passkey/verify-authentication`, { response }, realm),
    /** From now on, the device does not recognise its owner. */
    forgetOwner: () => devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false }),
    send: () => post('/wallet/send', { to: 'ben', amount: '1.00', currency: 'USD' }),
  }
}

async function signInWithPasskey(device: Device, realm?: Wallet): Promise<Reply> {
  return device.present(await device.answerChallenge(realm ?? 'test'), realm)
}

/** A user with money and a passkey, who has signed out. */
async function addOwner(username: string): Promise<Device & { passkeyId: string; email: string }> {
  const email = await addUser(username)
  await stack.post('/sandbox/fund', { user: username, amount: 10, currency: 'USD' })
  const device = await openDevice()
  expect((await device.signIn(email)).status).toBe(200)
  const passkeyId = await device.register()
  expect((await device.post('/auth/test/sign-out')).status).toBe(200)
  expect((await device.get('/me')).status).toBe(401)
  return { ...device, passkeyId, email }
}

const refused = (status: number, code: string) => ({ status, body: { code: status, status: 'error', error: { code } } })

test('a user who signed in with a passkey sends money without a PIN, and one who signed in with a password does not', async () => {
  const ada = await addOwner('ada')
  expect((await ada.signIn(ada.email)).status).toBe(200)
  expect(await ada.send()).toMatchObject(refused(403, 'PIN_NOT_SET'))
  expect((await ada.post('/me/pin', { pin, password })).status).toBe(200)
  // Having a passkey is not enough: this session was not started with it.
  expect(await ada.send()).toMatchObject(refused(403, 'CONFIRMATION_MISSING'))
  await ada.post('/auth/test/sign-out')
  expect((await signInWithPasskey(ada)).status).toBe(200)
  expect((await ada.get('/me')).body.data).toMatchObject({ username: 'ada', realm: 'test' })
  expect((await ada.send()).status).toBe(200)
  expect((await ada.get('/wallet')).body.data).toMatchObject({ balances: [{ currency: 'USD', available: '9.00' }] })
  await ada.close()
})

test('403: five minutes after the passkey was used the PIN is required again', async () => {
  const owner = await addOwner('later')
  expect((await signInWithPasskey(owner)).status).toBe(200)
  const setPasskeyAge = (seconds: number) =>
    stack.pool.query(
      `update user_sessions s set passkey_at = s.created_at - make_interval(secs => $2) from users u
        where u.id = s.user_id and u.email = $1 and s.passkey_at is not null`,
      [owner.email, seconds],
    )
  expect((await setPasskeyAge(240)).rowCount).toBe(1)
  expect((await owner.send()).status).toBe(200)
  await setPasskeyAge(300)
  expect(await owner.send()).toMatchObject(refused(403, 'PIN_NOT_SET'))
  await owner.close()
})

test('401: a phone that did not recognise its owner cannot sign in', async () => {
  const owner = await addOwner('owner')
  await owner.forgetOwner()
  // Chromium refuses to sign the server's challenge. A thief's page would request for less, which the server must refuse.
  await expect(owner.answerChallenge('test')).rejects.toThrow('NotAllowedError')
  const response = await owner.answerChallenge('test', { userVerification: 'discouraged' })
  expect(await owner.present(response)).toMatchObject(refused(401, 'SIGN_IN_FAILED'))
  expect((await owner.get('/me')).status).toBe(401)
  await owner.close()
})

test('a passkey response is valid once', async () => {
  const owner = await addOwner('once')
  const response = await owner.answerChallenge('test')
  expect((await owner.present(response)).status).toBe(200)
  await owner.post('/auth/test/sign-out')
  expect(await owner.present(response)).toMatchObject(refused(422, 'SIGN_IN_REFUSED'))
  // Nor is it valid for another challenge.
  await owner.answerChallenge('test')
  expect((await owner.present(response)).status).toBe(422)
  expect((await owner.get('/me')).status).toBe(401)
  await owner.close()
})

test('401: a passkey of a test wallet does not open the live wallet of the same address', async () => {
  const tester = await addOwner('tester')
  await addUser('tester', 'live')
  expect(await signInWithPasskey(tester, 'live')).toMatchObject(refused(401, 'SIGN_IN_FAILED'))
  expect((await tester.get('/me', 'live')).status).toBe(401)
  const { rowCount } = await stack.pool.query(
    'select from user_sessions s join users u on u.id = s.user_id where u.email = $1',
    [tester.email],
  )
  expect(rowCount).toBe(0)
  await tester.close()
})

test('401: a deleted passkey cannot sign in, and a user cannot delete another user’s passkey', async () => {
  const [owner, thief] = [await addOwner('keeper'), await addOwner('thief')]
  expect((await signInWithPasskey(thief)).status).toBe(200)
  expect((await thief.post('/auth/test/passkey/delete-passkey', { id: owner.passkeyId })).status).not.toBe(200)
  expect((await signInWithPasskey(owner)).status).toBe(200)
  const list = () => owner.get('/auth/test/passkey/list-user-passkeys')
  expect((await list()).body.data).toMatchObject([{ id: owner.passkeyId }])
  expect((await owner.post('/auth/test/passkey/delete-passkey', { id: owner.passkeyId })).status).toBe(200)
  expect((await list()).body.data).toEqual([])
  await owner.post('/auth/test/sign-out')
  expect(await signInWithPasskey(owner)).toMatchObject(refused(401, 'SIGN_IN_FAILED'))
  expect((await owner.get('/me')).status).toBe(401)
  await owner.close()
  await thief.close()
})

test('sessions are listed for their own user only, and a revoked session ends at once', async () => {
  const [phone, desk] = [await addOwner('walker'), await openDevice()]
  expect((await signInWithPasskey(phone)).status).toBe(200)
  expect((await desk.signIn(phone.email)).status).toBe(200)
  const list = async () =>
    (await phone.get('/auth/test/list-sessions')).body.data as { token: string; passkeyAt: unknown }[]
  const sessions = await list()
  expect(sessions).toHaveLength(2)
  const ofDesk = sessions.find(({ passkeyAt }) => passkeyAt === null)
  // Another user cannot end it.
  const outsider = await addOwner('outsider')
  expect((await signInWithPasskey(outsider)).status).toBe(200)
  await outsider.post('/auth/test/revoke-session', { token: ofDesk?.token })
  expect((await desk.get('/me')).status).toBe(200)
  expect((await phone.post('/auth/test/revoke-session', { token: ofDesk?.token })).status).toBe(200)
  expect((await desk.get('/me')).status).toBe(401)
  expect((await phone.get('/me')).status).toBe(200)
  expect(await list()).toHaveLength(1)
  for (const { close } of [phone, desk, outsider]) await close()
})

test('invalid passkey attempts of one client do not lock other users out', async () => {
  const [owner, attacker] = [await addOwner('patient'), await openDevice()]
  for (let i = 0; i < 12; i++) expect((await attacker.present({ id: `none-${i}` })).status).not.toBe(200)
  expect((await signInWithPasskey(owner)).status).toBe(200)
  for (const { close } of [owner, attacker]) await close()
})
