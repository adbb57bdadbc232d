import type { Tx } from '../../base/db.ts'
import { list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { defineTable } from '../../base/table.ts'
import { documentOf } from '../../ledger/document.ts'
import { transactions } from '../transaction/store.ts'

const payouts = defineTable('payouts', {
  environmentId: sql.uuid,
  id: sql.uuid,
  userId: sql.uuid,
  toBookId: sql.smallint,
  network: sql.text,
  createdAt: sql.timestamptz,
})

/** Stored in the commit that requests it. Its transaction has its status. */
export const payoutDocument = documentOf(payouts)

const payoutColumns = list({
  ...payouts.columns('p', 'id', 'environmentId', 'userId', 'toBookId'),
  ...transactions.columns('t', 'reference', 'bookId', 'amount', 'metadata'),
  ...ledgerBooks.columns('b', 'currency'),
  toCurrency: sql.text`c.currency`,
})
export type Payout = RowOf<typeof payoutColumns>

/** A requested payout. The transaction acts for its environment. */
export async function findPayout(tx: Tx, environmentId: string, id: string): Promise<Payout | undefined> {
  return selectOne(tx)`
    select ${payoutColumns}
      from payouts p
      join all_transactions t on t.environment_id = p.environment_id and t.id = p.id
      join ledger_books b on b.id = t.book_id
      join ledger_books c on c.id = p.to_book_id
      where p.environment_id = ${environmentId} and p.id = ${id}`
}

/** Whether a user has received a payout of this environment before. */
export async function hasPaid(tx: Tx, environmentId: string, userId: string): Promise<boolean> {
  const found = await selectValue(tx)`
    select ${sql.boolean`true`} from payouts p
      join all_transactions t on t.environment_id = p.environment_id and t.id = p.id
      where p.environment_id = ${environmentId} and p.user_id = ${userId} and t.status = 'COMPLETED' limit 1`
  return found === true
}

/** Those of these users who have received a payout of this environment before. */
export async function listPaidUsers(tx: Tx, environmentId: string, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await select(tx)`
    select ${list({ id: sql.uuid`wanted.id` })} from unnest(${userIds}::uuid[]) as wanted (id)
      where exists (select from payouts p
        join all_transactions t on t.environment_id = p.environment_id and t.id = p.id
        where p.environment_id = ${environmentId} and p.user_id = wanted.id and t.status = 'COMPLETED')`
  return new Set(rows.map(({ id }) => id))
}
