import type { Tx } from '../base/db.ts'
import type { Mode } from '../ledger/book.ts'
import { defineDocument, type StoredRow } from '../ledger/document.ts'
import type { ExpiredTo } from '../merchant/store.ts'
import type { Sealed } from '../base/seal.ts'
import { execute, raw, select, selectOne, selectValue } from '../base/sql.ts'

export const batchDocument = defineDocument('voucher_batches', {
  environmentId: 'uuid',
  id: 'uuid',
  reference: 'text',
  bookId: 'smallint',
  size: 'integer',
  /** Of each; null for an import. */
  amount: 'numeric?',
  total: 'numeric',
  onlyAt: 'uuid[]',
  expiresAt: 'timestamptz?',
  expiredTo: 'text',
  keyId: 'smallint?',
  rowsSealed: 'bytea?',
  createdAt: 'timestamptz',
  exportedAt: 'timestamptz?',
})

export type Batch = Omit<StoredRow<typeof batchDocument>, 'keyId' | 'rowsSealed'> & {
  readonly mode: Mode
  readonly currency: string
  readonly expiredTo: ExpiredTo
  readonly refusedRows: readonly number[]
  readonly finishedAt: Date | null
}

/** One that is being worked on. */
export type ClaimedBatch = Batch & {
  /** Rows of an import that are still to become vouchers. */
  readonly rows: Sealed | undefined
}

const columns = `w.environment_id as "environmentId", w.id, w.reference, w.book_id as "bookId", b.mode, b.currency, w.size,
  w.amount, w.total, w.only_at as "onlyAt", w.expires_at as "expiresAt", w.expired_to as "expiredTo",
  w.refused_rows as "refusedRows", w.created_at as "createdAt", w.finished_at as "finishedAt", w.exported_at as "exportedAt"`

/** One that nobody works on and that does not rest, whoever's it is, locked until the end of the transaction. */
export async function claimBatch(tx: Tx, resting: readonly string[]): Promise<ClaimedBatch | undefined> {
  const claimed = await selectOne<Batch & { keyId: number | null; rowsSealed: Buffer | null }>(tx)`
    select ${raw(columns)}, w.key_id as "keyId", w.rows_sealed as "rowsSealed"
      from claim_voucher_batch(${resting}) w join ledger_books b on b.id = w.book_id`
  if (claimed === undefined) return undefined
  const { keyId, rowsSealed, ...batch } = claimed
  return { ...batch, rows: keyId === null || rowsSealed === null ? undefined : { keyId, sealed: rowsSealed } }
}

export async function findBatch(tx: Tx, environmentId: string, id: string): Promise<Batch | undefined> {
  return selectOne<Batch>(tx)`
    select ${raw(columns)} from voucher_batches w join ledger_books b on b.id = w.book_id
      where w.environment_id = ${environmentId} and w.id = ${id}`
}

/** Newest first. */
export async function listBatches(tx: Tx, environmentId: string, before: string, limit: number): Promise<Batch[]> {
  return select<Batch>(tx)`
    select ${raw(columns)} from voucher_batches w join ledger_books b on b.id = w.book_id
      where w.environment_id = ${environmentId} and w.id < ${before} order by w.id desc limit ${limit}`
}

/** The numbers from 1 that have become vouchers. */
export async function findIssuedNumbers(tx: Tx, batchId: string): Promise<Set<number>> {
  const rows = await select<{ number: number }>(tx)`
    select batch_number as number from vouchers where batch_id = ${batchId}`
  return new Set(rows.map(({ number }) => number))
}

export async function countIssued(tx: Tx, batchId: string): Promise<number> {
  return Number(await selectValue<bigint>(tx)`select count(*) from vouchers where batch_id = ${batchId}`)
}

/** A piece of it is done, apart from rows that cannot become vouchers. */
export async function noteWork(tx: Tx, { environmentId, id }: Batch, refused: readonly number[], at: Date) {
  await execute(tx)`
    update voucher_batches set worked_at = ${at}, refused_rows = refused_rows || ${refused}::integer[]
      where environment_id = ${environmentId} and id = ${id}`
}

export async function finishBatch(tx: Tx, { environmentId, id }: Batch, at: Date): Promise<void> {
  await execute(tx)`
    update voucher_batches set finished_at = ${at}, rows_sealed = null
      where environment_id = ${environmentId} and id = ${id}`
}

/** Once is enough: codes that have left do not come back. */
export async function markExported(tx: Tx, { environmentId, id }: Batch, at: Date): Promise<void> {
  await execute(tx)`
    update voucher_batches set exported_at = ${at}
      where environment_id = ${environmentId} and id = ${id} and exported_at is null`
}

type BatchVoucher = Sealed & {
  readonly id: string
  readonly number: number
  readonly amount: bigint
  readonly expiresAt: Date | null
}

/** In the order of their numbers, without those that were cancelled. */
export async function listBatchVouchers(tx: Tx, batchId: string): Promise<BatchVoucher[]> {
  return select<BatchVoucher>(tx)`
    select v.id, v.batch_number as number, v.amount, v.expires_at as "expiresAt", v.key_id as "keyId",
      v.code_sealed as sealed
      from vouchers v join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
      where v.batch_id = ${batchId} and a.state <> 'closed' order by v.batch_number`
}
