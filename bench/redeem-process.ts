// An API process under load, and what it and PostgreSQL used meanwhile.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { connect } from '../server/src/base/db.ts'

const root = resolve(import.meta.dirname, '..')

export type ServerMode = 'batched' | 'unbatched' | 'two'

export type ServerOptions = {
  /** The folder of the sources. */
  readonly sources?: string
  readonly mode: ServerMode
  readonly environment: Readonly<Record<string, string>>
  /** Options of Node. */
  readonly node?: readonly string[]
  /** The core that it runs on. Without one, it runs on all. */
  readonly core?: number
}

export type ApiProcess = {
  readonly pid: number
  /** What the probe has counted since the last call. */
  readonly readProbe: () => Promise<Probed>
  readonly stop: () => Promise<void>
}

export type Probed = {
  readonly packets: number
  readonly gc: { readonly maxMs: number; readonly sumMs: number }
  readonly delayP99Ms: number
}

/** Starts the API of some sources, and waits until it listens. */
export async function startApi({
  sources = root,
  mode,
  environment,
  node = [],
  core,
}: ServerOptions): Promise<ApiProcess> {
  const args = [
    // As in `npm start`.
    '--max-semi-space-size=64',
    ...node,
    '--import',
    join(import.meta.dirname, 'probe.ts'),
    join(sources, 'bench/redeem-server.ts'),
    mode,
  ]
  const child = spawn(process.execPath, args, { env: { ...environment }, stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = child.pid ?? 0
  await new Promise((done, fail) => {
    child.stdout.once('data', done)
    child.once('exit', () => fail(new Error('The API did not start.')))
  })
  if (core !== undefined) pin(pid, core)
  return { pid, readProbe: () => readProbe(child), stop: () => stop(child) }
}

function readProbe(child: ChildProcess): Promise<Probed> {
  return new Promise((done) => {
    child.stdout?.once('data', (line: Buffer) => done(JSON.parse(line.toString().replace('probe ', '')) as Probed))
    child.kill('SIGUSR2')
  })
}

async function stop(child: ChildProcess): Promise<void> {
  const isOver = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await isOver
}

/** Moves a process with its threads and children to a core, or lets it run on all. */
export function pin(pid: number, core: number | 'all'): void {
  const cores = core === 'all' ? '0-1023' : String(core)
  for (const each of [pid, ...childrenOf(pid)]) spawnSync('taskset', ['-a', '-c', '-p', cores, String(each)])
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)])
  return stdout.toString().trim().split(/\s+/).filter(Boolean).map(Number)
}

const ticksPerSecond = 100

/** Seconds of processor time of a process and its children, with those that have ended. */
export function processorSeconds(pid: number): number {
  const own = ticksOf(pid)
  const children = childrenOf(pid).map(ticksOf)
  const live = children.reduce((sum, { used }) => sum + used, own.used)
  return (live + own.ended) / ticksPerSecond
}

/** Times of a process itself, and of its children that have ended. */
function ticksOf(pid: number): { readonly used: number; readonly ended: number } {
  try {
    // The name of the program is in parentheses and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number)
    return { used: (fields[11] ?? 0) + (fields[12] ?? 0), ended: (fields[13] ?? 0) + (fields[14] ?? 0) }
  } catch {
    return { used: 0, ended: 0 }
  }
}

export type Usage = {
  /** Microseconds of processor time of one redemption. */
  readonly apiUs: number
  readonly databaseUs: number
  /** Shares of one core. */
  readonly apiCore: number
  readonly databaseCore: number
  /** Packets to PostgreSQL for one redemption. */
  readonly packets: number
  /** Bytes of PostgreSQL's log for one redemption. */
  readonly logBytes: number
  readonly gcMaxMs: number
  readonly gcShare: number
  readonly delayP99Ms: number
}

type Measured = { readonly api: ApiProcess; readonly databasePid: number; readonly databaseUrl: string }

/** Runs a load and returns its result with what it used. */
export async function measure<Load>(
  { api, databasePid, databaseUrl }: Measured,
  run: () => Promise<Load>,
  countOf: (load: Load) => number,
): Promise<{ readonly load: Load; readonly usage: Usage }> {
  const read = async () => ({
    apiSeconds: processorSeconds(api.pid),
    databaseSeconds: processorSeconds(databasePid),
    logPlace: await readLogPlace(databaseUrl),
    atMs: performance.now(),
  })
  await api.readProbe()
  const before = await read()
  const load = await run()
  const after = await read()
  const { packets, gc, delayP99Ms } = await api.readProbe()
  const count = countOf(load)
  const seconds = (after.atMs - before.atMs) / 1_000
  const apiSeconds = after.apiSeconds - before.apiSeconds
  const databaseSeconds = after.databaseSeconds - before.databaseSeconds
  const usage = {
    apiUs: (apiSeconds / count) * 1e6,
    databaseUs: (databaseSeconds / count) * 1e6,
    apiCore: apiSeconds / seconds,
    databaseCore: databaseSeconds / seconds,
    packets: packets / count,
    logBytes: (after.logPlace - before.logPlace) / count,
    gcMaxMs: gc.maxMs,
    gcShare: gc.sumMs / 1_000 / seconds,
    delayP99Ms,
  }
  return { load, usage }
}

async function readLogPlace(url: string): Promise<number> {
  const client = await connect(url)
  const { rows } = await client.query<{ place: string }>(`select (pg_current_wal_lsn() - '0/0')::text as place`)
  await client.end()
  return Number(rows[0]?.place)
}
