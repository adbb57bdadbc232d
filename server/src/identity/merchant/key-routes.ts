import Type from 'typebox'
import { callerOf } from '../../http/caller.ts'
import { answers, endpoints, staff } from '../../http/endpoint.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { closed } from '../../http/schema.ts'
import type { Server } from '../../http/server.ts'
import { wireOneTimeCode, wirePin } from '../user/routes.ts'
import type { ConfirmOwner } from '../user/second-factor.ts'
import { keyKinds } from './key-kind.ts'
import { createKey, type KeyTools, listKeys, revokeKey, rotateKey } from './keys.ts'
import type { KeyFacts } from './store.ts'
import { type WireKey, wireKeys, wireMadeKey } from './wire.ts'

const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const confirmation = { pin: Type.Optional(wirePin), oneTimeCode: Type.Optional(wireOneTimeCode) }
const origin = Type.String({ maxLength: 255, pattern: '^https?://[^/?#@\\s]+$' })

type Tools = KeyTools & { readonly confirmOwner: ConfirmOwner }

/**
 * API keys for owners and developers. A key acts without a person, so making, replacing or ending one is confirmed like a change of
 * limits: with the PIN in test mode, and with a second factor in live mode.
 */
export function registerKeyRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server)

  api.get('/merchant/keys', staff('developer'), {
    response: { 200: enveloped(wireKeys) },
    handler: async (request) => {
      const keys = await listKeys(tools, callerOf(request))
      return answer('Your API keys.', { keys: keys.map(toWireKey) })
    },
  })

  api.post('/merchant/keys', staff('developer'), {
    body: closed({
      kind: Type.Enum(keyKinds),
      name: Type.String({ minLength: 1, maxLength: 60, pattern: '\\S' }),
      origins: Type.Optional(Type.Array(origin, { maxItems: 20 })),
      ...confirmation,
    }),
    response: answers(wireMadeKey.properties),
    handler: async (request) => {
      const caller = callerOf(request)
      const { kind, name, origins = [], ...confirmed } = request.body
      await tools.confirmOwner(request, caller.mode, confirmed)
      const made = await createKey(tools, caller, { kind, name: name.trim(), origins })
      return answer('Keep the key: it is not shown again.', made)
    },
  })

  api.post('/merchant/keys/:id/rotate', staff('developer'), {
    params,
    body: closed(confirmation),
    response: answers(wireMadeKey.properties),
    handler: async (request) => {
      const caller = callerOf(request)
      await tools.confirmOwner(request, caller.mode, request.body)
      const made = await rotateKey(tools, caller, request.params.id.toLowerCase())
      return answer('Keep the key: it is not shown again. The old one works for another 24 hours.', made)
    },
  })

  api.post('/merchant/keys/:id/revoke', staff('developer'), {
    params,
    body: closed(confirmation),
    handler: async (request) => {
      const caller = callerOf(request)
      await tools.confirmOwner(request, caller.mode, request.body)
      await revokeKey(tools, caller, request.params.id.toLowerCase())
      return acknowledge('The key is revoked. Every server refuses it within 5 seconds.')
    },
  })
}

function toWireKey({ createdAt, lastUsedAt, endsAt, origins, ...key }: KeyFacts): WireKey {
  return {
    ...key,
    origins: [...origins],
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? '',
    endsAt: endsAt?.toISOString() ?? '',
  }
}
