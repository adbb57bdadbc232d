// Closed-loop load on `post`: each caller has one redemption in progress.
import { systemClock } from '../server/src/base/clock.ts'
import { createIds } from '../server/src/base/id.ts'
import { systemRandom } from '../server/src/base/random.ts'
import { openLedger } from '../server/src/ledger/post.ts'
import { merchants, redemptionJournal } from './redemption-world.ts'

export type LoadResult = { perSecond: number; p50Ms: number; p99Ms: number; journals: number }

export const callers = 512

export async function runPostLoad(url: string, vouchers: number, isHot: boolean, seconds: number): Promise<LoadResult> {
  const newId = createIds(systemClock, systemRandom)
  const ledger = openLedger({ url, clock: systemClock, newId })
  const upTo = (n: number): number => 1 + Math.floor(Math.random() * n)
  const timesMs: number[] = []
  const endMs = performance.now() + seconds * 1_000

  const call = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const startMs = performance.now()
      await ledger.post(redemptionJournal(newId, isHot ? 1 : upTo(merchants), upTo(vouchers), systemClock()))
      timesMs.push(performance.now() - startMs)
    }
  }
  const startMs = performance.now()
  await Promise.all(Array.from({ length: callers }, call))
  const elapsedMs = performance.now() - startMs
  await ledger.close()

  timesMs.sort((a, b) => a - b)
  const at = (share: number): number => timesMs[Math.floor(timesMs.length * share)] ?? 0
  return {
    perSecond: (timesMs.length / elapsedMs) * 1_000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    journals: timesMs.length,
  }
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
