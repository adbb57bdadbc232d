// One process of posters, for property tests and drills. Each poster keeps a number of asks under way and logs every
// answer before it goes on: the log is what the ledger is held against afterwards.
//   node ledger-poster.ts '{"url":…,"world":…,"posters":[0,1,2,3],"from":{"0":0},"count":1000,"windowSize":32,"logFile":…}'
import { openSync, writeSync } from 'node:fs'
import { systemClock } from '../src/base/clock.ts'
import { hasCode } from '../src/base/errors.ts'
import { createIds } from '../src/base/id.ts'
import { systemRandom } from '../src/base/random.ts'
import { openLedger } from '../src/ledger/post.ts'
import { createLoad, journalOf, type LoadWorld } from './ledger-load.ts'

export type PosterTask = {
  url: string
  world: LoadWorld
  posters: number[]
  /** The first index of each poster. */
  from: Record<number, number>
  /** How many asks each poster makes in all. */
  count: number
  windowSize: number
  logFile: string
}

/** A line of the log. `told` is the code of an error, or the alternative that was posted. */
export type Told = {
  poster: number
  index: number
  key: string
  isChanged: boolean
  attemptId: string
  journalId?: string
  told: string | number
  isReplayed?: boolean
}

if (import.meta.main) {
  // Nobody is left to read the log of a poster whose parent is gone.
  process.once('disconnect', () => process.exit(1))
  await run(JSON.parse(process.argv[2] ?? '') as PosterTask)
  process.exit(0)
}

async function run(task: PosterTask): Promise<void> {
  const newId = createIds(systemClock, systemRandom)
  const ledger = openLedger({ url: task.url, clock: systemClock, newId })
  const load = createLoad(task.world)
  const log = openSync(task.logFile, 'a')
  const say = (told: Told): unknown => writeSync(log, `${JSON.stringify(told)}\n`)

  /** Until there is an answer: an outcome that is not known is asked for again, under the same key. */
  async function ask(poster: number, index: number): Promise<void> {
    for (;;) {
      const asked = load.askAt(poster, index, systemClock())
      const journal = journalOf(asked, newId())
      const about = { poster, index, key: journal.key, isChanged: asked.isChanged, attemptId: journal.id }
      try {
        const { journalId, alternative, replayed } = await ledger.post(journal)
        say({ ...about, journalId, told: alternative, isReplayed: replayed })
        return
      } catch (error) {
        say({ ...about, told: String((error as { code?: string }).code) })
        if (!hasCode(error, 'OUTCOME_UNKNOWN', 'LEDGER_UNAVAILABLE', 'LEDGER_BUSY')) return
      }
    }
  }
  async function post(poster: number): Promise<void> {
    let next = task.from[poster] ?? 0
    const worker = async (): Promise<void> => {
      while (next < task.count) await ask(poster, next++)
    }
    await Promise.all(Array.from({ length: task.windowSize }, worker))
  }

  await Promise.all(task.posters.map(post))
  await ledger.close()
  console.log(JSON.stringify(ledger.stats))
}
