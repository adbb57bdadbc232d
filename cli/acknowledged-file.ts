// Reads lists of acknowledged references: JSON lines, or CSV with a header, such as the payments export of the dashboard.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Mode, modes } from '../server/src/base/mode.ts'

export type ListedReference = {
  readonly line: number
  readonly merchant: string
  readonly mode: Mode
  readonly reference: string
  readonly amount: string | undefined
  readonly currency: string | undefined
  readonly requestedAt: Date | undefined
  readonly acknowledgedAt: Date | undefined
}
/** For lines that do not name their merchant or mode. */
export type ListDefaults = { readonly merchant: string | undefined; readonly mode: Mode }
type Fields = Readonly<Record<string, unknown>>

/** Yields the references of a file in order, without reading all of it into memory. */
export async function* readAcknowledged(file: string, defaults: ListDefaults): AsyncGenerator<ListedReference> {
  let head: string[] | undefined
  let line = 0
  // An export can contain line breaks within quotes.
  let open = ''
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    line++
    if (open === '' && text.trim() === '') continue
    if (head === undefined && text.startsWith('{')) {
      yield toReference(parseJson(text, line), line, defaults)
      continue
    }
    const whole = open === '' ? text : `${open}\n${text}`
    const isOpen = (whole.match(/"/g)?.length ?? 0) % 2 === 1
    open = isOpen ? whole : ''
    if (isOpen) continue
    const cells = splitCells(whole)
    if (head === undefined) head = readHead(cells)
    else yield toReference(Object.fromEntries(head.map((name, i) => [name, cells[i] ?? ''])), line, defaults)
  }
  if (open !== '') throw new Error(`Line ${line}: a quote is not closed.`)
}

function readHead(cells: readonly string[]): string[] {
  const names = cells.map((cell) => cell.replace(/^\uFEFF/, '').trim())
  if (!names.includes('reference'))
    throw new Error('The file must be JSON lines, or CSV whose first line names its columns, one of them "reference".')
  return names
}

function parseJson(text: string, line: number): Fields {
  try {
    return JSON.parse(text) as Fields
  } catch (error) {
    throw new Error(`Line ${line} is not valid JSON.`, { cause: error })
  }
}

/** The cells of a CSV line. Exports mark text that a spreadsheet would run as a formula with an apostrophe. */
function splitCells(text: string): string[] {
  const cells = `,${text}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)
  return Array.from(cells, ([, quoted, plain = '']) =>
    (quoted?.replaceAll('""', '"') ?? plain).replace(/^'(?=[\s\p{C}]*[=+\-@＝＋－＠])/u, ''),
  )
}

function toReference(fields: Fields, line: number, defaults: ListDefaults): ListedReference {
  const textOf = (name: string): string | undefined => {
    const value = fields[name]
    if (value === undefined || value === null || value === '') return undefined
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new Error(`Line ${line}: ${name} must be text or a number.`)
    return String(value)
  }
  const timeOf = (name: string): Date | undefined => {
    const text = textOf(name)
    return text === undefined ? undefined : parseTime(text, `Line ${line}: ${name}`)
  }
  const merchant = textOf('merchant') ?? defaults.merchant
  if (merchant === undefined) throw new Error(`Line ${line} names no merchant. Name it with --merchant CODE.`)
  const reference = textOf('reference')
  if (reference === undefined) throw new Error(`Line ${line} has no reference.`)
  const mode = textOf('mode') ?? defaults.mode
  if (!modes.some((known) => known === mode)) throw new Error(`Line ${line}: mode must be one of ${modes.join(', ')}.`)
  return {
    line,
    merchant,
    mode: mode as Mode,
    reference,
    amount: textOf('amount'),
    currency: textOf('currency'),
    requestedAt: timeOf('requestedAt'),
    // The export of the dashboard has the time when the payment was created.
    acknowledgedAt: timeOf('acknowledgedAt') ?? timeOf('created'),
  }
}

/** Without an offset, the same text would be another time on another machine. */
export function parseTime(text: string, name: string): Date {
  const at = new Date(
    text
      .trim()
      .replace(/^(\d{4}-\d\d-\d\d) /, '$1T')
      .replace(/([+-]\d\d)$/, '$1:00'),
  )
  if (!/(Z|[+-]\d\d(:?\d\d)?)$/i.test(text.trim()) || Number.isNaN(at.getTime()))
    throw new Error(`${name} must be a time with its offset, such as 2030-01-31T12:00:00Z.`)
  return at
}
