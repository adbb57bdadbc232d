import { isIP } from 'node:net'
import type { Tx } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import type { Random } from '../base/random.ts'
import type { Seals } from '../base/seal.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { eventCatalogue } from '../ledger/event.ts'
import { tell } from '../ledger/store.ts'
import { notifyMerchant } from '../merchant/notify.ts'
import type { PostTools } from '../ledger/batch.ts'
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

/** Everything that happens from now on, and is of these types, goes there. The secret is shown this once. */
export async function createEndpoint(tools: WebhookTools, { environmentId, mode }: MerchantCaller, terms: Terms) {
  checkUrl(terms.url, mode, tools.networks)
  checkTypes(terms.eventTypes)
  const id = tools.newId()
  const secret = makeSecret(tools.random)
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    if ((await listEndpoints(tx)).length >= endpointsMax) throw eventError('WEBHOOK_ENDPOINTS_FULL')
    const sealed = tools.seals.seal(id, secret, tools.random)
    await insertEndpoint(tx, { environmentId, id, ...terms, secret: sealed }, tools.clock())
    return { endpoint: await requireEndpoint(tx, id), secret }
  })
}

/** What is not named stays. One that was switched off goes on with what waited for it. */
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

/** For a day both sign, so that receivers can be changed one after the other. */
export function rotateSecret(tools: WebhookTools, { environmentId }: MerchantCaller, id: string): Promise<string> {
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    // Sealed with the id as it is stored: the one that was asked for may be in capitals.
    const endpoint = await requireEndpoint(tx, id, 'for no key update of w')
    const secret = makeSecret(tools.random)
    const until = new Date(tools.clock().getTime() + overlapMs)
    await replaceSecret(tx, id, tools.seals.seal(endpoint.id, secret, tools.random), until)
    return secret
  })
}

/** An event for this endpoint alone, whatever types it wants. Says which. */
export function testEndpoint(tools: WebhookTools, { environmentId }: MerchantCaller, id: string): Promise<string> {
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    const endpoint = await requireEndpoint(tx, id, 'for no key update of w')
    if (endpoint.status !== 'enabled') throw eventError('WEBHOOK_ENDPOINT_DISABLED')
    const { id: endpointId } = endpoint
    const to = { environmentId, about: { id: endpointId, sequence: await raiseVersion(tx, id) } }
    await tell(tx, [webhookEvent('merchant.webhook_test', to, { endpointId })], tools)
    return insertOwnDelivery(tx, endpoint, tools.clock())
  })
}

/** No more is sent there, and its owner is told. */
export async function switchOff(tx: Tx, endpoint: Endpoint, reason: 'gone' | 'failing', tools: WebhookTools) {
  const { environmentId, id, url } = endpoint
  await changeEndpoint(tx, id, { status: 'disabled', disabledReason: reason })
  const about = { id, sequence: await raiseVersion(tx, id) }
  const data = { endpointId: id, url, reason }
  await tell(tx, [webhookEvent('merchant.webhook_disabled', { environmentId, about }, data)], tools)
  await notifyMerchant(tx, tools, endpoint, { what: 'webhook_disabled', name: url, reason, aboutId: id })
}

export async function requireEndpoint(tx: Tx, id: string, lock: Parameters<typeof findEndpoint>[2] = '') {
  const endpoint = await findEndpoint(tx, id, lock)
  if (endpoint === undefined) throw eventError('WEBHOOK_ENDPOINT_UNKNOWN')
  return endpoint
}

/** Tells early what connecting would refuse later. What a name stands for is seen only then. */
function checkUrl(text: string, mode: MerchantCaller['mode'], networks: Networks): void {
  const url = URL.parse(text)
  const isSound =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && mode === 'test')) &&
    url.username === '' &&
    url.password === ''
  if (!isSound) throw eventError('WEBHOOK_URL_INVALID', { param: 'url' })
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0 && !isAllowedAddress(host, networks))
    throw eventError('WEBHOOK_TARGET_PRIVATE', { param: 'url' })
}

function checkTypes(wanted: readonly string[]): void {
  const known = new Set(eventCatalogue.flatMap(({ type }) => [type, `${type.split('.')[0]}.*`]))
  const unknown = wanted.find((type) => !known.has(type))
  if (unknown !== undefined) throw eventError('WEBHOOK_TYPE_UNKNOWN', { param: 'eventTypes', eventType: unknown })
}
