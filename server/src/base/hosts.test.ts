import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort, type LocalPostgres, startPostgres } from '../../local/parts/postgres.ts'
import { connect, createPool, type Db, type Pool } from './db.ts'
import { nameConnections, splitHosts, targetOf } from './hosts.ts'

// A primary, and a standby that was made of its files.
let primary: LocalPostgres
let standby: LocalPostgres
const folder = mkdtempSync(join(tmpdir(), 'scrip-hosts-'))
beforeAll(async () => {
  spawnSync('chmod', ['755', folder])
  const files = join(folder, 'primary')
  const first = await startPostgres({ folder: files })
  await first.stop()
  const copy = join(folder, 'standby')
  spawnSync('cp', ['-a', files, copy])
  writeFileSync(join(copy, 'standby.signal'), '')
  primary = await startPostgres({ folder: files })
  standby = await startPostgres({ folder: copy })
})
afterAll(async () => {
  await primary.stop()
  await standby.stop()
  rmSync(folder, { recursive: true, force: true })
})

const atHosts = (...ports: number[]): string =>
  `postgresql://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=read-write`

async function portOf(db: Db): Promise<number> {
  const { rows } = await db.query<{ port: number }>('select inet_server_port() as port')
  return rows[0]?.port ?? 0
}

async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool(url, 2)
  return work(pool).finally(() => pool.end())
}

test('a URL with several hosts has one URL for each, and a comma in a password is no host', () => {
  expect(splitHosts('postgresql://us:p,w@h1:5432,h2/scrip?target_session_attrs=read-write&sslmode=require')).toEqual([
    'postgresql://us:p,w@h1:5432/scrip?sslmode=require',
    'postgresql://us:p,w@h2/scrip?sslmode=require',
  ])
  expect(splitHosts('postgresql:///scrip?host=/run/postgresql')).toHaveLength(1)
  expect(splitHosts('postgresql://[::1]:1,[::2]:2/scrip?sslmode=require&target_session_attrs=primary')).toEqual([
    'postgresql://[::1]:1/scrip?sslmode=require',
    'postgresql://[::2]:2/scrip?sslmode=require',
  ])
  expect(targetOf('postgresql://h1,h2/scrip?sslmode=require&target_session_attrs=any')).toBe('any')
})

test('PostgreSQL lists connections under what they are for, after the name in the URL', async () => {
  for (const [url, name] of [
    [primary.adminUrl, 'scrip'],
    [`${primary.adminUrl}?application_name=shop%20eu&sslmode=disable`, 'shop eu'],
  ] as const) {
    const client = await connect(nameConnections(url, 'api ledger'))
    const { rows } = await client.query('show application_name')
    await client.end()
    expect(rows).toEqual([{ application_name: `${name} api ledger` }])
  }
})

test('connections go to the primary, also if a standby or a closed port is named first', async () => {
  const url = atHosts(await findFreePort(), standby.port, primary.port)
  expect(await withPool(url, portOf)).toBe(primary.port)
  const client = await connect(url)
  expect(await portOf(client)).toBe(primary.port)
  await client.end()
})

test('a frozen host delays a connection by two seconds, and is not asked again while another is the primary', async () => {
  const url = atHosts(standby.port, primary.port)
  standby.freeze()
  try {
    await withPool(url, async (pool) => {
      const startMs = performance.now()
      expect(await portOf(pool)).toBe(primary.port)
      expect(performance.now() - startMs).toBeGreaterThan(1_900)
    })
    const againMs = performance.now()
    expect(await withPool(url, portOf)).toBe(primary.port)
    expect(performance.now() - againMs).toBeLessThan(1_500)
  } finally {
    standby.thaw()
  }
})

test('without a primary, a connection fails with the code of a database that is away', async () => {
  await withPool(atHosts(standby.port, await findFreePort()), async (pool) => {
    await expect(pool.query('select')).rejects.toMatchObject({ code: '08001' })
  })
})

test('a pool does not keep a connection to a standby that refused a write', async () => {
  const pool = createPool(standby.adminUrl, 1)
  const pidOf = async () => (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
  const pid = await pidOf()
  expect(await pidOf()).toBe(pid)
  await expect(pool.query('create table t ()')).rejects.toMatchObject({ code: '25006' })
  expect(await pidOf()).not.toBe(pid)
  await pool.end()
})

// Last: afterwards there are two primaries.
test('a pool recovers when a standby is promoted and the primary is gone', async () => {
  await withPool(atHosts(primary.port, standby.port), async (pool) => {
    expect(await portOf(pool)).toBe(primary.port)
    primary.freeze()
    const admin = await connect(standby.adminUrl)
    await admin.query('select pg_promote()')
    await admin.end()
    await primary.crash()
    primary.freeze()
    expect(await portOf(pool).catch(() => portOf(pool))).toBe(standby.port)
    primary.thaw()
  })
})
