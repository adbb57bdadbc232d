// What the parts of the outflow drill share: the limit, and what they found.

/** What a live shop with default rules lets leave in 24 hours without an approval, in US cents. */
export const allowed = 1_000_00n

export type Report = ReturnType<typeof createReport>

export function createReport() {
  const faults: string[] = []
  return {
    faults,
    acts: 0,
    /** The largest total of a rolling day, in US cents. */
    left: 0n,
    /** Rolling days above what is allowed. */
    over: 0,
    controlLeft: 0n,
    expect(holds: boolean, fault: string): void {
      if (!holds) faults.push(fault)
    },
    noteLeft(total: bigint): void {
      if (total > this.left) this.left = total
    },
  }
}

/** Cents as dollars: 1000.00. */
export function dollars(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}
