import { hash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'

type Count = { count: number; untilMs: number }

// More names at once than this is an attack from everywhere: the oldest make room.
const namesMax = 100_000
const nameLengthMax = 64

/** Counts by name, in windows that begin with the first count. Kept in this process. */
export function createLimit(clock: Clock, max: number, windowMs: number) {
  // In the order of their ends, since all windows are as long.
  const counts = new Map<string, Count>()

  // Whoever chooses a name must not choose how much of our memory it takes.
  const shorten = (name: string): string => (name.length > nameLengthMax ? hash('sha256', name, 'base64') : name)
  const forget = (nowMs: number): void => {
    for (const [name, { untilMs }] of counts) {
      if (untilMs > nowMs && counts.size < namesMax) return
      counts.delete(name)
    }
  }
  const find = (name: string): Count | undefined => {
    const found = counts.get(name)
    return found !== undefined && found.untilMs > clock().getTime() ? found : undefined
  }
  const tell = (found: Count | undefined) => ({
    max,
    remaining: Math.max(0, max - (found?.count ?? 0)),
    secondsLeft: Math.max(1, Math.ceil(((found?.untilMs ?? 0) - clock().getTime()) / 1_000)),
  })

  return {
    /** Counts one, and says whether it is within the limit. Those of a burst that are within it are let through. */
    count: (named: string) => {
      const name = shorten(named)
      const found = find(name)
      if (found !== undefined) {
        found.count++
        return { isWithin: found.count <= max, ...tell(found) }
      }
      const nowMs = clock().getTime()
      forget(nowMs)
      counts.delete(name)
      const first = { count: 1, untilMs: nowMs + windowMs }
      counts.set(name, first)
      return { isWithin: max >= 1, ...tell(first) }
    },
    /** Says whether another one would be within the limit, and counts nothing. */
    look: (name: string) => {
      const found = find(shorten(name))
      return { isWithin: (found?.count ?? 0) < max, ...tell(found) }
    },
  }
}

/** The name by which an address is counted. One household or server has a whole /64 of version 6, so it counts as one. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
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
