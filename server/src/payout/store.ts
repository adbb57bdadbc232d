import type { Tx } from '../base/db.ts'
import { selectOne, selectValue } from '../base/sql.ts'
import { defineDocument, type StoredRow } from '../ledger/document.ts'
import type { TransactionFacts } from '../transaction/store.ts'

/** Stored in the commit that requests it. Its transaction has its status. */
export const payoutDocument = defineDocument('payouts', {
  environmentId: 'uuid',
  id: 'uuid',
  userId: 'uuid',
  toBookId: 'smallint',
  network: 'text',
  createdAt: 'timestamptz',
})

export type Payout = Omit<TransactionFacts, 'status' | 'createdAt'> &
  Omit<StoredRow<typeof payoutDocument>, 'network' | 'createdAt'> & { readonly toCurrency: string }

/** A requested payout. The transaction acts for its environment. */
export async function findPayout(tx: Tx, environmentId: string, id: string): Promise<Payout | undefined> {
  return selectOne<Payout>(tx)`
    select p.id, p.environment_id as "environmentId", p.user_id as "userId", t.reference, t.book_id as "bookId",
        b.currency, t.amount, t.metadata, p.to_book_id as "toBookId", c.currency as "toCurrency"
      from payouts p
      join transactions t on t.environment_id = p.environment_id and t.id = p.id
      join ledger_books b on b.id = t.book_id
      join ledger_books c on c.id = p.to_book_id
      where p.environment_id = ${environmentId} and p.id = ${id}`
}

/** Whether a user has received a payout of this environment before. */
export async function hasPaid(tx: Tx, environmentId: string, userId: string): Promise<boolean> {
  const found = await selectValue<boolean>(tx)`
    select exists (select from payouts p join transactions t on t.environment_id = p.environment_id and t.id = p.id
      where p.environment_id = ${environmentId} and p.user_id = ${userId} and t.status = 'COMPLETED') as has`
  return found === true
}
