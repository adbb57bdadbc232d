// One process of posters, for property tests and drills. Each poster has a number of requests in progress and logs every
// result before it continues. The ledger is compared with this log afterwards.
//   node ledger-poster.ts '{"url":…,"world":…,"posters":[0,1,2,3],"from":{"0":0},"count":1000,"windowSize":32,"logFile":…}'
import { openSync, writeSync } from 'node:fs'
import { systemClock } from '../../src/base/clock.ts'
import { hasCode } from '../../src/base/errors.ts'
import { createIds } from '../../src/base/id.ts'
import { systemRandom } from '../../src/base/random.ts'
import { openLedger } from '../../src/ledger/post.ts'
import { createLoad, journalOf, type LoadWorld } from './ledger-load.ts'

export type PosterTask = {
  url: string
  world: LoadWorld
  posters: number[]
  /** The first index of each poster. */
  from: Record<number, number>
  /** How many requests each poster makes in total. */
  count: number
  windowSize: number
  logFile: string
}

/** A line of the log. `result` is the error code, or the posted alternative. */
export type LoggedResult = {
  poster: number
  index: number
  key: string
  isChanged: boolean
  attemptId: string
  journalId?: string
  result: string | number
  isReplayed?: boolean
}

if (import.meta.main) {
  // Without its parent, no process reads the log of a poster.
  process.once('disconnect', () => process.exit(1))
  await run(JSON.parse(process.argv[2] ?? '') as PosterTask)
  process.exit(0)
}

async function run(task: PosterTask): Promise<void> {
  const newId = createIds(systemClock, systemRandom)
  const ledger = openLedger({ url: task.url, clock: systemClock, newId })
  const load = createLoad(task.world)
  const log = openSync(task.logFile, 'a')
  const write = (line: LoggedResult): unknown => writeSync(log, `${JSON.stringify(line)}\n`)

  /** Retries under the same key until the outcome is known. */
  async function postUntilKnown(poster: number, index: number): Promise<void> {
    for (;;) {
      const request = load.askAt(poster, index, systemClock())
      const journal = journalOf(request, newId())
      const about = { poster, index, key: journal.key, isChanged: request.isChanged, attemptId: journal.id }
      try {
        const { journalId, alternative, replayed } = await ledger.post(journal)
        write({ ...about, journalId, result: alternative, isReplayed: replayed })
        return
      } catch (error) {
        write({ ...about, result: String((error as { code?: string }).code) })
        if (!hasCode(error, 'OUTCOME_UNKNOWN', 'LEDGER_UNAVAILABLE', 'LEDGER_BUSY')) return
      }
    }
  }
  async function post(poster: number): Promise<void> {
    let next = task.from[poster] ?? 0
    const worker = async (): Promise<void> => {
      while (next < task.count) await postUntilKnown(poster, next++)
    }
    await Promise.all(Array.from({ length: task.windowSize }, worker))
  }

  await Promise.all(task.posters.map(post))
  await ledger.close()
  console.log(JSON.stringify(ledger.stats))
}
