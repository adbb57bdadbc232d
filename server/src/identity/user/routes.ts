import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { inTransaction } from '../../base/db.ts'
import { endpoints } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { httpError } from '../../http/errors.ts'
import { type CreateLimit, type Limit, networkOf, type Verdict } from '../../http/limit.ts'
import type { Server } from '../../http/server.ts'
import { wireLanguage } from '../../mail/words.ts'
import { authPaths } from './auth-paths.ts'
import type { LoadAuth } from './load-auth.ts'
import type { Devices } from './device.ts'
import { userError } from './errors.ts'
import { requestPasswordReset, findLink, type Join, type LinkTools, signUp, notifyUser, useLink } from './links.ts'
import { hashPassword, isPassword, passwordLengthMax, passwordLengthMin } from './password.ts'
import { confirmAct, type PinTools, setPin } from './pin.ts'
import { type CheckCode, hasSecondFactor, mustHaveSecondFactor, refuseTries } from './second-factor.ts'
import { findSession, findSigned, type ReadSession, refuseTill, type Signed, signedOf } from './session.ts'
import {
  endOtherSessions,
  findUsers,
  fullNameOf,
  findLanguage,
  findPasswordHash,
  type User,
  readPasswordHash,
  type Realm,
  updateUser,
} from './store.ts'
import { wireLink, wireMe, wireUsedLink, type WireUser, wireUser } from './wire.ts'

export type UserTools = LinkTools &
  PinTools & {
    readonly publicUrl: string
    readonly auths: Readonly<Record<Realm, LoadAuth>>
    readonly readSession: ReadSession
    readonly devices: Devices
    readonly checkCode: CheckCode
    readonly join: Join
    readonly createLimit: CreateLimit
  }

const quarterMs = 15 * 60 * 1_000

const email = Type.String({ format: 'email', maxLength: 254 })
const password = Type.String({ minLength: passwordLengthMin, maxLength: passwordLengthMax })
// Names appear in our emails, so they must not read like an address, a link or a command.
const name = Type.String({ maxLength: 80, pattern: '^[^\\p{C}<>@/:]+$' })
// With a letter, or it would read as a phone number.
const username = Type.String({ pattern: '^(?=.*[a-z])[a-z0-9_.]{3,30}$' })
export const wirePin = Type.String({ pattern: '^[0-9]{6}$' })
export const wireOneTimeCode = Type.String({ pattern: '^[0-9]{6}$' })
/** The fields that we forward to the library, which validates them. The limits bound what it would store. */
const forwardedBody = Type.Object({
  email: Type.Optional(Type.String({ maxLength: 254 })),
  password: Type.Optional(Type.String({ maxLength: passwordLengthMax })),
  id: Type.Optional(Type.String({ format: 'uuid' })),
  response: Type.Optional(Type.Object({})),
  pin: Type.Optional(wirePin),
  oneTimeCode: Type.Optional(wireOneTimeCode),
  recoveryCode: Type.Optional(Type.String({ maxLength: 40 })),
})
type ForwardedBody = Static<typeof forwardedBody>
const walletRealm = Type.Object({ realm: Type.Union([Type.Literal('live'), Type.Literal('test')]) })
const anyRealm = Type.Object({ realm: Type.Union([...walletRealm.properties.realm.anyOf, Type.Literal('staff')]) })

