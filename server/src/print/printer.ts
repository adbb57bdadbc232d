import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Piscina } from 'piscina'
import { type Cap, createCaps } from '../base/caps.ts'
import type { SheetFacts } from './draw-sheet.ts'
import type { InvoiceFacts } from './draw-invoice.ts'
import { printError } from './errors.ts'
import type { InvoiceJob } from './worker.ts'

/** Who requests a document. Visitors of a merchant's pages have limits of their own, so they do not delay the merchant. */
type PrintFor = { readonly environmentId: string; readonly audience: 'merchant' | 'visitor' }
type ReadLogo = () => Promise<Uint8Array | undefined>
export type Printer = {
  /** Reads the logo only if it has to draw the invoice, and if there is one. */
  readonly printInvoice: (requester: PrintFor, facts: InvoiceFacts, readLogo?: ReadLogo) => Promise<Buffer>
  /** Draws a sheet for this reply. Its slot is taken until the client has read it or disconnects. */
  readonly printSheet: (reply: FastifyReply, environmentId: string, read: () => Promise<SheetFacts>) => Promise<Buffer>
  readonly close: () => Promise<void>
}

const invoiceMs = 20_000
const sheetMs = 60_000
/** How long a client may take to read a sheet, which is in memory until then. */
const readingMs = 120_000
// A long invoice takes half a second, so every admitted request is served within the deadline, even while payments run.
const invoiceCaps = { merchant: 8, visitor: 4, merchants: 24, visitors: 8 }
const sheetCaps = { merchant: 1, all: 8 }
const cachedBytesMax = 32 * 1024 * 1024
const retryAfterSeconds = 5

/**
 * Draws documents in two threads, one for invoices and one for print sheets, with limits per merchant, so that merchants do not wait for
 * each other. Unchanged invoices are served from a cache. Sheets contain voucher codes and are never cached.
 */
export function createPrinter(): Printer {
  const invoices = createPool()
  const sheets = createPool()
  const caps = createCaps()
  const drawn = new LRUCache<string, Uint8Array>({
    maxSize: cachedBytesMax,
    sizeCalculation: (bytes) => bytes.length,
  })

  function takeSlot(slots: readonly Cap[]): () => void {
    const release = caps.take(slots)
    if (release === undefined) throw printError('PRINT_BUSY', { retryAfterSeconds })
    return release
  }

  const printInvoice: Printer['printInvoice'] = async ({ environmentId, audience }, facts, readLogo) => {
    const name = `${environmentId}/${hash('sha256', JSON.stringify(facts), 'base64')}`
    const known = drawn.get(name)
    if (known !== undefined) return asBuffer(known)
    const release = takeSlot([
      { name: `invoice/${audience}/${environmentId}`, max: invoiceCaps[audience] },
      { name: `invoice/${audience}s`, max: invoiceCaps[`${audience}s`] },
    ])
    try {
      const job: InvoiceJob = { facts, logo: facts.logoVersion === '' ? undefined : await readLogo?.() }
      const bytes = await draw(invoices, 'invoice', job, invoiceMs)
      drawn.set(name, bytes)
      return asBuffer(bytes)
    } finally {
      release()
    }
  }

  return {
    printInvoice,

    printSheet: async (reply, environmentId, read) => {
      const release = takeSlot([
        { name: `sheet/${environmentId}`, max: sheetCaps.merchant },
        { name: 'sheet', max: sheetCaps.all },
      ])
      try {
        const bytes = await draw(sheets, 'sheet', await read(), sheetMs)
        holdUntilRead(reply, release)
        return asBuffer(bytes)
      } catch (error) {
        release()
        throw error
      }
    },

    close: async () => {
      await Promise.all([invoices.destroy(), sheets.destroy()])
    },
  }
}

/** Releases the slot when the client has read the sheet. If it disconnected during drawing, no close event follows. */
function holdUntilRead({ raw }: FastifyReply, release: () => void): void {
  if (raw.destroyed) {
    release()
    return
  }
  const slow = setTimeout(() => raw.destroy(), readingMs)
  raw.once('close', () => {
    clearTimeout(slow)
    release()
  })
}

function createPool(): Piscina {
  return new Piscina({
    filename: new URL('./worker.ts', import.meta.url).href,
    // A thread with its fonts takes about 60 MB, so it starts with the first document and ends when idle.
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
}

/** Wraps the same bytes without copying: a sheet has megabytes. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** Draws a document. After the timeout its thread is terminated. */
async function draw(pool: Piscina, name: 'invoice' | 'sheet', facts: object, timeoutMs: number): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return (await pool.run(facts, { name, signal })) as Uint8Array
  } catch (error) {
    throw signal.aborted ? printError('PRINT_TOO_SLOW', {}, error) : error
  }
}
