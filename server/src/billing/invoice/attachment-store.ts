import type { Db, Tx } from '../../base/db.ts'
import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import { execute, list, type RowOf, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { fileKinds } from './file-kind.ts'

const invoiceAttachments = defineTable('invoice_attachments', {
  environmentId: sql.uuid,
  id: sql.uuid,
  /** None until the invoice is sent. */
  invoiceId: orNull(sql.uuid),
  /** The place in the sender's list. None until the invoice is sent. */
  position: withDefault(orNull(sql.smallint)),
  name: sql.text,
  /** Recognised from the content. */
  kind: oneOf(fileKinds),
  /** In bytes. */
  size: sql.integer,
  content: sql.bytea,
  createdAt: sql.timestamptz,
})

const uploadDays = defineTable('invoice_upload_days', {
  environmentId: sql.uuid,
  /** Days since 1970-01-01, in UTC. */
  day: sql.integer,
  bytes: sql.bigint,
})

const fileColumns = list(invoiceAttachments.columns('', 'name', 'kind', 'content'))
type File = RowOf<typeof fileColumns>

export type Upload = File & { readonly id: string; readonly createdAt: Date }

export async function insertUpload(tx: Tx, environmentId: string, upload: Upload): Promise<void> {
  await execute(tx)`${insertInto(invoiceAttachments, { ...upload, environmentId, size: upload.content.length })}`
}

const dayMs = 86_400_000

/** Adds to what was uploaded today, and returns the sum. Locks it until commit, so uploads to a merchant run one after another. */
export async function countUpload(tx: Tx, environmentId: string, bytes: number, at: Date): Promise<bigint> {
  const day = Math.floor(at.getTime() / dayMs)
  const sum = await selectValue(tx)`
    ${insertInto(uploadDays, { environmentId, day, bytes: BigInt(bytes) }, 'd')}
      on conflict (environment_id, day) do update set bytes = d.bytes + excluded.bytes returning ${sql.bigint`d.bytes`}`
  return sum ?? 0n
}

/** The bytes of all files whose invoice is not decided or not sent. Files of decided invoices, which grow in number, are not read. */
export async function countWaitingBytes(tx: Tx, environmentId: string): Promise<bigint> {
  const sum = await selectValue(tx)`
    select ${sql.bigint`coalesce(sum(size), 0)::bigint`} from (
      select size from invoice_attachments where environment_id = ${environmentId} and invoice_id is null
      union all
      select a.size from invoices i
        join invoice_attachments a on a.environment_id = i.environment_id and a.invoice_id = i.id
        where i.environment_id = ${environmentId} and i.status = 'Pending'
    ) waiting`
  return sum ?? 0n
}

/** Adds uploaded files to an invoice, in this order. Returns whether all of them were there and belonged to no invoice yet. */
export async function attachUploads(
  tx: Tx,
  environmentId: string,
  invoiceId: string,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return true
  const attached = await execute(tx)`
    update invoice_attachments a set invoice_id = ${invoiceId}, position = l.position
      from unnest(${ids}::uuid[]) with ordinality l (id, position)
      where a.environment_id = ${environmentId} and a.id = l.id and a.invoice_id is null`
  return attached === ids.length
}

export async function findAttachment(
  tx: Tx,
  environmentId: string,
  invoiceId: string,
  id: string,
): Promise<File | undefined> {
  return selectOne(tx)`
    select ${fileColumns} from invoice_attachments
      where environment_id = ${environmentId} and invoice_id = ${invoiceId} and id = ${id}`
}

/** Deletes files whose invoice was not sent within a day. Returns how many. */
export async function forgetUploads(db: Db, at: Date, limit: number): Promise<number> {
  const found = await selectValue(db)`select ${sql.integer`forget_invoice_uploads(${at}, ${limit})`}`
  return found ?? 0
}
