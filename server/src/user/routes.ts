import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { createLimit, networkOf } from '../http/limit.ts'
import type { Server } from '../http/server.ts'
import { wireLanguage } from '../mail/words.ts'
import { type Auth, authPaths } from './auth.ts'
import { userError } from './errors.ts'
import { askForReset, findLink, type Join, type LinkTools, signUp, useLink } from './links.ts'
import { isPassword, passwordLengthMax, passwordLengthMin } from './password.ts'
import { confirmAct, type PinTools, setPin } from './pin.ts'
import { signedOf } from './session.ts'
import {
  findPeople,
  fullNameOf,
  isEmailKnown,
  type Person,
  readPasswordHash,
  type Realm,
  updatePerson,
} from './store.ts'

export type UserTools = LinkTools &
  PinTools & {
    readonly clock: Clock
    readonly publicUrl: string
    readonly auths: Readonly<Record<Realm, Auth>>
    readonly join: Join
  }

const quarterMs = 15 * 60 * 1_000
// Of one address from one place, of one address from everywhere, of any address from one place.
const triesHere = 10
const triesInAll = 100
const triesFromHere = 300
const linksPerHour = 5

const closed = { additionalProperties: false }
const email = Type.String({ format: 'email', maxLength: 254 })
const password = Type.String({ minLength: passwordLengthMin, maxLength: passwordLengthMax })
const name = Type.String({ minLength: 1, maxLength: 80 })
const username = Type.String({ pattern: '^[a-z0-9_.]{3,30}$' })
export const wirePin = Type.String({ pattern: '^[0-9]{6}$' })
const walletRealm = Type.Object({ realm: Type.Union([Type.Literal('live'), Type.Literal('test')]) })
const anyRealm = Type.Object({ realm: Type.Union([...walletRealm.properties.realm.anyOf, Type.Literal('staff')]) })

