// Runs the steps of migrations beside servers that are at work.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import { commit, type Connection, rollBack } from './db.ts'
import { hasCode } from './errors.ts'
import type { Step } from './migration-file.ts'

export type StepTools = {
  readonly client: Connection
  readonly clock: Clock
  /** Receives a line for every attempt and for the progress of batches. */
  readonly report: (line: string) => void
}

// A statement that waits for an exclusive lock makes all later statements on the table wait behind it.
const lockTimeoutMs = 200
// Long enough for the statements that were held up to run.
const pauseMs = 500
// A report, a backup or a forgotten session may keep its locks for minutes.
const patienceMs = 15 * 60_000
const reportMs = 5_000

/** Runs `work` in a transaction. Gives up a lock that it does not get at once, and tries again. */
export async function runInTransaction(
  { client, clock, report }: StepTools,
  title: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const startMs = performance.now()
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
      // SQL reads no clock: a step that needs the time reads this setting.
      await client.query(`select set_config('scrip.now', $1, true)`, [clock().toISOString()])
      await work()
      if ((await commit(client)) === 'rolled_back') throw new Error('PostgreSQL rolled back without an error.')
      return
    } catch (error) {
      await rollBack(client)
      const isLockTaken = hasCode(error, '55P03', '40P01')
      if (!isLockTaken || performance.now() - startMs > patienceMs) throw error
      if (attempt === 1 || attempt % 10 === 0)
        report(`${title}: waits for a lock${await describeOthers(client, clock)}`)
      await sleep(pauseMs)
    }
  }
}

/** Other sessions whose transactions are open for longer than a request takes. */
async function describeOthers(client: Connection, clock: Clock): Promise<string> {
  const { rows } = await client.query<{ text: string }>(
    `select format('%s (pid %s)', coalesce(nullif(application_name, ''), usename), pid) as text from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start < $1 order by xact_start limit 3`,
    [new Date(clock().getTime() - 1_000)],
  )
  return rows.length === 0 ? '' : `, probably of ${rows.map(({ text }) => text).join(', ')}`
}

/** Runs one statement outside a transaction. An index that an earlier attempt left invalid is dropped first. */
export async function runConcurrently({ client }: StepTools, { sql }: Step): Promise<void> {
  const index = /\bcreate\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)/i.exec(sql)?.[1]
  if (index !== undefined) {
    const { rowCount } = await client.query(
      'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
      [index],
    )
    if (rowCount === 1) await client.query(`drop index concurrently ${index}`)
  }
  await client.query(sql)
}

// A batch finds its rows by an index and reads them in its order, or each batch would read the whole table. Sorting is the plan for a
// divided table whose first column has one value, such as the environment of the only shop: PostgreSQL expects no row after it.
const planByIndex = ['seqscan', 'hashjoin', 'mergejoin', 'sort'].map((way) => `set local enable_${way} = off`).join(';')

type Batches = {
  /** Where an interrupted run continues. */
  readonly cursor: string
  /** Stores the cursor in the transaction of its batch. */
  readonly keep: (cursor: string) => Promise<unknown>
}

/** Runs a statement until it returns no cursor. Rests half as long as each batch took, so that servers get their share. */
export async function runBatches(tools: StepTools, step: Step, { cursor: start, keep }: Batches): Promise<void> {
  const { client, report } = tools
  const state: { cursor: string | null } = { cursor: start }
  let reportedMs = performance.now()
  while (state.cursor !== null) {
    const startMs = performance.now()
    const from = state.cursor
    await runInTransaction(tools, step.title, async () => {
      await client.query(planByIndex)
      const { rows } = await client.query<(string | null)[]>({ text: step.sql, values: [from], rowMode: 'array' })
      state.cursor = rows[0]?.[0] ?? null
      if (state.cursor !== null) await keep(state.cursor)
    })
    if (performance.now() - reportedMs > reportMs) {
      report(`${step.title}: done up to ${from}`)
      reportedMs = performance.now()
    }
    await sleep((performance.now() - startMs) / 2)
  }
}
