import { hash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { httpError } from './errors.ts'

export type Verdict = {
  readonly isWithin: boolean
  readonly max: number
  readonly remaining: number
  readonly secondsLeft: number
}
/** Counts by name, in windows that begin with the first count. */
export type Limit = {
  /** Counts one and returns whether it is within the limit. */
  readonly count: (name: string) => Promise<Verdict>
  /** Returns whether one more would be within the limit, without counting. */
  readonly look: (name: string) => Promise<Verdict>
}
/**
 * How a limit is shared between processes, with Redis. `at once`: the request waits for the shared count. `afterwards`: memory
 * decides, and the shared count follows within 50 ms; for payments, which never wait for Redis.
 */
type Sharing = 'at once' | 'afterwards'
/** `title` names the limit; it is the same in every process. */
export type CreateLimit = (title: string, max: number, windowMs: number, sharing?: Sharing) => Limit
export type Limits = {
  readonly createLimit: CreateLimit
  /** `memory`: each process counts for itself. `degraded`: each does for now, because Redis does not reply. */
  readonly state: () => 'memory' | 'shared' | 'degraded'
  readonly close: () => void
}

type Count = { count: number; untilMs: number }

// More names than this at once is a distributed attack: the oldest are evicted.
const namesMax = 100_000
const nameLengthMax = 64

/** The counts of one limit in this process. */
export type Counts = {
  readonly count: (name: string) => Verdict
  readonly look: (name: string) => Verdict
  /** Adopts the total of all processes if it is higher than our own count. */
  readonly learn: (name: string, count: number, msLeft: number) => Verdict
}

export function createCounts(clock: Clock, max: number, windowMs: number): Counts {
  // Roughly ordered by end: all windows have the same length, but another process may have started one earlier.
  const counts = new Map<string, Count>()

  // Names come from callers, so long ones are hashed to bound memory.
  const shorten = (name: string): string => (name.length > nameLengthMax ? hash('sha256', name, 'base64') : name)
  const evict = (nowMs: number): void => {
    for (const [name, { untilMs }] of counts) {
      if (untilMs > nowMs && counts.size < namesMax) return
      counts.delete(name)
    }
  }
  const find = (name: string): Count | undefined => {
    const found = counts.get(name)
    return found !== undefined && found.untilMs > clock().getTime() ? found : undefined
  }
  const add = (name: string, first: Count): Count => {
    evict(clock().getTime())
    counts.delete(name)
    counts.set(name, first)
    return first
  }
  const describe = (found: Count | undefined): Omit<Verdict, 'isWithin'> => ({
    max,
    remaining: Math.max(0, max - (found?.count ?? 0)),
    secondsLeft: Math.max(1, Math.ceil(((found?.untilMs ?? 0) - clock().getTime()) / 1_000)),
  })

  return {
    count: (named) => {
      const name = shorten(named)
      const found = find(name)
      if (found !== undefined) found.count++
      const counted = found ?? add(name, { count: 1, untilMs: clock().getTime() + windowMs })
      return { isWithin: counted.count <= max, ...describe(counted) }
    },
    look: (name) => {
      const found = find(shorten(name))
      return { isWithin: (found?.count ?? 0) < max, ...describe(found) }
    },
    learn: (named, count, msLeft) => {
      const name = shorten(named)
      const found = find(name)
      const learned = { count, untilMs: clock().getTime() + msLeft }
      if (found === undefined) add(name, learned)
      else if (count >= found.count) Object.assign(found, learned)
      return { isWithin: count <= max, ...describe(find(name)) }
    },
  }
}

/** Each process counts for itself. */
export function createMemoryLimits(clock: Clock): Limits {
  return {
    createLimit: (_title, max, windowMs) => {
      const { count, look } = createCounts(clock, max, windowMs)
      return { count: (name) => Promise.resolve(count(name)), look: (name) => Promise.resolve(look(name)) }
    },
    state: () => 'memory',
    close: () => undefined,
  }
}

export function refuseAbove({ isWithin, secondsLeft }: Verdict): void {
  if (!isWithin) throw httpError('RATE_LIMITED', { retryAfterSeconds: secondsLeft })
}

/** The name under which an address is counted. An IPv6 /64 counts as one, because a household or server has a whole one. */
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
