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
import { lockAndRead } from './store.ts'
import { write } from './write.ts'

export type BatchTools = { readonly clock: Clock; readonly newId: NewId }
/** The dependencies of use cases that post, read or write in a transaction of their own. */
export type PostTools = BatchTools & { readonly pool: Pool }

// Limits how long PostgreSQL keeps the locks of a process that disappears between statements.
const idleTimeoutMs = 5_000

/**
 * Posts many journals in one transaction: lock and read, write, commit. Returns a decision per journal after the commit, or
 * throws OUTCOME_UNKNOWN if COMMIT got no response, LEDGER_UNAVAILABLE if the connection broke before COMMIT, or else the
 * error of PostgreSQL's rollback. COMMIT is sent only after every row was accepted: if it were pipelined with them, it would
 * also commit a batch of which the driver had refused a part.
 */
export async function runBatch(
  client: Client,
  journals: readonly Journal[],
  lockTimeoutMs: number,
  tools: BatchTools,
): Promise<Decision[]> {
  // Statements look rows up by their parameters. Planning them for each batch took longer than running them.
  const begin = `begin; set local lock_timeout = ${lockTimeoutMs};
    set local idle_in_transaction_session_timeout = ${idleTimeoutMs};
    set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan`
  let decisions: Decision[]
  try {
    const sent = sendTogether(client, () => [client.query(begin), lockAndRead(client, journals, tools.clock)] as const)
    const [, { facts, at }] = await allOrFirstError(sent)
    const decided = decide(journals, facts, at, tools.newId)
    decisions = decided.decisions
    if (decided.entries.length > 0) await write(client, decided, { at, newId: tools.newId }).catch(markNameBusy)
  } catch (error) {
    if (isEnd(error)) throw ledgerError('LEDGER_UNAVAILABLE', {}, error)
    await client.query('rollback').catch(() => {
      throw ledgerError('LEDGER_UNAVAILABLE', {}, error)
    })
    throw error
  }
  // COMMIT even if nothing was written: a replay must not return before a standby has the original journal.
  if ((await commit(client)) === 'rolled_back') throw new Error('PostgreSQL rolled back without an error.')
  return decisions
}

/** A key or a new account waited too long for another transaction that has inserted the same and not committed yet. */
export class NameBusy extends Error {}

/** Existing accounts are locked before anything is written, so a lock that writing waits for is that of a name. */
function markNameBusy(error: unknown): never {
  throw hasCode(error, '55P03') ? new NameBusy('A name is locked by another transaction.', { cause: error }) : error
}

/**
 * Posts within the caller's transaction, as its last step before COMMIT, because the accounts stay locked until then. The
 * caller must have locked its own rows first. Throws if the journal is refused.
 */
export async function postWithin(tx: Tx, journal: Journal, tools: BatchTools): Promise<Posted> {
  checkJournal(journal)
  try {
    const { facts, at } = await lockAndRead(tx, [journal], tools.clock)
    const decided = decide([journal], facts, at, tools.newId)
    const [decision] = decided.decisions
    if (decision?.is === 'refused') throw decision.error
    if (decision?.is !== 'posted') throw new Error('A single journal must be posted or refused.')
    if (decided.entries.length > 0) await write(tx, decided, { at, newId: tools.newId })
    return decision.posted
  } catch (error) {
    if (isRaceForName(error)) throw dbError('TRANSACTION_AGAIN', {}, error)
    if (hasCode(error, '55P03')) throw ledgerError('LEDGER_BUSY', {}, error)
    if (isDeskLimit(error)) throw ledgerError('LEDGER_DESK_LIMIT', {}, error)
    throw error
  }
}

/** Whether PostgreSQL rejected the debt of an exchange desk that the same journal opens. */
export function isDeskLimit(error: unknown): boolean {
  return violates(error, 'ledger_accounts_desk_limit')
}

/** Whether another transaction committed the same key or opened the same account after we had read. A retry finds it. */
export function isRaceForName(error: unknown): boolean {
  return violates(error, 'ledger_keys_pkey', 'ledger_journals_pkey', 'ledger_accounts_pkey', 'ledger_holds_pkey')
}
