import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, inject, test } from 'vitest'
import { atDatabase } from '../../local/parts/database.ts'
import { systemClock } from './clock.ts'
import { connect } from './db.ts'
import { migrate } from './migrate.ts'

let folder: string
let url: string
let databases = 0

beforeEach(async () => {
  folder = createFolder()
  const name = `scrip_migrate_${process.pid}_${databases++}`
  const admin = await connect(inject('adminUrl'))
  await admin.query(`drop database if exists ${name}`)
  await admin.query(`create database ${name} owner scrip_owner`)
  await admin.end()
  url = atDatabase(inject('adminUrl'), name, 'scrip_owner')
})

function createFolder(): string {
  const created = mkdtempSync(join(tmpdir(), 'scrip-schema-'))
  for (const name of ['migrations', 'sql']) mkdirSync(join(created, name))
  return created
}

const write = (name: string, sql: string): void => writeFileSync(join(folder, 'migrations', name), sql)
const writeRepeatable = (name: string, sql: string): void => writeFileSync(join(folder, 'sql', name), sql)
const run = () => migrate(url, folder, systemClock)

async function query(sql: string): Promise<unknown[]> {
  const client = await connect(url)
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

test('applies new migrations in order, and each only once', async () => {
  write('0001-one.sql', 'create table one (id int); create table uno (id int)')
  expect(await run()).toEqual(['0001-one.sql', 'sql'])
  write('0002-two.sql', 'alter table one add column two int')
  expect(await run()).toEqual(['0002-two.sql'])
  expect(await run()).toEqual([])
})

test('two processes that start at the same time apply each migration once', async () => {
  write('0001-one.sql', 'create table one (id int); select pg_sleep(0.2)')
  const applied = await Promise.all([run(), run()])
  expect(applied.flat()).toEqual(['0001-one.sql', 'sql'])
})

test('a failed migration leaves nothing behind, and the error names it', async () => {
  write('0001-one.sql', 'create table one (id int); select nonsense')
  await expect(run()).rejects.toThrow(/Migration 0001-one.sql failed: .*nonsense/)
  expect(
    await query(`select tablename from pg_tables where schemaname = 'public' and tablename not like 'schema%'`),
  ).toEqual([])
  write('0001-one.sql', 'create table one (id int)')
  expect(await run()).toEqual(['0001-one.sql', 'sql'])
})

test('refuses an edited applied migration, a gap in the numbers, and a newer database', async () => {
  write('0001-one.sql', 'create table one (id int)')
  await run()
  write('0001-one.sql', 'create table one (id bigint)')
  await expect(run()).rejects.toThrow('was changed after it was applied')
  write('0001-one.sql', 'create table one (id int)')
  write('0003-three.sql', 'select 1')
  await expect(run()).rejects.toThrow('0003-three.sql should begin with 0002-')
  folder = createFolder()
  await expect(run()).rejects.toThrow('which this version does not know')
})

test('files of sql/ are applied again when one of them has changed, appeared or gone, and only then', async () => {
  write('0001-one.sql', 'create table runs (file text)')
  writeRepeatable('01-a.sql', `insert into runs values ('a')`)
  writeRepeatable('02-b.sql', `insert into runs values ('b')`)
  expect(await run()).toEqual(['0001-one.sql', 'sql'])
  expect(await run()).toEqual([])
  write('0002-two.sql', 'create table two (id int)')
  expect(await run()).toEqual(['0002-two.sql'])
  expect(await query('select file from runs')).toEqual([{ file: 'a' }, { file: 'b' }])
  writeRepeatable('02-b.sql', `insert into runs values ('changed')`)
  expect(await run()).toEqual(['sql'])
  writeRepeatable('03-c.sql', `insert into runs values ('c')`)
  expect(await run()).toEqual(['sql'])
  rmSync(join(folder, 'sql/01-a.sql'))
  expect(await run()).toEqual(['sql'])
  expect(await query('select string_agg(file, $$ $$) as files from runs')).toEqual([
    { files: 'a b a changed a changed c changed c' },
  ])
})

test('a file of sql/ is applied whole or not at all, after the migrations, the error names it, and all are applied again', async () => {
  write('0001-one.sql', 'create table one (id int)')
  writeRepeatable(
    '01-a.sql',
    'create or replace function f() returns int language sql as $$ select max(id) from one $$',
  )
  await run()
  writeRepeatable(
    '01-a.sql',
    'create or replace function f() returns int language sql as $$ select min(id) from one $$',
  )
  writeRepeatable('02-b.sql', 'create view half as select 1; create or replace view v as select missing from one')
  await expect(run()).rejects.toThrow(/Migration sql\/02-b.sql failed: .*missing/)
  expect(await query(`select from pg_views where viewname = 'half'`)).toEqual([])
  expect(await query(`select from pg_proc where proname = 'f' and prosrc like '%min%'`)).toHaveLength(1)
  writeRepeatable('02-b.sql', 'create or replace view v as select id from one')
  expect(await run()).toEqual(['sql'])
})

test('a function is never executable by all roles, not even while the files are applied', async () => {
  write('0001-one.sql', 'create table one (id int)')
  const create = 'create function f() returns int language sql security definer as $$ select 1 $$'
  writeRepeatable('01-a.sql', `${create}; select pg_sleep(0.3); revoke execute on function f from public`)
  const running = run()
  const seen: unknown[] = []
  for (let i = 0; i < 20; i++)
    seen.push(
      ...(await query(
        `select from pg_proc where proname = 'f' and has_function_privilege('scrip_server', oid, 'execute')`,
      )),
    )
  await running
  expect(seen).toEqual([])
})
