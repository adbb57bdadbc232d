// A client with a browser's cookies, for tests of what users and staff do.
import type { LightMyRequestResponse } from 'fastify'
import { inTransaction } from '../../src/base/db.ts'
import { systemClock } from '../../src/base/clock.ts'
import { hashPassword } from '../../src/identity/user/password.ts'
import { insertUser, type NewUser, type Realm } from '../../src/identity/user/store.ts'
import type { ApiWorld } from './api-world.ts'
import { oneTimeCode } from '../parts/one-time-code.ts'

export const password = 'correct horse battery'
export const pin = '135790'

type Method = 'GET' | 'POST' | 'DELETE'
type Headers = Record<string, string>
export type Visitor = {
  readonly ask: (method: Method, path: string, body?: unknown, headers?: Headers) => Promise<Reply>
  readonly cookies: Map<string, string>
  readonly get: (path: string, headers?: Headers) => Promise<Reply>
  readonly post: (path: string, body?: unknown, headers?: Headers) => Promise<Reply>
  readonly signIn: (email: string, word?: string) => Promise<Reply>
}
export type VisitingUser = Visitor & { readonly person: NewUser & { readonly username: string | undefined } }
type Reply = {
  status: number
  text: string
  headers: Record<string, unknown>
  json: () => ApiResponse
  /** For a response of another form. */
  as: LightMyRequestResponse['json']
}
type ApiResponse = { message: string; data: Record<string, unknown>; error?: { code: string; reason?: string } }

/** A client without cookies yet. */
export function createVisitor({ app }: Pick<ApiWorld, 'app'>, realm: Realm, more: Headers = {}): Visitor {
  const cookies = new Map<string, string>()
  const ask: Visitor['ask'] = async (method, path, body, headers = {}) => {
    const reply = await app.inject({
      method,
      url: path,
      headers: {
        'scrip-realm': realm,
        origin: 'https://pay.example',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
        ...headers,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
    for (const line of [reply.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return {
      status: reply.statusCode,
      text: reply.body,
      headers: reply.headers,
      json: () => reply.json<ApiResponse>(),
      as: reply.json.bind(reply),
    }
  }
  return {
    ask,
    cookies,
    get: (path, headers) => ask('GET', path, undefined, headers),
    post: (path, body = {}, headers) => ask('POST', path, body, headers),
    signIn: (email, word = password) => ask('POST', `/auth/${realm}/sign-in/email`, { email, password: word }),
  }
}

type UserOptions = Partial<Omit<NewUser, 'id' | 'realm'>> & { readonly hasPin?: boolean }

// One hash for all users, because it takes 25 ms.
const passwordHash = hashPassword(password)

/** Adds a user who is signed in and has a PIN. */
export async function addPerson(
  world: ApiWorld,
  realm: Realm,
  { hasPin = true, ...options }: UserOptions = {},
): Promise<VisitingUser> {
  const id = world.newId()
  const tag = id.slice(-8)
  const names = { surname: 'Obi', otherNames: 'Ada', language: 'en' } as const
  const person = { id, realm, email: `p-${tag}@example.com`, username: `p_${tag}`, ...names, ...options }
  const known = await passwordHash
  await inTransaction(world.pool, (tx) => insertUser(tx, person, known, systemClock()))
  const visitor = createVisitor(world, realm)
  const signedIn = await visitor.signIn(person.email)
  if (signedIn.status !== 200) throw new Error(`The sign-in failed: ${signedIn.text}`)
  if (hasPin) {
    const set = await visitor.post('/me/pin', { pin, password })
    if (set.status !== 200) throw new Error(`The PIN was not set: ${set.text}`)
  }
  return { ...visitor, person }
}

/** Adds a signed-in staff member of a merchant, whose requests are in test mode. */
export async function addMember(
  world: ApiWorld,
  merchant: { merchantId: string; code: string },
  role: string,
): Promise<VisitingUser> {
  const member = await addPerson(world, 'staff')
  await world.pool.query(
    `insert into merchant_members (merchant_id, user_id, role, created_at) values ($1, $2, $3, $4)`,
    [merchant.merchantId, member.person.id, role, systemClock()],
  )
  // The merchants of a world have live keys, so their owners need a second factor.
  if (role === 'owner') await enrolOneTimeCode(member)
  const headers = { 'scrip-merchant': merchant.code, 'scrip-mode': 'test' }
  return {
    ...member,
    ask: (method, path, body, others) => member.ask(method, path, body, { ...headers, ...others }),
    get: (path, others) => member.get(path, { ...headers, ...others }),
    post: (path, body, others) => member.post(path, body, { ...headers, ...others }),
  }
}

const apps = new WeakMap<Visitor['cookies'], () => string>()

/** Sets up an authenticator app for a staff member who has none. Returns a function that reads its code. */
export async function enrolOneTimeCode(member: Pick<Visitor, 'post' | 'cookies'>): Promise<() => string> {
  const known = apps.get(member.cookies)
  if (known !== undefined) return known
  const enabled = await member.post('/auth/staff/two-factor/enable', { password })
  const { totpURI } = enabled.as<{ data: { totpURI: string } }>().data
  const readCode = () => oneTimeCode(new URL(totpURI).searchParams.get('secret') ?? '')
  const verified = await member.post('/auth/staff/two-factor/verify-totp', { code: readCode() })
  if (verified.status !== 200) throw new Error(`The authenticator app was not accepted: ${verified.text}`)
  apps.set(member.cookies, readCode)
  return readCode
}
