// The clock, the random numbers and the worker of the demo's history.
import { buildApp } from '../../src/app.ts'
import type { Clock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import type { Config } from '../../src/config.ts'
import { createRandom } from '../parts/seeded-random.ts'

export const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs
// Lagos has no summer time.
const zoneMs = hourMs

export type Past = {
  readonly clock: Clock
  /** Moves the clock to `toMs`. Each later reading advances it by about `stepMs`, up to `untilMs`. */
  readonly go: (toMs: number, untilMs: number, stepMs: number) => void
  readonly nowMs: () => number
}

/** A clock that moves through the past. Each reading is a moment later, so that concurrent acts have different times. */
export function createPast(startMs: number): Past {
  const random = createRandom(1)
  let nowMs = startMs
  let endMs = startMs
  let stepMs = 0
  const clock: Clock = () => {
    nowMs = Math.min(endMs, nowMs + Math.round(2 * random() * stepMs))
    return new Date(nowMs)
  }
  return {
    clock,
    go: (toMs, untilMs, nextStepMs) => {
      if (untilMs < nowMs) throw new RangeError('The clock cannot go back.')
      nowMs = Math.min(untilMs, Math.max(nowMs, toMs))
      endMs = untilMs
      stepMs = nextStepMs
    },
    nowMs: () => nowMs,
  }
}

/** The start of a day in Lagos. */
export function startOfDay(at: Date, daysBefore: number): number {
  return Math.floor((at.getTime() + zoneMs) / dayMs - daysBefore) * dayMs - zoneMs
}

export function weekdayOf(ms: number): number {
  return new Date(ms + zoneMs).getUTCDay()
}

type DemoWorker = { readonly work: (...names: string[]) => Promise<void>; readonly stop: () => Promise<void> }

/** Runs jobs of a worker by name. Emails and push messages are left to the real worker, which starts later. */
export async function startWorker(config: Config, clock: Clock): Promise<DemoWorker> {
  const { jobs, stop } = await buildApp(config, createLog('error'), { clock })
  return {
    work: async (...names) => {
      for (const { name, run, settle } of jobs) {
        if (!names.includes(name)) continue
        while (await run()) continue
        await settle?.()
      }
    },
    stop: async () => {
      for (const job of jobs) await job.stop?.()
      await stop()
    },
  }
}
