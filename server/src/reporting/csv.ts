import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Characters that start a formula in a spreadsheet, also after spaces and line breaks and in full-width form. */
const isFormula = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

function toCell(value: string): string {
  const text = isFormula.test(value) ? `'${value}` : value
  // Some spreadsheets separate cells by semicolons.
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function toLine(cells: readonly string[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** The lines of a page and the cursor of the next one, empty after the last. */
type ReadPage = (cursor: string | undefined) => Promise<{ readonly lines: readonly string[]; readonly next: string }>

/**
 * Streams a CSV file page by page, as fast as the client reads. Leaves out newer rows, whose ids are above the first
 * page.
 */
export function sendCsv(reply: FastifyReply, name: string, head: readonly string[], readPage: ReadPage): FastifyReply {
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
