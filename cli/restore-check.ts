import { createWriteStream, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import type { Command } from 'commander'
import { createPool, type Pool } from '../server/src/base/db.ts'
import { type CatalogueCurrency, readCurrencies } from '../server/src/catalogue/currency/store.ts'
import { findEnvironment } from '../server/src/identity/merchant/store.ts'
import { compareReferences, type Verdict } from '../server/src/payments/transaction/restore-check.ts'
import { type ListedReference, parseTime, readAcknowledged } from './acknowledged-file.ts'
import { type ModeOption, modeOf, print, run, type Tools } from './tools.ts'

type Options = ModeOption & { until?: string; merchant?: string; report?: string }
type Check = {
  readonly pool: Pool
  readonly catalogue: readonly CatalogueCurrency[]
  readonly findEnvironment: (listed: ListedReference) => Promise<string | undefined>
  readonly until: Date | undefined
  readonly report: WriteStream | undefined
  readonly counts: Record<Verdict, number>
  /** The first lines of each group, for the terminal. */
  readonly shown: string[]
}

const batchSize = 5_000
const progressEvery = 100_000
const shownMax = 20
const explanations: Record<Exclude<Verdict, 'present'>, string> = {
  missing: 'acknowledged, and not in the database',
  different: 'in the database with another amount or currency',
  later: 'requested after the time of the restore, but in the database',
  lost: 'acknowledged after the time of the restore, and not in the database: the client must repeat it',
}

/** The check of a restored database against what was acknowledged. */
export function addRestoreCheckCommand(scrip: Command): void {
  scrip
    .command('restore-check <file>')
    .description('compares a list of acknowledged references with the database, after a restore')
    .option('--until <time>', 'the time that was restored to; what was acknowledged later is listed, and not a fault')
    .option('--merchant <code>', 'for lines that name no merchant, such as those of the payments export')
    .option('--test', 'lines that name no mode are of the test environment')
    .option('--report <file>', 'writes every line that is not as acknowledged, as JSON lines')
    .action((file: string, options: Options) => run((tools) => checkRestore(tools, file, options)))
}

async function checkRestore(tools: Tools, file: string, options: Options): Promise<void> {
  const until = options.until === undefined ? undefined : parseTime(options.until, '--until')
  const report = options.report === undefined ? undefined : createWriteStream(options.report, { mode: 0o600 })
  // Row-level security hides no rows from the owner of the tables.
  const pool = createPool(tools.config.ownerDatabaseUrl)
  try {
    const check: Check = {
      pool,
      catalogue: await readCurrencies(pool),
      findEnvironment: cacheEnvironments(tools),
      until,
      report,
      counts: { present: 0, missing: 0, different: 0, later: 0, lost: 0 },
      shown: [],
    }
    let batch: ListedReference[] = []
    for await (const listed of readAcknowledged(file, { merchant: options.merchant, mode: modeOf(options) })) {
      if (batch.push(listed) < batchSize) continue
      await compareBatch(check, batch)
      batch = []
    }
    await compareBatch(check, batch)
    printResult(check)
  } finally {
    if (report !== undefined) await once(report.end(), 'close')
    await pool.end()
  }
}

/** A restore can undo the creation of a merchant, so an unknown one is no error. */
function cacheEnvironments({ pool }: Tools): Check['findEnvironment'] {
  const known = new Map<string, string | undefined>()
  return async ({ merchant, mode }) => {
    const name = `${mode} ${merchant}`
    if (!known.has(name)) known.set(name, await findEnvironment(pool, merchant, mode))
    return known.get(name)
  }
}

async function compareBatch(check: Check, batch: readonly ListedReference[]): Promise<void> {
  const { pool, catalogue, findEnvironment, until, report, counts, shown } = check
  const entries: (ListedReference & { environmentId: string | undefined })[] = []
  for (const listed of batch) entries.push({ ...listed, environmentId: await findEnvironment(listed) })
  for (const { entry, verdict } of await compareReferences(pool, catalogue, entries, until)) {
    counts[verdict]++
    if (verdict === 'present') continue
    // Without the id of the environment, which JSON leaves out if it is undefined.
    const text = JSON.stringify({ result: verdict, ...entry, environmentId: undefined })
    if (report?.write(`${text}\n`) === false) await once(report, 'drain')
    if (counts[verdict] <= shownMax) shown.push(describe(entry, verdict))
  }
  const total = totalOf(counts)
  if (total % progressEvery === 0 && total > 0) console.error(`${total} references compared`)
}

function describe(
  { line, merchant, mode, reference, amount, currency, ...times }: ListedReference,
  verdict: Verdict,
): string {
  const money = amount === undefined ? '' : ` ${amount} ${currency ?? ''}`.trimEnd()
  const at = times.acknowledgedAt === undefined ? '' : ` acknowledged ${times.acknowledgedAt.toISOString()}`
  return `${verdict} ${merchant} ${mode} ${reference}${money}${at} (line ${line})`
}

function printResult({ counts, shown, until }: Check): void {
  for (const line of shown) print(line)
  for (const [verdict, explanation] of Object.entries(explanations) as [keyof typeof explanations, string][])
    if (counts[verdict] > 0) print(`${counts[verdict]} ${verdict}: ${explanation}`)
  const { present, missing, different, later, lost } = counts
  print(
    `restore-check compared=${totalOf(counts)} present=${present} missing=${missing} different=${different} ` +
      `later=${later} lost=${lost}${until === undefined ? '' : ` until=${until.toISOString()}`}`,
  )
  if (missing + different + later > 0) process.exitCode = 1
  else if (totalOf(counts) === 0) throw new Error('The file has no references, so nothing was compared.')
}

function totalOf(counts: Record<Verdict, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
