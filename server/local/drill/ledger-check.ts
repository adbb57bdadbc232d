// Compares the ledger with the posters' own logs, and with the model run in the order of commit.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { systemClock } from '../../src/base/clock.ts'
import type { Pool } from '../../src/base/db.ts'
import { withEnvironment } from '../../src/base/environment.ts'
import { nameOf, type AccountKind } from '../../src/ledger/account.ts'
import { digest } from '../../src/ledger/journal.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { createLoad, initialAccounts, loadId, type LoadWorld } from './ledger-load.ts'
import { createModel, forgetDeadHolds, heldAt, modelPost } from './ledger-model.ts'
import type { LoggedResult } from './ledger-poster.ts'

export type LedgerReport = {
  journals: number
  answers: number
  /** Acknowledged as posted, but not stored. */
  lost: number
  /** Keys with more than one effect. */
  doubled: number
  /** How often each outcome occurred. */
  outcomes: Record<string, number>
  /** Everything else that is wrong, in words. */
  faults: string[]
}

export async function readResults(logFiles: string[], onResult: (logged: LoggedResult) => void): Promise<void> {
  for (const file of logFiles)
    for await (const line of createInterface({ input: createReadStream(file) })) {
      // The last line of a killed process may be incomplete: that result was not logged.
      if (line.endsWith('}')) onResult(JSON.parse(line) as LoggedResult)
    }
}

type Row = { id: string; key_hash: string; alternative: number; posted_at: Date; payload: Payload; seq: bigint }
type Payload = { poster: number; index: number; isChanged: boolean; expiresAt: string | null }

export async function checkLedger(pool: Pool, world: LoadWorld, logFiles: string[]): Promise<LedgerReport> {
  const report: LedgerReport = {
    journals: 0,
    answers: 0,
    lost: 0,
    doubled: 0,
    outcomes: {},
    faults: await verifyLedger(pool),
  }
  const fault = (text: string): unknown => report.faults.length < 50 && report.faults.push(text)
  const stored = new Map<string, { id: string; alternative: number; isChanged: boolean }>()
  const storedIds = new Set<string>()
  const load = createLoad(world)
  const model = createModel(initialAccounts(world))

  for await (const row of inOrderOfCommit(pool)) {
    const { poster, index, isChanged, expiresAt } = row.payload
    report.journals++
    if (stored.has(`load/${poster}/${index}`)) report.doubled++
    stored.set(`load/${poster}/${index}`, { id: row.id, alternative: row.alternative, isChanged })
    storedIds.add(row.id)
    if (row.key_hash.replaceAll('-', '') !== digest(`load/${poster}/${index}`))
      fault(`journal ${row.id} has another journal's key`)
    const { postings } = load.askOf(poster, index, isChanged, row.posted_at)
    const [hold] = postings[0].holds ?? []
    if (hold?.act === 'reserve') Object.assign(hold, { expiresAt: new Date(expiresAt ?? 0) })
    const expected = postings.findIndex((posting) => modelPost(model, posting, row.posted_at))
    if (expected !== row.alternative)
      fault(`journal ${row.id} (${poster}/${index}) posted alternative ${row.alternative}, the model says ${expected}`)
    if (report.journals % 1_000 === 0) forgetDeadHolds(model, row.posted_at)
  }

  await readResults(logFiles, (logged) => {
    report.answers++
    const outcome = logged.isReplayed === true ? 'repeat' : String(logged.result)
    report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + 1
    const found = stored.get(logged.key)
    if (typeof logged.result === 'number') {
      if (found === undefined || found.id !== logged.journalId) report.lost++
      else if (found.alternative !== logged.result || found.isChanged !== logged.isChanged)
        fault(`${logged.key}: the logged result differs from what is stored`)
      if (logged.isReplayed !== (logged.journalId !== logged.attemptId))
        fault(`${logged.key}: wrongly reported as a retry`)
    } else if (logged.result === 'LEDGER_KEY_CONFLICT') {
      if (found === undefined || found.isChanged === logged.isChanged)
        fault(`${logged.key}: reported a conflict without reason`)
    } else if (/^LEDGER_(INSUFFICIENT|DESK_LIMIT|HOLD_\w+)$/.test(logged.result)) {
      if (storedIds.has(logged.attemptId)) fault(`${logged.key}: reported as refused (${logged.result}), but stored`)
    } else if (!/^(OUTCOME_UNKNOWN|LEDGER_UNAVAILABLE|LEDGER_BUSY)$/.test(logged.result))
      fault(`${logged.key}: failed with ${logged.result}`)
    if (/^LEDGER_(UNAVAILABLE|BUSY)$/.test(String(logged.result)) && storedIds.has(logged.attemptId))
      fault(`${logged.key}: reported as not posted, but stored`)
  })

  await compareBalances(pool, model, fault)
  return report
}

// The outbox numbers its rows while the journal's accounts are locked: of two journals that share an account, the one that
// committed first has the lower number.
async function* inOrderOfCommit(pool: Pool): AsyncGenerator<Row> {
  for (let after = 0n; ; ) {
    const { rows } = await withEnvironment(pool, loadId, (tx) =>
      tx.query<Row>(
        `select o.id as seq, o.payload, j.id, j.key_hash, j.alternative, j.posted_at
        from ledger_outbox o join ledger_journals j on j.id = o.journal_id
        where o.type = 'load.posted' and o.id > $1 order by o.id limit 5000`,
        [after],
      ),
    )
    yield* rows
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}

type Balance = { book_id: number; owner_id: string; kind: AccountKind; balance: bigint; held: bigint }

async function compareBalances(
  pool: Pool,
  model: ReturnType<typeof createModel>,
  fault: (text: string) => unknown,
): Promise<void> {
  const now = systemClock()
  const { rows } = await pool.query<Balance>('select book_id, owner_id, kind, balance, held from ledger_accounts')
  if (rows.length !== model.balances.size) fault(`${rows.length} accounts, the model has ${model.balances.size}`)
  for (const { book_id: bookId, owner_id: ownerId, kind, balance, held } of rows) {
    const name = nameOf({ bookId, ownerId, kind })
    if (balance !== model.balances.get(name))
      fault(`${name} has ${balance}, the model says ${model.balances.get(name)}`)
    if (held !== heldAt(model, name, now)) fault(`${name} holds ${held}, the model says ${heldAt(model, name, now)}`)
  }
}
