import { hash } from 'node:crypto'
import type { RateLimiterRedis } from 'rate-limiter-flexible'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type Counts, createCounts, createMemoryLimits, type Limit, type Limits } from './limit.ts'
import type { SharedRedis } from './redis.ts'

const pushEveryMs = 50

type Tools = {
  readonly clock: Clock
  readonly log: Log
  /** Absent: each process counts for itself. */
  readonly redisUrl: string | undefined
}

export async function openLimits({ clock, log, redisUrl }: Tools): Promise<Limits> {
  if (redisUrl === undefined) return createMemoryLimits(clock)
  // Loaded where Redis is used only.
  const [{ connectRedis }, { RateLimiterRedis }] = await Promise.all([
    import('./redis.ts'),
    import('rate-limiter-flexible'),
  ])
  const redis = await connectRedis(redisUrl, log)
  return {
    createLimit: (title, max, windowMs, sharing = 'at once') => {
      const counts = createCounts(clock, max, windowMs)
      const limiter = new RateLimiterRedis({
        storeClient: redis.client,
        keyPrefix: `scrip:limit:${title}`,
        points: max,
        duration: windowMs / 1_000,
      })
      return sharing === 'at once' ? shareAtOnce(redis, limiter, counts) : shareAfterwards(redis, limiter, counts)
    },
    state: () => (redis.isUp() ? 'shared' : 'degraded'),
    close: redis.close,
  }
}

/**
 * Memory counts too and adopts the totals that Redis returns. If Redis dies, no name gets a new allowance, and a name over the limit is
 * refused without a command.
 */
function shareAtOnce(redis: SharedRedis, limiter: RateLimiterRedis, counts: Counts): Limit {
  return {
    count: async (name) => {
      const mine = counts.count(name)
      if (!mine.isWithin) return mine
      const all = await redis.run(() => limiter.penalty(keyOf(name)))
      return all === undefined ? mine : counts.learn(name, all.consumedPoints, all.msBeforeNext)
    },
    look: async (name) => {
      const mine = counts.look(name)
      if (!mine.isWithin) return mine
      const all = await redis.run(() => limiter.get(keyOf(name)))
      if (all === undefined || all === null) return mine
      const learned = counts.learn(name, all.consumedPoints, all.msBeforeNext)
      return { ...learned, isWithin: all.consumedPoints < learned.max }
    },
  }
}

/** Sends one command for many counts of a name. No request waits for it. */
function shareAfterwards(redis: SharedRedis, limiter: RateLimiterRedis, counts: Counts): Limit {
  const pending = new Map<string, number>()

  function push(): void {
    const pushed = [...pending]
    pending.clear()
    for (const [name, count] of pushed)
      void redis
        .run(() => limiter.penalty(keyOf(name), count))
        .then((all) => {
          if (all !== undefined) counts.learn(name, all.consumedPoints + (pending.get(name) ?? 0), all.msBeforeNext)
        })
  }

  return {
    count: (name) => {
      const mine = counts.count(name)
      // Refused requests are not sent, so a flood does not reach Redis.
      if (mine.isWithin && redis.isUp()) {
        if (pending.size === 0) setTimeout(push, pushEveryMs).unref()
        pending.set(name, (pending.get(name) ?? 0) + 1)
      }
      return Promise.resolve(mine)
    },
    look: (name) => Promise.resolve(counts.look(name)),
  }
}

/** Hashes the name: keys have the same length, and Redis stores no address or account. */
function keyOf(name: string): string {
  return hash('sha256', name, 'base64url')
}
