// Posting in a simulated PostgreSQL, in virtual time: lost responses, deadlocks, serialisation failures, slow locks and outages in
// seeded schedules. A failure prints its seed, which repeats it exactly. Planted bugs show that the simulation finds them.
//   npm run drill -- simulate [short] [seed=N]
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type Planted, planted } from '../simulate/planted.ts'
import type { Found, Range, RangeResult } from '../simulate/worker.ts'

const isShort = process.argv.includes('short')
const [, onlySeed] = process.argv.find((argument) => argument.startsWith('seed='))?.split('=') ?? []
const wanted = isShort ? 5_000 : 100_000
const plantedMax = 3_000
const chunk = 500
const threads = Math.max(1, availableParallelism())
const server = resolve(import.meta.dirname, '../../server')
const moduleIn = (sources: string): string => pathToFileURL(join(sources, 'ledger/post.ts')).href

if (onlySeed !== undefined) {
  const seed = Number(onlySeed)
  const { failures } = await run({
    module: moduleIn(join(server, 'src')),
    from: seed,
    below: seed + 1,
    isFirstEnough: false,
  })
  console.log(failures[0]?.fault ?? `seed ${seed}: no fault`)
  process.exit(failures.length)
}

const startMs = performance.now()
const { schedules, failures } = await simulate()
for (const { seed, fault } of failures.slice(0, 20)) console.log(`FAULT seed=${seed} ${fault}`)
const foundCount = await plantAll()
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(
  `simulate schedules=${schedules} planted_found=${foundCount}/${planted.length} failures=${failures.length} seconds=${seconds}`,
)
process.exit(failures.length === 0 && foundCount === planted.length ? 0 : 1)

/** Runs all seeds with the real sources. */
async function simulate(): Promise<{ schedules: number; failures: Found[] }> {
  const module = moduleIn(join(server, 'src'))
  const starts = Array.from({ length: Math.ceil(wanted / chunk) }, (_, i) => 1 + i * chunk)
  const all: RangeResult[] = []
  await inParallel(starts, async (from) => {
    all.push(await run({ module, from, below: Math.min(from + chunk, wanted + 1), isFirstEnough: false }))
    const done = all.reduce((sum, result) => sum + result.schedules, 0)
    if (done % 10_000 === 0) console.log(`${done} schedules`)
  })
  return {
    schedules: all.reduce((sum, result) => sum + result.schedules, 0),
    failures: all.flatMap((result) => result.failures).toSorted((a, b) => a.seed - b.seed),
  }
}

/** Runs seeds with each bug alone, and counts those that are found. */
async function plantAll(): Promise<number> {
  let count = 0
  await inParallel(planted, async (bug) => {
    const sources = plant(bug)
    const range = { module: moduleIn(sources), from: 1, below: 1 + plantedMax, isFirstEnough: true }
    const [found] = (await run(range)).failures
    rmSync(sources, { recursive: true })
    if (found !== undefined) count++
    console.log(
      found === undefined ? `NOT FOUND ${bug.name}` : `found "${bug.name}" at seed ${found.seed}: ${found.fault}`,
    )
  })
  return count
}

/** Copies the sources with one change. The copy is beside them, so that it finds the same packages. */
function plant({ name, file, from, to }: Planted): string {
  const sources = mkdtempSync(join(server, '.planted-'))
  for (const folder of ['base', 'ledger'])
    cpSync(join(server, 'src', folder), join(sources, folder), { recursive: true })
  const path = join(sources, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`The place of the bug "${name}" is not there exactly once.`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  return sources
}

function run(range: Range): Promise<RangeResult> {
  return new Promise((resolveResult, reject) => {
    const worker = new Worker(new URL('../simulate/worker.ts', import.meta.url), { workerData: range })
    worker.once('message', resolveResult)
    worker.once('error', reject)
  })
}

/** Works through a list, with as many at once as there are processors. */
async function inParallel<T>(list: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = [...list]
  const next = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) await work(each)
  }
  await Promise.all(Array.from({ length: threads }, next))
}
