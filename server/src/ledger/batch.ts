import type { Clock } from '../base/clock.ts'
import { allOrFirstError, type Client, commit, dbError, type Tx } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import type { NewId } from '../base/id.ts'
import { type Decided, type Decision, decide } from './decide.ts'
import { ledgerError } from './errors.ts'
import { checkJournal, type Journal, type Posted } from './journal.ts'
import { lockAndRead, write } from './store.ts'

export type BatchTools = { readonly clock: Clock; readonly newId: NewId }

/**
 * One transaction for many journals, in two rounds: lock and read, then write and commit. It answers for each journal
 * after the commit, or throws: OUTCOME_UNKNOWN when COMMIT was sent and not answered, else certainly rolled back.
 */
export async function runBatch(
  client: Client,
  journals: readonly Journal[],
  lockTimeoutMs: number,
  tools: BatchTools,
): Promise<Decision[]> {
  const begun = client.query(`begin; set local lock_timeout = ${lockTimeoutMs}; set local enable_seqscan = off`)
  let decided: Decided
  let writing: Promise<unknown> | undefined
  try {
    const [, facts] = await allOrFirstError([begun, lockAndRead(client, journals)])
    const at = tools.clock()
    decided = decide(journals, facts, at, tools.newId)
    if (decided.entries.length > 0) writing = write(client, decided, at)
  } catch (error) {
    await client.query('rollback').catch(() => {
      throw ledgerError('LEDGER_UNAVAILABLE', {}, error)
    })
    throw error
  }
  // COMMIT also where nothing was written: a repeat is answered only when a standby has what it repeats.
  const [written, committed] = await Promise.allSettled([writing, commit(client)])
  if (committed.status === 'fulfilled' && committed.value === 'committed') return decided.decisions
  // The first statement that failed is the cause, but only COMMIT's own answer makes the rollback certain.
  if (committed.status === 'rejected' && hasCode(committed.reason, 'OUTCOME_UNKNOWN')) throw committed.reason
  throw written.status === 'rejected' ? written.reason : (committed as PromiseRejectedResult).reason
}

/**
 * Posts inside the caller's transaction, as its last act before COMMIT: the accounts stay locked until then. The caller
 * has locked its own rows before. Throws what refuses the journal.
 */
export async function postWithin(tx: Tx, journal: Journal, tools: BatchTools): Promise<Posted> {
  checkJournal(journal)
  const facts = await lockAndRead(tx, [journal])
  const at = tools.clock()
  const decided = decide([journal], facts, at, tools.newId)
  const [decision] = decided.decisions
  if (decision?.is === 'refused') throw decision.error
  if (decision?.is !== 'posted') throw new Error('A single journal is either posted or refused.')
  if (decided.entries.length > 0)
    await write(tx, decided, at).catch((error: unknown) => {
      throw isRaceForName(error) ? dbError('TRANSACTION_AGAIN', {}, error) : error
    })
  return decision.posted
}

/** Somebody committed the same key, or opened the same account, after we had looked. The next look finds it. */
export function isRaceForName(error: unknown): boolean {
  const names = ['ledger_journals_key', 'ledger_journals_pkey', 'ledger_accounts_pkey', 'ledger_holds_pkey']
  return hasCode(error, '23505') && names.includes(String((error as { constraint?: string }).constraint))
}
