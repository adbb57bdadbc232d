import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Tx } from '../../base/db.ts'
import { execute, list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { documentOf } from '../../ledger/document.ts'
import { rowFaultNames } from './faults.ts'
import { type BatchStatus, batchStatuses, rowStatuses } from './wire.ts'

const payoutBatches = defineTable('payout_batches', {
  environmentId: sql.uuid,
  id: sql.uuid,
  reference: sql.text,
  bookId: sql.smallint,
  fileDigest: sql.text,
  size: sql.integer,
  total: sql.numeric,
  requestedBy: orNull(sql.uuid),
  createdAt: sql.timestamptz,
  refused: sql.integer,
  paid: withDefault(sql.integer),
  returned: withDefault(sql.numeric),
  finishedAt: withDefault(orNull(sql.timestamptz)),
})

/** Stored in the commit that requests the outflow. */
export const batchDocument = documentOf(payoutBatches)

const batchColumns = list({
  ...payoutBatches.columns('w'),
  ...ledgerBooks.columns('b', 'currency'),
  /** A file whose outflow never waited has no outflow row. */
  status: oneOf(batchStatuses)`
    case when w.finished_at is not null then 'done' when o.outcome = 'cancelled' then 'canceled'
      when o.id is null or o.outcome = 'done' then 'paying' else 'waiting' end`,
})
export type PayoutBatch = RowOf<typeof batchColumns> & { readonly status: BatchStatus }

const batches = sql`select ${batchColumns} from payout_batches w join ledger_books b on b.id = w.book_id
  left join outflows o on o.environment_id = w.environment_id and o.id = w.id`

/** A payout file of the environment that the transaction acts for. */
export async function findBatch(tx: Tx, environmentId: string, id: string): Promise<PayoutBatch | undefined> {
  return selectOne(tx)`${batches} where w.environment_id = ${environmentId} and w.id = ${id}`
}

/** Newest first. */
export async function listBatches(
  tx: Tx,
  environmentId: string,
  before: string,
  limit: number,
): Promise<PayoutBatch[]> {
  return select(tx)`
    ${batches} where w.environment_id = ${environmentId} and w.id < ${before} order by w.id desc limit ${limit}`
}

/** The reference of an earlier submission of the same file that was not canceled. */
export async function findSameFile(tx: Tx, environmentId: string, fileDigest: string): Promise<string | undefined> {
  return selectValue(tx)`
    select ${payoutBatches.types.reference`w.reference`} from payout_batches w
      left join outflows o on o.environment_id = w.environment_id and o.id = w.id
      where w.environment_id = ${environmentId} and w.file_digest = ${fileDigest}
        and o.outcome is distinct from 'cancelled'
      order by w.id desc limit 1`
}

const payoutRows = defineTable('payout_rows', {
  environmentId: sql.uuid,
  batchId: sql.uuid,
  number: sql.integer,
  id: sql.uuid,
  line: sql.integer,
  recipient: sql.text,
  name: sql.text,
  userId: orNull(sql.uuid),
  amount: orNull(sql.numeric),
  reference: sql.text,
  note: sql.text,
  status: oneOf(rowStatuses),
  fault: orNull(oneOf(rowFaultNames)),
  endedAt: withDefault(orNull(sql.timestamptz)),
})

export const rowDocument = documentOf(payoutRows)

const rowColumns = list(payoutRows.columns('r'))
export type PayoutRow = RowOf<typeof rowColumns>

/** Rows in the order of the file, after the one whose id is the cursor. Those of one status, if it is given. */
export async function listRows(
  tx: Tx,
  { environmentId, id }: Pick<PayoutBatch, 'environmentId' | 'id'>,
  status: PayoutRow['status'] | undefined,
  cursor: string | undefined,
  limit: number,
): Promise<PayoutRow[]> {
  return select(tx)`
    select ${rowColumns} from payout_rows r
      where r.environment_id = ${environmentId} and r.batch_id = ${id}
        and r.number > coalesce(
          (select c.number from payout_rows c where c.environment_id = ${environmentId} and c.id = ${cursor}), 0)
        and (${status}::text is null or r.status = ${status}) order by r.number limit ${limit}`
}

const waitingColumns = list({
  ...payoutRows.columns('r'),
  ...payoutBatches.columns('w', 'bookId', 'requestedBy'),
  ...ledgerBooks.columns('b', 'currency'),
})
type WaitingRow = RowOf<typeof waitingColumns> & { readonly userId: string; readonly amount: bigint }

/** A row that is not paid yet, locked until the transaction ends. Undefined if another worker has it or was first. */
export async function lockRow(tx: Tx, environmentId: string, id: string): Promise<WaitingRow | undefined> {
  const found = await selectOne(tx)`
    select ${waitingColumns} from payout_rows r
      join payout_batches w on w.environment_id = r.environment_id and w.id = r.batch_id
      join ledger_books b on b.id = w.book_id
      where r.environment_id = ${environmentId} and r.id = ${id} and r.status = 'waiting'
      for no key update of r skip locked`
  if (found === undefined) return undefined
  const { userId, amount } = found
  if (userId === null || amount === null) throw new Error('A row to pay has no recipient or no amount.')
  return { ...found, userId, amount }
}

export async function endRow(
  tx: Tx,
  { environmentId, id }: PayoutRow,
  end: Pick<PayoutRow, 'status' | 'fault'>,
  at: Date,
): Promise<void> {
  await execute(tx)`
    update payout_rows set status = ${end.status}, fault = ${end.fault}, ended_at = ${at}
      where environment_id = ${environmentId} and id = ${id}`
}

const countedColumns = list(
  payoutBatches.columns('', 'environmentId', 'id', 'bookId', 'reference', 'paid', 'refused', 'finishedAt'),
)
export type CountedBatch = RowOf<typeof countedColumns>

/** Counts a row that has ended, and finishes the file with its last row. Locks the batch until the transaction ends. */
export async function countRow(
  tx: Tx,
  { environmentId, batchId }: PayoutRow,
  { paid, returned }: { readonly paid: 0 | 1; readonly returned: bigint },
  at: Date,
): Promise<CountedBatch> {
  const counted = await selectOne(tx)`
    update payout_batches set paid = paid + ${paid}, refused = refused + ${1 - paid}, returned = returned + ${returned},
        finished_at = case when paid + refused + 1 = size then ${at}::timestamptz end
      where environment_id = ${environmentId} and id = ${batchId} returning ${countedColumns}`
  if (counted === undefined) throw new Error('The batch of a row is missing.')
  return counted
}
