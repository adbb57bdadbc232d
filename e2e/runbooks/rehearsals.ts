// What is broken for each runbook, and what must hold after it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withConnections } from '../../server/local/drill/api-process.ts'
import { asRole } from '../../server/local/parts/database.ts'
import { startPgBouncer } from '../failover/pgbouncer.ts'
import type { Load } from '../steady-load.ts'
import { failOver } from './failover.ts'
import type { Installation } from './installation.ts'
import { changesBalance } from './ledger-difference.ts'

export type Rehearsal = {
  /** Variables that only this runbook uses, read when a block starts. */
  readonly env?: Record<string, string>
  /** Runs before the first block under a heading. `repeat` runs all blocks under another heading again. */
  readonly before?: Readonly<Record<string, (repeat: Repeat) => Promise<void>>>
  /** Returns what is wrong after the last block. */
  readonly finish: () => Promise<string[]>
}
type Repeat = (heading: string) => Promise<void>
/** Breaks the installation. Returns what is left to do. */
type Rehearse = (installation: Installation) => Promise<Rehearsal>

export type Plan = { readonly name: string; readonly rehearse: Rehearse }

export const plans: readonly Plan[] = [
  { name: 'upgrade', rehearse: upgrade },
  { name: 'chain-stuck', rehearse: sticksChain },
  { name: 'lost-key-ring', rehearse: losesKeyRing },
  { name: 'full-disk', rehearse: fillsDisk },
  { name: 'restore', rehearse: restores },
  { name: 'failover', rehearse: failOver },
  { name: 'pooler', rehearse: pools },
  { name: 'ledger-difference', rehearse: changesBalance },
]

/** Every request under load is acknowledged, although all processes are replaced twice. */
async function upgrade(installation: Installation): Promise<Rehearsal> {
  const { env, sh, startLoad, writeList } = installation
  makeRelease(env.OLD_RELEASE ?? '', env.NEW_RELEASE ?? '')
  const load = startLoad()
  await sleep(500)
  const hasOldColumn = (count: number): Promise<void> =>
    sh(`[ "$(psql "$OWNER_DATABASE_URL" -Atc "select count(*) from information_schema.columns
      where table_name = 'upgrade_rehearsals' and column_name = 'old'")" = ${count} ]`)
  return {
    before: {
      Verify: () => {
        writeList(load)
        return Promise.resolve()
      },
      'Contract the schema': async (repeat) => {
        await repeat('Replace the processes')
        await hasOldColumn(1)
      },
    },
    finish: async () => {
      await hasOldColumn(0)
      return endLoad(installation, load)
    },
  }
}

/** The release of this folder, with a migration more, and one that contracts the schema. */
function makeRelease(from: string, to: string): void {
  mkdirSync(to)
  for (const name of ['server', 'cli', 'package.json'])
    cpSync(join(from, name), join(to, name), { recursive: true, filter: (path) => !path.endsWith('node_modules') })
  for (const name of readdirSync(from))
    if (!existsSync(join(to, name)) && !name.startsWith('.')) symlinkSync(join(from, name), join(to, name))
  for (const name of ['server', 'cli'])
    if (existsSync(join(from, name, 'node_modules')))
      symlinkSync(join(from, name, 'node_modules'), join(to, name, 'node_modules'))
  const migrations = join(to, 'server/migrations')
  const last = readdirSync(migrations)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1)
  const write = (offset: number, name: string, sql: string): void =>
    writeFileSync(join(migrations, `${String(Number(last?.slice(0, 4)) + offset).padStart(4, '0')}-${name}.sql`), sql)
  const table = 'create table upgrade_rehearsals (id uuid primary key, old text);\n'
  write(1, 'upgrade-rehearsal', `${table}alter table upgrade_rehearsals enable row level security;\n`)
  write(2, 'upgrade-rehearsal-contract', '-- contract\nalter table upgrade_rehearsals drop column old;\n')
}

