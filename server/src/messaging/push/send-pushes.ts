import type { Agent } from 'undici'
import webPush from 'web-push'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import { noteFailure, noteSuccess, type Subject } from '../../base/outage.ts'
import { send } from '../event/send.ts'
import { claimPushes, type DuePush, endPush, removeSubscription } from './store.ts'
import type { Vapid } from './vapid.ts'

export type PushTools = {
  readonly pool: Pool
  readonly clock: Clock
  readonly agent: Agent
  readonly vapid: Vapid
  readonly log: Log
}

const pushes: Subject = { name: 'Sending of pushes', failing: 'push failed, will retry', level: 'error' }

function pushServiceAt(host: string): Subject {
  return { name: `The push service ${host}`, failing: 'a push service does not respond, will retry' }
}

// Concurrent pushes in this process. A push service that does not respond takes one slot for 15 seconds.
const atOnceMax = 100

/** Sends due push notifications, as the work of a job. */
export type SendPushes = {
  readonly run: () => Promise<boolean>
  readonly settle: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Any number of workers can run at the same time. Pushes are sent at least once: one that a push service accepted but that was not
 * recorded is sent again with the same topic, which replaces the first if that is still queued there.
 */
export function createSendPushes(tools: PushTools): SendPushes {
  const underWay = new Set<Promise<void>>()
  let isStopping = false
  const settle = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay)
  }
  return {
    run: async () => {
      const free = atOnceMax - underWay.size
      const due = isStopping || free === 0 ? [] : await claimPushes(tools.pool, tools.clock(), free)
      for (const push of due) {
        const work = pushOne(tools, push)
          .then(
            () => noteSuccess(tools.log, pushes),
            (error: unknown) => noteFailure(tools.log, pushes, error),
          )
          .finally(() => underWay.delete(work))
        underWay.add(work)
      }
      return false
    },
    settle,
    stop: () => {
      isStopping = true
      return settle()
    },
  }
}

async function pushOne({ pool, clock, agent, vapid, log }: PushTools, push: DuePush): Promise<void> {
  if (push.isOver) return endPush(pool, push)
  const { headers, body } = encrypt(push, vapid, clock())
  const { statusCode, failure } = await send(agent, push.endpoint, headers, body)
  // Not the whole endpoint: anyone who knows it can send to it.
  const { host } = new URL(push.endpoint)
  if (statusCode === null) {
    noteFailure(log, pushServiceAt(host), new Error(failure), { host })
    return
  }
  noteSuccess(log, pushServiceAt(host))
  // The subscription no longer exists.
  if (statusCode === 404 || statusCode === 410) await removeSubscription(pool, push.userId, push.endpoint)
  else if (statusCode >= 200 && statusCode < 300) await endPush(pool, push)
  else log.info({ subscriptionId: push.subscriptionId, statusCode }, 'push service refused a push')
}

type EncryptedPush = { readonly headers: Record<string, string>; readonly body: Buffer }

/** Encrypts the payload for the browser (RFC 8291) and signs the request for the push service (RFC 8292). */
function encrypt(push: DuePush, vapidDetails: Vapid, at: Date): EncryptedPush {
  const { endpoint, p256dh, auth, payload, aboutId, expiresAt } = push
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails,
    // The notification is useless once the request has expired.
    TTL: Math.ceil((expiresAt.getTime() - at.getTime()) / 1_000),
    urgency: 'high',
    topic: aboutId.replaceAll('-', ''),
  })
  // Some values are numbers, although their type says otherwise.
  const named = Object.entries<string | number>(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
  return { headers: Object.fromEntries(named) as Record<string, string>, body }
}
