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
  /** The amount of each voucher; null for an import. */
  amount: 'numeric?',
  total: 'numeric',
  onlyAt: 'uuid[]',
  expiresAt: 'timestamptz?',
  expiredTo: 'text',
  keyId: 'smallint?',
  rowsSealed: 'bytea?',
  createdAt: 'timestamptz',
  exportedAt: 'timestamptz?',
  /** The network whose vault holds the vouchers. */
  onchainNetworkId: 'uuid?',
})

export type Batch = Omit<StoredRow<typeof batchDocument>, 'keyId' | 'rowsSealed'> & {
  readonly mode: Mode
  readonly currency: string
  readonly expiredTo: ExpiredTo
  readonly refusedRows: readonly number[]
  readonly finishedAt: Date | null
}

/** A batch that a worker has claimed. */
export type ClaimedBatch = Batch & {
  /** The sealed rows of an import. */
  readonly rows: Sealed | undefined
}

const columns = `w.environment_id as "environmentId", w.id, w.reference, w.book_id as "bookId", b.mode, b.currency, w.size,
  w.amount, w.total, w.only_at as "onlyAt", w.expires_at as "expiresAt", w.expired_to as "expiredTo",
  w.refused_rows as "refusedRows", w.created_at as "createdAt", w.finished_at as "finishedAt", w.exported_at as "exportedAt",
  w.onchain_network_id as "onchainNetworkId"`

/** Claims an unfinished batch of any merchant that no other worker has claimed, locked until the transaction ends. */
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

/** The numbers of issued vouchers, from 1. */
export async function findIssuedNumbers(tx: Tx, batchId: string): Promise<Set<number>> {
  const rows = await select<{ number: number }>(tx)`
    select batch_number as number from vouchers where batch_id = ${batchId}`
  return new Set(rows.map(({ number }) => number))
}

export async function countIssued(tx: Tx, batchId: string): Promise<number> {
  return Number(await selectValue<bigint>(tx)`select count(*) from vouchers where batch_id = ${batchId}`)
}

/** Records progress on a batch and the rows that cannot become vouchers. */
export async function recordProgress(
  tx: Tx,
  { environmentId, id }: Batch,
  refused: readonly number[],
  at: Date,
): Promise<void> {
  await execute(tx)`
    update voucher_batches set worked_at = ${at}, refused_rows = refused_rows || ${refused}::integer[]
      where environment_id = ${environmentId} and id = ${id}`
}

export async function finishBatch(tx: Tx, { environmentId, id }: Batch, at: Date): Promise<void> {
  await execute(tx)`
    update voucher_batches set finished_at = ${at}, rows_sealed = null
      where environment_id = ${environmentId} and id = ${id}`
}

/** Records the first export. */
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
  /** Of an onchain voucher, else null. */
  readonly network: string | null
  readonly vault: string | null
}

/** The vouchers of a batch by number, without cancelled ones. */
export async function listBatchVouchers(tx: Tx, batchId: string): Promise<BatchVoucher[]> {
  return select<BatchVoucher>(tx)`
    select v.id, v.batch_number as number, v.amount, v.expires_at as "expiresAt", v.key_id as "keyId",
      v.code_sealed as sealed, n.name as network, o.vault
      from vouchers v join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
      left join onchain_vouchers o on o.voucher_id = v.id and v.is_onchain left join networks n on n.id = o.network_id
      where v.batch_id = ${batchId} and a.state <> 'closed' order by v.batch_number`
}
