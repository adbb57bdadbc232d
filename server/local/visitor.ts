// Somebody with a browser's cookies, for tests of what people do.
import type { LightMyRequestResponse } from 'fastify'
import { inTransaction } from '../src/base/db.ts'
import { systemClock } from '../src/base/clock.ts'
import { hashPassword } from '../src/user/password.ts'
import { insertPerson, type NewPerson, type Realm } from '../src/user/store.ts'
import type { ApiWorld } from './api-world.ts'
import { oneTimeCode } from './one-time-code.ts'

export const password = 'correct horse battery'
export const pin = '135790'

export type Visitor = ReturnType<typeof createVisitor>
type Reply = {
  status: number
  text: string
  headers: Record<string, unknown>
  json: () => Answer
  /** For an answer of another form. */
  as: LightMyRequestResponse['json']
}
type Answer = { message: string; data: Record<string, unknown>; error?: { code: string; reason?: string } }

/** Opens no page yet. */
export function createVisitor({ app }: Pick<ApiWorld, 'app'>, realm: Realm, more: Record<string, string> = {}) {
  const cookies = new Map<string, string>()
  const ask = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
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
      json: () => reply.json<Answer>(),
      as: reply.json.bind(reply),
    }
  }
  return {
    ask,
    cookies,
    get: (path: string, headers?: Record<string, string>) => ask('GET', path, undefined, headers),
    post: (path: string, body: unknown = {}, headers?: Record<string, string>) => ask('POST', path, body, headers),
    signIn: (email: string, word = password) => ask('POST', `/auth/${realm}/sign-in/email`, { email, password: word }),
  }
}

type Someone = Partial<Omit<NewPerson, 'id' | 'realm'>> & { readonly hasPin?: boolean }

// The same for all: it takes 25 ms.
const passwordHash = hashPassword(password)

/** Somebody who is there, has signed in and has a pin. */
export async function addPerson(world: ApiWorld, realm: Realm, { hasPin = true, ...someone }: Someone = {}) {
  const id = world.newId()
  const tag = id.slice(-8)
  const names = { surname: 'Obi', otherNames: 'Ada', language: 'en' } as const
  const person = { id, realm, email: `p-${tag}@example.com`, username: `p_${tag}`, ...names, ...someone }
  const known = await passwordHash
  await inTransaction(world.pool, (tx) => insertPerson(tx, person, known, systemClock()))
  const visitor = createVisitor(world, realm)
  const signedIn = await visitor.signIn(person.email)
  if (signedIn.status !== 200) throw new Error(`The sign-in failed: ${signedIn.text}`)
  if (hasPin) {
    const set = await visitor.post('/me/pin', { pin, password })
    if (set.status !== 200) throw new Error(`The pin was not set: ${set.text}`)
  }
  return { ...visitor, person }
}

/** One of a merchant's staff, who asks for it in test mode. */
export async function addMember(world: ApiWorld, merchant: { merchantId: string; code: string }, role: string) {
  const member = await addPerson(world, 'staff')
  await world.pool.query(
    `insert into merchant_members (merchant_id, user_id, role, created_at) values ($1, $2, $3, $4)`,
    [merchant.merchantId, member.person.id, role, systemClock()],
  )
  const headers = { 'scrip-merchant': merchant.code, 'scrip-mode': 'test' }
  return {
    ...member,
    ask: (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, others?: Record<string, string>) =>
      member.ask(method, path, body, { ...headers, ...others }),
    get: (path: string, others?: Record<string, string>) => member.get(path, { ...headers, ...others }),
    post: (path: string, body?: unknown, others?: Record<string, string>) =>
      member.post(path, body, { ...headers, ...others }),
  }
}

/** Sets up an authenticator app for a staff member. Returns what the app shows. */
export async function enrolOneTimeCode(member: Pick<Visitor, 'post'>): Promise<() => string> {
  const enabled = await member.post('/auth/staff/two-factor/enable', { password })
  const { totpURI } = enabled.as<{ data: { totpURI: string } }>().data
  const show = () => oneTimeCode(new URL(totpURI).searchParams.get('secret') ?? '')
  const verified = await member.post('/auth/staff/two-factor/verify-totp', { code: show() })
  if (verified.status !== 200) throw new Error(`The authenticator app was not accepted: ${verified.text}`)
  return show
}
