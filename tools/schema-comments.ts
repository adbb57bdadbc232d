// Reads the comments of tables and columns from the migrations: what stands directly above a definition explains it.

export type SchemaComments = {
  /** The migrations in order, each with its first comment and the tables that it creates. */
  areas: { title: string; intro: string; tables: string[] }[]
  /** By table, or by table and column as in `merchants.code`. */
  comments: Map<string, string>
}

export function readSchemaComments(migrations: { name: string; sql: string }[]): SchemaComments {
  const comments = new Map<string, string>()
  const areas = migrations.map(({ name, sql }) => ({
    title: titleOf(name),
    intro: readIntro(sql),
    tables: readDefinitions(sql, comments),
  }))
  return { areas, comments }
}

/** `0011-onchain-vouchers.sql` is "Onchain vouchers". */
function titleOf(name: string): string {
  const words = name
    .replace(/^\d+-/, '')
    .replace(/\.sql$/, '')
    .replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The comment at the beginning of a file, in paragraphs. */
function readIntro(sql: string): string {
  const [head = ''] = sql.split(/^(?!--)/m)
  const lines = head.split('\n').map((line) => line.replace(/^-- ?/, ''))
  return lines
    .join('\n')
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' '))
    .join('\n\n')
}

/** Notes the comments above tables and columns. Returns the names of the tables that are created. */
function readDefinitions(sql: string, comments: Map<string, string>): string[] {
  const created: string[] = []
  let table = ''
  let above: string[] = []
  for (const line of sql.split('\n')) {
    // A heading of a step says what an upgrade does, not what the table is.
    if (/^-- step\b/.test(line)) {
      above = []
      continue
    }
    const [, comment] = /^\s*-- ?(.*)$/.exec(line) ?? []
    if (comment !== undefined) {
      above.push(comment)
      continue
    }
    const [, creates, named] = /^(create table|alter table) (\w+)(?![\w.])(?! partition of)/.exec(line) ?? []
    if (named !== undefined) table = named
    if (creates === 'create table') created.push(table)
    const [, column] =
      /(?:^ {2}|\badd column )(?!constraint\b|check\b|primary\b|unique\b|add\b|drop\b)(\w+) /.exec(line) ?? []
    const key = creates === 'create table' ? table : `${table}.${column ?? ''}`
    if (above.length > 0 && (creates === 'create table' || column !== undefined)) comments.set(key, above.join(' '))
    above = []
    if (line.includes(';')) table = ''
  }
  return created
}
