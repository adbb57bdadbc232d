import type { IssueTools } from '../voucher/issue.ts'
import { findVouchers } from '../voucher/store.ts'

// A look-up of thousands at once takes PostgreSQL time by their square.
const atOnce = 256

/** Which of these codes of other systems are vouchers of this environment already. */
export async function findTakenCodes(
  { pool, clock, keyRing }: Pick<IssueTools, 'pool' | 'clock' | 'keyRing'>,
  environmentId: string,
  codes: readonly string[],
): Promise<Set<string>> {
  const taken = new Set<string>()
  for (let first = 0; first < codes.length; first += atOnce) {
    const some = codes.slice(first, first + atOnce)
    // Only as its own: what others have must neither stand in the way nor be told.
    const hashes = some.map((symbols) => keyRing.hashesOf({ symbols, isOurs: false }, environmentId))
    const known = await findVouchers(pool, hashes, clock())
    for (const [i, symbols] of some.entries()) if (hashes[i]?.some((hash) => known.has(hash))) taken.add(symbols)
  }
  return taken
}
