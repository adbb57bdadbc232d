import { isIPv6 } from 'node:net'
import type { Clock } from '../base/clock.ts'
import { voucherError } from './errors.ts'

const windowMs = 10 * 60 * 1_000
const missesMax = 60
const addressesMax = 100_000

/**
 * How many unknown codes an address may try without a secret key: a shop's mistakes fit in, a search does not. Hits are not
 * counted, so a busy shop behind one address is never slowed down by its own trade.
 */
export function createGuessLimit(clock: Clock) {
  const misses = new Map<string, { count: number; untilMs: number }>()

  const find = (address: string) => {
    const found = misses.get(address)
    return found !== undefined && found.untilMs > clock().getTime() ? found : undefined
  }
  return {
    /** Refuses an address that has guessed too often, before anything is looked up. */
    check: (address: string): void => {
      const found = find(networkOf(address))
      if (found !== undefined && found.count >= missesMax)
        throw voucherError('VOUCHER_GUESSING', { retryAfterSeconds: secondsUntil(found.untilMs) })
    },
    count: (address: string): void => {
      const network = networkOf(address)
      const found = find(network)
      if (found !== undefined) found.count++
      else {
        // More addresses than this at once is an attack from everywhere: the oldest make room.
        if (misses.size >= addressesMax) misses.delete(misses.keys().next().value ?? '')
        misses.delete(network)
        misses.set(network, { count: 1, untilMs: clock().getTime() + windowMs })
      }
    },
  }

  function secondsUntil(ms: number): number {
    return Math.max(1, Math.ceil((ms - clock().getTime()) / 1_000))
  }
}

/** One household or server has a whole /64 of addresses of version 6, so they count as one. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}
