import type { Clock } from '../../base/clock.ts'
import type { Pool, Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { type NewId, timeOfId } from '../../base/id.ts'
import { countUpload, countWaitingBytes, insertUpload } from './attachment-store.ts'
import { invoiceError } from './errors.ts'
import { cleanFileName, type FileKind, recogniseFile } from './file-kind.ts'
import { attachmentBytesMax } from './limits.ts'
import { listInvoiceCurrencies } from './store.ts'

type UploadTools = { readonly pool: Pool; readonly clock: Clock; readonly newId: NewId }
export type Uploaded = {
  readonly id: string
  readonly name: string
  readonly kind: FileKind
  readonly size: number
}

const megabyte = 1024 * 1024
// Per merchant and mode. Anyone can upload, and a full disk stops payments. A day of full files is 50 invoices with one each.
const dayBytesMax = 100 * megabyte
// A merchant that decides on no invoice is sent no more files than this, however long it waits.
const waitingBytesMax = 500 * megabyte

/** Stores a file for an invoice that is about to be sent. `content` is base64. */
export async function uploadFile(
  { pool, clock, newId }: UploadTools,
  environmentId: string,
  { name: givenName, content: base64 }: { readonly name: string; readonly content: string },
): Promise<Uploaded> {
  const content = decode(base64)
  const kind = recogniseFile(content)
  if (kind === undefined) throw invoiceError('INVOICE_FILE_INVALID', { param: 'content' })
  const name = cleanFileName(givenName, kind)
  const id = newId()
  await withEnvironment(pool, environmentId, async (tx) => {
    if ((await listInvoiceCurrencies(tx, environmentId)).length === 0) throw invoiceError('INVOICES_REFUSED')
    await refuseFull(tx, environmentId, content.length, clock())
    await insertUpload(tx, environmentId, { id, name, kind, content, createdAt: timeOfId(id) })
  })
  return { id, name, kind, size: content.length }
}

function decode(base64: string): Buffer {
  const content = Buffer.from(base64, 'base64')
  // Node skips what is not base64, so that other text would be another file.
  if (content.toString('base64') !== base64) throw invoiceError('INVOICE_FILE_INVALID', { param: 'content' })
  if (content.length > attachmentBytesMax) throw invoiceError('INVOICE_FILE_TOO_LARGE', { param: 'content' })
  return content
}

async function refuseFull(tx: Tx, environmentId: string, bytes: number, at: Date): Promise<void> {
  const today = await countUpload(tx, environmentId, bytes, at)
  const waiting = await countWaitingBytes(tx, environmentId)
  if (today > dayBytesMax || waiting + BigInt(bytes) > waitingBytesMax) throw invoiceError('INVOICE_FILES_TOO_MANY')
}
