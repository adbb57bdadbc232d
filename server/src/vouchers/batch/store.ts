import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Tx } from '../../base/db.ts'
import { modes } from '../../base/mode.ts'
import type { Sealed } from '../../base/seal.ts'
import { execute, list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { defineTable } from '../../base/table.ts'
import { documentOf } from '../../ledger/document.ts'
import { expiredTos } from '../../identity/merchant/store.ts'
import { vouchers } from '../voucher/store.ts'

const voucherBatches = defineTable('voucher_batches', {
  environmentId: sql.uuid,
  id: sql.uuid,
  reference: sql.text,
  bookId: sql.smallint,
  size: sql.integer,
  /** The amount of each voucher; null for an import, and for cards whose amount the sale decides. */
  amount: orNull(sql.numeric),
  total: sql.numeric,
  onlyAt: sql.uuids,
  expiresAt: orNull(sql.timestamptz),
  expiredTo: oneOf(expiredTos),
  keyId: orNull(sql.smallint),
  rowsSealed: orNull(sql.bytea),
  createdAt: sql.timestamptz,
  exportedAt: orNull(sql.timestamptz),
  /** The network whose vault holds the vouchers. */
  onchainNetworkId: orNull(sql.uuid),
  /** Its vouchers are cards that are worthless until a sale activates them. */
  isInactive: sql.boolean,
  /** Of each of its vouchers. */
  rules: orNull(sql.jsonObject),
  refusedRows: withDefault(sql.integers),
  workedAt: withDefault(orNull(sql.timestamptz)),
  finishedAt: withDefault(orNull(sql.timestamptz)),
})

export const batchDocument = documentOf(voucherBatches)

const batchFields = {
  ...voucherBatches.columns('w', 'environmentId', 'id', 'reference', 'bookId', 'size', 'amount', 'total', 'onlyAt'),
  ...voucherBatches.columns('w', 'expiresAt', 'expiredTo', 'refusedRows', 'createdAt', 'finishedAt', 'exportedAt'),
  ...voucherBatches.columns('w', 'onchainNetworkId', 'isInactive', 'rules'),
  mode: oneOf(modes)`b.mode`,
  ...ledgerBooks.columns('b', 'currency'),
}
const batchColumns = list(batchFields)
export type Batch = RowOf<typeof batchColumns>

const claimedColumns = list({ ...batchFields, ...voucherBatches.columns('w', 'keyId', 'rowsSealed') })

/** A batch that a worker has claimed. */
export type ClaimedBatch = Batch & {
  /** The sealed rows of an import. */
  readonly rows: Sealed | undefined
}

/** Claims an unfinished batch of any merchant that no other worker has claimed, locked until the transaction ends. */
export async function claimBatch(tx: Tx, resting: readonly string[]): Promise<ClaimedBatch | undefined> {
  const claimed = await selectOne(tx)`
    select ${claimedColumns}
      from claim_voucher_batch(${resting}) w join ledger_books b on b.id = w.book_id`
  if (claimed === undefined) return undefined
  const { keyId, rowsSealed, ...batch } = claimed
  return { ...batch, rows: keyId === null || rowsSealed === null ? undefined : { keyId, sealed: rowsSealed } }
}

export async function findBatch(tx: Tx, environmentId: string, id: string): Promise<Batch | undefined> {
  return selectOne(tx)`
    select ${batchColumns} from voucher_batches w join ledger_books b on b.id = w.book_id
      where w.environment_id = ${environmentId} and w.id = ${id}`
}

/** Newest first. */
export async function listBatches(tx: Tx, environmentId: string, before: string, limit: number): Promise<Batch[]> {
  return select(tx)`
    select ${batchColumns} from voucher_batches w join ledger_books b on b.id = w.book_id
      where w.environment_id = ${environmentId} and w.id < ${before} order by w.id desc limit ${limit}`
}

/** Whether its codes came from another system. They are unique per merchant only. */
export function isImport({ amount, isInactive }: Pick<Batch, 'amount' | 'isInactive'>): boolean {
  return amount === null && !isInactive
}

/** The numbers of issued vouchers, from 1. */
export async function findIssuedNumbers(tx: Tx, batchId: string): Promise<Set<number>> {
  const columns = list({ number: sql.integer`batch_number` })
  const rows = await select(tx)`select ${columns} from vouchers where batch_id = ${batchId}`
  return new Set(rows.map(({ number }) => number))
}

export async function countIssued(tx: Tx, batchId: string): Promise<number> {
  return Number(await selectValue(tx)`select ${sql.bigint`count(*)`} from vouchers where batch_id = ${batchId}`)
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

const batchVoucherColumns = list({
  ...vouchers.columns('v', 'id', 'amount', 'expiresAt', 'keyId'),
  number: sql.integer`v.batch_number`,
  sealed: sql.bytea`v.code_sealed`,
  /** Of an onchain voucher, else null. */
  network: orNull(sql.text)`n.name`,
  vault: orNull(sql.text)`o.vault`,
})
type BatchVoucher = RowOf<typeof batchVoucherColumns>

/** The vouchers of a batch by number, without cancelled ones. */
export async function listBatchVouchers(tx: Tx, batchId: string): Promise<BatchVoucher[]> {
  return select(tx)`
    select ${batchVoucherColumns}
      from vouchers v
      join ledger_accounts a on a.owner_id = v.id and a.kind = voucher_account_kind(v.is_store) and a.book_id = v.book_id
      left join onchain_vouchers o on o.voucher_id = v.id and v.is_onchain left join networks n on n.id = o.network_id
      where v.batch_id = ${batchId} and a.state <> 'closed' order by v.batch_number`
}
