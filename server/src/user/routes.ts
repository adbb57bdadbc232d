import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { inTransaction } from '../base/db.ts'
import { closed, endpoints } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { httpError } from '../http/errors.ts'
import { createLimit, networkOf } from '../http/limit.ts'
import type { Server } from '../http/server.ts'
import { wireLanguage } from '../mail/words.ts'
import { type Auth, authPaths } from './auth.ts'
import { userError } from './errors.ts'
import { askForReset, findLink, type Join, type LinkTools, signUp, tellPerson, useLink } from './links.ts'
import { hashPassword, isPassword, passwordLengthMax, passwordLengthMin } from './password.ts'
import { confirmAct, type PinTools, setPin } from './pin.ts'
import { findSigned, type ReadSession, refuseTill, type Signed, signedOf } from './session.ts'
import {
  findPeople,
  fullNameOf,
  findLanguage,
  findPasswordHash,
  type Person,
  readPasswordHash,
  type Realm,
  updatePerson,
} from './store.ts'

export type UserTools = LinkTools &
  PinTools & {
    readonly publicUrl: string
    readonly auths: Readonly<Record<Realm, Auth>>
    readonly readSession: ReadSession
    readonly join: Join
  }

const quarterMs = 15 * 60 * 1_000

const email = Type.String({ format: 'email', maxLength: 254 })
const password = Type.String({ minLength: passwordLengthMin, maxLength: passwordLengthMax })
// Names stand in mails from us: nothing that reads as an address or a command.
const name = Type.String({ maxLength: 80, pattern: '^[^\\p{C}<>@/:]+$' })
// With a letter in it, or it would read as a phone number.
const username = Type.String({ pattern: '^(?=.*[a-z])[a-z0-9_.]{3,30}$' })
export const wirePin = Type.String({ pattern: '^[0-9]{6}$' })
export const wireOneTimeCode = Type.String({ pattern: '^[0-9]{6}$' })
/** What the library takes is its own; what it would store, keep in mind or stumble over is bounded here. */
const passedOn = Type.Object({
  email: Type.Optional(Type.String({ maxLength: 254 })),
  password: Type.Optional(Type.String({ maxLength: passwordLengthMax })),
  id: Type.Optional(Type.String({ format: 'uuid' })),
  response: Type.Optional(Type.Object({})),
  pin: Type.Optional(wirePin),
})
type Passed = Static<typeof passedOn>
const walletRealm = Type.Object({ realm: Type.Union([Type.Literal('live'), Type.Literal('test')]) })
const anyRealm = Type.Object({ realm: Type.Union([...walletRealm.properties.realm.anyOf, Type.Literal('staff')]) })

