import type { FastifyRequest } from 'fastify'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { httpError } from '../http/errors.ts'
import type { Auth } from './auth.ts'
import { userError } from './errors.ts'
import { findPeople, type Person, type Realm, realms } from './store.ts'

/** Somebody who has signed in. */
export type Signed = {
  readonly person: Person
  readonly sessionId: string
  /** When it was begun, if with a passkey. */
  readonly passkeyAt: Date | null
  /** It was begun by a pin at a till of this merchant, and is good for what a cashier does there. */
  readonly tillOf: string | null
}

const tillMsMax = 24 * 3_600_000

const signedIn = new WeakMap<FastifyRequest, Signed>()

/** Who has signed in. Only an endpoint that needs a session may call it. */
export function signedOf(request: FastifyRequest): Signed {
  const signed = findSigned(request)
  if (signed === undefined) throw new Error('An endpoint without a session asked who signed in.')
  return signed
}

/** The same where nobody may have. */
export function findSigned(request: FastifyRequest): Signed | undefined {
  return signedIn.get(request)
}

/** Whoever knows a colleague's six digits has not shown that he is the colleague: what is about the person itself wants more. */
export function refuseTill({ tillOf }: Signed): void {
  if (tillOf !== null) throw userError('TILL_ONLY')
}

export type ReadSession = (request: FastifyRequest, allowed: readonly Realm[]) => Promise<Signed>

/**
 * A browser sends its cookies along with what another site makes it ask for, but no header of ours: that it is there shows that one
 * of our own pages asks.
 */
export function createReadSession(pool: Pool, clock: Clock, auths: Readonly<Record<Realm, Auth>>): ReadSession {
  return async (request, allowed) => {
    const realm = realmOf(request)
    if (!allowed.includes(realm)) throw userError('SESSION_MISSING')
    const cookie = request.headers.cookie ?? ''
    const found = await auths[realm].api.getSession({ headers: new Headers({ cookie }) }).catch((error: unknown) => {
      // Whatever it was that failed is told as one thing by the library, and it was the database.
      throw httpError('UNAVAILABLE', {}, error)
    })
    const person = found === null ? undefined : (await findPeople(pool, [found.user.id])).get(found.user.id)
    if (found === null || person?.isActive !== true) throw userError('SESSION_MISSING')
    const { id: sessionId, passkeyAt = null, tillOf = null } = found.session
    // The library would let it live on for who shows less of its cookies.
    if (tillOf !== null && clock().getTime() - found.session.createdAt.getTime() > tillMsMax)
      throw userError('SESSION_MISSING')
    const signed = { person, sessionId, passkeyAt, tillOf }
    signedIn.set(request, signed)
    return signed
  }
}

function realmOf({ headers }: FastifyRequest): Realm {
  const realm = realms.find((known) => known === headers['scrip-realm'])
  if (realm === undefined) throw userError('REALM_MISSING')
  return realm
}
