import { hash } from 'node:crypto'
import { once } from 'node:events'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Piscina } from 'piscina'
import { type Cap, createCaps } from '../base/caps.ts'
import type { SheetFacts } from './draw-sheet.ts'
import type { InvoiceFacts } from './draw-invoice.ts'
import { printError } from './errors.ts'

/** Whose turn it counts as: what visitors of a merchant's pages print never keeps the merchant's staff and keys waiting. */
export type PrintFor = { readonly environmentId: string; readonly audience: 'merchant' | 'visitor' }
export type Printer = ReturnType<typeof createPrinter>

const invoiceMs = 10_000
const sheetMs = 60_000
/** How long a sheet may take to be read. Its bytes are in memory until then. */
const readingMs = 120_000
const invoiceCaps = { merchant: 8, visitor: 4, all: 100 }
const sheetCaps = { merchant: 1, all: 8 }
const cachedBytesMax = 32 * 1024 * 1024
const retryAfterSeconds = 5

/**
 * Draws documents in threads of their own, one for invoices and one for print sheets, with a place in the queue for everybody: a
 * merchant waits for its own documents first. An invoice that did not change is not drawn again. Sheets carry voucher codes, so they
 * are never kept.
 */
export function createPrinter() {
  const [invoices, sheets] = [createPool(), createPool()]
  const caps = createCaps()
  const drawn = new LRUCache<string, Uint8Array>({
    maxSize: cachedBytesMax,
    sizeCalculation: (bytes) => bytes.length,
  })

  function takePlace(places: readonly Cap[]): () => void {
    const giveBack = caps.take(places)
    if (giveBack === undefined) throw printError('PRINT_BUSY', { retryAfterSeconds })
    return giveBack
  }

  async function printInvoice({ environmentId, audience }: PrintFor, facts: InvoiceFacts): Promise<Buffer> {
    const name = `${environmentId}/${hash('sha256', JSON.stringify(facts), 'base64')}`
    const known = drawn.get(name)
    if (known !== undefined) return Buffer.from(known)
    const giveBack = takePlace([
      { name: `invoice/${audience}/${environmentId}`, max: invoiceCaps[audience] },
      { name: 'invoice', max: invoiceCaps.all },
    ])
    try {
      const bytes = await draw(invoices, 'invoice', facts, invoiceMs)
      drawn.set(name, bytes)
      return Buffer.from(bytes)
    } finally {
      giveBack()
    }
  }

  return {
    printInvoice,

    /** A sheet, to be the answer of this reply. Its place is taken until it has been read or the reader has gone. */
    async printSheet(reply: FastifyReply, environmentId: string, read: () => Promise<SheetFacts>): Promise<Buffer> {
      const giveBack = takePlace([
        { name: `sheet/${environmentId}`, max: sheetCaps.merchant },
        { name: 'sheet', max: sheetCaps.all },
      ])
      try {
        const bytes = await draw(sheets, 'sheet', await read(), sheetMs)
        const slow = setTimeout(() => reply.raw.destroy(), readingMs)
        void once(reply.raw, 'close').finally(() => {
          clearTimeout(slow)
          giveBack()
        })
        return Buffer.from(bytes)
      } catch (error) {
        giveBack()
        throw error
      }
    },

    close: async (): Promise<void> => {
      await Promise.all([invoices.destroy(), sheets.destroy()])
    },
  }
}

function createPool(): Piscina {
  return new Piscina({
    filename: new URL('./worker.ts', import.meta.url).href,
    // A thread with its fonts takes about 60 MB: it starts with the first document, and ends when there are no more.
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
}

/** A document that takes longer ends with its thread. */
async function draw(pool: Piscina, name: 'invoice' | 'sheet', facts: object, timeoutMs: number): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return (await pool.run(facts, { name, signal })) as Uint8Array
  } catch (error) {
    throw signal.aborted ? printError('PRINT_TOO_SLOW', {}, error) : error
  }
}
