import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../local/test-database.ts'
import { createPool, type Pool } from './db.ts'
import { execute, executeOne, raw, select, selectOne, selectValue } from './sql.ts'

let pool: Pool

beforeAll(async () => {
  pool = createPool((await createTestDatabase()).ownerUrl)
  await execute(pool)`create table notes (id int primary key, text text)`
})
afterAll(() => pool.end())

test('values are never interpreted as SQL', async () => {
  const hostile = `'); drop table notes; --`
  await execute(pool)`insert into notes values (${1}, ${hostile})`
  expect(await selectValue(pool)`select text from notes where id = ${1}`).toBe(hostile)
  // Nor is an object that imitates the internal marker, as a caller could send it.
  const forged: unknown = JSON.parse(`{"sql":"true","Symbol(raw SQL)":"true"}`)
  expect(await selectValue(pool)`select ${forged}::json ->> 'sql'`).toBe('true')
})

test('raw SQL is inserted verbatim, and the values around it keep their positions', async () => {
  await execute(pool)`insert into notes values (${2}, ${'b'}), (${3}, ${'c'})`
  const found = select<{ id: number }>(pool)`
    select id from notes where id > ${1} ${raw('and text is not null')} and id < ${9} order by id ${raw('desc')}`
  expect(await found).toEqual([{ id: 3 }, { id: 2 }])
})

test('execute returns the row count, executeOne whether it was one, selectOne and selectValue the first row', async () => {
  expect(await execute(pool)`update notes set text = ${null} where id > ${1}`).toBe(2)
  expect(await executeOne(pool)`delete from notes where id = ${3}`).toBe(true)
  expect(await executeOne(pool)`delete from notes where id = ${3}`).toBe(false)
  expect(await selectOne(pool)`select id from notes where id = ${3}`).toBeUndefined()
  expect(await selectValue(pool)`select text from notes where id = ${2}`).toBeNull()
})

test('amounts and counts are bigint to the last digit; a numeric with decimals stays text', async () => {
  const most = 10n ** 78n - 1n
  expect(await selectValue(pool)`select ${most}::numeric(78, 0)`).toBe(most)
  expect(await selectValue(pool)`select count(*) from notes where false`).toBe(0n)
  expect(await selectValue(pool)`select 1.500000::numeric(20, 6)`).toBe('1.500000')
})
