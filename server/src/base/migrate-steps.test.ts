// Migrations in steps, beside sessions that use the tables.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { atDatabase } from '../../local/parts/database.ts'
import { systemClock } from './clock.ts'
import { connect, type Connection } from './db.ts'
import { migrate } from './migrate.ts'
import { createCheckSchema } from './schema-version.ts'

let folder: string
let url: string
let client: Connection
let lines: string[]
let databases = 0

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scrip-schema-'))
  for (const name of ['migrations', 'sql']) mkdirSync(join(folder, name))
  const name = `scrip_steps_${process.pid}_${databases++}`
  const admin = await connect(inject('adminUrl'))
  await admin.query(`drop database if exists ${name}`)
  await admin.query(`create database ${name} owner scrip_owner`)
  await admin.end()
  url = atDatabase(inject('adminUrl'), name, 'scrip_owner')
  client = await connect(url)
  lines = []
  write('0001-one.sql', 'create table one (id int, note text); insert into one select n from generate_series(1, 100) n')
  await run()
})
afterEach(() => client.end())

const write = (name: string, sql: string): void => writeFileSync(join(folder, 'migrations', name), sql)
const run = (contract = false): Promise<string[]> =>
  migrate(url, folder, systemClock, { contract, report: (line) => lines.push(line) })
const check = () => createCheckSchema(folder)(client)
const notes = async (): Promise<unknown> => (await client.query('select count(note)::int as count from one')).rows

const fill = `-- step in batches: notes
with batch as (select id from one where id > coalesce(nullif($1, '')::int, 0) order by id limit 10),
  noted as (update one set note = 'x' from batch where one.id = batch.id)
select max(id)::text from batch;
`

test('a step that gets no lock lets others pass, says so, and tries again', async () => {
  write('0002-two.sql', 'alter table one add column two int')
  const blocker = await connect(url)
  await blocker.query('begin')
  await blocker.query('select from one limit 1')
  const running = run()
  await sleep(100)
  // This read would wait behind the exclusive lock for as long as the blocker does.
  const startMs = performance.now()
  await client.query('select from one limit 1')
  expect(performance.now() - startMs).toBeLessThan(2_000)
  await sleep(1_500)
  await blocker.query('commit')
  await blocker.end()
  expect(await running).toEqual(['0002-two.sql'])
  expect(lines[0]).toMatch(/^0002-two.sql: waits for a lock/)
})

test('a migration that was interrupted continues with the step, and the batch, that it had reached', async () => {
  const failing = fill.replace(
    "set note = 'x'",
    'set note = case when note is null then (1 / (55 - one.id))::text else note end',
  )
  const steps = '-- step: runs\ncreate table runs (id int);\n'
  write('0002-two.sql', `${steps}${failing}`)
  await expect(run()).rejects.toThrow('Migration 0002-two.sql failed: division by zero')
  expect(await notes()).toEqual([{ count: 50 }])
  await client.query(`update one set note = 'by hand' where id = 55`)
  expect(await run()).toEqual(['0002-two.sql'])
  expect(await notes()).toEqual([{ count: 100 }])
  expect((await client.query('select from schema_steps')).rowCount).toBe(0)
})

test('batches read each row of a divided table once, also if all rows have one owner', async () => {
  await client.query(`
    create table many (owner int, id int, note text, primary key (owner, id)) partition by range (id);
    create table many_old partition of many for values from (minvalue) to (20000);
    create table many_new partition of many default;
    insert into many select 1, n from generate_series(1, 10000) n`)
  await client.query('vacuum analyze many_old')
  const readRows = async (): Promise<number> => {
    await client.query('select pg_stat_force_next_flush()')
    const { rows } = await client.query<{ read: bigint }>(
      `select idx_tup_read::bigint as read from pg_stat_user_indexes where indexrelname = 'many_old_pkey'`,
    )
    return Number(rows[0]?.read)
  }
  const before = await readRows()
  write(
    '0002-two.sql',
    `-- step in batches: rows
    with batch as (
      select owner, id from many where (owner, id) > (coalesce(nullif(split_part($1, ' ', 1), '')::int, 0),
        coalesce(nullif(split_part($1, ' ', 2), '')::int, 0)) order by owner, id limit 500
    )
    select owner || ' ' || id from batch order by owner desc, id desc limit 1`,
  )
  await run()
  const read = (await readRows()) - before
  expect(read).toBeGreaterThanOrEqual(10_000)
  // Reading all the rest for each batch would be 105,000.
  expect(read).toBeLessThan(15_000)
})

test('an index is built while another session writes, and an invalid one is replaced', async () => {
  await client.query('update one set id = 2 where id = 1')
  write('0002-two.sql', '-- step concurrently: index\ncreate unique index concurrently one_id on one (id);\n')
  await expect(run()).rejects.toThrow('could not create unique index')
  await client.query(`delete from one where ctid = (select ctid from one where id = 2 limit 1)`)
  expect(await run()).toEqual(['0002-two.sql'])
  const { rows } = await client.query(`select indisvalid from pg_index where indexrelid = 'one_id'::regclass`)
  expect(rows).toEqual([{ indisvalid: true }])
})

test('a contract waits until it is asked for, or until a later migration follows', async () => {
  write('0002-two.sql', 'alter table one add column two int')
  write('0003-less.sql', '-- contract\nalter table one drop column note')
  expect(await run()).toEqual(['0002-two.sql'])
  expect(await run()).toEqual([])
  expect(await run(true)).toEqual(['0003-less.sql'])
  write('0004-less.sql', '-- contract\nalter table one drop column two')
  write('0005-more.sql', 'alter table one add column five int')
  expect(await run()).toEqual(['0004-less.sql', '0005-more.sql'])
})

test('a release accepts schemas from its own to one with further additions, and no other', async () => {
  write('0002-two.sql', 'alter table one add column two int')
  await expect(check()).rejects.toThrow('0002-two.sql is missing')
  await run()
  await check()
  write('0003-less.sql', '-- contract\nalter table one drop column note')
  await check()
  const older = createCheckSchema(folder)
  write('0004-four.sql', 'alter table one add column four int')
  write('0005-less.sql', '-- contract\nalter table one drop column two')
  await run()
  await older(client)
  await run(true)
  await expect(older(client)).rejects.toThrow('0005-less.sql removed what it uses')
  await client.query('drop table schema_migrations')
  await expect(older(client)).rejects.toThrow('The database has no schema of this release')
})