export function registerUserRoutes(server: Server, tools: UserTools): void {
  const api = endpoints(server)
  const { pool, clock } = tools
  const limits = {
    // Tries: of any address from one place, of one address from one place, of one address from everywhere.
    fromHere: createLimit(clock, 300, quarterMs),
    here: createLimit(clock, 10, quarterMs),
    inAll: createLimit(clock, 100, quarterMs),
    // Mails to one address in an hour, asked for from one place and from everywhere.
    linksHere: createLimit(clock, 3, 4 * quarterMs),
    linksInAll: createLimit(clock, 10, 4 * quarterMs),
  }
  const countPlace = (request: FastifyRequest): void => {
    const { isWithin, secondsLeft } = limits.fromHere.count(networkOf(request.ip))
    if (!isWithin) throw userError('TOO_MANY_TRIES', { retryAfterSeconds: secondsLeft })
  }
  /** Counted alike whether or not anybody has the address. */
  const countTry = (request: FastifyRequest, who: string): void => {
    countPlace(request)
    const over = findOver(limits.here, limits.inAll, networkOf(request.ip), who)
    if (over !== undefined) throw userError('TOO_MANY_TRIES', { retryAfterSeconds: over.secondsLeft })
  }
  /** Whether another mail may go to the address. If not, nobody is told: there are some in the mail box. */
  const mayMail = (request: FastifyRequest, realm: string, address: string): boolean => {
    countPlace(request)
    const who = `${realm} ${address}`
    return findOver(limits.linksHere, limits.linksInAll, networkOf(request.ip), who) === undefined
  }

  for (const [path, method] of authPaths)
    server.app.route({
      method,
      url: `/auth/:realm${path}`,
      config: { credentials: 'none' },
      schema: { hide: true, params: anyRealm, ...(method === 'POST' && { body: passedOn }) },
      handler: (request, reply) => {
        const { realm } = request.params
        const who = whoOf(realm, path, request)
        if (method === 'POST' && who === '') countPlace(request)
        else if (method === 'POST') countTry(request, `${realm} ${who}`)
        return passOn(tools, realm, path, request, reply)
      },
    })

  api.post('/auth/:realm/sign-up', 'none', {
    params: walletRealm,
    body: closed({ email, username, surname: name, otherNames: name, language: Type.Optional(wireLanguage) }),
    handler: async (request) => {
      const { language = 'en', ...ask } = request.body
      const address = ask.email.toLowerCase()
      if (mayMail(request, request.params.realm, address))
        await signUp(tools, request.params.realm, { ...ask, language, email: address })
      return acknowledge('Look into your mail box: a link there finishes this.')
    },
  })
  api.post('/auth/:realm/forgot', 'none', {
    params: anyRealm,
    body: closed({ email }),
    handler: async (request) => {
      const address = request.body.email.toLowerCase()
      if (mayMail(request, request.params.realm, address)) await askForReset(tools, request.params.realm, address)
      return acknowledge('Look into your mail box.')
    },
  })
  const token = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })
  api.post('/auth/links/look', 'none', {
    body: closed({ token }),
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
    handler: async (request) => {
      countPlace(request)
      const { purpose, realm } = await useLink(tools, tools.join, request.body)
      return answer('Done. Sign in.', { purpose, realm })
    },
  })

  api.get('/me', 'person', (request) => {
    const { person, tillOf } = signedOf(request)
    // Who stands at a till by a pin sees the name, and not how to reach whose it is.
    const hidden = tillOf === null ? {} : { email: '', phone: null, username: null }
    return answer('You.', { ...toWirePerson(person), ...hidden })
  })
  api.post('/me', 'person', {
    body: closed({
      username: Type.Optional(username),
      phone: Type.Optional(Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' })),
      surname: Type.Optional(name),
      otherNames: Type.Optional(name),
      avatar: Type.Optional(Type.String({ format: 'uri', pattern: '^https://', maxLength: 500 })),
      language: Type.Optional(wireLanguage),
      isDiscoverable: Type.Optional(Type.Boolean()),
    }),
    handler: async (request) => {
      const { id } = signedOf(request).person
      await updatePerson(pool, id, request.body, clock())
      const person = (await findPeople(pool, [id])).get(id)
      return answer('You.', person && toWirePerson(person))
    },
  })
  api.post('/me/pin', 'person', {
    body: closed({ pin: wirePin, password: Type.Optional(Type.String()) }),
    handler: async (request) => {
      const signed = signedOf(request)
      const { id } = signed.person
      countTry(request, id)
      // Not by the old pin: it may be what was guessed.
      await confirmPerson(tools, signed, { password: request.body.password })
      await setPin(tools, id, request.body.pin)
      return acknowledge('Your pin is set.')
    },
  })
}

type Limit = ReturnType<typeof createLimit>

/** In one place first: what that refuses does not count against the address elsewhere. */
function findOver(here: Limit, inAll: Limit, network: string, who: string) {
  const first = here.count(`${network} ${who}`)
  const over = first.isWithin ? inAll.count(who) : first
  return over.isWithin ? undefined : over
}

/** Whom a try is counted for: the address that is tried, or the session that it is tried in. Nobody yet: the library counts its own. */
function whoOf(realm: Realm, path: string, { body, headers }: FastifyRequest): string {
  const { email: address } = (body ?? {}) as Passed
  const [session = ''] = new RegExp(`scrip-${realm}\\.session_token=[^;]*`).exec(headers.cookie ?? '') ?? []
  return path === '/sign-in/email' ? (address ?? '').toLowerCase() : session
}

/** What needs no session. */
const anybodys: ReadonlySet<string> = new Set([
  '/sign-in/email',
  '/sign-out',
  '/passkey/generate-authenticate-options',
  '/passkey/verify-authentication',
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
])

