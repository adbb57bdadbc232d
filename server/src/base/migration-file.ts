// Reads the migrations and the repeatable SQL of a schema folder.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type SqlFile = { readonly name: string; readonly sql: string; readonly checksum: string }

/**
 * How a step runs:
 * - `transaction`: in one transaction, which gives up a lock that it does not get at once, and tries again.
 * - `concurrently`: one statement outside a transaction, such as `create index concurrently`.
 * - `batches`: one statement again and again, each time in its own transaction. It returns the cursor of its next run as text, and
 *   null after the last one. Its first run gets an empty text as $1.
 */
type StepKind = 'transaction' | 'concurrently' | 'batches'
export type Step = { readonly title: string; readonly kind: StepKind; readonly sql: string }

export type Migration = SqlFile & {
  readonly steps: readonly Step[]
  /** Removes what the previous release still uses. It is applied when no process of that release is left. */
  readonly isContract: boolean
}

/** Functions, views, triggers and policies. One checksum stands for all files. */
export type Repeatable = { readonly files: readonly SqlFile[]; readonly checksum: string }

export function readMigrations(folder: string): Migration[] {
  return readSqlFiles(folder).map((file, index) => {
    const number = String(index + 1).padStart(4, '0')
    if (!file.name.startsWith(`${number}-`))
      throw new Error(`Migrations are numbered without gaps: ${file.name} should begin with ${number}-`)
    return { ...file, steps: readSteps(file), isContract: /^-- contract$/m.test(file.sql) }
  })
}

export function readRepeatable(folder: string): Repeatable {
  const files = readSqlFiles(folder).map((file) => ({ ...file, name: `sql/${file.name}` }))
  return { files, checksum: checksumOf(files.map(({ name, checksum }) => `${name} ${checksum}\n`).join('')) }
}

function readSqlFiles(folder: string): SqlFile[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return names.map((name) => {
    const sql = readFileSync(join(folder, name), 'utf8')
    return { name, sql, checksum: checksumOf(sql) }
  })
}

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const stepLine = /^-- step( concurrently| in batches)?: (.+)$/

/** A file without lines that begin with `-- step` is one transaction. */
function readSteps({ name, sql }: SqlFile): Step[] {
  // A first line before the file's, because nothing is split off at its very beginning.
  const [before = '', ...parts] = `\n${sql}`.split(/^(?=-- step)/m)
  if (parts.length === 0) return [{ title: name, kind: 'transaction', sql }]
  if (before.split('\n').some((line) => line !== '' && !line.startsWith('--')))
    throw new Error(`${name} has SQL before its first step.`)
  return parts.map((part) => {
    const end = part.indexOf('\n')
    const [, how, title] = stepLine.exec(part.slice(0, end)) ?? []
    if (title === undefined) throw new Error(`${name} has a step without a title: ${part.slice(0, end)}`)
    return { title, kind: kindOf(how), sql: part.slice(end + 1) }
  })
}

function kindOf(how: string | undefined): StepKind {
  if (how === ' concurrently') return 'concurrently'
  return how === ' in batches' ? 'batches' : 'transaction'
}
