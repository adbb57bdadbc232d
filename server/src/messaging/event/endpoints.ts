import { isIP } from 'node:net'
import type { Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Random } from '../../base/random.ts'
import type { Seals } from '../../base/seal.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { createOnce } from '../../ledger/create-once.ts'
import { eventCatalogue } from '../../ledger/event.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { notifyMerchant } from '../../identity/merchant/notify.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { eventError } from './errors.ts'
import { webhookEvent } from './events.ts'
import { isAllowedAddress, type Networks } from './guarded-agent.ts'
import { makeSecret } from './sign.ts'
import {
  changeEndpoint,
  type Endpoint,
  type EndpointChange,
  findEndpoint,
  insertEndpoint,
  insertOwnDelivery,
  listEndpoints,
  raiseVersion,
  replaceSecret,
} from './webhook-store.ts'

export type WebhookTools = PostTools & {
  readonly random: Random
  readonly seals: Seals
  readonly networks: Networks
}

const endpointsMax = 50
const overlapMs = 24 * 60 * 60 * 1_000

type Terms = Pick<Endpoint, 'url' | 'description' | 'eventTypes'>

type CreatedEndpoint = { readonly endpoint: Endpoint; readonly secret: string; readonly replayed: boolean }

/**
 * Creates an endpoint that receives events of these types from now on. The secret is returned only here, and to a retry with the same
 * idempotency key: its client may never have received the first response.
 */
export async function createEndpoint(
  tools: WebhookTools,
  { environmentId, mode }: MerchantCaller,
  terms: Terms,
  key?: string,
): Promise<CreatedEndpoint> {
  const { url, eventTypes, description } = terms
  const claim =
    key === undefined
      ? undefined
      : {
          kind: 'claim.webhook',
          key: `webhook/${environmentId}/create/${key}`,
          requestFingerprint: JSON.stringify([url, eventTypes, description]),
        }
  const { id, replayed } = await createOnce(tools, environmentId, claim, async (tx, newId) => {
    checkUrl(url, mode, tools.networks)
    checkTypes(eventTypes)
    if ((await listEndpoints(tx)).length >= endpointsMax) throw eventError('WEBHOOK_ENDPOINTS_FULL')
    const secret = tools.seals.seal(newId, makeSecret(tools.random), tools.random)
    await insertEndpoint(tx, { environmentId, id: newId, ...terms, secret }, tools.clock())
  })
  const endpoint = await withEnvironment(tools.pool, environmentId, (tx) => requireEndpoint(tx, id))
  return { endpoint, secret: tools.seals.open(id, endpoint.secret), replayed }
}

/** Changes the given fields. An endpoint that is enabled again gets its pending deliveries. */
export function updateEndpoint(
  tools: WebhookTools,
  { environmentId, mode }: MerchantCaller,
  id: string,
  change: EndpointChange,
): Promise<Endpoint> {
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    await requireEndpoint(tx, id, 'for no key update of w')
    if (change.url !== undefined) checkUrl(change.url, mode, tools.networks)
    if (change.eventTypes !== undefined) checkTypes(change.eventTypes)
    await changeEndpoint(tx, id, change)
    return requireEndpoint(tx, id)
  })
}

export function deleteEndpoint(tools: WebhookTools, { environmentId }: MerchantCaller, id: string): Promise<void> {
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    await requireEndpoint(tx, id, 'for no key update of w')
    await changeEndpoint(tx, id, { status: 'deleted' })
  })
}

/** Replaces the secret. For a day both secrets sign, so that receivers can be updated one by one. */
export function rotateSecret(tools: WebhookTools, { environmentId }: MerchantCaller, id: string): Promise<string> {
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    // Seal with the stored id: the id in the request may be in capitals.
    const endpoint = await requireEndpoint(tx, id, 'for no key update of w')
    const secret = makeSecret(tools.random)
    const until = new Date(tools.clock().getTime() + overlapMs)
    await replaceSecret(tx, id, tools.seals.seal(endpoint.id, secret, tools.random), until)
    return secret
  })
}

/** Publishes a test event to this endpoint only, whatever its event types. Returns the event id. */
export function testEndpoint(tools: WebhookTools, { environmentId }: MerchantCaller, id: string): Promise<string> {
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    const endpoint = await requireEndpoint(tx, id, 'for no key update of w')
    if (endpoint.status !== 'enabled') throw eventError('WEBHOOK_ENDPOINT_DISABLED')
    const { id: endpointId } = endpoint
    const to = { environmentId, about: { id: endpointId, sequence: await raiseVersion(tx, id) } }
    await publishEvents(tx, [webhookEvent('merchant.webhook_test', to, { endpointId })], tools)
    return insertOwnDelivery(tx, endpoint, tools.clock())
  })
}

/** Disables the endpoint and notifies its merchant. */
export async function switchOff(
  tx: Tx,
  endpoint: Endpoint,
  reason: 'gone' | 'failing',
  tools: WebhookTools,
): Promise<void> {
  const { environmentId, id, url } = endpoint
  await changeEndpoint(tx, id, { status: 'disabled', disabledReason: reason })
  const about = { id, sequence: await raiseVersion(tx, id) }
  const data = { endpointId: id, url, reason }
  await publishEvents(tx, [webhookEvent('merchant.webhook_disabled', { environmentId, about }, data)], tools)
  await notifyMerchant(tx, tools, endpoint, { what: 'webhook_disabled', name: url, reason, aboutId: id })
}

export async function requireEndpoint(
  tx: Tx,
  id: string,
  lock: Parameters<typeof findEndpoint>[2] = '',
): Promise<Endpoint> {
  const endpoint = await findEndpoint(tx, id, lock)
  if (endpoint === undefined) throw eventError('WEBHOOK_ENDPOINT_UNKNOWN')
  return endpoint
}

/** Refuses early what connecting would refuse later. The address of a host name is checked only when connecting. */
function checkUrl(text: string, mode: MerchantCaller['mode'], networks: Networks): void {
  const url = URL.parse(text)
  const isAcceptable =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && mode === 'test')) &&
    url.username === '' &&
    url.password === ''
  if (!isAcceptable) throw eventError('WEBHOOK_URL_INVALID', { param: 'url' })
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0 && !isAllowedAddress(host, networks))
    throw eventError('WEBHOOK_TARGET_PRIVATE', { param: 'url' })
}

function checkTypes(wanted: readonly string[]): void {
  const known = new Set(eventCatalogue.flatMap(({ type }) => [type, `${type.split('.')[0]}.*`]))
  const unknown = wanted.find((type) => !known.has(type))
  if (unknown !== undefined) throw eventError('WEBHOOK_TYPE_UNKNOWN', { param: 'eventTypes', eventType: unknown })
}
