// The reference of the database schema: columns from the catalogue of a new database, comments from the migrations.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { atDatabase, createTemplate, schemaFolder } from '../server/local/parts/database.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { connect, type Db } from '../server/src/base/db.ts'
import { readSchemaComments } from './schema-comments.ts'
import { drawDiagram, type Reference } from './schema-diagram.ts'

type Column = { table: string; column: string; type: string; isOptional: boolean }
type EnumType = { name: string; values: string }

const columnsQuery = `
  select c.relname as table, a.attname as column,
    replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz') as type,
    not a.attnotnull as "isOptional"
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname, a.attnum`

const referencesQuery = `
  select c.relname as table, a.attname as column, t.relname as target, not a.attnotnull as "isOptional"
  from pg_constraint o join pg_class c on c.oid = o.conrelid join pg_class t on t.oid = o.confrelid
  join pg_attribute a on a.attrelid = o.conrelid and a.attnum = o.conkey[1]
  where o.contype = 'f' and not c.relispartition order by 1, 2`

const enumsQuery = `
  select t.typname as name, string_agg(e.enumlabel, ', ' order by e.enumsortorder) as values
  from pg_type t join pg_enum e on e.enumtypid = t.oid group by t.typname order by t.typname`

export async function buildSchemaDocument(): Promise<string> {
  const server = await startPostgres({ settings: { fsync: 'off' } })
  try {
    const client = await connect(atDatabase(server.adminUrl, await createTemplate(server.adminUrl)))
    try {
      return await writeDocument(client)
    } finally {
      await client.end()
    }
  } finally {
    await server.stop()
  }
}

async function writeDocument(db: Db): Promise<string> {
  const { rows: columns } = await db.query<Column>(columnsQuery)
  const { rows: references } = await db.query<Reference>(referencesQuery)
  const { rows: enums } = await db.query<EnumType>(enumsQuery)
  const { areas, comments } = readSchemaComments(readMigrations())
  const sections = areas.map(({ title, intro, tables }) =>
    [
      `## ${title}`,
      intro,
      ...tables
        .filter((table) => columns.some((column) => column.table === table))
        .toSorted()
        .map((table) => describeTable(table, columns, references, comments)),
    ].join('\n\n'),
  )
  const optional = new Map(columns.map(({ table, column, isOptional }) => [`${table}.${column}`, isOptional]))
  return [introduction, drawDiagram(references, optional), ...sections, describeEnums(enums)].join('\n\n')
}

const introduction = `# Schema

Written by \`npm run generate\` from the migrations and a new database. Amounts are integers in the smallest unit of their
currency. Functions, views, triggers and policies are in \`server/sql/\`; \`schema_migrations\` records what was applied.

## Main tables

A line is labelled with the column of the second table. Those of the ledger and of transactions have no foreign keys; triggers
and tests check them ([why](../decisions/0007-triggers-instead-of-foreign-keys.md)).`

function readMigrations(): { name: string; sql: string }[] {
  const folder = join(schemaFolder, 'migrations')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }))
}

function describeTable(
  table: string,
  columns: Column[],
  references: Reference[],
  comments: Map<string, string>,
): string {
  const rows = columns
    .filter((column) => column.table === table)
    .map(({ column, type, isOptional }) => {
      const target = references.find((reference) => reference.table === table && reference.column === column)?.target
      const meaning = [comments.get(`${table}.${column}`), target && `References \`${target}\`.`].filter(Boolean)
      return `| \`${column}\` | ${type} | ${isOptional ? 'yes' : ''} | ${meaning.join(' ').replaceAll('|', '\\|')} |`
    })
  const comment = comments.get(table)
  return [
    `### ${table}`,
    ...(comment === undefined ? [] : [comment]),
    ['| column | type | null | meaning |', '|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n')
}

function describeEnums(enums: EnumType[]): string {
  const rows = enums.map(({ name, values }) => `| \`${name}\` | ${values} |`)
  return `## Types\n\n${['| type | values |', '|---|---|', ...rows].join('\n')}\n`
}
