// The locks of the simulated PostgreSQL: on rows, and on names that a transaction has inserted and not committed yet.
import { serverError } from './errors.ts'
import type { VirtualTime } from './virtual-time.ts'

type Wait = { readonly owner: object; readonly grant: () => void }

export type Locks = {
  /** Waits for a lock. Fails with 55P03 after the timeout, and never if there is none. */
  readonly acquire: (owner: object, name: string, timeoutMs: number) => Promise<void>
  /** Takes the lock if it is free. */
  readonly tryAcquire: (owner: object, name: string) => boolean
  readonly releaseAll: (owner: object) => void
  readonly countHeld: () => number
  /** How often transactions waited for each other in a circle. */
  readonly countCircles: () => number
}

export function createLocks(time: VirtualTime): Locks {
  const holders = new Map<string, object>()
  const waits = new Map<string, Wait[]>()
  let circles = 0

  /** Whether waiting for the lock would close a circle of waiting transactions. */
  function closesCircle(owner: object, name: string): boolean {
    const holder = holders.get(name)
    if (holder === undefined) return false
    if (holder === owner) return true
    for (const [other, queue] of waits)
      if (queue.some((wait) => wait.owner === holder) && closesCircle(owner, other)) return true
    return false
  }

  function tryAcquire(owner: object, name: string): boolean {
    const holder = holders.get(name)
    if (holder !== undefined && holder !== owner) return false
    holders.set(name, owner)
    return true
  }

  function acquire(owner: object, name: string, timeoutMs: number): Promise<void> {
    if (tryAcquire(owner, name)) return Promise.resolve()
    if (closesCircle(owner, name)) circles++
    return new Promise((resolve, reject) => {
      const wait: Wait = { owner, grant: resolve }
      const queue = waits.get(name) ?? []
      waits.set(name, queue)
      queue.push(wait)
      time.after(timeoutMs, () => {
        const at = queue.indexOf(wait)
        if (at < 0) return
        queue.splice(at, 1)
        reject(serverError('55P03'))
      })
    })
  }

  function releaseAll(owner: object): void {
    for (const queue of waits.values())
      for (let at = queue.length - 1; at >= 0; at--) if (queue[at]?.owner === owner) queue.splice(at, 1)
    for (const [name, holder] of holders) {
      if (holder !== owner) continue
      const next = waits.get(name)?.shift()
      if (next === undefined) holders.delete(name)
      else {
        holders.set(name, next.owner)
        next.grant()
      }
    }
  }

  return { acquire, tryAcquire, releaseAll, countHeld: () => holders.size, countCircles: () => circles }
}
