import { ECDH } from 'node:crypto'
import { isIP } from 'node:net'
import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { isAllowedAddress, isLetIn, type Networks } from '../event/guarded-agent.ts'
import { closed, endpoints } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import type { Server } from '../http/server.ts'
import { signedOf } from '../user/session.ts'
import { pushError } from './errors.ts'
import { removeSubscription, saveSubscription } from './store.ts'
import type { Vapid } from './vapid.ts'

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

  api.get('/wallet/push-key', 'wallet', () => answer('The key to subscribe with.', { key: vapid.publicKey }))
  api.post('/wallet/push-subscriptions', 'wallet', {
    body: closed({ endpoint, keys: closed({ p256dh, auth }) }),
    handler: async (request) => {
      const { endpoint: to, keys } = request.body
      checkEndpoint(to, networks)
      checkPoint(keys.p256dh)
      await saveSubscription(pool, newId(), signedOf(request).person.id, { endpoint: to, ...keys }, clock())
      return acknowledge('This browser is told.')
    },
  })
  api.post('/wallet/push-subscriptions/remove', 'wallet', {
    body: closed({ endpoint }),
    handler: async (request) => {
      await removeSubscription(pool, signedOf(request).person.id, request.body.endpoint)
      return acknowledge('This browser is told no more.')
    },
  })
}

/** Tells early what connecting would refuse later. What a name stands for is seen only then. */
function checkEndpoint(text: string, networks: Networks): void {
  const url = URL.parse(text)
  const host = url?.hostname.replace(/^\[(.*)\]$/, '$1') ?? ''
  const isAddress = isIP(host) !== 0
  const isSecure = url?.protocol === 'https:' || (isAddress && isLetIn(host, networks))
  if (!isSecure || url?.username !== '' || url.password !== '')
    throw pushError('PUSH_ENDPOINT_INVALID', { param: 'endpoint' })
  if (isAddress && !isAllowedAddress(host, networks)) throw pushError('PUSH_ENDPOINT_PRIVATE', { param: 'endpoint' })
}

/** One that is not on the curve would fail each time it is sent to. */
function checkPoint(text: string): void {
  try {
    ECDH.convertKey(text, 'prime256v1', 'base64url')
  } catch (error) {
    throw pushError('PUSH_KEYS_INVALID', { param: 'keys' }, error)
  }
}
