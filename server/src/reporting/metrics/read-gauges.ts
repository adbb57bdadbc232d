import type { Clock } from '../../base/clock.ts'
import { inTransaction, isServerError, type Pool } from '../../base/db.ts'
import type { Job } from '../../base/jobs.ts'
import type { Leases } from '../../base/lease.ts'
import type { Metrics, Sample } from '../../http/metrics.ts'
import { type GaugeReading, gaugeReadings } from './database-gauges.ts'

type GaugeTools = {
  readonly metrics: Metrics
  /** One connection of its own. */
  readonly pool: Pool
  readonly leases: Leases
  readonly clock: Clock
}

const everyMs = 10_000
const statementTimeoutMs = 2_000
// Older values are not shown: they would look like a healthy platform.
const shownMs = 60_000

/**
 * Adds the gauges that are read from the database, and returns the job that reads them, in one worker at a time. A scrape shows what was
 * read last, so it neither asks the database nor waits for it.
 */
export function recordGauges(
  { metrics, pool, leases, clock }: GaugeTools,
  readings: readonly GaugeReading[] = gaugeReadings,
): Job {
  let samples: ReadonlyMap<string, readonly Sample[]> = new Map()
  let readAtMs = -Infinity
  let isUp: boolean | undefined
  let leaseLost: number | undefined

  const isRecent = (): boolean => clock().getTime() - readAtMs < shownMs
  for (const { name, help } of readings.flatMap(({ gauges }) => gauges))
    metrics.add({ name, help, type: 'gauge', read: () => (isRecent() ? (samples.get(name) ?? []) : []) })
  metrics.add({
    name: 'scrip_metrics_database_up',
    help: '1 if this worker could read the metrics in the database, or another worker reads them',
    type: 'gauge',
    read: () => (isUp === undefined ? [] : [{ value: isUp && isRecent() ? 1 : 0 }]),
  })

  /** Holds the lease until the connection is lost, so that one worker reads. */
  async function isReader(): Promise<boolean> {
    if (leaseLost === leases.lost()) return true
    if (!(await leases.claim('metrics'))) return false
    leaseLost = leases.lost()
    return true
  }

  async function readAll(): Promise<void> {
    const failures: unknown[] = []
    const found = new Map<string, readonly Sample[]>()
    for (const reading of (await isReader()) ? readings : [])
      for (const [name, values] of await readOne(pool, reading, clock()).catch(keepServerError(failures)))
        found.set(name, values)
    samples = found
    readAtMs = clock().getTime()
    isUp = true
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} metrics could not be read.`)
  }

  return {
    name: 'metrics',
    everyMs,
    run: async () => {
      try {
        await readAll()
      } catch (error) {
        if (!(error instanceof AggregateError)) {
          samples = new Map()
          isUp = false
        }
        throw error
      }
      return false
    },
  }
}

/** A statement that PostgreSQL refuses or stops leaves its own gauges out. A lost connection ends the reading. */
function keepServerError(failures: unknown[]): (error: unknown) => Map<string, Sample[]> {
  return (error) => {
    if (!isServerError(error)) throw error
    failures.push(error)
    return new Map()
  }
}

async function readOne(pool: Pool, { gauges, read }: GaugeReading, at: Date): Promise<Map<string, Sample[]>> {
  const rows = await inTransaction(pool, async (tx) => {
    await tx.query(`set local statement_timeout = ${statementTimeoutMs}`)
    return read(tx, at)
  })
  // A gauge is a float, for graphs and alerts. No amount is computed with it.
  return new Map(
    gauges.map(({ name }, i) => [name, rows.map(({ labels, values }) => ({ labels, value: Number(values[i]) }))]),
  )
}
