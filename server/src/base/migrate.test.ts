import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, inject, test } from 'vitest'
import { atDatabase } from '../../local/database.ts'
import { systemClock } from './clock.ts'
import { connect } from './db.ts'
import { migrate } from './migrate.ts'

let folder: string
let url: string
let databases = 0

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scrip-migrations-'))
  const name = `scrip_migrate_${process.pid}_${databases++}`
  const admin = await connect(inject('adminUrl'))
  await admin.query(`drop database if exists ${name}`)
  await admin.query(`create database ${name} owner scrip_owner`)
  await admin.end()
  url = atDatabase(inject('adminUrl'), name, 'scrip_owner')
})

const write = (name: string, sql: string): void => writeFileSync(join(folder, name), sql)
const run = () => migrate(url, folder, systemClock)

test('applies new migrations in order, and each only once', async () => {
  write('0001-one.sql', 'create table one (id int); create table uno (id int)')
  expect(await run()).toEqual(['0001-one.sql'])
  write('0002-two.sql', 'alter table one add column two int')
  expect(await run()).toEqual(['0002-two.sql'])
  expect(await run()).toEqual([])
})

test('two processes that start at the same time apply each migration once', async () => {
  write('0001-one.sql', 'create table one (id int); select pg_sleep(0.2)')
  const applied = await Promise.all([run(), run()])
  expect(applied.flat()).toEqual(['0001-one.sql'])
})

test('a failed migration leaves nothing behind, and the error names it', async () => {
  write('0001-one.sql', 'create table one (id int); select nonsense')
  await expect(run()).rejects.toThrow(/Migration 0001-one.sql failed: .*nonsense/)
  write('0001-one.sql', 'create table one (id int)')
  expect(await run()).toEqual(['0001-one.sql'])
})

test('refuses an edited applied migration, a gap in the numbers, and a newer database', async () => {
  write('0001-one.sql', 'create table one (id int)')
  await run()
  write('0001-one.sql', 'create table one (id bigint)')
  await expect(run()).rejects.toThrow('was changed after it was applied')
  write('0001-one.sql', 'create table one (id int)')
  write('0003-three.sql', 'select 1')
  await expect(run()).rejects.toThrow('0003-three.sql should begin with 0002-')
  folder = mkdtempSync(join(tmpdir(), 'scrip-migrations-'))
  await expect(run()).rejects.toThrow('which this version does not know')
})
