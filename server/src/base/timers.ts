import { setImmediate, setTimeout } from 'node:timers/promises'

/** How a part waits. A simulation replaces it, to run hours in a moment and to repeat a run exactly. */
export type Timers = {
  /** Milliseconds since some moment in the past. */
  readonly nowMs: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** The end of this turn of the event loop. */
  readonly nextTurn: () => Promise<void>
}

export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  sleep: (ms) => setTimeout(ms),
  nextTurn: () => setImmediate(),
}
