import { CsvError, parse } from 'csv-parse/sync'

/** A row of a file, with the line number that a text editor shows. */
export type CsvRow = { readonly line: number; readonly cells: Readonly<Record<string, string>> }

type Faulty = 'unreadable' | 'columns' | 'empty' | 'too_long'

type CsvForm = {
  /** The columns that a file may have, in lower case. */
  readonly columns: readonly string[]
  readonly required: readonly string[]
  readonly rowsMax: number
  /** The error of a file that cannot be read at all. */
  readonly refuse: (why: Faulty, line?: number, cause?: unknown) => Error
}

type Parsed = { readonly record: string[]; readonly info: { readonly lines: number } }

/** Reads a CSV file whose first line names its columns. */
export function readCsvRows(csv: string, { columns, required, rowsMax, refuse }: CsvForm): CsvRow[] {
  refuseHugeLines(csv, rowsMax, refuse)
  let parsed: Parsed[]
  try {
    parsed = parse(csv, { bom: true, trim: true, skip_empty_lines: true, info: true }) as unknown as Parsed[]
  } catch (error) {
    const line = error instanceof CsvError ? (error as CsvError & { lines?: number }).lines : undefined
    throw refuse('unreadable', line, error)
  }
  const [head, ...body] = parsed
  const names = (head?.record ?? []).map((name) => name.toLowerCase())
  const isKnown = names.every((name) => columns.includes(name)) && new Set(names).size === names.length
  if (!isKnown || !required.every((name) => names.includes(name))) throw refuse('columns')
  if (body.length === 0) throw refuse('empty')
  if (body.length > rowsMax) throw refuse('too_long')
  return body.map(({ record, info }) => ({
    line: info.lines,
    cells: Object.fromEntries(names.map((name, column) => [name, record[column] ?? ''])),
  }))
}

const lineLengthMax = 500

/**
 * Two megabytes of commas blocked the parser, and with it the process, for three seconds. Real files have no such
 * lines. This loop reads each character once: a regular expression for long lines took seconds itself.
 */
function refuseHugeLines(csv: string, rowsMax: number, refuse: CsvForm['refuse']): void {
  let lines = 0
  let lineStart = 0
  for (let at = 0; at <= csv.length; at++) {
    const isBreak = at === csv.length || csv[at] === '\n' || csv[at] === '\r'
    if (!isBreak) continue
    if (at - lineStart > lineLengthMax) throw refuse('unreadable')
    lineStart = at + 1
    // Allows as many blank lines as rows.
    if (csv[at] === '\n' && ++lines > 2 * rowsMax) throw refuse('too_long')
  }
}
