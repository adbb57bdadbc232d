import type { Pool } from './db.ts'

/** Requests for a connection that found none free. */
export type PoolWaits = { count: number; ms: number }

/** Counts how often and how long callers wait because all connections of the pool are in use. */
export function countWaits(pool: Pool): PoolWaits {
  const waits: PoolWaits = { count: 0, ms: 0 }
  const connect = pool.connect.bind(pool) as (callback?: Callback) => Promise<unknown> | undefined
  const counted = (callback?: Callback): Promise<unknown> | undefined => {
    // Nearly always: two comparisons, and no clock is read.
    if (pool.idleCount > 0 || pool.totalCount < pool.options.max) return connect(callback)
    const startMs = performance.now()
    waits.count++
    const end = (): void => void (waits.ms += performance.now() - startMs)
    if (callback === undefined) return connect()?.finally(end)
    return connect((...results) => {
      end()
      callback(...results)
    })
  }
  Object.assign(pool, { connect: counted })
  return waits
}

type Callback = (...results: unknown[]) => void
