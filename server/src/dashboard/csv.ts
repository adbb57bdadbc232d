import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A spreadsheet would take these for a formula. */
const isFormula = /^[=+\-@\t\r]/

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = isFormula.test(value) ? `'${value}` : value
  // Where a semicolon parts cells, too.
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function toLine(cells: readonly (string | number)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** As fast as its reader reads, a page at a time. */
export function sendCsv(reply: FastifyReply, name: string, head: readonly string[], pages: AsyncGenerator<string>) {
  async function* write(): AsyncGenerator<string> {
    yield toLine(head)
    yield* pages
  }
  return reply
    .type('text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${name}"`)
    .send(Readable.from(write(), { objectMode: false }))
}