/** To better-auth and back. What it refuses is told in our own form, with its reason as a code. */
async function passOn(tools: UserTools, realm: Realm, path: string, request: FastifyRequest, reply: FastifyReply) {
  const { pin, ...body } = (request.body ?? {}) as Passed
  // Whoever sits at an open session must not make himself a key to it.
  if (path === '/passkey/verify-registration')
    await confirmPerson(tools, await tools.readSession(request, [realm]), { pin, password: body.password })
  if (realm === 'staff' && !anybodys.has(path)) refuseTill(await tools.readSession(request, [realm]))
  if (path === '/sign-in/email') await checkPassword(tools, realm, body)
  const asked = path === '/change-password' ? { ...body, revokeOtherSessions: true } : body
  const query = request.url.split('?')[1]
  const headers = new Headers({ 'x-scrip-address': request.ip, 'content-type': 'application/json' })
  for (const each of ['cookie', 'origin', 'user-agent'] as const) {
    const value = request.headers[each]
    if (value !== undefined) headers.set(each, value)
  }
  const answered = await tools.auths[realm].handler(
    new Request(`${tools.publicUrl}/auth/${realm}${path}${query === undefined ? '' : `?${query}`}`, {
      method: request.method,
      headers,
      ...(request.method === 'POST' && { body: JSON.stringify(asked) }),
    }),
  )
  const cookies = answered.headers.getSetCookie()
  if (cookies.length > 0) reply.header('Set-Cookie', cookies)
  const text = await answered.text()
  const told = (text === '' ? null : JSON.parse(text)) as { code?: string; user?: { id: string } } | null
  if (answered.ok) {
    const what = noticeOf[path]
    const userId = told?.user?.id ?? findSigned(request)?.person.id
    if (what !== undefined && userId !== undefined) await tellOfChange(tools, userId, what)
    return answer('Done.', path === '/list-sessions' ? markThis(realm, request, told) : told)
  }
  const reason = told?.code ?? ''
  if (answered.status === 401 || /SESSION|USER_NOT_FOUND/.test(reason)) throw userError('SIGN_IN_FAILED', { reason })
  if (answered.status >= 500) throw httpError('UNAVAILABLE')
  throw userError('SIGN_IN_REFUSED', { reason })
}

/** Which of somebody's sessions asks. */
function markThis(realm: Realm, { headers }: FastifyRequest, sessions: unknown) {
  const [, token = ''] = new RegExp(`scrip-${realm}\\.session_token=([^.;]*)`).exec(headers.cookie ?? '') ?? []
  return (sessions as readonly { readonly token: string }[]).map((session) => ({
    ...session,
    isThis: session.token === decodeURIComponent(token),
  }))
}

type Notice = 'password_changed' | 'passkey_added'
const noticeOf: Record<string, Notice | undefined> = {
  '/change-password': 'password_changed',
  '/passkey/verify-registration': 'passkey_added',
}

async function tellOfChange({ newId, pool }: UserTools, userId: string, what: Notice): Promise<void> {
  const person = (await findPeople(pool, [userId])).get(userId)
  if (person !== undefined) await inTransaction(pool, (tx) => tellPerson(newId, tx, person, what))
}

// What is compared where there is nothing to compare with.
const nobodysHash = hashPassword('nobody has this password')

/**
 * Before the library does: it looks once more where there is somebody, which took 0.6 ms longer and told that there is. Here one
 * look and one comparison answer every wrong password; only a right one goes on.
 */
async function checkPassword({ pool }: UserTools, realm: Realm, { email: address = '', password: word = '' }: Passed) {
  const known = await findPasswordHash(pool, realm, address.toLowerCase())
  const isRight = await isPassword(known ?? (await nobodysHash), word)
  if (known === undefined || !isRight) throw userError('SIGN_IN_FAILED', { reason: 'INVALID_EMAIL_OR_PASSWORD' })
}

/** By password, or as any sensitive act. */
async function confirmPerson(
  tools: UserTools,
  signed: Signed,
  { pin, password: word }: { readonly pin?: string | undefined; readonly password: string | undefined },
): Promise<void> {
  if (word === undefined) await confirmAct(tools, signed, pin)
  else if (!(await isPassword(await readPasswordHash(tools.pool, signed.person.id), word)))
    throw userError('PASSWORD_WRONG', { param: 'password' })
}

function toWirePerson(person: Person) {
  const { id, realm, email: address, phone, surname, otherNames, avatar, language } = person
  const { isDiscoverable, isPinSet, level, isOperator, hasTwoFactor } = person
  const names = { username: person.username, surname, otherNames, fullName: fullNameOf(person), avatar }
  const standing = { isDiscoverable, isPinSet, level, isOperator, hasTwoFactor }
  return { id, realm, email: address, phone, ...names, language, ...standing }
}
