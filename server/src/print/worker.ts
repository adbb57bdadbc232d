// Runs in a thread of the print pool, separate from the request thread.
import './low-priority.ts'
import { move } from 'piscina'
import type { Pdf } from '../base/pdf.ts'
import { drawSheet, type SheetFacts } from './draw-sheet.ts'
import { drawInvoice, type InvoiceFacts } from './draw-invoice.ts'

export function invoice({ facts, logo }: InvoiceJob): Promise<Uint8Array> {
  return finish(drawInvoice(facts, logo))
}

export type InvoiceJob = { readonly facts: InvoiceFacts; readonly logo: Uint8Array | undefined }

export function sheet(facts: SheetFacts): Promise<Uint8Array> {
  return finish(drawSheet(facts))
}

/** Collects the bytes of a document and transfers them without copying. */
async function finish(pdf: Pdf): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of pdf) chunks.push(chunk as Buffer)
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return move(bytes) as Uint8Array
}
