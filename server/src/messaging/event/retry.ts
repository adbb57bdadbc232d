import type { Random } from '../../base/random.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
// The waits before the first attempt and after each failed one: three days in total.
const waitsMs = [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
// Spreads out retries of deliveries that failed at the same time.
const jitter = 0.2

/** When to retry after the given number of failed tries, or undefined if there are no tries left. */
export function nextTryAt(tries: number, at: Date, random: Random): Date | undefined {
  const waitMs = waitsMs[tries]
  if (waitMs === undefined) return undefined
  const share = random(4).readUInt32BE() / 0xffff_ffff
  return new Date(at.getTime() + Math.round(waitMs * (1 - jitter + 2 * jitter * share)))
}