/** One of the two nodes of the network stops responding. */
async function sticksChain({ nodes, env, sh, untilReady }: Installation): Promise<Rehearsal> {
  await sh(`for try in $(seq 300); do
    [ "$(psql "$OWNER_DATABASE_URL" -Atc 'select count(*) from chain_finality')" = 0 ] || exit 0; sleep 0.1
  done; exit 1`)
  const [, second] = nodes
  // Calls that have begun are not awaited: the node may hang in the middle of one.
  void second?.pause()
  const isBehind = `select now() - said_at > interval '5 seconds' from chain_finality`
  await sh(`for try in $(seq 300); do
    [ "$(psql "$OWNER_DATABASE_URL" -Atc "${isBehind}")" != t ] || exit 0; sleep 0.1
  done; exit 1`)
  return {
    finish: async () => {
      await untilReady()
      const log = readFileSync(env.WORKER_LOG ?? '', 'utf8')
      return log.includes('CHAIN_') ? [] : ['the worker logged no error about the node']
    },
  }
}

/** The settings were written again, with another key ring. */
async function losesKeyRing(installation: Installation): Promise<Rehearsal> {
  const { env, settings, shop, vouchers, sh, untilReady } = installation
  const head = shop.request('GET', '/')
  const [voucher] = vouchers
  // The runbook replaces it: the clients of later rehearsals must not use its old code.
  const replaced = vouchers.pop()
  const file = env.ENV_FILE ?? ''
  const saved = readFileSync(file)
  writeFileSync(env.SECRETS_COPY ?? '', `KEY_RING=${settings.KEY_RING}\nKEY_PEPPER=${settings.KEY_PEPPER}\n`, {
    mode: 0o600,
  })
  const lose = async (): Promise<void> => {
    await sh(
      `sed -i "s/^KEY_RING=.*/KEY_RING=2:$(openssl rand -hex 32)/" "$ENV_FILE"; $SERVICE restart $API_UNITS $WORKER_UNITS`,
    )
    await untilReady()
  }
  await lose()
  return {
    env: {
      PUBLIC_KEY: /Bearer (\S+)/.exec(head)?.[1] ?? '',
      SECRET_KEY: /Private-Key: (\S+)/.exec(head)?.[1] ?? '',
      VOUCHER_ID: replaced?.id ?? '',
      VOUCHER_CODE: voucher?.code ?? '',
    },
    before: { 'If there is no copy': lose },
    finish: async () => {
      writeFileSync(file, saved)
      await sh('$SERVICE restart $API_UNITS $WORKER_UNITS')
      await untilReady()
      const { status } = await withConnections(installation.apis, 1, ([connection]) =>
        connection.send(shop.verify(voucher?.code ?? '', '10.0.0.1')),
      )
      return status === 200 ? [] : [`with the first key ring again, a voucher is answered with ${status}`]
    },
  }
}

/** The repository of the backups cannot be written, and the write-ahead log fills the disk until PostgreSQL stops. */
function fillsDisk(installation: Installation): Promise<Rehearsal> {
  const { postgres, disk, sh, startLoad, writeList } = installation
  const load = startLoad()
  const fill = async (): Promise<void> => {
    await sh(`chmod -R a-w "${postgres.repository}"`)
    // What is left is less than a few segments of the log.
    await sh(
      `fallocate -l $(($(df -B1 --output=avail "${disk}" | tail -n 1) - 24 * 1024 * 1024)) "${disk}/other-program"`,
    )
    for (let tries = 0; !/PANIC.*No space left/.test(postgres.logs()); tries++) {
      if (tries === 600) throw new Error('PostgreSQL did not stop although its disk is full.')
      await sleep(200)
    }
    // The other program takes the rest, which is less than one segment.
    await sh(`cat /dev/zero >> "${disk}/other-program" || true`)
    await load.abandon()
    writeList(load)
  }
  return Promise.resolve({
    before: {
      Check: fill,
      'Find the cause': () => sh(`chmod -R u+w "${postgres.repository}"`),
      'Start Scrip': () => sh(`rm "${disk}/other-program"`),
    },
    finish: async () => {
      await installation.untilReady()
      await sh(`rm "${disk}/reserve"`)
      return load.acknowledged.length === 0 ? ['nothing was acknowledged before the disk was full'] : []
    },
  })
}

