// Debian 13's PgBouncer in transaction mode with its own libraries and the file of deploy/.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../server/local/parts/postgres.ts'
import { connect } from '../../server/src/base/db.ts'
import { createFolder, start, unpackDebian13, writeOwned, writeTemplate } from './processes.ts'

/** `url` is that of the same database through PgBouncer, as scrip_server. */
export type PgBouncer = { readonly url: string; readonly version: string }

export async function startPgBouncer(url: string, stops: (() => Promise<unknown>)[]): Promise<PgBouncer> {
  const { hostname, port, pathname } = new URL(url)
  const listenPort = await findFreePort()
  const folder = createFolder()
  stops.push(folder.remove)
  const users = join(folder.path, 'users.txt')
  writeOwned(users, '"scrip_server" "scrip_server"\n"scrip_chain" "scrip_chain"\n')
  const file = join(folder.path, 'pgbouncer.ini')
  const DATABASE = pathname.slice(1)
  const listens = { LISTEN_ADDRESS: '127.0.0.1', LISTEN_PORT: listenPort, USER_FILE: users }
  writeTemplate('pgbouncer.ini', file, { ADDRESS: hostname, PORT: port, DATABASE, ...listens })
  const unpacked = join(unpackDebian13(), 'pgbouncer/usr')
  const loader = join(unpacked, 'lib64/ld-linux-x86-64.so.2')
  const command = ['--library-path', join(unpacked, 'lib/x86_64-linux-gnu'), join(unpacked, 'sbin/pgbouncer')]
  const version = /\d+\.\d+\.\d+/.exec(execFileSync(loader, [...command, '--version']).toString())?.[0] ?? 'unknown'
  stops.push(start(folder.path, 'pgbouncer', loader, [...command, file]).kill)
  const pooledUrl = `postgresql://scrip_server:scrip_server@127.0.0.1:${listenPort}/scrip`
  await untilConnected(pooledUrl)
  return { url: pooledUrl, version }
}

async function untilConnected(url: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await (await connect(url, 5_000)).end()
      return
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(100)
    }
  }
}
