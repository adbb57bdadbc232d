import type { Pool } from '../base/db.ts'
import type { Timers } from '../base/timers.ts'
import { type Account, nameOf } from './account.ts'
import { ledgerError } from './errors.ts'
import { accountsOf } from './journal.ts'
import type { Scheduler } from './scheduler.ts'
import { isLockable } from './store.ts'
import { failLate, type Waiting } from './waiting.ts'

export type BusyAccounts = {
  /** Waits for these accounts, if it does not already. */
  readonly watch: (accounts: readonly Account[]) => void
  /** Lets a journal wait if it touches a busy account. Returns whether it waits. */
  readonly setAside: (waiting: Waiting) => boolean
  /** The journals that wait. */
  readonly waiting: () => Waiting[]
}

type BusyOptions = {
  readonly waiters: Pool
  readonly timers: Timers
  readonly scheduler: Pick<Scheduler, 'enqueue' | 'track'>
  readonly onSetAside: () => void
}

// How long one attempt to lock a busy account lasts before we check whether any journal still waits for it.
const attemptMs = 1_000
const retryMs = 100

/**
 * Accounts that another transaction keeps locked, with the journals that wait for them. A waiting journal holds no locks, and
 * delays no other journals.
 */
export function createBusyAccounts({ waiters, timers, scheduler, onSetAside }: BusyOptions): BusyAccounts {
  const journalsByAccount = new Map<string, Waiting[]>()

  /** Waits for one account while holding no other lock, then queues its journals again. */
  async function waitFor(account: Account, journals: Waiting[]): Promise<void> {
    for (;;) {
      const isFree = await isLockable(waiters, account, attemptMs).catch(() => letRetry())
      const patient = failLate(journals.splice(0), timers.nowMs(), ledgerError('LEDGER_BUSY'))
      journals.push(...patient)
      if (!isFree && patient.length > 0) continue
      journalsByAccount.delete(nameOf(account))
      for (const waiting of patient) scheduler.enqueue(waiting)
      return
    }
  }

  /** PostgreSQL cannot be asked: the next batch with the journals finds out. */
  async function letRetry(): Promise<true> {
    await timers.sleep(retryMs)
    return true
  }

  return {
    watch: (accounts) => {
      for (const account of accounts) {
        if (journalsByAccount.has(nameOf(account))) continue
        const journals: Waiting[] = []
        journalsByAccount.set(nameOf(account), journals)
        scheduler.track(waitFor(account, journals))
      }
    },
    setAside: (waiting) => {
      if (journalsByAccount.size === 0) return false
      for (const account of accountsOf(waiting.journal)) {
        const journals = journalsByAccount.get(nameOf(account))
        if (journals === undefined) continue
        journals.push(waiting)
        onSetAside()
        return true
      }
      return false
    },
    waiting: () => [...journalsByAccount.values()].flat(),
  }
}
