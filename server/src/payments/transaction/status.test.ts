import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createPool } from '../../base/db.ts'
import { legalMoves, type TransactionStatus } from './status.ts'

const statuses = Object.keys(legalMoves) as TransactionStatus[]

test('the database allows exactly the status changes of the table', async () => {
  const pool = createPool((await createTestDatabase()).ownerUrl, 1)
  await pool.query(`insert into ledger_books (mode, currency) values ('test', 'USD')`)
  const allowed = async (from: TransactionStatus, to: TransactionStatus): Promise<boolean> => {
    const id = `01900000-0000-7000-8000-${String(statuses.indexOf(from) * 10 + statuses.indexOf(to)).padStart(12, '0')}`
    const refunded = (status: TransactionStatus): number => (status === 'REFUNDED' ? 5 : 0)
    await pool.query(
      `insert into transactions (environment_id, id, reference, type, status, book_id, amount, charged, charge_type, metadata,
        created_at, refunded) values ($1, $1, $2, 'PAYOUT', $3, 1, 5, 5, 'NONE', '', '2026-01-01', $4)`,
      [id, `${from}-${to}`, from, refunded(from)],
    )
    return pool.query('update transactions set status = $2, refunded = $3 where id = $1', [id, to, refunded(to)]).then(
      () => true,
      () => false,
    )
  }
  for (const from of statuses)
    for (const to of statuses)
      if (from !== to)
        expect([from, to, await allowed(from, to)]).toEqual([from, to, legalMoves[from].includes(to as never)])
  await pool.end()
})
