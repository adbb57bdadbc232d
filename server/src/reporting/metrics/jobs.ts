import type { Clock } from '../../base/clock.ts'
import { hasCode } from '../../base/errors.ts'
import type { Job, JobRun } from '../../base/jobs.ts'
import { addTo, createTally, type Tally } from '../../base/tally.ts'
import type { Metrics, Sample } from '../../http/metrics.ts'

type State = {
  readonly everyMs: number
  readonly seconds: Tally
  runs: number
  failures: number
  successAtMs: number
}

const bounds = [0.01, 0.1, 1, 10, 60]

/** Counts the runs of jobs. Returns what notes a run that ended; before, a job counts as if it had succeeded now. */
export function recordJobs(metrics: Metrics, jobs: readonly Job[], clock: Clock): (run: JobRun) => void {
  const startMs = clock().getTime()
  const states = new Map<string, State>(
    jobs.map(({ name, everyMs }) => {
      const seconds = createTally(bounds)
      return [name, { everyMs, seconds, runs: 0, failures: 0, successAtMs: startMs }]
    }),
  )
  let disagreements = 0
  const byJob = (valueOf: (state: State) => number) => (): Sample[] =>
    [...states].map(([job, state]) => ({ value: valueOf(state), labels: { job_name: job } }))

  metrics.add({
    name: 'scrip_job_runs_total',
    help: 'Runs of a job that ended',
    type: 'counter',
    read: byJob(({ runs }) => runs),
  })
  metrics.add({
    name: 'scrip_job_failures_total',
    help: 'Runs that failed',
    type: 'counter',
    read: byJob(({ failures }) => failures),
  })
  metrics.add({
    name: 'scrip_job_last_success_timestamp_seconds',
    help: 'When the job last succeeded, or when the worker started',
    type: 'gauge',
    read: byJob(({ successAtMs }) => successAtMs / 1_000),
  })
  metrics.add({
    name: 'scrip_job_interval_seconds',
    help: 'How long the job waits after a run that found nothing',
    type: 'gauge',
    read: byJob(({ everyMs }) => everyMs / 1_000),
  })
  metrics.addHistogram({
    name: 'scrip_job_run_seconds',
    help: 'How long a run took',
    read: () => [...states].map(([job, { seconds }]) => ({ tally: seconds, labels: { job_name: job } })),
  })
  metrics.add({
    name: 'scrip_chain_disagreements_total',
    help: 'Runs that failed because two nodes of a network disagreed',
    type: 'counter',
    read: () => (states.size === 0 ? [] : [{ value: disagreements }]),
  })

  return ({ name, seconds, error }) => {
    const state = states.get(name)
    if (state === undefined) return
    state.runs++
    addTo(state.seconds, seconds)
    if (error === undefined) state.successAtMs = clock().getTime()
    else state.failures++
    if (causesOf(error).some((cause) => hasCode(cause, 'CHAIN_DISAGREES'))) disagreements++
  }
}

/** A job that processes items fails with the errors of all of them. */
function causesOf(error: unknown): readonly unknown[] {
  return error instanceof AggregateError ? error.errors : [error]
}
