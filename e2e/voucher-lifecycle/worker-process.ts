// Worker processes that can be killed in the middle of their work, and what PostgreSQL knows about them.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/src/base/db.ts'

export type WorkerProcess = {
  readonly name: string
  hasLostClaim: boolean
  /** Everything that it logged. */
  readonly logs: () => string
  /** Stops its execution for a while, as on an overloaded machine. */
  readonly pause: () => void
  readonly resume: () => void
  /** Kills it without warning. */
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

const script = join(import.meta.dirname, '../../server/src/main.ts')
const timeoutMs = 60_000
let started = 0

/** Starts a worker. Its name is the first word of the application name of its connections. */
export function startWorker(settings: Record<string, string>): WorkerProcess {
  const name = `drill-worker-${++started}`
  const env = {
    PATH: process.env.PATH,
    ...settings,
    DATABASE_URL: `${settings.DATABASE_URL ?? ''}?application_name=${name}`,
  }
  const child = spawn(process.execPath, [script, 'worker'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let logs = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (logs += chunk.toString()))
  const killOnExit = (): unknown => child.kill('SIGKILL')
  process.once('exit', killOnExit)
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
    process.off('exit', killOnExit)
  }
  return {
    name,
    hasLostClaim: false,
    logs: () => logs,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

/** Waits until the worker has begun to look for work. */
export async function untilAwake(admin: Pool, { name, logs }: WorkerProcess): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    const { rows } = await admin.query('select from pg_stat_activity where application_name like $1', [`${name} %`])
    if (rows.length > 0) return
    await sleep(20)
  }
  throw new Error(`A worker did not start: ${logs()}`)
}

/** The name of the worker on a batch, and the connection that holds the batch's lock. */
export type Claim = { readonly name: string; readonly pid: number }

/** Waits for a claim, because there is none between two parts of a batch. Returns undefined when the batch is done. */
export async function untilClaimed(
  admin: Pool,
  isOver: () => Promise<boolean>,
  except = 'nobody',
): Promise<Claim | undefined> {
  while (!(await isOver())) {
    const { rows } = await admin.query<Claim>(
      `select split_part(s.application_name, ' ', 1) as name, s.pid from pg_locks l
        join voucher_batches b on hashtextextended('voucher batch ' || b.id, 0) = (l.classid::bigint << 32) | l.objid::bigint
        join pg_stat_activity s on s.pid = l.pid
        where l.locktype = 'advisory' and b.finished_at is null and s.application_name like 'drill-worker-%' and s.application_name not like $1 || ' %' limit 1`,
      [except],
    )
    if (rows[0] !== undefined) return rows[0]
  }
  return undefined
}

/**
 * Lets a worker continue with its part while another has begun the same part: it is paused while its connection breaks, and
 * notices only when it wants to finish.
 */
export async function stealClaim(
  admin: Pool,
  { name, pid }: Claim,
  loser: WorkerProcess,
  isOver: () => Promise<boolean>,
): Promise<void> {
  loser.hasLostClaim = true
  loser.pause()
  await admin.query('select pg_terminate_backend($1)', [pid])
  await untilClaimed(admin, isOver, name)
  // The other worker reads what exists already, then both issue the rest.
  await sleep(50)
  loser.resume()
}
