// Debian's PostgreSQL 15 with backups by pgBackRest, as deploy/ sets them up, for drills. Its processes run as the user
// postgres if the drill runs as root, because PostgreSQL refuses root. Debian: apt-get install postgresql-15 pgbackrest
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'

import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort, killWithChildren } from './postgres.ts'

export type DebianPostgres = {
  /** Contains everything that belongs to it, unless the data folder is elsewhere. */
  readonly folder: string
  readonly dataFolder: string
  readonly repository: string
  readonly port: number
  /** Connects as the superuser. */
  readonly adminUrl: string
  /** What pgbackrest, pg_ctl and psql need, for commands of the drill. */
  readonly env: Readonly<Record<string, string>>
  /** Runs a command as the user of PostgreSQL. Returns its output, or throws it if the command fails. */
  readonly run: (command: string, ...args: string[]) => Promise<string>
  /** The end of its log. */
  readonly logs: () => string
  readonly start: () => Promise<void>
  /** Kills all of its processes without warning. */
  readonly kill: () => Promise<void>
  /** Kills it and deletes the data folder, as if the disk were gone. */
  readonly destroy: () => Promise<void>
  readonly remove: () => Promise<void>
}

type Options = {
  /** For postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>
  /** A folder that exists, such as a file system of its own. */
  readonly dataFolderIn?: string
}

const binaries = '/usr/lib/postgresql/15/bin'
const recipes = resolve(import.meta.dirname, '../../../deploy')
const isRoot = process.getuid?.() === 0

/** Creates and starts a cluster that sends its write-ahead log to an encrypted repository, and creates the stanza. */
export async function startDebianPostgres({ settings = {}, dataFolderIn }: Options = {}): Promise<DebianPostgres> {
  if (!existsSync(`${binaries}/postgres`) || !existsSync('/usr/bin/pgbackrest'))
    throw new Error('PostgreSQL 15 or pgBackRest is not installed. Debian: apt-get install postgresql-15 pgbackrest')
  const folder = mkdtempSync(join(tmpdir(), 'scrip-debian-postgres-'))
  const port = await findFreePort()
  const dataFolder = join(dataFolderIn ?? folder, 'data')
  const env = writeBackupSettings(folder, dataFolder, port)
  const run: DebianPostgres['run'] = (command, ...args) => runAsPostgres(env, command, args)
  if (isRoot)
    await runCommand('chown', ['-R', 'postgres:', folder, ...(dataFolderIn === undefined ? [] : [dataFolderIn])], env)
  const form = ['--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '-k', '--no-sync']
  await run('initdb', '-D', dataFolder, '-U', 'postgres', ...form)
  configure(dataFolder, { port: String(port), unix_socket_directories: join(folder, 'socket'), ...settings })
  if (isRoot) await runCommand('chown', ['-R', 'postgres:', dataFolder], env)
  const log = join(folder, 'postgres.log')
  const start = async (): Promise<void> => {
    await run('pg_ctl', '-D', dataFolder, '-l', log, '-w', '-t', '120', '-s', 'start')
    // It accepts connections before it has reached the target of a restore.
    while ((await run('psql', '-Atc', 'select pg_is_in_recovery()')).trim() === 't') await sleep(50)
  }
  const kill = (): Promise<void> => killServer(dataFolder)
  await start()
  await run('pgbackrest', '--stanza=scrip', 'stanza-create')
  return {
    folder,
    dataFolder,
    repository: join(folder, 'repository'),
    port,
    adminUrl: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    env,
    run,
    logs: () => readFileSync(log, 'utf8').slice(-1_000_000),
    start,
    kill,
    destroy: async () => {
      await kill()
      rmSync(dataFolder, { recursive: true, force: true })
    },
    remove: async () => {
      await kill()
      // Its last archive command may still write.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

function configure(dataFolder: string, settings: Readonly<Record<string, string>>): void {
  copyFileSync(join(recipes, 'postgresql-archive.conf'), join(dataFolder, 'postgresql-archive.conf'))
  const all = { listen_addresses: '127.0.0.1', ...settings }
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'`)
  appendFileSync(join(dataFolder, 'postgresql.conf'), ["include 'postgresql-archive.conf'", ...lines, ''].join('\n'))
}

/** Uses the recipe as it is. Only what differs on this machine comes from the environment. */
function writeBackupSettings(folder: string, dataFolder: string, port: number): Record<string, string> {
  for (const name of ['repository', 'spool', 'log', 'lock', 'socket', 'conf.d']) mkdirSync(join(folder, name))
  chmodSync(folder, 0o755)
  copyFileSync(join(recipes, 'pgbackrest.conf'), join(folder, 'pgbackrest.conf'))
  const passphrase = randomBytes(48).toString('base64')
  writeFileSync(join(folder, 'conf.d/cipher.conf'), `[global]\nrepo1-cipher-pass=${passphrase}\n`, { mode: 0o600 })
  return {
    PATH: `${binaries}:${process.env.PATH ?? ''}`,
    LC_ALL: 'C.UTF-8',
    PGDATA: dataFolder,
    PGHOST: join(folder, 'socket'),
    PGPORT: String(port),
    PGUSER: 'postgres',
    PGDATABASE: 'postgres',
    PGBACKREST_CONFIG: join(folder, 'pgbackrest.conf'),
    PGBACKREST_CONFIG_INCLUDE_PATH: join(folder, 'conf.d'),
    PGBACKREST_REPO1_PATH: join(folder, 'repository'),
    PGBACKREST_SPOOL_PATH: join(folder, 'spool'),
    PGBACKREST_LOG_PATH: join(folder, 'log'),
    PGBACKREST_LOCK_PATH: join(folder, 'lock'),
    PGBACKREST_PG1_PATH: dataFolder,
    PGBACKREST_PG1_PORT: String(port),
    PGBACKREST_PG1_USER: 'postgres',
    PGBACKREST_PG1_SOCKET_PATH: join(folder, 'socket'),
  }
}

async function killServer(dataFolder: string): Promise<void> {
  const file = join(dataFolder, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (!existsSync(`/proc/${pid}`)) return
  killWithChildren(pid)
  while (existsSync(`/proc/${pid}`)) await sleep(10)
}

function runAsPostgres(
  env: Readonly<Record<string, string>>,
  command: string,
  args: readonly string[],
): Promise<string> {
  return isRoot
    ? runCommand('runuser', ['-u', 'postgres', '--', command, ...args], env)
    : runCommand(command, args, env)
}

/** Its output goes to this process only until it ends: PostgreSQL, which it may start, closes it. */
async function runCommand(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn(command, args, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise((done) => child.once('exit', done))
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output.slice(-5_000)}`)
  // What is still in the pipes.
  await sleep(0)
  return output
}
