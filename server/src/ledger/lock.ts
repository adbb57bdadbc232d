import { binaryColumn } from '../base/binary-array.ts'
import type { Tx } from '../base/db.ts'
import { type Account, nameOf } from './account.ts'
import { plainArray } from './document.ts'
import { accountsOf, type Journal } from './journal.ts'

export const lockClause = 'for no key update'

// Locks the rows in the order of the arrays, which are sorted, so that overlapping batches queue up instead of deadlocking.
// A row that had to be waited for is returned as it is after the wait.
export const lockAccounts = `
  select a.book_id, a.owner_id, a.kind, a.state, a.balance, a.held
  from unnest($1::smallint[], $2::uuid[], $3::ledger_account_kind[]) as wanted (book_id, owner_id, kind)
  cross join lateral (
    select * from ledger_accounts a
    where a.book_id = wanted.book_id and a.owner_id = wanted.owner_id and a.kind = wanted.kind
    ${lockClause}
  ) a`

/** All accounts of the journals, without duplicates, in lock order. */
export function accountsToLock(journals: readonly Journal[]): Account[] {
  const accounts = new Map<string, Account>()
  for (const journal of journals) for (const account of accountsOf(journal)) accounts.set(nameOf(account), account)
  return sortForLocks([...accounts.values()])
}

/** Every transaction locks accounts in this order. */
export function sortForLocks(accounts: readonly Account[]): Account[] {
  const named = accounts.map((account) => ({ account, name: nameOf(account) }))
  return named.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ account }) => account)
}

/** The accounts as parameters: books, owners and kinds. */
export function accountColumns(accounts: readonly Account[]): (Buffer | string)[] {
  return [
    binaryColumn('smallint', accounts, ({ bookId }) => bookId),
    binaryColumn('uuid', accounts, ({ ownerId }) => ownerId),
    plainArray(accounts.map(({ kind }) => kind)),
  ]
}

/**
 * Locks accounts in the caller's transaction, in the common lock order, before the caller decides what to post. Skips accounts
 * that do not exist.
 */
export async function lockAccountsOf(tx: Tx, accounts: readonly Account[]): Promise<void> {
  await tx.query(lockAccounts, accountColumns(sortForLocks(accounts)))
}
