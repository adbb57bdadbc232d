import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import type { Db } from './db.ts'
import type { Log } from './log.ts'

/** Work that shows in the tables until it is done. */
export type Sweep = {
  readonly name: string
  /** How long to rest when nothing was found. */
  readonly everyMs: number
  /** Does a piece of it. Says whether there was any. */
  readonly run: () => Promise<boolean>
  /** Where it leaves work going on beside it: waits for that to be done, for tests. */
  readonly settle?: () => Promise<void>
  /** Ends that work, finishing what cannot be broken off. */
  readonly stop?: () => Promise<void>
}

const restMsMin = 1_000
const restMsMax = 60_000

/** What failed lets others go first, for a second at first, since it may have been the connection, and longer each time. */
export function createRest(clock: Clock) {
  const resting = new Map<string, { untilMs: number; restMs: number }>()
  return {
    add: (id: string): void => {
      const restMs = Math.min(restMsMax, 2 * (resting.get(id)?.restMs ?? restMsMin / 2))
      resting.set(id, { untilMs: clock().getTime() + restMs, restMs })
    },
    end: (id: string): unknown => resting.delete(id),
    ids: (): string[] => [...resting].flatMap(([id, { untilMs }]) => (untilMs > clock().getTime() ? [id] : [])),
  }
}

export type Due = { readonly environmentId: string; readonly id: string }

/** What a function of the database says is due, whoever's it is. */
export function dueBy(db: Db, name: 'due_payment_requests' | 'due_outflows' | 'due_invoices') {
  return async (at: Date, resting: readonly string[], limit: number): Promise<Due[]> =>
    (await db.query<Due>(`select environment_id as "environmentId", id from ${name}($1, $2, $3)`, [at, resting, limit]))
      .rows
}

/**
 * Works off what is due, a number of them found at once and so many done together. One that fails must not keep the others: it rests,
 * and its error is told at the end.
 */
export function sweepDue<T extends { readonly id: string }>(
  clock: Clock,
  atOnce: number,
  find: (at: Date, resting: string[], limit: number) => Promise<T[]>,
  work: (one: T) => Promise<unknown>,
  together = 1,
): () => Promise<boolean> {
  const rest = createRest(clock)
  return async () => {
    const due = await find(clock(), rest.ids(), atOnce)
    const failures: unknown[] = []
    const doOne = (one: T): Promise<unknown> =>
      work(one).then(
        () => rest.end(one.id),
        (error: unknown) => {
          rest.add(one.id)
          failures.push(error)
        },
      )
    for (let i = 0; i < due.length; i += together) await Promise.all(due.slice(i, i + together).map(doOne))
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} could not be done.`)
    return due.length === atOnce
  }
}

/**
 * Runs each of them over and over, until stopped. They need no queue: what is undone is found by looking, and a worker that dies
 * leaves it as undone as it was. What fails is logged and tried again.
 */
export function startSweeps(sweeps: readonly Sweep[], log: Log): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping

  async function repeat({ name, everyMs, run }: Sweep): Promise<void> {
    while (!signal.aborted) {
      const hasFound = await run().catch((error: unknown) => {
        log.error({ err: error, sweep: name }, 'work failed and is tried again')
        return false
      })
      if (!hasFound) await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }

  const running = Promise.all(sweeps.map(repeat))
  return {
    /** Finishes the pieces under way. */
    stop: async () => {
      stopping.abort()
      await Promise.all([running, ...sweeps.map(async ({ stop }) => stop?.())])
    },
  }
}
