// One schedule: calls, troubles, two processes that post, and what must be true afterwards.
import { createRandom, oneOf } from '../../server/local/parts/seeded-random.ts'
import { hasCode } from '../../server/src/base/errors.ts'
import { type Account, nameOf } from '../../server/src/ledger/account.ts'
import { accountsOf } from '../../server/src/ledger/journal.ts'
import type { createLedger, Ledger } from '../../server/src/ledger/post.ts'
import { type Call, createCalls, firstAccounts, idOf, newAccounts, vouchers } from './calls.ts'
import { findFault, keyHashOf } from './check.ts'
import { chooseTroubles, type TroubleMix, type Troubles } from './faults.ts'
import { createServer, type Server } from './postgres.ts'
import { createVirtualTime, type VirtualTime } from './virtual-time.ts'

export type CreateLedger = typeof createLedger

export type Schedule = {
  readonly mix: TroubleMix
  readonly troubles: Troubles
  readonly calls: Call[]
  readonly server: Server
  readonly isClosed: boolean
}

const mixes: readonly TroubleMix[] = ['none', 'faults', 'faults', 'faults', 'outages', 'hangs', 'foreign locks', 'all']
const startAt = new Date('2026-06-01T12:00:00Z')
// Longer than any journal is retried, and than the longest foreign lock.
const settleMs = 90_000

/** Runs a schedule and returns what went wrong, or undefined. The same seed gives the same schedule. */
export async function runSchedule(createLedgerOf: CreateLedger, seed: number): Promise<string | undefined> {
  const random = createRandom(seed)
  const time = createVirtualTime()
  const mix = oneOf(random, mixes)
  const troubles = chooseTroubles(random, mix)
  const server = createServer({ time, random, ...troubles })
  for (const [account, balance] of firstAccounts)
    server.tables.accounts.set(nameOf(account), { account, balance, held: 0n, version: 0n })
  lockElsewhere(time, server, troubles)

  let ids = 0
  const newId = (): string => idOf(1, ids++)
  const tools = { clock: () => new Date(startAt.getTime() + time.nowMs()), newId }
  const size = { lanes: 1 + Math.floor(random() * 3), batchMax: oneOf(random, [1, 2, 4, 16, 256]) }
  const ledgers = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, i) => {
    // Some processes post nothing in one round, as those of an earlier version do.
    const isCareful = (seed + i) % 3 === 0
    const waiters = server.createPool(4)
    return createLedgerOf({ tools, timers: time, connect: server.connect, waiters, ...size, isCareful })
  })
  const calls = createCalls({ random, newId, startAt }, ledgers.length)
  for (const call of [...calls]) time.after(call.atMs, () => make(call))

  /** Posts a journal. Some callers retry when they learn nothing. */
  function make(call: Call): void {
    ledgers[call.ledger]?.post(call.journal).then(
      (posted) => {
        const isCommitted = server.tables.journals.get(keyHashOf(call))?.id === posted.journalId
        const early = isCommitted ? {} : { error: new Error('was acknowledged before the commit') }
        Object.assign(call, { settledMs: time.nowMs(), posted, ...early })
      },
      (error: unknown) => {
        Object.assign(call, { settledMs: time.nowMs(), error })
        if (hasCode(error, 'OUTCOME_UNKNOWN', 'LEDGER_UNAVAILABLE', 'LEDGER_BUSY') && random() < 0.5) retry(call)
      },
    )
  }

  function retry({ journal, ledger, isPoison }: Call): void {
    const again = { journal: { ...journal, id: newId() }, ledger, isPoison, atMs: time.nowMs() + 200, mustPost: false }
    calls.push(again)
    time.after(200, () => make(again))
  }

  await time.advance(settleMs, () => calls.every(({ settledMs }) => settledMs !== undefined))
  const isClosed = await closeAll(time, ledgers)
  // Statements that hang in the server, and locks of others, end by now.
  await time.advance(time.nowMs() + settleMs, () => false)
  return findFault({ mix, troubles, calls, server, isClosed })
}

async function closeAll(time: VirtualTime, ledgers: readonly Ledger[]): Promise<boolean> {
  let open = ledgers.length
  for (const ledger of ledgers) void ledger.close().then(() => open--)
  await time.advance(time.nowMs() + settleMs, () => open === 0)
  return open === 0
}

/** Another program keeps rows locked, or has inserted an account and not committed it yet. */
function lockElsewhere(time: VirtualTime, { locks }: Server, { foreignLocks }: Troubles): void {
  for (const lock of foreignLocks) {
    const owner = {}
    const name = nameOfLock(lock)
    time.after(lock.fromMs, () => void locks.acquire(owner, name, lock.toMs - lock.fromMs).catch(() => undefined))
    time.after(lock.toMs, () => locks.releaseAll(owner))
  }
}

function nameOfLock({ account, isNew }: Troubles['foreignLocks'][number]): string {
  const name = nameOf(lockedAccount({ account, isNew }))
  return isNew ? `account/${name}` : `row/${name}`
}

function lockedAccount({ account, isNew }: { account: number; isNew: boolean }): Account {
  const list = isNew ? newAccounts : vouchers
  const found = list[account % list.length]
  if (found === undefined) throw new Error('There is nothing to lock.')
  return found
}

/** Whether the call touches an account that another program locks. */
export function isInTheWay({ journal }: Call, { foreignLocks }: Troubles): boolean {
  const locked = new Set(foreignLocks.map((lock) => nameOf(lockedAccount(lock))))
  return [...accountsOf(journal)].some((account) => locked.has(nameOf(account)))
}
