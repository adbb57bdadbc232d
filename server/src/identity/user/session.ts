import type { FastifyRequest } from 'fastify'
import type { Pool } from '../../base/db.ts'
import { httpError } from '../../http/errors.ts'
import type { LoadAuth } from './load-auth.ts'
import { userError } from './errors.ts'
import { findUsers, type User, type Realm } from './store.ts'
import { realms } from './wire.ts'

/** A signed-in user. */
export type Signed = {
  readonly user: User
  readonly sessionId: string
  /** When the session was started, if with a passkey. */
  readonly passkeyAt: Date | null
  /** The merchant at whose till the session was started by PIN. Such a session has the rights of a cashier. */
  readonly tillOf: string | null
}

const signedIn = new WeakMap<FastifyRequest, Signed>()

/** The signed-in user. Only for endpoints that require a session. */
export function signedOf(request: FastifyRequest): Signed {
  const signed = findSigned(request)
  if (signed === undefined) throw new Error('signedOf was called in an endpoint without a session.')
  return signed
}

/** The signed-in user, if there is one. */
export function findSigned(request: FastifyRequest): Signed | undefined {
  return signedIn.get(request)
}

/** Refuses till sessions for actions on the user's own account: a colleague may know the PIN. */
export function refuseTill({ tillOf }: Signed): void {
  if (tillOf !== null) throw userError('TILL_ONLY')
}

export type ReadSession = (request: FastifyRequest, allowed: readonly Realm[]) => Promise<Signed>

type AuthSession = {
  readonly user: { readonly id: string }
  readonly session: {
    readonly id: string
    readonly token: string
    readonly passkeyAt?: Date | null | undefined
    readonly tillOf?: string | null | undefined
  }
}

/**
 * The session of a request's cookies, as the library reads them. Nothing else may parse the cookie header: another cookie whose name
 * ends the same could be mistaken for the session.
 */
export async function findSession(loadAuth: LoadAuth, { headers }: FastifyRequest): Promise<AuthSession | undefined> {
  const { api } = await loadAuth()
  const found = await api
    .getSession({ headers: new Headers({ cookie: headers.cookie ?? '' }) })
    .catch((error: unknown) => {
      // The library reports all failures alike; the cause is the database.
      throw httpError('UNAVAILABLE', {}, error)
    })
  return found ?? undefined
}

/**
 * Requires our realm header: browsers send cookies with requests that another site triggers, but never this header, so its presence
 * shows that one of our own pages made the request.
 */
export function createReadSession(pool: Pool, auths: Readonly<Record<Realm, LoadAuth>>): ReadSession {
  return async (request, allowed) => {
    const realm = realmOf(request)
    if (!allowed.includes(realm)) throw userError('SESSION_MISSING')
    const found = await findSession(auths[realm], request)
    const user = found === undefined ? undefined : (await findUsers(pool, [found.user.id])).get(found.user.id)
    if (found === undefined || user?.isActive !== true) throw userError('SESSION_MISSING')
    const { id: sessionId, passkeyAt = null, tillOf = null } = found.session
    const signed = { user, sessionId, passkeyAt, tillOf }
    signedIn.set(request, signed)
    return signed
  }
}

function realmOf({ headers }: FastifyRequest): Realm {
  const realm = realms.find((known) => known === headers['scrip-realm'])
  if (realm === undefined) throw userError('REALM_MISSING')
  return realm
}