export function registerUserRoutes(server: Server, tools: UserTools): void {
  const api = endpoints(server)
  const { pool, clock, createLimit } = tools
  const limits = {
    // Sign-in attempts: for any account from one network, for one account from one network, for one account in total.
    fromHere: createLimit('sign-in-place', 300, quarterMs),
    here: createLimit('sign-in-here', 10, quarterMs),
    inAll: createLimit('sign-in-all', 100, quarterMs),
    // For one account from a known device, and from all known devices: attempts by strangers do not count here.
    knownDevice: createLimit('sign-in-device', 10, quarterMs),
    knownDevices: createLimit('sign-in-devices', 30, quarterMs),
    // Emails to one address per hour, requested from one network and in total.
    linksHere: createLimit('link-here', 3, 4 * quarterMs),
    linksInAll: createLimit('link-all', 10, 4 * quarterMs),
  }
  const countPlace = async (request: FastifyRequest): Promise<void> => {
    refuseTries(await limits.fromHere.count(networkOf(request.ip)))
  }
  /** Counts an attempt, whether or not the account exists. */
  const countTry = async (request: FastifyRequest, who: string): Promise<void> => {
    await countPlace(request)
    refuseTries(await countBoth([limits.here, `${networkOf(request.ip)} ${who}`], [limits.inAll, who]))
  }
  /** Whether another email may be sent to the address. If not, the response is the same: earlier emails are in the inbox. */
  const mayMail = async (request: FastifyRequest, realm: string, address: string): Promise<boolean> => {
    await countPlace(request)
    const who = `${realm} ${address}`
    const counted = await countBoth([limits.linksHere, `${networkOf(request.ip)} ${who}`], [limits.linksInAll, who])
    return counted.isWithin
  }

  for (const [path, method] of authPaths)
    server.app.route({
      method,
      url: `/auth/:realm${path}`,
      config: { credentials: 'none' },
      schema: { hide: true, params: anyRealm, ...(method === 'POST' && { body: forwardedBody }) },
      handler: async (request, reply) => {
        const { realm } = request.params
        if (path === '/sign-in/email') await countSignIn(request, realm)
        else if (method === 'POST') await countInSession(request, realm)
        return forward(tools, realm, path, request, reply)
      },
    })
  /** Counts sign-in attempts by account and network. Known devices of the account are counted separately. */
  async function countSignIn(request: FastifyRequest, realm: Realm): Promise<void> {
    const address = ((request.body as ForwardedBody).email ?? '').toLowerCase()
    const device = tools.devices.find(request.headers.cookie ?? '', { realm, email: address })
    if (device === undefined) {
      await countTry(request, `${realm} ${address}`)
      return
    }
    await countPlace(request)
    refuseTries(await countBoth([limits.knownDevice, device], [limits.knownDevices, `${realm} ${address}`]))
  }
  /** Counts by the user of the session, or by network without a session, where the library has limits of its own. */
  async function countInSession(request: FastifyRequest, realm: Realm): Promise<void> {
    const session = await findSession(tools.auths[realm], request)
    if (session === undefined) await countPlace(request)
    else await countTry(request, session.user.id)
  }

  api.post('/auth/:realm/sign-up', 'none', {
    params: walletRealm,
    body: closed({ email, username, surname: name, otherNames: name, language: Type.Optional(wireLanguage) }),
    handler: async (request) => {
      const { language = 'en', ...input } = request.body
      const address = input.email.toLowerCase()
      if (await mayMail(request, request.params.realm, address))
        await signUp(tools, request.params.realm, { ...input, language, email: address })
      return acknowledge('Check your inbox: the link in our email completes your sign-up.')
    },
  })
  api.post('/auth/:realm/forgot', 'none', {
    params: anyRealm,
    body: closed({ email }),
    handler: async (request) => {
      const address = request.body.email.toLowerCase()
      if (await mayMail(request, request.params.realm, address))
        await requestPasswordReset(tools, request.params.realm, address)
      return acknowledge('Check your inbox.')
    },
  })
  const token = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })
  api.post('/auth/links/look', 'none', {
    body: closed({ token }),
    response: { 200: enveloped(wireLink) },
    handler: async (request) => {
      const link = await findLink(pool, request.body.token, clock())
      const { purpose, realm, email: address } = link
      const merchant = link.purpose === 'invite' ? link.merchant : ''
      const isKnown = link.purpose === 'invite' && (await findLanguage(pool, realm, address)) !== undefined
      return answer('What the link is for.', { purpose, realm, email: address, merchant, isKnown })
    },
  })
  api.post('/auth/links/use', 'none', {
    body: closed({
      token,
      password: Type.Optional(password),
      username: Type.Optional(username),
      surname: Type.Optional(name),
      otherNames: Type.Optional(name),
    }),
    response: { 200: enveloped(wireUsedLink) },
    handler: async (request) => {
      await countPlace(request)
      const { purpose, realm } = await useLink(tools, tools.join, request.body)
      return answer('Done. Sign in.', { purpose, realm })
    },
  })

  api.get('/me', 'user', {
    response: { 200: enveloped(wireMe) },
    handler: async (request) => {
      const signed = signedOf(request)
      const { user, tillOf } = signed
      // A till session shows the user's name, but no contact details.
      const hidden = tillOf === null ? {} : { email: '', phone: null, username: null }
      const isSecond = hasSecondFactor(signed)
      const needsNoCheck = tillOf !== null || user.realm !== 'staff' || isSecond
      const mustSetUpSecondFactor = !needsNoCheck && (await mustHaveSecondFactor(pool, user, clock()))
      return answer('You.', { ...toWireUser(user), hasSecondFactor: isSecond, mustSetUpSecondFactor, ...hidden })
    },
  })
  api.post('/me', 'user', {
    body: closed({
      username: Type.Optional(username),
      phone: Type.Optional(Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' })),
      surname: Type.Optional(name),
      otherNames: Type.Optional(name),
      avatar: Type.Optional(Type.String({ format: 'uri', pattern: '^https://', maxLength: 500 })),
      language: Type.Optional(wireLanguage),
      isDiscoverable: Type.Optional(Type.Boolean()),
    }),
    response: { 200: enveloped(wireUser) },
    handler: async (request) => {
      const { id } = signedOf(request).user
      await updateUser(pool, id, request.body, clock())
      const user = (await findUsers(pool, [id])).get(id)
      if (user === undefined) throw userError('SESSION_MISSING')
      return answer('You.', toWireUser(user))
    },
  })
  api.post('/me/pin', 'user', {
    body: closed({ pin: wirePin, password: Type.Optional(Type.String()) }),
    handler: async (request) => {
      const signed = signedOf(request)
      const { id } = signed.user
      await countTry(request, id)
      // Not with the old PIN: it may have been guessed.
      await confirmUser(tools, signed, { password: request.body.password })
      await setPin(tools, id, request.body.pin)
      return acknowledge('Your PIN is set.')
    },
  })
}

