import type { Log } from '../base/log.ts'
import { database, noteFailure, noteSuccess } from '../base/outage.ts'

// Load balancers ask every second or two.
const deadlineMs = 1_000
const watchEveryMs = 2_000

export type Readiness = {
  /** Throws within a second if requests cannot be served or this process is about to stop. */
  readonly check: () => Promise<void>
  /** From now on not ready, so that load balancers send no new requests. */
  readonly drain: () => void
  readonly isDraining: () => boolean
  /** Whether the database replied when it was asked last. Undefined before. */
  readonly isDatabaseUp: () => boolean | undefined
  /** Checks regularly, so that an outage is logged even if no load balancer asks. */
  readonly watch: () => void
  readonly stop: () => void
}

/** `ask` throws if the database does not respond. It runs once at a time, however many ask. */
export function createReadiness(ask: () => Promise<unknown>, log: Log): Readiness {
  let running: Promise<void> | undefined
  let isDatabaseUp: boolean | undefined
  let isDraining = false
  let watching: NodeJS.Timeout | undefined

  async function askAndLog(): Promise<void> {
    try {
      await ask()
      noteSuccess(log, database)
    } catch (error) {
      noteFailure(log, database, error)
      throw error
    }
  }
  async function check(): Promise<void> {
    if (isDraining) throw new Error('This process is about to stop.')
    running ??= askAndLog().finally(() => (running = undefined))
    try {
      await within(deadlineMs, running)
      isDatabaseUp = true
    } catch (error) {
      isDatabaseUp = false
      throw error
    }
  }
  return {
    check,
    drain: () => {
      isDraining = true
      clearInterval(watching)
    },
    isDraining: () => isDraining,
    isDatabaseUp: () => isDatabaseUp,
    watch: () => {
      watching = setInterval(() => void check().catch(() => undefined), watchEveryMs).unref()
    },
    stop: () => clearInterval(watching),
  }
}

/** Rejects if `work` takes longer. `work` itself continues. */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  // After a pause of the event loop, a response that has arrived is read first.
  const timer = setTimeout(() => setImmediate(() => reject(new Error(`No response in ${timeoutMs} ms.`))), timeoutMs)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
