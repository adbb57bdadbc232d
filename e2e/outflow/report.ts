// What the parts of the outflow drill share: the limit and the results.

/** What may leave a live shop with default limits in 24 hours without an approval, in US cents. */
export const allowed = 1_000_00n

export type Report = {
  readonly faults: string[]
  acts: number
  /** The largest total of a rolling day, in US cents. */
  left: bigint
  /** Rolling days above what is allowed. */
  over: number
  controlLeft: bigint
  expect: (holds: boolean, fault: string) => void
  noteLeft: (total: bigint) => void
}

export function createReport(): Report {
  const faults: string[] = []
  const report: Report = {
    faults,
    acts: 0,
    left: 0n,
    over: 0,
    controlLeft: 0n,
    expect(holds, fault) {
      if (!holds) faults.push(fault)
    },
    noteLeft(total) {
      if (total > report.left) report.left = total
    },
  }
  return report
}

/** Cents as dollars: 1000.00. */
export function dollars(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}
