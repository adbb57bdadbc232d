// Runs in a thread of the print pool, beside the one that answers requests.
import { setPriority } from 'node:os'
import { move } from 'piscina'
import type { Pdf } from '../base/pdf.ts'
import { drawSheet, type SheetFacts } from './draw-sheet.ts'
import { drawInvoice, type InvoiceFacts } from './draw-invoice.ts'

// On Linux this is the thread's own priority: whatever is printed, a payment gets the processor first.
setPriority(10)

export function invoice(facts: InvoiceFacts): Promise<Uint8Array> {
  return finish(drawInvoice(facts))
}

export function sheet(facts: SheetFacts): Promise<Uint8Array> {
  return finish(drawSheet(facts))
}

/** All of a document, handed over without a copy. */
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
