import { EventEmitter } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { cloneTemplate } from '../../local/parts/database.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { systemClock } from './clock.ts'
import { type Client, commit, connect, createPool, inTransaction, type Pool } from './db.ts'
import { hasCode } from './errors.ts'
import { migrate } from './migrate.ts'

let pool: Pool
let ownerUrl: string

beforeAll(async () => {
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  pool = createPool(ownerUrl)
  await pool.query('create table notes (id int primary key, text text)')
})
afterAll(() => pool.end())

const count = async (): Promise<bigint> =>
  (await pool.query<{ n: bigint }>('select count(*) as n from notes')).rows[0]?.n ?? -1n

test('an error thrown in a transaction rolls it back', async () => {
  const work = inTransaction(pool, async (tx) => {
    await tx.query(`insert into notes values (1, 'x')`)
    throw new Error('no')
  })
  await expect(work).rejects.toThrow('no')
  expect(await count()).toBe(0n)
})

test('a transaction that ignores a failed statement throws instead of reporting a commit', async () => {
  const work = inTransaction(pool, async (tx) => {
    await tx.query(`insert into notes values (2, 'x')`)
    await tx.query('select nonsense').catch(() => undefined)
  })
  await expect(work).rejects.toThrow('A failed statement was ignored')
  expect(await count()).toBe(0n)
})

test('the victim of a deadlock is retried from the start', async () => {
  await pool.query(`insert into notes values (10, ''), (11, '')`)
  let arrivals = 0
  let bothArrived = (): void => undefined
  const together = new Promise<void>((resolve) => (bothArrived = resolve))
  const lockBoth = (first: number, second: number) =>
    inTransaction(pool, async (tx) => {
      await tx.query('update notes set text = text || $2 where id = $1', [first, 'x'])
      if (++arrivals === 2) bothArrived()
      await together
      await tx.query('update notes set text = text || $2 where id = $1', [second, 'x'])
    })
  await Promise.all([lockBoth(10, 11), lockBoth(11, 10)])
  expect(arrivals).toBeGreaterThan(2)
  const { rows } = await pool.query('select text from notes where id in (10, 11)')
  expect(rows).toEqual([{ text: 'xx' }, { text: 'xx' }])
})

test('a connection lost during COMMIT is reported as OUTCOME_UNKNOWN', async () => {
  const client = await connect(ownerUrl)
  await client.query('begin')
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  await client.query(`insert into notes values (20, 'x')`)
  await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  await expect(commit(client)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', kind: 'unavailable' })
})

test('a connection lost inside a transaction fails that transaction and changes nothing', async () => {
  const before = await count()
  const work = inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await sleep(50)
    await tx.query('select 1')
  })
  await expect(work).rejects.toThrow(/terminat|not queryable|connection/i)
  expect(await count()).toBe(before)
})

test('a PANIC or FATAL response to COMMIT is reported as OUTCOME_UNKNOWN', async () => {
  for (const severity of ['PANIC', 'FATAL'] as const) {
    const error = Object.assign(new pg.DatabaseError('could not fsync', 0, 'error'), { severity, code: '58030' })
    const client = Object.assign(new EventEmitter(), { query: () => Promise.reject(error) })
    await expect(commit(client as unknown as Client)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  }
})

test('a constraint that fails at COMMIT is reported as its own error', async () => {
  await pool.query('create table pairs (id int primary key, other int references notes deferrable initially deferred)')
  const work = inTransaction(pool, (tx) => tx.query('insert into pairs values (1, 999)'))
  const error = await work.catch((e: unknown) => e)
  expect(hasCode(error, '23503')).toBe(true)
})

test('a clone of the template needs no migration', async () => {
  const clone = await cloneTemplate(inject('adminUrl'), inject('template'))
  try {
    expect(await migrate(clone.ownerUrl, resolve(import.meta.dirname, '../..'), systemClock)).toEqual([])
  } finally {
    await clone.drop()
  }
})
