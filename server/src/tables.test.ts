import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../local/test/test-database.ts'
import './app.ts'
import { createPool, type Pool } from './base/db.ts'
import { list, select, sql } from './base/sql.ts'
import { columnName, declaredTables } from './base/table.ts'

let pool: Pool
beforeAll(async () => {
  pool = createPool((await createTestDatabase()).ownerUrl)
})
afterAll(() => pool.end())

const columns = list({
  table: sql.text`c.relname::text`,
  name: sql.text`a.attname::text`,
  type: sql.text`format_type(a.atttypid, null)`,
  isEnum: sql.boolean`t.typtype = 'e'`,
  isRequired: sql.boolean`a.attnotnull`,
  hasDefault: sql.boolean`d.adbin is not null or a.attidentity <> ''`,
  /** The names that an enum or a check of this column alone allows. */
  names: sql.texts`coalesce(
    (select array_agg(e.enumlabel::text) from pg_enum e where e.enumtypid = a.atttypid),
    (select array_agg(found[1]) from pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''(\\w+)''::text', 'g') found
      where k.conrelid = a.attrelid and k.contype = 'c' and k.conkey = array[a.attnum]
        and pg_get_constraintdef(k.oid) ~ '^CHECK \\(\\(\\w+ = ANY'),
    '{}')`,
})

/** Of other tests, which may have run in this process before. */
const ofTests = new Set(['notes', 'test_notes'])
const ofProgram = () => declaredTables.filter(({ name }) => !ofTests.has(name))

/** What the program says of a column, as PostgreSQL names it. */
const names: Readonly<Record<string, string>> = { timestamptz: 'timestamp with time zone' }

test('every table that the program declares has its columns in PostgreSQL, with their types, nulls, defaults and names', async () => {
  const found = await select(pool)`
    select ${columns} from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relnamespace = 'public'::regnamespace
      join pg_type t on t.oid = a.atttypid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attnum > 0 and not a.attisdropped`
  const byName = new Map(found.map((column) => [`${column.table}.${column.name}`, column]))
  const faults = ofProgram().flatMap(({ name: table, types }) =>
    Object.entries(types).flatMap(([key, { postgres, isNullable, isDefault, accepts }]) => {
      const name = `${table}.${columnName(key)}`
      const column = byName.get(name)
      if (column === undefined) return [`${name} does not exist`]
      const isType = column.type === (names[postgres] ?? postgres) || (postgres === 'text' && column.isEnum)
      return [
        ...(isType ? [] : [`${name} is ${column.type}, not ${postgres}`]),
        ...(column.isRequired !== isNullable ? [] : [`${name} ${isNullable ? 'is never' : 'may be'} null`]),
        ...column.names.filter((each): boolean => !accepts(each)).map((each) => `${name} may be ${each}`),
        ...(isDefault && !column.hasDefault && column.isRequired ? [`${name} has no default`] : []),
      ]
    }),
  )
  expect(faults).toEqual([])
  expect(byName.get('transactions.status')?.names).toContain('COMPLETED')
  expect(byName.get('ledger_accounts.kind')?.names).toContain('voucher')
  expect(ofProgram().length).toBeGreaterThan(50)
  const twice = ofProgram()
    .map(({ name }) => name)
    .filter((name, i, all) => all.indexOf(name) !== i)
  expect(twice).toEqual([])
})
