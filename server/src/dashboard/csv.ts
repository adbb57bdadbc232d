import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A spreadsheet would take these for a formula. */
const isFormula = /^[=+\-@\t\r]/

function toCell(value: string): string {
  const text = isFormula.test(value) ? `'${value}` : value
  // Where a semicolon parts cells, too.
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function toLine(cells: readonly string[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** The lines of a page, and where the next one begins. Empty: it was the last. */
type ReadPage = (cursor: string | undefined) => Promise<{ readonly lines: readonly string[]; readonly next: string }>

/** As fast as its reader reads, a page at a time. What comes meanwhile is not part of it: its id is above the first page. */
export function sendCsv(reply: FastifyReply, name: string, head: readonly string[], readPage: ReadPage) {
  async function* write(): AsyncGenerator<string> {
    yield toLine(head)
    for (let cursor: string | undefined; cursor !== ''; ) {
      const { lines, next } = await readPage(cursor)
      yield lines.join('')
      cursor = next
    }
  }
  return reply
    .type('text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${name}"`)
    .send(Readable.from(write(), { objectMode: false }))
}
