// Processes of a cluster, as an unprivileged user: PostgreSQL refuses root. None outlives the drill.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const nobody = 65534
const isRoot = process.getuid?.() === 0
const root = resolve(import.meta.dirname, '../..')

export type Running = {
  readonly pid: () => number
  readonly signal: (signal: NodeJS.Signals) => void
  readonly kill: () => Promise<void>
}

/** A folder of the unprivileged user, which is removed at the end. */
export function createFolder(): { readonly path: string; readonly remove: () => Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), 'scrip-cluster-'))
  chmodSync(path, 0o700)
  own(path)
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  process.on('exit', remove)
  return {
    path,
    remove: () => {
      remove()
      return Promise.resolve()
    },
  }
}

export function createFolderIn(parent: string, name: string): string {
  const path = join(parent, name)
  mkdirSync(path, { mode: 0o700 })
  own(path)
  return path
}

function own(path: string): void {
  if (isRoot) chownSync(path, nobody, nobody)
}

/** Starts a program whose output goes to a file in the folder. */
export function start(
  folder: string,
  name: string,
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Running {
  const output = openSync(join(folder, `${name}.log`), 'a')
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8', ...env },
    stdio: ['ignore', output, output],
    detached: true,
    ...(isRoot && { uid: nobody, gid: nobody }),
  })
  child.on('error', (error) => console.error(`${command} did not start: ${error.message}`))
  const killOnExit = (): unknown => child.kill('SIGKILL')
  process.on('exit', killOnExit)
  return {
    pid: () => child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    kill: async () => {
      await killAndWait(child)
      process.off('exit', killOnExit)
    },
  }
}

async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  await ended
}

/** Signals a PostgreSQL server and all its processes. The first one is stopped before: it would start others meanwhile. */
export function signalPostgres(dataFolder: string, signal: NodeJS.Signals): void {
  const parent = readPid(dataFolder)
  if (parent === undefined) return
  if (signal === 'SIGKILL') signalPid(parent, 'SIGSTOP')
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(parent)])
  for (const pid of [...stdout.toString().trim().split(/\s+/).filter(Boolean).map(Number), parent])
    signalPid(pid, signal)
}

/** The processes of a server that send its log to standbys. */
export function stopSenders(dataFolder: string): void {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(readPid(dataFolder) ?? 0)])
  for (const line of stdout.toString().split('\n'))
    if (line.includes('walsender')) signalPid(Number.parseInt(line), 'SIGSTOP')
}

function readPid(dataFolder: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8'))
    // After a crash the file names a process that may be another program now.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataFolder) ? pid : undefined
  } catch {
    return undefined
  }
}

function signalPid(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

/** Writes a file of deploy/ with its @WORDS@ replaced. */
export function writeTemplate(template: string, path: string, words: Record<string, string | number>): void {
  const text = readFileSync(join(root, 'deploy', template), 'utf8').replaceAll(/^ *[#;].*\n/gm, '')
  const filled = text.replaceAll(/@([A-Z0-9_]+)@/g, (word, name: string) => {
    if (words[name] === undefined) throw new Error(`deploy/${template} has ${word}, which is not set.`)
    return String(words[name])
  })
  writeFileSync(path, filled, { mode: 0o600 })
  own(path)
}

export function writeOwned(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  own(path)
}

/** Where the packages of Debian 13 are, after unpacking them if they are missing. */
export function unpackDebian13(): string {
  const folder = join(tmpdir(), 'scrip-debian-13')
  const { status, stderr } = spawnSync(join(root, 'tools/debian-13.sh'), [folder])
  if (status !== 0) throw new Error(`The packages of Debian 13 were not unpacked: ${stderr.toString()}`)
  return folder
}
