import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { oneOf, orNull, withDefault } from './column-type.ts'
import { createPool, type Pool } from './db.ts'
import { execute, executeOne, list, queryTuples, raw, select, selectOne, selectValue, sql, textOf } from './sql.ts'
import { defineTable, insertInto } from './table.ts'

let pool: Pool
const notes = defineTable('notes', {
  id: sql.integer,
  text: orNull(sql.text),
  writtenBy: withDefault(sql.text),
})
const allNotes = list(notes.columns('n'))

beforeAll(async () => {
  pool = createPool((await createTestDatabase()).ownerUrl)
  await execute(pool)`create table notes (id int primary key, text text, written_by text not null default 'nobody')`
})
afterAll(() => pool.end())

test('values are never interpreted as SQL', async () => {
  const hostile = `'); drop table notes; --`
  await execute(pool)`${insertInto(notes, { id: 1, text: hostile })}`
  expect(await selectValue(pool)`select ${sql.text`text`} from notes where id = ${1}`).toBe(hostile)
  // Nor is an object that imitates the internal marker, as a caller could send it.
  const forged: unknown = JSON.parse(`{"sql":"true","Symbol(SQL fragment)":{"texts":["true"],"parts":[]}}`)
  expect(await selectValue(pool)`select ${sql.text`${forged}::json ->> 'sql'`}`).toBe('true')
})

test('pieces of SQL are placed verbatim, and the values around and in them keep their positions', async () => {
  await execute(pool)`insert into notes values (${2}, ${'b'}), (${3}, ${'c'})`
  const between = sql`id > ${1} ${raw('and text is not null')}`
  const ids = list({ id: sql.integer`id + ${10}::integer` })
  const found = select(pool)`select ${ids} from notes where ${between} and id < ${9} order by id ${raw('desc')}`
  expect(await found).toEqual([{ id: 13 }, { id: 12 }])
})

test('a row has the columns of its list, under their names, also in a shared piece of SQL', async () => {
  const selected = sql`select ${allNotes} from notes n`
  expect(await selectOne(pool)`${selected} where id = ${2}`).toEqual({ id: 2, text: 'b', writtenBy: 'nobody' })
  expect(textOf(list(notes.columns('', 'writtenBy')))).toBe('written_by as "writtenBy"')
})

test('an insert writes the given columns and leaves the others to PostgreSQL', async () => {
  await execute(pool)`${insertInto(notes, { id: 7 })}`
  await execute(
    pool,
  )`${insertInto(notes, { id: 7, writtenBy: 'Ann' }, 'n')} on conflict (id) do update set text = n.written_by`
  expect(await selectOne(pool)`select ${allNotes} from notes n where id = ${7}`).toEqual({
    id: 7,
    text: 'nobody',
    writtenBy: 'nobody',
  })
})

test('a column that is missing, of another type, null or not one of its names is an error', async () => {
  const wrong = [
    () => select(pool)`select ${list({ id: sql.uuid`id` })} from notes`,
    () => select(pool)`select ${list({ id: sql.bigint`id` })} from notes where false`,
    () => select(pool)`select ${list({ id: sql.integer`id` })}, text from notes`,
    () => select(pool)`select ${list({ text: sql.text`null::text` })}`,
    () => select(pool)`select ${list({ text: oneOf(['a', 'b'])`'c'` })}`,
    () => select(pool)`select ${list({ amount: sql.numeric`1.5` })}`,
    () => selectValue(pool)`select ${sql.text`null::text`}`,
    () => queryTuples(pool, [sql.integer], { text: 'select id, text from notes' }),
  ]
  for (const query of wrong) await expect(query()).rejects.toThrow(/^(Column|A row|A statement)/)
  await expect(select(pool)`select id from notes`).rejects.toThrow('A select needs a list of columns.')
  await expect(selectValue(pool)`select id from notes`).rejects.toThrow('A select of a value needs an expression.')
})

test('execute returns the row count, executeOne whether it was one, selectOne and selectValue the first row', async () => {
  expect(await execute(pool)`update notes set text = ${null} where id > ${1}`).toBe(3)
  expect(await executeOne(pool)`delete from notes where id = ${3}`).toBe(true)
  expect(await executeOne(pool)`delete from notes where id = ${3}`).toBe(false)
  expect(await selectOne(pool)`select ${allNotes} from notes n where id = ${3}`).toBeUndefined()
  expect(await selectValue(pool)`select ${orNull(sql.text)`text`} from notes where id = ${2}`).toBeNull()
})

test('amounts and counts are bigint to the last digit', async () => {
  const most = 10n ** 78n - 1n
  expect(await selectValue(pool)`select ${sql.numeric`${most}::numeric(78, 0)`}`).toBe(most)
  expect(await selectValue(pool)`select ${sql.bigint`count(*)`} from notes where false`).toBe(0n)
})
