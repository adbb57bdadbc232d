import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'undici'
import { batched } from '../../base/batched.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Log } from '../../base/log.ts'
import { noteFailure, noteSuccess, type Subject } from '../../base/outage.ts'
import type { Leases } from '../../base/lease.ts'
import { activeSpan, inRoot } from '../../base/trace.ts'
import { createRest } from '../../base/jobs.ts'
import { switchOff, type WebhookTools } from './endpoints.ts'
import { nextTryAt } from './retry.ts'
import { type Attempt, send } from './send.ts'
import { signDelivery } from './sign.ts'
import { toWireEvent } from './to-wire.ts'
import {
  type DoneAttempt,
  type DueDelivery,
  type Endpoint,
  type EndpointName,
  findDueEndpoints,
  findEndpoint,
  noteHealth,
  readDue,
  saveAttempts,
} from './webhook-store.ts'

export type DeliverTools = WebhookTools & { readonly agent: Agent; readonly leases: Leases; readonly log: Log }

// Concurrent deliveries per endpoint. A failing endpoint gets one at a time until it succeeds again.
const atOnceMax = 10
const readMax = 50
const staleMs = 1_000
const lookMs = 200
const failingMsMax = 5 * 24 * 60 * 60 * 1_000

/** Sends due webhook deliveries, as the work of a job. */
export type Deliver = {
  readonly run: () => Promise<boolean>
  /** Waits until everything that is due has been sent. */
  readonly settle: () => Promise<void>
  /** Finishes the running attempts and starts no new ones. */
  readonly stop: () => Promise<void>
}

/**
 * Each endpoint has its own pump, in one process at a time, so that a slow endpoint delays only itself; a worker that crashes releases
 * its endpoints. An attempt that was not recorded is repeated: events are delivered at least once.
 */
export function createDeliver(tools: DeliverTools): Deliver {
  const pumps = new Map<string, Promise<void>>()
  const rest = createRest(tools.clock)
  let isStopping = false

  async function run(): Promise<boolean> {
    const resting = new Set(rest.ids())
    for (const name of await findDueEndpoints(tools.pool, tools.clock())) {
      if (isStopping || pumps.has(name.id) || resting.has(name.id)) continue
      const pump = pumpUnderLease(tools, name, () => isStopping)
        .then(() => {
          rest.end(name.id)
          noteSuccess(tools.log, deliveriesTo(name))
        })
        .catch((error: unknown) => {
          // An attempt that could not be recorded is sent again, with back-off.
          rest.add(name.id)
          noteFailure(tools.log, deliveriesTo(name), error, { endpointId: name.id })
        })
        .finally(() => pumps.delete(name.id))
      pumps.set(name.id, pump)
    }
    return false
  }
  return {
    run,
    settle: async () => {
      while (pumps.size > 0) await Promise.all(pumps.values())
    },
    stop: async () => {
      isStopping = true
      await Promise.all(pumps.values())
    },
  }
}

function deliveriesTo({ id }: EndpointName): Subject {
  return { name: `The endpoint ${id}`, failing: 'deliveries failed, will retry', level: 'error' }
}

function signaturesFor(endpointId: string): Subject {
  return {
    name: `The signing secret of ${endpointId}`,
    failing: 'webhooks of an endpoint cannot be signed',
    level: 'error',
  }
}

async function pumpUnderLease(tools: DeliverTools, name: EndpointName, isStopping: () => boolean): Promise<void> {
  const lock = `webhook ${name.id}`
  if (!(await tools.leases.claim(lock))) return
  try {
    const lost = tools.leases.lost()
    await pump(tools, name, () => isStopping() || tools.leases.lost() !== lost)
  } finally {
    await tools.leases.release(lock)
  }
}

async function pump(tools: DeliverTools, name: EndpointName, isStopping: () => boolean): Promise<void> {
  const record = createRecorder(tools, name)
  const underWay = new Map<string, Promise<void>>()
  const failures: unknown[] = []
  const isEnding = (): boolean => failures.length > 0 || record.isOff() || isStopping()
  while (!isEnding()) {
    const { endpoint, due } = await readDue(tools.pool, name, [...underWay.keys()], tools.clock(), readMax)
    if (endpoint?.status !== 'enabled' || (due.length === 0 && underWay.size === 0)) break
    const readMs = performance.now()
    for (const delivery of due) {
      // The merchant may have changed or disabled the endpoint since it was read.
      if (performance.now() - readMs > staleMs) break
      const work = attempt(tools, endpoint, delivery)
        .then(record)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(delivery.event.id))
      underWay.set(delivery.event.id, work)
      while (underWay.size >= (record.isFailing(endpoint) ? 1 : atOnceMax)) await Promise.race(underWay.values())
      if (isEnding()) break
    }
    // Look for new deliveries while a slow attempt runs, so that it does not block the other nine slots.
    if (due.length < readMax && underWay.size > 0) await Promise.race([...underWay.values(), sleep(lookMs)])
  }
  await Promise.all(underWay.values())
  if (failures.length > 0) throw failures[0]
}