type Named = readonly [limit: Limit, name: string]

/** Counts the narrow limit first: an attempt that it refuses does not count against the account in total. */
async function countBoth([narrow, one]: Named, [wide, all]: Named): Promise<Verdict> {
  const first = await narrow.count(one)
  return first.isWithin ? wide.count(all) : first
}

/** The paths that need no session. */
const publicPaths: ReadonlySet<string> = new Set([
  '/sign-in/email',
  '/sign-out',
  '/passkey/generate-authenticate-options',
  '/passkey/verify-authentication',
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
])

/** The paths that start a session. */
const signInPaths: ReadonlySet<string> = new Set([
  '/sign-in/email',
  '/passkey/verify-authentication',
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
])

/** Changes to sign-in methods require the second factor, if there is one: a password and an open session are not enough. */
const changesFactors: ReadonlySet<string> = new Set([
  '/two-factor/disable',
  '/two-factor/generate-backup-codes',
  '/passkey/verify-registration',
  '/passkey/delete-passkey',
])

/** Fields that the request cannot override. In particular, no browser may skip the second factor for 30 days. */
const fixed: Readonly<Record<string, object>> = {
  '/change-password': { revokeOtherSessions: true },
  '/two-factor/verify-totp': { trustDevice: false },
  '/two-factor/verify-backup-code': { trustDevice: false },
}

type AuthResponse = {
  readonly code?: string
  readonly user?: { readonly id: string; readonly email?: string }
}

/** Forwards a request to better-auth. Its errors are returned in our format, with its reason as a code. */
async function forward(
  tools: UserTools,
  realm: Realm,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { pin, oneTimeCode, recoveryCode, ...body } = (request.body ?? {}) as ForwardedBody
  // Access to an open session must not be enough to add a sign-in method.
  if (changesFactors.has(path) || (realm === 'staff' && !publicPaths.has(path))) {
    const signed = await tools.readSession(request, [realm])
    if (path === '/passkey/verify-registration') await confirmUser(tools, signed, { pin, password: body.password })
    if (realm === 'staff') refuseTill(signed)
    if (changesFactors.has(path) && signed.user.hasTwoFactor)
      await tools.checkCode(tools.auths[realm], request, signed, { oneTimeCode, recoveryCode })
  }
  const before = path === '/two-factor/verify-totp' ? await findSession(tools.auths[realm], request) : undefined
  if (path === '/sign-in/email') await checkPassword(tools, realm, body)
  const fields = { ...body, ...fixed[path] }
  const query = request.url.split('?')[1]
  const headers = new Headers({ 'x-scrip-address': request.ip, 'content-type': 'application/json' })
  for (const each of ['cookie', 'origin', 'user-agent'] as const) {
    const value = request.headers[each]
    if (value !== undefined) headers.set(each, value)
  }
  const auth = await tools.auths[realm]()
  const response = await auth.handler(
    new Request(`${tools.publicUrl}/auth/${realm}${path}${query === undefined ? '' : `?${query}`}`, {
      method: request.method,
      headers,
      ...(request.method === 'POST' && { body: JSON.stringify(fields) }),
    }),
  )
  const text = await response.text()
  const result = (text === '' ? null : JSON.parse(text)) as AuthResponse | null
  const cookies = response.headers.getSetCookie()
  // Set only once sign-in is complete, including the second factor.
  const signedIn = response.ok && signInPaths.has(path) ? result?.user?.email : undefined
  if (signedIn !== undefined) {
    const account = { realm, email: signedIn }
    const known = tools.devices.find(request.headers.cookie ?? '', account)
    cookies.push(tools.devices.cookie(account, known))
  }
  if (cookies.length > 0) reply.header('Set-Cookie', cookies)
  if (response.ok) {
    // An authenticator app was set up: end the sessions that were started without it.
    if (before !== undefined) await endOlderSessions(tools, realm, before.user.id, cookies)
    const what = noticeOf[path]
    const userId = result?.user?.id ?? findSigned(request)?.user.id
    if (what !== undefined && userId !== undefined) await notifyOfChange(tools, userId, what)
    return answer('Done.', path === '/list-sessions' ? await markCurrent(tools.auths[realm], request, result) : result)
  }
  const reason = result?.code ?? ''
  if (response.status === 401 || /SESSION|USER_NOT_FOUND/.test(reason)) throw userError('SIGN_IN_FAILED', { reason })
  if (response.status >= 500) throw httpError('UNAVAILABLE')
  throw userError('SIGN_IN_REFUSED', { reason })
}

