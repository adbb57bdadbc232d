import type { Clock } from '../base/clock.ts'
import {
  allOrFirstError,
  type Client,
  commit,
  dbError,
  isEnd,
  type Pool,
  sendTogether,
  type Tx,
  violates,
} from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import type { NewId } from '../base/id.ts'
import { type Decision, decide } from './decide.ts'
import { ledgerError } from './errors.ts'
import { checkJournal, type Journal, type Posted } from './journal.ts'
import { lockAndRead, write } from './store.ts'

export type BatchTools = { readonly clock: Clock; readonly newId: NewId }
/** What nearly every use case takes: whoever posts, reads or writes within a transaction of his own. */
export type PostTools = BatchTools & { readonly pool: Pool }

// Locks of a process that is gone between the rounds are given back after this.
const idleTimeoutMs = 5_000

/**
 * One transaction for many journals: lock and read, write, commit. It answers for each journal after the commit, or throws:
 * OUTCOME_UNKNOWN when COMMIT was sent and not answered, LEDGER_UNAVAILABLE when the connection broke before it was sent, else
 * what PostgreSQL said when it rolled back. COMMIT is sent only when every row has been accepted: pipelined behind them, it
 * would also commit a batch of which the driver had refused a part.
 */
export async function runBatch(
  client: Client,
  journals: readonly Journal[],
  lockTimeoutMs: number,
  tools: BatchTools,
): Promise<Decision[]> {
  // Every statement looks rows up by what it is given. Planned for each batch anew, that took longer than doing it.
  const begin = `begin; set local lock_timeout = ${lockTimeoutMs};
    set local idle_in_transaction_session_timeout = ${idleTimeoutMs};
    set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan`
  let decisions: Decision[]
  try {
    const sent = sendTogether(client, () => [client.query(begin), lockAndRead(client, journals, tools.clock)] as const)
    const [, { facts, at }] = await allOrFirstError(sent)
    const decided = decide(journals, facts, at, tools.newId)
    decisions = decided.decisions
    if (decided.entries.length > 0) await write(client, decided, at)
  } catch (error) {
    if (isEnd(error)) throw ledgerError('LEDGER_UNAVAILABLE', {}, error)
    await client.query('rollback').catch(() => {
      throw ledgerError('LEDGER_UNAVAILABLE', {}, error)
    })
    throw error
  }
  // COMMIT also where nothing was written: a repeat is answered only when a standby has what it repeats.
  if ((await commit(client)) === 'rolled_back') throw new Error('PostgreSQL rolled back without naming a reason.')
  return decisions
}

/**
 * Posts inside the caller's transaction, as its last act before COMMIT: the accounts stay locked until then. The caller
 * has locked its own rows before. Throws what refuses the journal.
 */
export async function postWithin(tx: Tx, journal: Journal, tools: BatchTools): Promise<Posted> {
  checkJournal(journal)
  try {
    const { facts, at } = await lockAndRead(tx, [journal], tools.clock)
    const decided = decide([journal], facts, at, tools.newId)
    const [decision] = decided.decisions
    if (decision?.is === 'refused') throw decision.error
    if (decision?.is !== 'posted') throw new Error('A single journal is either posted or refused.')
    if (decided.entries.length > 0) await write(tx, decided, at)
    return decision.posted
  } catch (error) {
    if (isRaceForName(error)) throw dbError('TRANSACTION_AGAIN', {}, error)
    if (hasCode(error, '55P03')) throw ledgerError('LEDGER_BUSY', {}, error)
    if (isDeskLimit(error)) throw ledgerError('LEDGER_DESK_LIMIT', {}, error)
    throw error
  }
}

/** PostgreSQL refused what a desk that was opened by the same journal would owe. */
export function isDeskLimit(error: unknown): boolean {
  return violates(error, 'ledger_accounts_desk_limit')
}

/** Somebody committed the same key, or opened the same account, after we had looked. The next look finds it. */
export function isRaceForName(error: unknown): boolean {
  return violates(error, 'ledger_journals_key', 'ledger_journals_pkey', 'ledger_accounts_pkey', 'ledger_holds_pkey')
}
