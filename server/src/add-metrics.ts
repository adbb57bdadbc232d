import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job, JobRun } from './base/jobs.ts'
import type { Readiness } from './http/readiness.ts'
import type { Metrics } from './http/metrics.ts'
import { recordJobs } from './reporting/metrics/jobs.ts'
import { recordProcess } from './reporting/metrics/process.ts'
import { recordGauges } from './reporting/metrics/read-gauges.ts'
import type { ProcessKind, Services } from './services.ts'

const packageFile = join(import.meta.dirname, '../package.json')

type Watched = {
  /** Reads the metrics that are in the database. For workers. */
  readonly metricsJob: Job
  /** Counts a run of a job that ended. */
  readonly noteJobRun: (run: JobRun) => void
}

/** Adds the metrics of the whole process. docs/reference/metrics.md lists them. */
export function addMetrics(
  metrics: Metrics,
  services: Services,
  readiness: Readiness,
  kind: ProcessKind,
  jobs: readonly Job[],
): Watched {
  const { clock, ledger, leases, countedPools, metricsPool, requestLog } = services
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
  recordProcess(metrics, {
    ...{ kind, version, ledger, pools: countedPools },
    isDatabaseUp: readiness.isDatabaseUp,
    droppedRequests: requestLog.dropped,
  })
  const metricsJob = recordGauges({ metrics, pool: metricsPool, leases, clock })
  const noteJobRun = recordJobs(metrics, kind === 'api' ? [] : [...jobs, metricsJob], clock)
  return { metricsJob, noteJobRun }
}
