import type { IssueTools } from '../voucher/issue.ts'
import { findVouchers } from '../voucher/store.ts'

// The time of a lookup grows with the square of its codes.
const atOnce = 256

/** Which of these imported codes the environment already has as vouchers. */
export async function findTakenCodes(
  { pool, clock, keyRing }: Pick<IssueTools, 'pool' | 'clock' | 'keyRing'>,
  environmentId: string,
  codes: readonly string[],
): Promise<Set<string>> {
  const taken = new Set<string>()
  for (let first = 0; first < codes.length; first += atOnce) {
    const some = codes.slice(first, first + atOnce)
    // Only its own codes: those of other merchants neither conflict nor show.
    const hashes = some.map((symbols) => keyRing.hashesOf({ symbols, isOurs: false }, environmentId))
    const known = await findVouchers(pool, hashes, clock())
    for (const [i, symbols] of some.entries()) if (hashes[i]?.some((hash) => known.has(hash))) taken.add(symbols)
  }
  return taken
}
