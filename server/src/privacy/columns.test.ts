import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { createPool, type Pool } from '../base/db.ts'
import { columns } from './columns.ts'
import { listTables, namesOf } from '../../local/test/classified-tables.ts'

let owner: Pool
beforeAll(async () => {
  owner = createPool((await createTestDatabase()).ownerUrl)
})
afterAll(() => owner.end())

test('every column of every table is classified once, and no column that is not there', async () => {
  const found = (await listTables(owner)).flatMap(({ name, columns: of }) => of.map((column) => `${name}.${column}`))
  expect(found.length).toBeGreaterThan(500)
  const classified = Object.entries(columns).flatMap(([table, of]) => namesOf(of).map((column) => `${table}.${column}`))
  const inPublic = found.filter((name) => name.startsWith('public.')).map((name) => name.slice('public.'.length))
  expect(classified.toSorted()).toEqual(inPublic.toSorted())
  const inArchive = found.filter((name) => name.startsWith('archive.')).map((name) => name.slice('archive.'.length))
  expect(inArchive.length).toBeGreaterThan(0)
  expect(inArchive.filter((name) => !classified.includes(name))).toEqual([])
})
