/** Counts values by upper bound, as a Prometheus histogram does. Without a library, because the ledger counts with it. */
export type Tally = {
  /** Ascending upper bounds. */
  readonly bounds: readonly number[]
  /** Values up to each bound and above the one before. The last counts those above all bounds. */
  readonly counts: number[]
  sum: number
}

export function createTally(bounds: readonly number[]): Tally {
  return { bounds, counts: [...bounds, Infinity].map(() => 0), sum: 0 }
}

export function addTo(tally: Tally, value: number): void {
  const { bounds, counts } = tally
  let i = 0
  while (i < bounds.length && value > (bounds[i] ?? Infinity)) i++
  counts[i] = (counts[i] ?? 0) + 1
  tally.sum += value
}
