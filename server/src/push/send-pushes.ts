import type { Agent } from 'undici'
import webPush from 'web-push'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import type { Log } from '../base/log.ts'
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

// In this process. One that does not answer takes one of them for 15 seconds.
const atOnceMax = 100

/**
 * Sends what is due, any number of workers beside each other. A browser is told at least once: what a push service has taken and nobody
 * lived to record is sent again, under the same topic, by which it takes the place of the one before while that waits there.
 */
export function createSendPushes(tools: PushTools) {
  const underWay = new Set<Promise<void>>()
  let isStopping = false
  const settle = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay)
  }
  return {
    run: async (): Promise<boolean> => {
      const free = atOnceMax - underWay.size
      const due = isStopping || free === 0 ? [] : await claimPushes(tools.pool, tools.clock(), free)
      for (const push of due) {
        const work = pushOne(tools, push)
          .catch((error: unknown) => {
            tools.log.error({ err: error }, 'a push failed and is tried again')
          })
          .finally(() => underWay.delete(work))
        underWay.add(work)
      }
      return false
    },
    settle,
    stop: (): Promise<void> => {
      isStopping = true
      return settle()
    },
  }
}

async function pushOne({ pool, clock, agent, vapid, log }: PushTools, push: DuePush): Promise<void> {
  if (push.isOver) return endPush(pool, push)
  const { headers, body } = encrypt(push, vapid, clock())
  const { statusCode, failure } = await send(agent, push.endpoint, headers, body)
  // The browser is no longer there.
  if (statusCode === 404 || statusCode === 410) await removeSubscription(pool, push.userId, push.endpoint)
  else if (statusCode !== null && statusCode >= 200 && statusCode < 300) await endPush(pool, push)
  // Not where to: whoever has that address can send there.
  else log.info({ subscriptionId: push.subscriptionId, statusCode, failure }, 'a push was not taken')
}

/** As RFC 8291 says, so that the push service cannot read it, and signed as RFC 8292 says, so that it knows us. */
function encrypt({ endpoint, p256dh, auth, payload, aboutId, expiresAt }: DuePush, vapidDetails: Vapid, at: Date) {
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails,
    // When it is over, nobody wants to be told.
    TTL: Math.ceil((expiresAt.getTime() - at.getTime()) / 1_000),
    urgency: 'high',
    topic: aboutId.replaceAll('-', ''),
  })
  // Some values are numbers, whatever their type says.
  const named = Object.entries<string | number>(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
  return { headers: Object.fromEntries(named) as Record<string, string>, body }
}
