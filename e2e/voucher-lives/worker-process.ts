// Workers as processes of their own, which can be killed in the middle of what they do, and what PostgreSQL knows of them.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/src/base/db.ts'

export type WorkerProcess = ReturnType<typeof startWorker>

const script = join(import.meta.dirname, '../../server/src/main.ts')
const timeoutMs = 60_000
let started = 0

/** PostgreSQL knows its connections by its name. */
export function startWorker(settings: Record<string, string>) {
  const name = `drill-worker-${++started}`
  const env = { PATH: process.env.PATH, ...settings, PGAPPNAME: name }
  const child = spawn(process.execPath, [script, 'worker'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
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
    /** Everything that it logged. */
    said: () => said,
    /** As on a machine that stands still for a while. */
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    /** Without warning. */
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

/** Until it has begun to look for work. */
export async function untilAwake(admin: Pool, { name, said }: WorkerProcess): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    const { rows } = await admin.query('select from pg_stat_activity where application_name = $1', [name])
    if (rows.length > 0) return
    await sleep(20)
  }
  throw new Error(`A worker did not start: ${said()}`)
}

/** Who works on a batch: the name of the worker, and the connection on which it has locked the batch. */
export type Claim = { readonly name: string; readonly pid: number }

/** There is none for a moment between one piece of a batch and the next. */
export async function untilClaimed(
  admin: Pool,
  isOver: () => Promise<boolean>,
  except = 'nobody',
): Promise<Claim | undefined> {
  while (!(await isOver())) {
    const { rows } = await admin.query<Claim>(
      `select s.application_name as name, s.pid from pg_locks l
        join voucher_batches b on hashtextextended('voucher batch ' || b.id, 0) = (l.classid::bigint << 32) | l.objid::bigint
        join pg_stat_activity s on s.pid = l.pid
        where l.locktype = 'advisory' and b.finished_at is null and s.application_name like 'drill-worker-%' and s.application_name <> $1 limit 1`,
      [except],
    )
    if (rows[0] !== undefined) return rows[0]
  }
  return undefined
}

/**
 * Lets a worker go on with its piece while another has begun the same: it stands still while its connection breaks, and does not
 * notice before it wants to finish.
 */
export async function stealClaim(
  admin: Pool,
  { name, pid }: Claim,
  loser: WorkerProcess,
  isOver: () => Promise<boolean>,
) {
  loser.hasLostClaim = true
  loser.pause()
  await admin.query('select pg_terminate_backend($1)', [pid])
  await untilClaimed(admin, isOver, name)
  // The other reads what is there already, then both make the rest.
  await sleep(50)
  loser.resume()
}