export function registerUserRoutes({ app }: Server, tools: UserTools): void {
  const { pool, clock } = tools
  const limits = {
    here: createLimit(clock, triesHere, quarterMs),
    inAll: createLimit(clock, triesInAll, quarterMs),
    fromHere: createLimit(clock, triesFromHere, quarterMs),
    links: createLimit(clock, linksPerHour, 4 * quarterMs),
  }
  /** Counted alike whether or not anybody has the address. */
  const countTry = (request: FastifyRequest, who: string): void => {
    const network = networkOf(request.ip)
    const counts = [limits.fromHere.count(network), limits.here.count(`${network} ${who}`), limits.inAll.count(who)]
    const over = counts.find(({ isWithin }) => !isWithin)
    if (over !== undefined) throw userError('TOO_MANY_TRIES', { retryAfterSeconds: over.secondsLeft })
  }
  const countLink = (request: FastifyRequest, realm: string, address: string): void => {
    countTry(request, `${realm} ${address}`)
    const { isWithin, secondsLeft } = limits.links.count(`${realm} ${address}`)
    if (!isWithin) throw userError('TOO_MANY_TRIES', { retryAfterSeconds: secondsLeft })
  }
  const open = { credentials: 'none' } as const

  for (const [path, method] of authPaths)
    app.route({
      method,
      url: `/auth/:realm${path}`,
      config: open,
      schema: { hide: true, params: anyRealm },
      handler: (request, reply) => {
        const { realm } = request.params
        const { email: address } = (request.body ?? {}) as { email?: unknown }
        const who = typeof address === 'string' ? address.toLowerCase() : (request.headers.cookie ?? '')
        if (method === 'POST') countTry(request, `${realm} ${who}`)
        return passOn(tools, realm, path, request, reply)
      },
    })

  app.post(
    '/auth/:realm/sign-up',
    {
      config: open,
      schema: {
        hide: true,
        params: walletRealm,
        body: Type.Object(
          { email, password, username, surname: name, otherNames: name, language: Type.Optional(wireLanguage) },
          closed,
        ),
      },
    },
    async (request) => {
      const { language = 'en', ...ask } = request.body
      const address = ask.email.toLowerCase()
      countLink(request, request.params.realm, address)
      await signUp(tools, request.params.realm, { ...ask, language, email: address })
      return acknowledge('Look into your mail box: a link there finishes this.')
    },
  )
  app.post(
    '/auth/:realm/forgot',
    { config: open, schema: { hide: true, params: anyRealm, body: Type.Object({ email }, closed) } },
    async (request) => {
      const address = request.body.email.toLowerCase()
      countLink(request, request.params.realm, address)
      await askForReset(tools, request.params.realm, address)
      return acknowledge('Look into your mail box.')
    },
  )
  const token = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })
  app.post(
    '/auth/links/look',
    { config: open, schema: { hide: true, body: Type.Object({ token }, closed) } },
    async (request) => {
      const link = await findLink(pool, request.body.token, clock())
      const { purpose, realm, email: address } = link
      const merchant = link.purpose === 'invite' ? link.merchant : ''
      const isKnown = link.purpose === 'invite' && (await isEmailKnown(pool, realm, address))
      return answer('What the link is for.', { purpose, realm, email: address, merchant, isKnown })
    },
  )
  app.post(
    '/auth/links/use',
    {
      config: open,
      schema: {
        hide: true,
        body: Type.Object(
          {
            token,
            password: Type.Optional(password),
            username: Type.Optional(username),
            surname: Type.Optional(name),
            otherNames: Type.Optional(name),
          },
          closed,
        ),
      },
    },
    async (request) => {
      countTry(request, 'links')
      const { purpose, realm } = await useLink(tools, tools.join, request.body)
      return answer('Done. Sign in.', { purpose, realm })
    },
  )

  app.get('/me', { config: { credentials: 'person' }, schema: { hide: true } }, (request) =>
    answer('You.', toWirePerson(signedOf(request).person)),
  )
  app.post(
    '/me',
    {
      config: { credentials: 'person' },
      schema: {
        hide: true,
        body: Type.Object(
          {
            username: Type.Optional(username),
            phone: Type.Optional(Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' })),
            surname: Type.Optional(name),
            otherNames: Type.Optional(name),
            avatar: Type.Optional(Type.String({ format: 'uri', pattern: '^https://', maxLength: 500 })),
            language: Type.Optional(wireLanguage),
            isDiscoverable: Type.Optional(Type.Boolean()),
          },
          closed,
        ),
      },
    },
    async (request) => {
      const { id } = signedOf(request).person
      await updatePerson(pool, id, request.body, clock())
      const person = (await findPeople(pool, [id])).get(id)
      return answer('You.', person && toWirePerson(person))
    },
  )
  app.post(
    '/me/pin',
    {
      config: { credentials: 'person' },
      schema: { hide: true, body: Type.Object({ pin: wirePin, password: Type.Optional(Type.String()) }, closed) },
    },
    async (request) => {
      const signed = signedOf(request)
      const { id } = signed.person
      if (request.body.password === undefined) await confirmAct(tools, signed, undefined)
      else {
        countTry(request, id)
        if (!(await isPassword(await readPasswordHash(pool, id), request.body.password)))
          throw userError('PASSWORD_WRONG', { param: 'password' })
      }
      await setPin(tools, id, request.body.pin)
      return acknowledge('Your pin is set.')
    },
  )
}

/** To better-auth and back. What it refuses is told in our own form, with its reason as a code. */
async function passOn(
  { auths, publicUrl }: UserTools,
  realm: Realm,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const query = request.url.split('?')[1]
  const headers = new Headers({ 'x-scrip-address': request.ip, 'content-type': 'application/json' })
  for (const each of ['cookie', 'origin', 'user-agent'] as const) {
    const value = request.headers[each]
    if (value !== undefined) headers.set(each, value)
  }
  const answered = await auths[realm].handler(
    new Request(`${publicUrl}/auth/${realm}${path}${query === undefined ? '' : `?${query}`}`, {
      method: request.method,
      headers,
      ...(request.method === 'POST' && { body: JSON.stringify(request.body ?? {}) }),
    }),
  )
  const cookies = answered.headers.getSetCookie()
  if (cookies.length > 0) reply.header('Set-Cookie', cookies)
  const text = await answered.text()
  const body = (text === '' ? null : JSON.parse(text)) as { code?: string } | null
  if (answered.ok) return answer('Done.', body)
  const reason = body?.code ?? ''
  if (answered.status === 401) throw userError('SIGN_IN_FAILED', { reason })
  if (answered.status >= 500) throw new Error('The sign-in failed by itself.')
  throw userError('SIGN_IN_REFUSED', { reason })
}

function toWirePerson(person: Person) {
  const { id, realm, email: address, surname, otherNames, avatar, language, isDiscoverable, isPinSet, level } = person
  return {
    id,
    realm,
    email: address,
    username: person.username,
    phone: person.phone,
    surname,
    otherNames,
    fullName: fullNameOf(person),
    avatar,
    language,
    isDiscoverable,
    isPinSet,
    level,
    isOperator: person.isOperator,
    hasTwoFactor: person.hasTwoFactor,
  }
}
