import { ECDH } from 'node:crypto'
import { isIP } from 'node:net'
import Type from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import type { NewId } from '../../base/id.ts'
import { isAllowedAddress, isLetIn, type Networks } from '../event/guarded-agent.ts'
import { endpoints } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import type { Server } from '../../http/server.ts'
import { signedOf } from '../../identity/user/session.ts'
import { pushError } from './errors.ts'
import { removeSubscription, saveSubscription } from './store.ts'
import type { Vapid } from './vapid.ts'
import { wirePushKey } from './wire.ts'

type Tools = {
  readonly pool: Pool
  readonly clock: Clock
  readonly newId: NewId
  readonly networks: Networks
  readonly vapid: Vapid
}

const endpoint = Type.String({ maxLength: 2_000, pattern: '^https?://[!-~]+$' })
// 65 and 16 bytes.
const p256dh = Type.String({ pattern: '^[A-Za-z0-9_-]{87}$' })
const auth = Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' })

export function registerPushRoutes(server: Server, { pool, clock, newId, networks, vapid }: Tools): void {
  const api = endpoints(server)

  api.get('/wallet/push-key', 'wallet', {
    response: { 200: enveloped(wirePushKey) },
    handler: () => answer('The key to subscribe with.', { key: vapid.publicKey }),
  })
  api.post('/wallet/push-subscriptions', 'wallet', {
    body: closed({ endpoint, keys: closed({ p256dh, auth }) }),
    handler: async (request) => {
      const { endpoint: to, keys } = request.body
      checkEndpoint(to, networks)
      checkPoint(keys.p256dh)
      await saveSubscription(pool, newId(), signedOf(request).user.id, { endpoint: to, ...keys }, clock())
      return acknowledge('This browser receives notifications.')
    },
  })
  api.post('/wallet/push-subscriptions/remove', 'wallet', {
    body: closed({ endpoint }),
    handler: async (request) => {
      await removeSubscription(pool, signedOf(request).user.id, request.body.endpoint)
      return acknowledge('This browser no longer receives notifications.')
    },
  })
}

/** Refuses early what connecting would refuse later. The address of a host name is checked only when connecting. */
function checkEndpoint(text: string, networks: Networks): void {
  const url = URL.parse(text)
  const host = url?.hostname.replace(/^\[(.*)\]$/, '$1') ?? ''
  const isAddress = isIP(host) !== 0
  const isSecure = url?.protocol === 'https:' || (isAddress && isLetIn(host, networks))
  if (!isSecure || url?.username !== '' || url.password !== '')
    throw pushError('PUSH_ENDPOINT_INVALID', { param: 'endpoint' })
  if (isAddress && !isAllowedAddress(host, networks)) throw pushError('PUSH_ENDPOINT_PRIVATE', { param: 'endpoint' })
}

/** Refuses a key that is not a point on the curve, because every push to it would fail. */
function checkPoint(text: string): void {
  try {
    ECDH.convertKey(text, 'prime256v1', 'base64url')
  } catch (error) {
    throw pushError('PUSH_KEYS_INVALID', { param: 'keys' }, error)
  }
}
