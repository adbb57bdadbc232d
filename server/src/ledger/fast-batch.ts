import { type Client, dbError, isServerError, withWarning } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import { runRound, type Statement } from '../base/one-round.ts'
import { type Account, mayGoNegative, nameOf } from './account.ts'
import { type BatchTools, NameBusy } from './batch.ts'
import type { Decided, Decision, Entry } from './decide.ts'
import { digest, type Journal, type Posting } from './journal.ts'
import { accountColumns, accountsToLock, lockAccounts } from './lock.ts'
import { newAccountColumns, writeStatements } from './write.ts'

/**
 * Posts every journal of the batch as its first alternative, in one round trip and without reading anything: constraints and
 * triggers check what `decide` would. Returns undefined if one of them refuses, or if the batch depends on the order of its
 * journals; nothing is written then, and the careful way decides. Throws as `runBatch` does.
 */
export async function postInOneRound(
  client: Client,
  journals: readonly Journal[],
  lockTimeoutMs: number,
  { clock, newId }: BatchTools,
): Promise<Decision[] | undefined> {
  const assumed = assume(journals)
  if (assumed === undefined) return undefined
  const at = clock()
  const locking = lockStatements(journals, assumed.newAccounts, lockTimeoutMs)
  const writing = writeStatements({ ...assumed, newAccounts: [] }, { at, newId })
  const isCommitted = await commitRound(client, [...locking, ...writing])
  if (!isCommitted) return undefined
  return journals.map(({ id: journalId }) => ({
    is: 'posted',
    posted: { journalId, alternative: 0, postedAt: at, replayed: false },
  }))
}

/** What `decide` would return if every first alternative fits. Undefined where that may depend on an earlier journal of the batch. */
function assume(journals: readonly Journal[]): Decided | undefined {
  const entries = journals.map(toEntry)
  const keys = new Set(entries.map(({ keyDigest }) => keyDigest))
  const postings = entries.map(({ posting }) => posting)
  const hasHolds = postings.some(({ holds = [] }) => holds.length > 0)
  if (keys.size < entries.length || hasHolds || isOrderRelevant(postings)) return undefined
  return { decisions: [], entries, newAccounts: accountsToOpen(postings), newHolds: [] }
}

function toEntry(journal: Journal): Entry {
  const [posting] = journal.alternatives
  const keyDigest = digest(journal.key)
  const fingerprint = digest(journal.requestFingerprint)
  return { journal, alternative: 0, posting, keyDigest, fingerprint, holdMoves: [] }
}

/**
 * Whether an account with a limit is both debited and credited. Its debits could then be covered by later credits, which PostgreSQL
 * would accept, because it checks the balance after the whole batch.
 */
function isOrderRelevant(postings: readonly Posting[]): boolean {
  const debited = new Set<string>()
  for (const { transfers } of postings) for (const { from } of transfers) if (hasLimit(from)) debited.add(nameOf(from))
  return postings.some(({ transfers }) => transfers.some(({ to }) => debited.has(nameOf(to))))
}

/** An exchange desk may owe, up to its limit. */
function hasLimit({ kind }: Account): boolean {
  return !mayGoNegative(kind) || kind === 'exchange'
}

function accountsToOpen(postings: readonly Posting[]): Account[] {
  const accounts = new Map<string, Account>()
  for (const { open = [] } of postings) for (const account of open) accounts.set(nameOf(account), account)
  return [...accounts.values()]
}

const lockOnlyName = 'ledger_lock_only'
const lockAndOpenName = 'ledger_lock_and_open'

// Without the rows, which nobody reads.
const lockOnly = `with locked as materialized (${lockAccounts}) select count(*) from locked`

// Every account is locked before the first one is opened, as in the careful way, because the insert needs the count of locked rows.
// An account that another transaction opens meanwhile is a unique violation, and not one that was never locked.
const lockAndOpen = `
  with locked as materialized (${lockAccounts}),
    counted as materialized (select count(*) from locked)
  insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
  select new.* from counted,
    unnest($4::smallint[], $5::uuid[], $6::ledger_account_kind[], $7::boolean[]) as new (book_id, owner_id, kind, may_go_negative)
  where not exists (
    select from locked l where l.book_id = new.book_id and l.owner_id = new.owner_id and l.kind = new.kind
  )`

/** Settings for the transaction, the locks of all accounts, and the accounts that are to be opened and do not exist. */
function lockStatements(journals: readonly Journal[], opened: readonly Account[], lockTimeoutMs: number): Statement[] {
  const settings = {
    name: 'ledger_settings',
    text: `select set_config('lock_timeout', $1, true), set_config('enable_seqscan', 'off', true),
      set_config('plan_cache_mode', 'force_generic_plan', true)`,
    values: [String(lockTimeoutMs)],
  }
  const accounts = accountColumns(accountsToLock(journals))
  const locking =
    opened.length === 0
      ? { name: lockOnlyName, text: lockOnly, values: accounts }
      : { name: lockAndOpenName, text: lockAndOpen, values: [...accounts, ...newAccountColumns(opened)] }
  return [settings, locking]
}

/** Returns false if PostgreSQL rolled back for a reason that the careful way explains. */
async function commitRound(client: Client, statements: readonly Statement[]): Promise<boolean> {
  const { result, warning } = await withWarning(client, () => runRound(client, statements))
  const { error, completed } = result
  if (error !== null) {
    throwUnlessRefused(error, statements[completed]?.name ?? '')
    return false
  }
  if (warning !== undefined) throw dbError('OUTCOME_UNKNOWN', {}, warning)
  return true
}

/** Throws what has to be recovered from. `failed` is the statement that did not complete. */
function throwUnlessRefused(error: Error, failed: string): void {
  // The Sync was sent with the statements: without a response it may have committed.
  if (!isServerError(error)) throw dbError('OUTCOME_UNKNOWN', {}, error)
  if (hasCode(error, '40P01', '40001', '25006')) throw error
  if (!hasCode(error, '55P03')) return
  if (failed === lockOnlyName) throw error
  // An account or the name of a new one: the careful way finds out which.
  if (failed !== lockAndOpenName) throw new NameBusy('A name is locked by another transaction.', { cause: error })
}
