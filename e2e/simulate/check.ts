// What must be true after a schedule: nothing lost, nothing doubled, everyone answered.
import { type Account, mayGoNegative, nameOf } from '../../server/src/ledger/account.ts'
import { digest } from '../../server/src/ledger/journal.ts'
import { type Call, firstAccounts } from './calls.ts'
import { isInTheWay, type Schedule } from './schedule.ts'
import type { Tables } from './tables.ts'

// Twelve seconds of patience, the timeout of the attempt that is under way, and a reconnection.
const answerMs = 30_000
const undisturbedMs = 3_000
// Only an attempt tells that a new account waits for another program, so a batch with several of them takes several attempts.
const besideNewMs = 8_000
const statementsMax = 20_000

export function keyHashOf({ journal }: Call): string {
  return digest(journal.key)
}

/** The first fault, or undefined. */
export function findFault(schedule: Schedule): string | undefined {
  const { calls, server, isClosed } = schedule
  const silent = calls.find(({ settledMs }) => settledMs === undefined)
  if (silent !== undefined) return `a caller was never answered: ${silent.journal.key}`
  if (!isClosed) return 'the ledger cannot be closed'
  if (server.countOpen() > 0) return `${server.countOpen()} connections were left open`
  if (server.locks.countHeld() > 0) return `${server.locks.countHeld()} locks were left`
  if (server.locks.countCircles() > 0) return 'transactions waited for each other in a circle'
  if (server.countStatements() > statementsMax) return `it sent ${server.countStatements()} statements`
  for (const call of calls) {
    const fault = findCallFault(call, schedule)
    if (fault !== undefined) return `${call.journal.id} ${fault}`
  }
  return findBookFault(server.tables, calls)
}

function findCallFault(call: Call, { server, mix, troubles }: Schedule): string | undefined {
  const { journal, posted, error, atMs, settledMs = 0, isPoison } = call
  const row = server.tables.journals.get(keyHashOf(call))
  if (settledMs - atMs > answerMs) return `was answered after ${settledMs - atMs} ms`
  if (posted !== undefined && error !== undefined) return error.message
  if (posted !== undefined && row === undefined) return 'was acknowledged and is lost'
  if (posted !== undefined && posted.journalId !== row?.id) return 'was acknowledged as another journal'
  if (posted !== undefined && posted.replayed !== (row?.id !== journal.id)) return 'says wrongly whether it is a replay'
  if (posted !== undefined && row?.fingerprint !== digest(journal.requestFingerprint))
    return 'was acknowledged as a different request with the same key'
  if (posted !== undefined && posted.alternative !== row?.alternative) return 'names an alternative that was not posted'
  if (row?.id === journal.id && call.mustPost && row.alternative !== 0)
    return 'took an alternative although the first fits'
  if (error?.code === 'LEDGER_KEY_CONFLICT' && row?.fingerprint === digest(journal.requestFingerprint))
    return 'was refused as a conflict with itself'
  if (posted !== undefined && isPoison) return 'was posted without its document'
  if (error !== undefined && error.code !== 'OUTCOME_UNKNOWN' && row?.id === journal.id)
    return `was refused with ${error.code ?? error.message} and is posted`
  const isDelayed = isInTheWay(call, troubles) || mix === 'hangs' || mix === 'all'
  if (call.mustPost && posted === undefined && !isDelayed) return `failed with ${error?.code ?? error?.message ?? ''}`
  const waitMax = troubles.foreignLocks.some(({ isNew }) => isNew) ? besideNewMs : undisturbedMs
  if (mix === 'foreign locks' && !isDelayed && settledMs - atMs > waitMax)
    return `waited ${settledMs - atMs} ms for the lock of an account that it does not touch`
  return undefined
}

/** Compares the books with the journals that are committed. */
function findBookFault(tables: Tables, calls: readonly Call[]): string | undefined {
  const byId = new Map(calls.map((call) => [call.journal.id, call]))
  const balances = new Map(firstAccounts.map(([account, balance]) => [nameOf(account), balance]))
  const add = (account: Account, amount: bigint): unknown =>
    balances.set(nameOf(account), (balances.get(nameOf(account)) ?? 0n) + amount)
  let documents = 0
  for (const { id, alternative } of tables.journals.values()) {
    const posting = byId.get(id)?.journal.alternatives[alternative]
    if (posting === undefined) return `journal ${id} was never sent`
    const written = tables.transfers.filter(({ journalId }) => journalId === id).length
    if (written !== posting.transfers.length) return `journal ${id} has ${written} transfers`
    documents += posting.documents?.length ?? 0
    for (const { from, to, amount } of posting.transfers) {
      add(from, -amount)
      add(to, amount)
    }
  }
  const stored = tables.documents.reduce((sum, { count }) => sum + count, 0)
  if (stored !== documents) return `${stored} documents are stored, the journals have ${documents}`
  for (const { account, balance, held } of tables.accounts.values()) {
    const expected = balances.get(nameOf(account)) ?? 0n
    if (balance !== expected) return `account ${nameOf(account)} has ${balance}, its journals say ${expected}`
    if (!mayGoNegative(account.kind) && balance < held) return `account ${nameOf(account)} is overdrawn`
    const reserved = [...tables.holds.values()].filter((hold) => nameOf(hold.account) === nameOf(account))
    const sum = reserved.reduce((total, { remaining }) => total + remaining, 0n)
    if (held !== sum) return `account ${nameOf(account)} holds ${held}, its holds sum to ${sum}`
  }
  return undefined
}
