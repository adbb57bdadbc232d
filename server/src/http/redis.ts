import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Log } from '../base/log.ts'
import { noteFailure, noteSuccess } from '../base/outage.ts'

// On one network Redis replies in less than a millisecond. After the first slower command, none is sent until a probe succeeds.
const replyMsMax = 50
const probeEveryMs = 500
const connectMsMax = 1_000
// A connection without any data for this long is reopened.
const silenceMsMax = 10_000

const redis = { name: 'Redis', failing: 'Redis does not reply: each process counts its own limits.' }

export type SharedRedis = {
  readonly client: Redis
  readonly isUp: () => boolean
  /** Returns the reply to the command, or undefined if Redis does not reply. */
  readonly run: <T>(command: () => Promise<T>) => Promise<T | undefined>
  readonly close: () => void
}

/**
 * Connects to an optional Redis or Valkey. While it is down, frozen or slow, `run` returns undefined at once; a probe detects when it
 * is back.
 */
export async function connectRedis(url: string, log: Log): Promise<SharedRedis> {
  const client = new Redis(url, {
    // Send a command now or never: one that waited for a connection would count in a later window.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectMsMax,
    socketTimeout: silenceMsMax,
    retryStrategy: (attempt) => Math.min(attempt * 100, connectMsMax),
  })
  let isUp: boolean | undefined
  let isClosed = false

  function setUp(isUpNow: boolean, reason?: string): void {
    if (isClosed) return
    if (isUp === undefined && isUpNow) log.info('Redis replies: limits are shared between processes.')
    isUp = isUpNow
    if (isUp) noteSuccess(log, redis)
    else noteFailure(log, redis, undefined, { reason })
  }
  // The error is not logged: its message can contain the URL and so the password.
  client.on('error', () => setUp(false, 'error'))
  client.on('close', () => setUp(false, 'connection lost'))

  /** Writes, because a full or read-only Redis still replies to a ping. One probe at a time, so none queue up while it is frozen. */
  async function probe(): Promise<void> {
    const reply = client.set('scrip:limit:probe', '1', 'PX', 1_000)
    await within(replyMsMax, reply).then(
      () => setUp(true),
      () => setUp(false, 'probe'),
    )
    await reply.catch(() => undefined)
  }
  async function watch(): Promise<void> {
    while (!isClosed) {
      await probe()
      await sleep(probeEveryMs, undefined, { ref: false })
    }
  }
  await firstState(client)
  await Promise.race([probe(), sleep(2 * replyMsMax)])
  void watch()

  return {
    client,
    isUp: () => isUp === true,
    run: async (command) => {
      if (isUp !== true) return undefined
      try {
        return await within(replyMsMax, command())
      } catch {
        setUp(false, 'command')
        return undefined
      }
    },
    close: () => {
      isClosed = true
      client.disconnect()
    },
  }
}

/** Waits until the client is connected or has failed, for `connectMsMax` at most. */
async function firstState(client: Redis): Promise<void> {
  await new Promise<void>((resolve) => {
    const deadline = setTimeout(resolve, connectMsMax)
    for (const event of ['ready', 'error'])
      client.once(event, () => {
        clearTimeout(deadline)
        resolve()
      })
  })
}

function within<T>(ms: number, reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // After a long turn of the event loop, read replies that have arrived before the time-out applies.
    const timer = setTimeout(() => setImmediate(reject, new Error('timeout')), ms)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
