import type { FastifyRequest } from 'fastify'
import { hasCode } from '../../base/errors.ts'
import { callerOf } from '../../http/caller.ts'
import { type CreateLimit, networkOf } from '../../http/limit.ts'
import { voucherError } from './errors.ts'

// Allows a shop's typing errors but not a search for codes. Only unknown codes count, so sales are never slowed down.
const missesMax = 100
const windowMs = 10 * 60 * 1_000
// A miss is counted when its request ends, so running requests are limited too: a burst must not count as one guess.
const runningMax = 100

/**
 * Whose unknown codes are counted: those of a staff member in an environment, or of the network address that uses a
 * public key. Secret keys belong to the shop's own server and are not counted.
 */
export function guesserOf(request: FastifyRequest): string | undefined {
  const { memberId, environmentId, hasSecret } = callerOf(request)
  if (memberId !== undefined) return `${memberId} ${environmentId}`
  return hasSecret ? undefined : networkOf(request.ip)
}

/** Does `work` for an address, unless it has tried too many unknown codes. */
export type GuessLimit = <T>(address: string, work: () => Promise<T>) => Promise<T>

export function createGuessLimit(createLimit: CreateLimit): GuessLimit {
  // Shared through Redis after the fact: every redemption reads this limit, and none may wait for Redis.
  const misses = createLimit('guess', missesMax, windowMs, 'afterwards')
  const running = new Map<string, number>()

  return async <T>(address: string, work: () => Promise<T>): Promise<T> => {
    const { isWithin, secondsLeft } = await misses.look(address)
    if (!isWithin) throw voucherError('VOUCHER_GUESSING', { retryAfterSeconds: secondsLeft })
    const now = running.get(address) ?? 0
    if (now >= runningMax) throw voucherError('VOUCHER_GUESSING', { retryAfterSeconds: 1 })
    running.set(address, now + 1)
    try {
      return await work()
    } catch (error) {
      // A mistyped code may be a guess at an imported one.
      if (hasCode(error, 'VOUCHER_NOT_FOUND', 'VOUCHER_CODE_MISTYPED')) await misses.count(address)
      throw error
    } finally {
      const left = (running.get(address) ?? 1) - 1
      if (left > 0) running.set(address, left)
      else running.delete(address)
    }
  }
}
