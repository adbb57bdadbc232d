import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import type { Db } from './db.ts'
import type { Log } from './log.ts'
import { noteFailure, noteSuccess } from './outage.ts'
import { inRoot } from './trace.ts'
import { list, raw, type RowOf, select, sql } from './sql.ts'

/** Periodic background work. Its tables show what is left to do, so it needs no queue. */
export type Job = {
  readonly name: string
  /** How long the runner waits after a run that found nothing. */
  readonly everyMs: number
  /** Processes one page of work. Returns whether there may be more. */
  readonly run: () => Promise<boolean>
  /** Waits for work that the job started in the background. Used by tests. */
  readonly settle?: () => Promise<void>
  /** Stops that background work and waits for the parts that cannot be interrupted. */
  readonly stop?: () => Promise<void>
}

const restMsMin = 1_000
const restMsMax = 60_000

/** The items that failed recently and are not due again yet. */
export type Rest = {
  readonly add: (id: string) => void
  readonly end: (id: string) => unknown
  readonly ids: () => string[]
}

/** Backs off failed items: one second at first, because the connection may be at fault, then doubling up to a minute. */
export function createRest(clock: Clock): Rest {
  const resting = new Map<string, { untilMs: number; restMs: number }>()
  return {
    add: (id) => {
      const restMs = Math.min(restMsMax, 2 * (resting.get(id)?.restMs ?? restMsMin / 2))
      resting.set(id, { untilMs: clock().getTime() + restMs, restMs })
    },
    end: (id) => resting.delete(id),
    ids: () => [...resting].flatMap(([id, { untilMs }]) => (untilMs > clock().getTime() ? [id] : [])),
  }
}

const dueColumns = list({ environmentId: sql.uuid`environment_id`, id: sql.uuid`id` })
export type Due = RowOf<typeof dueColumns>

/** Lists due items of all environments with the named database function. */
export function dueBy(
  db: Db,
  name:
    | 'due_payment_requests'
    | 'due_outflows'
    | 'due_payout_rows'
    | 'due_invoices'
    | 'due_voucher_holds'
    | 'due_gifts',
) {
  return async (at: Date, resting: readonly string[], limit: number): Promise<Due[]> =>
    select(db)`select ${dueColumns} from ${raw(name)}(${at}, ${resting}, ${limit})`
}

/**
 * Processes due items in pages, with bounded concurrency. A failed item backs off and does not block the others; the run throws
 * its error at the end.
 */
export function processDue<T extends { readonly id: string }>(
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
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} items failed.`)
    return due.length === atOnce
  }
}

/** A run that ended. The error is undefined if it succeeded. */
export type JobRun = { readonly name: string; readonly seconds: number; readonly error: unknown }

/**
 * Runs every job in a loop until stopped. There is no queue: a job finds open work in the tables, and a worker that crashes leaves
 * its work open for the next one. Failed runs are retried; the first of several is logged, and the end.
 */
export function startJobs(
  jobs: readonly Job[],
  log: Log,
  onRun: (run: JobRun) => void = () => undefined,
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping

  async function repeat({ name, everyMs, run }: Job): Promise<void> {
    const subject = { name: `The job "${name}"`, failing: 'job failed, will retry', level: 'error' } as const
    while (!signal.aborted) {
      const startMs = performance.now()
      let failure: unknown
      const hasFound = await inRoot(`job ${name}`, {}, run).then(
        (found) => {
          noteSuccess(log, subject)
          return found
        },
        (error: unknown) => {
          failure = error
          noteFailure(log, subject, error, { job: name })
          return false
        },
      )
      onRun({ name, seconds: (performance.now() - startMs) / 1_000, error: failure })
      if (!hasFound) await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }

  const running = Promise.all(jobs.map(repeat))
  return {
    /** Waits for the current runs to end. */
    stop: async () => {
      stopping.abort()
      await Promise.all([running, ...jobs.map(async ({ stop }) => stop?.())])
    },
  }
}
