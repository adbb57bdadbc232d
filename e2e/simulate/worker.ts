// Runs a range of seeds in a thread of its own.
import { parentPort, workerData } from 'node:worker_threads'
import { type CreateLedger, runSchedule } from './schedule.ts'

export type Range = {
  /** The module that has createLedger: the real one, or a copy with a planted bug. */
  readonly module: string
  readonly from: number
  readonly below: number
  /** Stop at the first failure. */
  readonly isFirstEnough: boolean
}
export type Found = { readonly seed: number; readonly fault: string }
export type RangeResult = { readonly schedules: number; readonly failures: readonly Found[] }

// The stack of an error that a schedule expects is never read.
Error.stackTraceLimit = 0
const escaped: string[] = []
process.on('unhandledRejection', (reason) => {
  escaped.push(`an error that nobody handles: ${reason instanceof Error ? reason.message : String(reason)}`)
})

const { module, from, below, isFirstEnough } = workerData as Range
const { createLedger } = (await import(module)) as { createLedger: CreateLedger }
const failures: Found[] = []
let schedules = 0
for (let seed = from; seed < below; seed++) {
  const found = await runSchedule(createLedger, seed)
  schedules++
  const fault = escaped.splice(0)[0] ?? found
  if (fault !== undefined) failures.push({ seed, fault })
  if (isFirstEnough && failures.length > 0) break
}
parentPort?.postMessage({ schedules, failures } satisfies RangeResult)
