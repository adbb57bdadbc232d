// A merchant with many invoices, inserted directly: through the API it would take minutes.
import type { Db } from '../../src/base/db.ts'
import type { NewId } from '../../src/base/id.ts'

// Of ten invoices, six are approved, one is rejected and three are pending.
const statuses = [
  ...['Approved', 'Approved', 'Pending', 'Approved', 'Rejected'],
  ...['Pending', 'Approved', 'Approved', 'Pending', 'Approved'],
]
const linesEach = 3
const rowsAtOnce = 5_000

/** How many of so many invoices have a status. */
export function countOfStatus(status: string, total: number): number {
  return (total * statuses.filter((each) => each === status).length) / statuses.length
}

/** From 500 senders, none of them paid. `total` is divisible by 10. */
export async function makeManyInvoices(
  owner: Db,
  environmentId: string,
  bookId: number,
  total: number,
  newId: NewId,
): Promise<void> {
  for (let from = 0; from < total; from += rowsAtOnce) {
    const ids = Array.from({ length: Math.min(rowsAtOnce, total - from) }, newId)
    await owner.query(
      `insert into invoices (environment_id, id, number, status, email, full_name, book_id, total, network, invoice_date, due_date,
          decided_at, created_at)
        select $1, id, '2026-' || lpad((n + $3)::text, 6, '0'), status, 'i' || n % 500 || '@example.com', 'Ivy Submitter', $4, 1500,
          'BSC', '2026-01-01', '2026-02-01', case when status <> 'Pending' then timestamptz '2026-01-02' end, '2026-01-01'
        from unnest($2::uuid[], $5::text[]) with ordinality as row (id, status, n)`,
      [environmentId, ids, from, bookId, ids.map((_, i) => statuses[i % statuses.length])],
    )
    await owner.query(
      `insert into invoice_items (environment_id, invoice_id, id, position, description, quantity, unit_price, total)
        select $1, invoice, gen_random_uuid(), position, 'Work', 1, 500, 500
        from unnest($2::uuid[]) as invoice, generate_series(1, $3) as position`,
      [environmentId, ids, linesEach],
    )
  }
  const counts = new Map(['Pending', 'Approved', 'Rejected'].map((each) => [each, countOfStatus(each, total)]))
  for (const [counted, count] of [...counts, ['invoices', total] as const])
    await owner.query('insert into environment_counts values ($1, $2, $3)', [environmentId, counted, count])
  await owner.query('vacuum analyze invoices, invoice_items')
}
