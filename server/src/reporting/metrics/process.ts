import type { Pool } from '../../base/db.ts'
import type { PoolWaits } from '../../base/pool-waits.ts'
import type { Metric, Metrics, Sample } from '../../http/metrics.ts'
import type { Ledger } from '../../ledger/post.ts'

/** A pool by its use, as in pg_stat_activity. */
export type CountedPool = { readonly use: string; readonly pool: Pool; readonly waits: PoolWaits }

type ProcessParts = {
  /** What the process does: `api`, `worker` or `all`. */
  readonly kind: string
  readonly version: string
  readonly ledger: Ledger
  readonly pools: readonly CountedPool[]
  /** Undefined until the database was asked for the first time. */
  readonly isDatabaseUp: () => boolean | undefined
  readonly droppedRequests: () => number
}

/** What every process knows of itself. Nothing is counted for it on the way of a payment but what the ledger counts anyway. */
export function recordProcess(metrics: Metrics, parts: ProcessParts): void {
  const { kind, version, ledger, pools, isDatabaseUp, droppedRequests } = parts
  const one = (value: number): readonly Sample[] => [{ value }]
  const all: readonly Metric[] = [
    {
      name: 'scrip_build_info',
      help: 'Always 1. The version, and what the process does',
      type: 'gauge',
      read: () => [{ value: 1, labels: { version, kind } }],
    },
    {
      name: 'scrip_database_up',
      help: '1 if the database replied to this process within a second the last time it was asked',
      type: 'gauge',
      read: () => (isDatabaseUp() === undefined ? [] : one(isDatabaseUp() === true ? 1 : 0)),
    },
    {
      name: 'scrip_request_log_dropped_total',
      help: 'Requests that the request log lost',
      type: 'counter',
      read: () => one(droppedRequests()),
    },
    ...listLedgerMetrics(ledger),
    ...listPoolMetrics(pools),
  ]
  for (const metric of all) metrics.add(metric)
  metrics.addHistogram({
    name: 'scrip_ledger_batch_journals',
    help: 'Journals in a batch, each attempt counted',
    read: () => [{ tally: ledger.stats.sizes, labels: {} }],
  })
  metrics.addHistogram({
    name: 'scrip_ledger_batch_seconds',
    help: 'Time from sending a batch to its commit, with its locks',
    read: () => [
      { tally: ledger.stats.seconds.oneRound, labels: { way: 'one_round' } },
      { tally: ledger.stats.seconds.careful, labels: { way: 'careful' } },
    ],
  })
}

function listLedgerMetrics({ stats, queues }: Ledger): Metric[] {
  const counter = (name: string, help: string, read: () => number): Metric => {
    return { name, help, type: 'counter', read: () => [{ value: read() }] }
  }
  const byLane = (
    name: string,
    help: string,
    valueOf: (queue: ReturnType<typeof queues>[number]) => number,
  ): Metric => {
    const read = (): Sample[] => queues().map((queue) => ({ value: valueOf(queue), labels: { lane: queue.lane } }))
    return { name, help, type: 'gauge', read }
  }
  return [
    byLane('scrip_ledger_queue_journals', 'Journals that are not committed yet', ({ length }) => length),
    byLane('scrip_ledger_queue_age_seconds', 'Age of the oldest of them', ({ ageMs }) => ageMs / 1_000),
    counter('scrip_ledger_batches_total', 'Attempts to post a batch', () => stats.batches),
    counter('scrip_ledger_careful_batches_total', 'Batches that one round could not post', () => stats.careful),
    counter('scrip_ledger_deadlocks_total', 'Deadlocks, each followed by another attempt', () => stats.deadlocks),
    counter('scrip_ledger_lock_timeouts_total', 'Batches that met a locked account or name', () => stats.lockTimeouts),
    counter('scrip_ledger_splits_total', 'Batches that were halved to find a refused journal', () => stats.splits),
    counter('scrip_ledger_set_aside_total', 'Journals that waited for a locked account', () => stats.setAside),
  ]
}

function listPoolMetrics(pools: readonly CountedPool[]): Metric[] {
  const metric = (
    name: string,
    help: string,
    type: Metric['type'],
    valueOf: (counted: CountedPool) => number,
  ): Metric => {
    const read = (): Sample[] => pools.map((counted) => ({ value: valueOf(counted), labels: { pool: counted.use } }))
    return { name, help, type, read }
  }
  const used = ({ pool }: CountedPool): number => pool.totalCount - pool.idleCount
  return [
    metric('scrip_pool_connections_max', 'The most connections of a pool', 'gauge', ({ pool }) => pool.options.max),
    metric('scrip_pool_connections_used', 'Connections in use', 'gauge', used),
    metric('scrip_pool_waiting', 'Callers that wait for a connection', 'gauge', ({ pool }) => pool.waitingCount),
    metric('scrip_pool_waits_total', 'Callers that found no free connection', 'counter', ({ waits }) => waits.count),
    metric('scrip_pool_wait_seconds_total', 'Time that they waited', 'counter', ({ waits }) => waits.ms / 1_000),
  ]
}