/** The data folder is deleted while clients redeem. */
async function restores(installation: Installation): Promise<Rehearsal> {
  const { postgres, startLoad, writeList, isShort } = installation
  const ask = async (query: string): Promise<string> => (await postgres.run('psql', '-Atc', query)).trim()
  await postgres.run('pgbackrest', '--stanza=scrip', '--type=full', 'backup')
  const load = startLoad()
  await sleep(isShort ? 1_000 : 20_000)
  const target = new Date(Math.floor(Number(await ask('select extract(epoch from clock_timestamp())')) * 1_000))
  await sleep(1_000)
  const segment = await ask('select pg_walfile_name(pg_current_wal_insert_lsn())')
  while ((await ask(`select last_archived_wal >= '${segment}' from pg_stat_archiver`)) !== 't') await sleep(100)
  await postgres.destroy()
  await load.abandon()
  writeList(load)
  const lost = load.acknowledged.filter(({ requestedAt }) => requestedAt > target.getTime()).length
  return {
    env: { TARGET: target.toISOString().replace('T', ' ').replace('Z', '+00') },
    finish: async () => {
      await installation.untilReady()
      const listed = readFileSync(installation.env.LOST ?? '', 'utf8').split('\n').length - 1
      return lost > 0 && listed >= lost ? [] : [`${listed} lost references are listed, not at least ${lost}`]
    },
  }
}

/** All processes are sent through a pooler in transaction mode. Clients redeem all the time. */
async function pools(installation: Installation): Promise<Rehearsal> {
  const { env, settings, stops, sh, untilReady, startLoad } = installation
  const file = env.ENV_FILE ?? ''
  const saved = readFileSync(file)
  const direct = settings.DATABASE_URL ?? ''
  const pooled = await startPgBouncer(direct, stops)
  const change = (name: string, url: string): Promise<void> => sh(`sed -i 's#^${name}=.*#${name}=${url}#' "$ENV_FILE"`)
  await change('DATABASE_URL', pooled.url)
  await change('CHAIN_DATABASE_URL', asRole(pooled.url, 'scrip_chain'))
  await sh('$SERVICE restart $API_UNITS $WORKER_UNITS')
  await untilReady()
  const load = startLoad()
  await sh(`for try in $(seq 300); do ! grep -q pooler "$WORKER_LOG" || exit 0; sleep 0.1; done; exit 1`)
  return {
    env: { DIRECT_DATABASE_URL: direct, DIRECT_CHAIN_DATABASE_URL: asRole(direct, 'scrip_chain') },
    finish: async () => {
      const wrong = await endLoad(installation, load)
      writeFileSync(file, saved)
      rmSync(env.WORKER_ENV_FILE ?? '')
      await sh('$SERVICE restart $API_UNITS $WORKER_UNITS')
      await untilReady()
      return wrong
    },
  }
}

/** The load must have continued, and every acknowledgement must be in the database. */
async function endLoad({ writeList, env, settings }: Installation, load: Load): Promise<string[]> {
  const soFar = load.acknowledged.length
  await sleep(500)
  const hasContinued = load.acknowledged.length > soFar
  await load.stop()
  writeList(load)
  const check = spawnSync('npm', ['run', '-s', 'scrip', '--', 'restore-check', env.ACKNOWLEDGED ?? ''], {
    cwd: env.OLD_RELEASE,
    env: { ...env, ...settings },
  })
  return [
    ...load.refused.slice(0, 5),
    ...(hasContinued ? [] : ['redemptions did not continue']),
    ...(check.status === 0 ? [] : [`restore-check failed: ${check.stdout.toString()}${check.stderr.toString()}`]),
  ]
}