/** Ends all sessions except the one of these new cookies. */
async function endOlderSessions(tools: UserTools, realm: Realm, userId: string, cookies: string[]): Promise<void> {
  const cookie = cookies.map((each) => each.split(';')[0]).join('; ')
  const { api } = await tools.auths[realm]()
  const own = await api.getSession({ headers: new Headers({ cookie }) })
  if (own !== null) await endOtherSessions(tools.pool, userId, own.session.token)
}

/** Marks the session of this request. */
async function markCurrent(auth: LoadAuth, request: FastifyRequest, sessions: unknown): Promise<object[]> {
  const own = await findSession(auth, request)
  return (sessions as readonly { readonly token: string }[]).map((session) => ({
    ...session,
    isThis: session.token === own?.session.token,
  }))
}

type Notice = 'password_changed' | 'passkey_added'
const noticeOf: Record<string, Notice | undefined> = {
  '/change-password': 'password_changed',
  '/passkey/verify-registration': 'passkey_added',
}

async function notifyOfChange({ newId, pool }: UserTools, userId: string, what: Notice): Promise<void> {
  const user = (await findUsers(pool, [userId])).get(userId)
  if (user !== undefined) await inTransaction(pool, (tx) => notifyUser(newId, tx, user, what))
}

// Compared with if the account does not exist.
const dummyHash = hashPassword('nobody has this password')

/**
 * Checks the password before the library does: its second query for existing accounts takes 0.6 ms and so reveals them. Here one query
 * and one comparison handle every wrong password; only a right one reaches the library.
 */
async function checkPassword(
  { pool }: UserTools,
  realm: Realm,
  { email: address = '', password: word = '' }: ForwardedBody,
): Promise<void> {
  const known = await findPasswordHash(pool, realm, address.toLowerCase())
  const isRight = await isPassword(known ?? (await dummyHash), word)
  if (known === undefined || !isRight) throw userError('SIGN_IN_FAILED', { reason: 'INVALID_EMAIL_OR_PASSWORD' })
}

/** Confirms by password, or like any sensitive action. */
async function confirmUser(
  tools: UserTools,
  signed: Signed,
  { pin, password: word }: { readonly pin?: string | undefined; readonly password: string | undefined },
): Promise<void> {
  if (word === undefined) await confirmAct(tools, signed, pin)
  else if (!(await isPassword(await readPasswordHash(tools.pool, signed.user.id), word)))
    throw userError('PASSWORD_WRONG', { param: 'password' })
}

function toWireUser(user: User): WireUser {
  const { id, realm, email: address, phone, surname, otherNames, avatar, language } = user
  const { isDiscoverable, isPinSet, level, isOperator, hasTwoFactor } = user
  const names = { username: user.username, surname, otherNames, fullName: fullNameOf(user), avatar }
  const standing = { isDiscoverable, isPinSet, level, isOperator, hasTwoFactor }
  return { id, realm, email: address, phone, ...names, language, ...standing }
}