type Tried = {
  readonly endpoint: Endpoint
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  readonly at: Date
}

async function attempt(tools: DeliverTools, endpoint: Endpoint, delivery: DueDelivery): Promise<Tried> {
  const body = JSON.stringify(toWireEvent(delivery.event, endpoint.mode))
  const headers = sign(tools, endpoint, delivery.event.id, body)
  const made = headers === undefined ? unsigned : await sendTraced(tools, endpoint, delivery, headers, body)
  return { endpoint, delivery, attempt: made, at: tools.clock() }
}

/** A trace of its own: by the event id and the transaction id, it is found from the trace of the payment. */
function sendTraced(
  { agent }: DeliverTools,
  endpoint: Endpoint,
  { event }: DueDelivery,
  headers: Record<string, string>,
  body: string,
): Promise<Attempt> {
  const { transactionId } = event.data
  const attributes = {
    'scrip.event.id': event.id,
    'scrip.event.type': event.type,
    'scrip.endpoint.id': endpoint.id,
    ...(typeof transactionId === 'string' && { 'scrip.transaction.id': transactionId }),
  }
  return inRoot('webhook delivery', attributes, async () => {
    const made = await send(agent, endpoint.url, headers, body)
    activeSpan()?.set({ 'http.response.status_code': made.statusCode ?? 0, 'scrip.delivery.failure': made.failure })
    return made
  })
}

const unsigned: Attempt = {
  statusCode: null,
  failure: 'it could not be signed: the platform cannot decrypt your secret',
  excerpt: '',
  durationMs: 0,
}

/** Signs with the current secret, and for a day with the previous one. Returns undefined if a secret cannot be decrypted. */
function sign(
  tools: DeliverTools,
  endpoint: Endpoint,
  eventId: string,
  body: string,
): Record<string, string> | undefined {
  const { id, secret, oldSecret } = endpoint
  const at = tools.clock()
  try {
    const secrets = [tools.seals.open(id, secret)]
    if (oldSecret !== undefined && oldSecret.until > at) secrets.push(tools.seals.open(id, oldSecret))
    noteSuccess(tools.log, signaturesFor(id))
    return signDelivery(eventId, body, secrets, at)
  } catch (error) {
    noteFailure(tools.log, signaturesFor(id), error, { endpointId: id })
    return undefined
  }
}

/** Records attempts, in one commit for those that end together, and updates the endpoint's health. */
function createRecorder(tools: DeliverTools, name: EndpointName) {
  /** As last written. Undefined until then. */
  let failingSince: Date | null | undefined
  let isOff = false

  const write = batched(async (tried: readonly Tried[]) => {
    const [first] = tried
    const last = tried.at(-1)
    if (first === undefined || last === undefined) return []
    const before = failingSince === undefined ? first.endpoint.failingSince : failingSince
    const isGone = tried.some(({ attempt: { statusCode } }) => statusCode === 410)
    const hasSuccess = tried.some(isDelivered)
    const since = hasSuccess ? (isDelivered(last) ? null : last.at) : (before ?? first.at)
    const failedForMs = since === null ? 0 : last.at.getTime() - since.getTime()
    const done = tried.map((one) => toDone(tools, one))
    await withEnvironment(tools.pool, name.environmentId, async (tx) => {
      await saveAttempts(tx, name, done)
      if (since?.getTime() !== before?.getTime()) await noteHealth(tx, name.id, since)
      if (isOff || !(isGone || failedForMs >= failingMsMax)) return
      // Read the endpoint again: it may have been deleted or changed since the attempts were sent.
      const current = await findEndpoint(tx, name.id, 'for no key update of w')
      if (current?.status !== 'enabled' || current.url !== last.endpoint.url) return
      await switchOff(tx, current, isGone ? 'gone' : 'failing', tools)
    })
    failingSince = since
    isOff ||= isGone || failedForMs >= failingMsMax
    return tried.map(() => undefined)
  })
  return Object.assign(write, {
    isFailing: (endpoint: Endpoint): boolean =>
      (failingSince === undefined ? endpoint.failingSince : failingSince) !== null,
    isOff: () => isOff,
  })
}

function isDelivered({ attempt: { statusCode } }: Tried): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300
}

function toDone(tools: DeliverTools, tried: Tried): DoneAttempt {
  const { delivery, attempt: made, at } = tried
  const base = { ...made, eventId: delivery.event.id, number: delivery.attempts + 1, tries: delivery.tries, at }
  if (isDelivered(tried)) return { ...base, status: 'delivered', nextAt: null }
  const nextAt = nextTryAt(delivery.tries + 1, at, tools.random) ?? null
  return { ...base, status: nextAt === null ? 'failed' : 'pending', nextAt }
}
