// The clock, the chance and the worker of the demo's history.
import { buildApp } from '../src/app.ts'
import type { Clock } from '../src/base/clock.ts'
import { createLog } from '../src/base/log.ts'
import type { Config } from '../src/config.ts'

export const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs
// Lagos has no summer time.
const zoneMs = hourMs

export type Past = ReturnType<typeof createPast>

/** A clock that is led through the past. Each look at it is a moment later, so that what is done together does not happen at once. */
export function createPast(startMs: number) {
  const random = createRandom(1)
  let [nowMs, endMs, stepMs] = [startMs, startMs, 0]
  const clock: Clock = () => {
    nowMs = Math.min(endMs, nowMs + Math.round(2 * random() * stepMs))
    return new Date(nowMs)
  }
  return {
    clock,
    /** On to this moment, and by the looks that follow on to that one, so far by each. */
    go: (toMs: number, untilMs: number, lookMs: number): void => {
      if (untilMs < nowMs) throw new RangeError('A clock does not go back.')
      nowMs = Math.min(untilMs, Math.max(nowMs, toMs))
      ;[endMs, stepMs] = [untilMs, lookMs]
    },
    nowMs: () => nowMs,
  }
}

/** The beginning of a day in Lagos. */
export function startOfDay(at: Date, daysBefore: number): number {
  return Math.floor((at.getTime() + zoneMs) / dayMs - daysBefore) * dayMs - zoneMs
}

export function weekdayOf(ms: number): number {
  return new Date(ms + zoneMs).getUTCDay()
}

/** Numbers from 0 to 1, the same ones each time: mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function oneOf<T>(random: () => number, list: readonly T[]): T {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('There is nothing to choose from.')
  return found
}

export function takeSome<T>(random: () => number, list: readonly T[], count: number): T[] {
  const left = [...list]
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat()
}

/** What a worker would have done. Mails and pushes are left to the real one, which comes after. */
export async function startWorker(config: Config, clock: Clock) {
  const { sweeps, stop } = await buildApp(config, createLog('error'), { clock })
  return {
    work: async (...names: string[]): Promise<void> => {
      for (const { name, run, settle } of sweeps) {
        if (!names.includes(name)) continue
        while (await run()) continue
        await settle?.()
      }
    },
    stop: async (): Promise<void> => {
      for (const sweep of sweeps) await sweep.stop?.()
      await stop()
    },
  }
}
