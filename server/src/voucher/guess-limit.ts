import type { Clock } from '../base/clock.ts'
import { hasCode } from '../base/errors.ts'
import { createLimit } from '../http/limit.ts'
import { voucherError } from './errors.ts'

// A shop's mistakes fit in, a search does not. What is found is not counted, so a shop is not slowed down by its own trade.
const missesMax = 100
const windowMs = 10 * 60 * 1_000
// Misses are known when they are answered: what is under way is limited too, or a burst would be one guess.
const underWayMax = 100

export type GuessLimit = ReturnType<typeof createGuessLimit>

/** Does `work` for an address, unless it has tried too many unknown codes. */
export function createGuessLimit(clock: Clock) {
  const misses = createLimit(clock, missesMax, windowMs)
  const underWay = new Map<string, number>()

  return async <T>(address: string, work: () => Promise<T>): Promise<T> => {
    const { isWithin, secondsLeft } = misses.look(address)
    if (!isWithin) throw voucherError('VOUCHER_GUESSING', { retryAfterSeconds: secondsLeft })
    const now = underWay.get(address) ?? 0
    if (now >= underWayMax) throw voucherError('VOUCHER_GUESSING', { retryAfterSeconds: 1 })
    underWay.set(address, now + 1)
    try {
      return await work()
    } catch (error) {
      // One that is mistyped may have been tried for a code of another system.
      if (hasCode(error, 'VOUCHER_NOT_FOUND', 'VOUCHER_CODE_MISTYPED')) misses.count(address)
      throw error
    } finally {
      const left = (underWay.get(address) ?? 1) - 1
      if (left > 0) underWay.set(address, left)
      else underWay.delete(address)
    }
  }
}
