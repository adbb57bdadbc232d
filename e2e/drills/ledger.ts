// Posts random journals from two processes while posting processes and PostgreSQL itself are killed, then holds the
// ledger against the posters' own logs of what they were told, and against the model.
//   npm run drill -- ledger [short]
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cloneTemplate, createTemplate } from '../../server/local/database.ts'
import { checkLedger, readTold } from '../../server/local/ledger-check.ts'
import type { PosterTask } from '../../server/local/ledger-poster.ts'
import { createLoadWorld, type PosterProcess, settleLoad, startPosters } from '../../server/local/ledger-run.ts'
import { startPostgres } from '../../server/local/postgres.ts'
import { createPool } from '../../server/src/base/db.ts'

const isShort = process.argv.includes('short')
// About 65 of 100 asks are posted; the rest are refused, repeats or conflicts, as they should be.
const plan = isShort
  ? { asksPerPoster: 6_000, kills: 4, postgresKills: 1, pauseMs: 700 }
  : { asksPerPoster: 215_000, kills: 20, postgresKills: 5, pauseMs: 9_000 }
const seed = Number(process.env.LEDGER_SEED ?? Math.floor(Math.random() * 1e9))
console.log(`seed ${seed}, ${8 * plan.asksPerPoster} asks`)

// A deadlock must show as one, and not be cut short by our own limit on waiting for locks, which is 250 ms.
const settings = { deadlock_timeout: '100ms', max_wal_size: '8GB', shared_buffers: '1GB' }
const postgres = await startPostgres({ settings })
const { url } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const pool = createPool(url)
const world = await createLoadWorld(pool, seed, 8)
const folder = mkdtempSync(join(tmpdir(), 'scrip-drill-'))

/** One of the two processes, through all its lives. */
function createPosterLine(name: string, posters: number[]) {
  const answered = new Map(posters.map((poster) => [poster, new Set<number>()]))
  const from = new Map(posters.map((poster) => [poster, 0]))
  const logFiles: string[] = []
  let current: PosterProcess

  const start = (): void => {
    const logFile = join(folder, `${name}-${logFiles.length}.log`)
    logFiles.push(logFile)
    const task: PosterTask = {
      url,
      world,
      posters,
      from: Object.fromEntries(from),
      count: plan.asksPerPoster,
      windowSize: 24,
      logFile,
    }
    current = startPosters(task)
  }
  const kill = async (): Promise<void> => {
    current.child.kill('SIGKILL')
    await current.ended
    await readTold([logFiles.at(-1) ?? ''], ({ poster, index }) => answered.get(poster)?.add(index))
    // What was not answered is asked again; so is what was answered after it.
    for (const [poster, indexes] of answered) {
      let next = from.get(poster) ?? 0
      while (indexes.has(next)) next++
      from.set(poster, next)
    }
    start()
  }
  start()
  return { kill, ended: () => current.ended, logFiles, isRunning: () => current.child.exitCode === null }
}

const lines = [createPosterLine('a', [0, 1, 2, 3]), createPosterLine('b', [4, 5, 6, 7])]
const faults = [
  ...Array.from({ length: plan.kills }, () => 'process'),
  ...Array.from({ length: plan.postgresKills }, () => 'postgres'),
]
  .map((fault, i) => ({ fault, order: (i * 7919) % 25 }))
  .toSorted((a, b) => a.order - b.order)

let kills = 0
let deadlocksSeen = 0
let deadlocksRead = 0
for (const [i, { fault }] of faults.entries()) {
  await sleep(plan.pauseMs * (0.5 + Math.random()))
  const line = lines[i % 2]
  if (line?.isRunning() !== true) throw new Error('The load ended before the faults did: make it longer.')
  deadlocksSeen += await readDeadlocks()
  if (fault === 'postgres') await postgres.crash()
  else await line.kill()
  kills++
  console.log(`${kills} of ${faults.length}: killed ${fault}`)
}
for (const line of lines) await line.ended()
deadlocksSeen += await readDeadlocks()
await settleLoad(url)
console.log('The load is done. Checking.')
const report = await checkLedger(
  pool,
  world,
  lines.flatMap(({ logFiles }) => logFiles),
)
for (const fault of report.faults) console.log(`FAULT ${fault}`)
console.log('answers', report.outcomes)
await pool.end()
await postgres.stop()

const { journals, lost, doubled } = report
console.log(
  `ledger journals=${journals} kills=${kills} lost=${lost} doubled=${doubled} deadlocks_seen=${deadlocksSeen}`,
)
process.exit(lost + doubled + report.faults.length + deadlocksSeen === 0 ? 0 : 1)

/** PostgreSQL's own count, which a crash resets: what it grew by since it was read last. */
async function readDeadlocks(): Promise<number> {
  const { rows } = await pool.query<{ n: bigint }>(
    'select deadlocks as n from pg_stat_database where datname = current_database()',
  )
  const count = Number(rows[0]?.n ?? 0n)
  const growth = count < deadlocksRead ? count : count - deadlocksRead
  deadlocksRead = count
  return growth
}
