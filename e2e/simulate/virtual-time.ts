// Time that passes only when the simulation says so. All waiting of the simulated parts goes through it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Timers } from '../../server/src/base/timers.ts'

type Step = { readonly atMs: number; readonly order: number; readonly run: () => void }

export type VirtualTime = Timers & {
  /** Runs something later. */
  readonly after: (ms: number, run: () => void) => void
  /** Runs everything that is due up to a moment, step by step. Stops early when `isDone`. */
  readonly advance: (untilMs: number, isDone: () => boolean) => Promise<void>
}

export function createVirtualTime(): VirtualTime {
  let nowMs = 0
  let order = 0
  const steps: Step[] = []

  function after(ms: number, run: () => void): void {
    push(steps, { atMs: nowMs + ms, order: order++, run })
  }

  async function advance(untilMs: number, isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const [next] = steps
      if (next === undefined || next.atMs > untilMs) break
      pop(steps)
      nowMs = next.atMs
      next.run()
      // Everything that the step set in motion runs before the next step: all promises settle before a real turn ends.
      await nextTurn()
    }
  }

  return {
    nowMs: () => nowMs,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    nextTurn: () => new Promise((resolve) => after(0, resolve)),
    after,
    advance,
  }
}

function isBefore(a: Step, b: Step): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}

/** Adds a step to the binary heap. */
function push(heap: Step[], step: Step): void {
  let at = heap.push(step) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent]
    if (above === undefined || !isBefore(step, above)) break
    heap[at] = above
    at = parent
  }
  heap[at] = step
}

/** Removes the earliest step from the binary heap. */
function pop(heap: Step[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  for (;;) {
    const [left, right] = [2 * at + 1, 2 * at + 2]
    const [l, r] = [heap[left], heap[right]]
    if (l === undefined) break
    const [child, step] = r !== undefined && isBefore(r, l) ? [right, r] : [left, l]
    if (!isBefore(step, last)) break
    heap[at] = step
    at = child
  }
  heap[at] = last
}
