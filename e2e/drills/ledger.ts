// Posts random journals from two processes while these processes and PostgreSQL itself are killed, then compares the
// ledger with the posters' own logs and with the model.
//   npm run drill -- ledger [short]
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { checkLedger, readResults } from '../../server/local/drill/ledger-check.ts'
import type { PosterTask } from '../../server/local/drill/ledger-poster.ts'
import { createLoadWorld, type PosterProcess, settleLoad, startPosters } from '../../server/local/drill/ledger-run.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { createPool } from '../../server/src/base/db.ts'

const isShort = process.argv.includes('short')
// About 65 of 100 requests are posted. The others are refused, retries or conflicts, as intended.
const plan = isShort
  ? { requestsPerPoster: 6_000, kills: 4, postgresKills: 1, pauseMs: 700 }
  : { requestsPerPoster: 215_000, kills: 20, postgresKills: 5, pauseMs: 9_000 }
const seed = Number(process.env.LEDGER_SEED ?? Math.floor(Math.random() * 1e9))
console.log(`seed ${seed}, ${8 * plan.requestsPerPoster} requests`)

// Deadlocks must be detected before our own lock timeout of 500 ms ends them.
const settings = { deadlock_timeout: '100ms', max_wal_size: '8GB', shared_buffers: '1GB' }
const postgres = await startPostgres({ settings })
const { url } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const pool = createPool(url)
const world = await createLoadWorld(pool, seed, 8)
const folder = mkdtempSync(join(tmpdir(), 'scrip-drill-'))

/** One of the two processes, across all its restarts. */
function createPosterSlot(name: string, posters: number[]) {
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
      count: plan.requestsPerPoster,
      windowSize: 24,
      logFile,
    }
    current = startPosters(task)
  }
  const kill = async (): Promise<void> => {
    const logFile = logFiles.at(-1) ?? ''
    // On a busy machine the process may not have started yet, and a kill would interrupt nothing.
    while (!existsSync(logFile)) await sleep(20)
    current.child.kill('SIGKILL')
    await current.ended
    await readResults([logFile], ({ poster, index }) => answered.get(poster)?.add(index))
    // The next process continues at the first request without a response, and repeats those after it.
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

const slots = [createPosterSlot('a', [0, 1, 2, 3]), createPosterSlot('b', [4, 5, 6, 7])]
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
  const slot = slots[i % 2]
  if (slot?.isRunning() !== true) throw new Error('The load ended before all kills: increase requestsPerPoster.')
  deadlocksSeen += await readDeadlocks()
  if (fault === 'postgres') await postgres.crash()
  else await slot.kill()
  kills++
  console.log(`${kills} of ${faults.length}: killed ${fault}`)
}
const stats = (await Promise.all(slots.map((slot) => slot.ended()))).filter((each) => each !== undefined)
deadlocksSeen += await readDeadlocks()
await settleLoad(url)
console.log('load finished, checking the ledger')
const report = await checkLedger(
  pool,
  world,
  slots.flatMap(({ logFiles }) => logFiles),
)
for (const fault of report.faults) console.log(`FAULT ${fault}`)
console.log('outcomes', report.outcomes)
await pool.end()
await postgres.stop()

const { journals, lost, doubled } = report
// Of the processes that were not killed.
const batches = stats.reduce((sum, each) => sum + each.batches, 0)
const oneRound = stats.reduce((sum, each) => sum + each.oneRound, 0)
// Both ways of posting must have been under attack.
const isMixed = oneRound > 0 && oneRound < batches
if (!isMixed) console.log('FAULT the load did not use both ways of posting')
console.log(
  `ledger journals=${journals} kills=${kills} lost=${lost} doubled=${doubled} deadlocks_seen=${deadlocksSeen}` +
    ` one_round_percent=${Math.round((100 * oneRound) / batches)}`,
)
process.exit(isMixed && lost + doubled + report.faults.length + deadlocksSeen === 0 ? 0 : 1)

/** How much PostgreSQL's deadlock count grew since the last call. A crash resets it. */
async function readDeadlocks(): Promise<number> {
  const { rows } = await pool.query<{ n: bigint }>(
    'select deadlocks as n from pg_stat_database where datname = current_database()',
  )
  const count = Number(rows[0]?.n ?? 0n)
  const growth = count < deadlocksRead ? count : count - deadlocksRead
  deadlocksRead = count
  return growth
}
