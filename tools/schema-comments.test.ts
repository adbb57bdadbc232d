import { expect, test } from 'vitest'
import { files, read } from './repository.ts'
import { readSchemaComments } from './schema-comments.ts'

const sql = `-- Shops of the town.
--
-- All of them.

-- A place that sells.
create table shops (
  -- What people
  -- type.
  code text not null check (code <> ''),
  name text,
  -- One of each.
  unique (code)
);
-- For lists.
create index shops_by_name on shops (name);

alter table shops
  -- Since when.
  add column opened_at timestamptz,
  add column closed_at timestamptz;
alter table shops add column owner text;
`

test('comments directly above tables and columns are found, also of columns that were added later', () => {
  const { areas, comments } = readSchemaComments([{ name: '0001-small-shops.sql', sql }])
  expect(areas).toEqual([{ title: 'Small shops', intro: 'Shops of the town.\n\nAll of them.', tables: ['shops'] }])
  expect([...comments]).toEqual([
    ['shops', 'A place that sells.'],
    ['shops.code', 'What people type.'],
    ['shops.opened_at', 'Since when.'],
  ])
})

test('the reference of the schema has a section for every table of the migrations', () => {
  const document = read('docs/reference/schema.md')
  const migrations = files.filter((file) => /^server\/migrations\/\d{4}-.*\.sql$/.test(file))
  const { areas } = readSchemaComments(migrations.map((name) => ({ name, sql: read(name) })))
  const tables = areas.flatMap((area) => area.tables)
  expect(tables).toContain('ledger_accounts')
  expect(tables.filter((table) => !document.includes(`\n### ${table}\n`))).toEqual([])
})
