// What the player won or lost according to the ledger: what the exchange desks paid out, less what they took in.
import type { Pool } from '../../server/src/base/db.ts'
import { hasCode, ScripError } from '../../server/src/base/errors.ts'
import { centsUp, type Code, type Market, type Value, valueOf } from './market.ts'

const kinds = ['exchange', 'redemption', 'payment', 'deposit'] as const
type Kind = (typeof kinds)[number]

type Act = { readonly what: string; readonly at: Date; readonly moved: string; readonly gain: Value }

/** One attempt to win: a promised price, its use, and the refunds of that use. */
export type Trip = { readonly kind: Kind; readonly acts: Act[] }

/** The platform may refuse a player who tries to win with these. Any other error is a fault of the drill or the platform. */
const refusals = [
  'WALLET_RATE_MOVED',
  'WALLET_QUOTE_STALE',
  'QUOTE_STALE',
  'EXCHANGE_LIMIT_REACHED',
  'EXCHANGE_DAILY_LIMIT',
  'REFUND_BALANCE_TOO_LOW',
]

const attemptsMax = 5

/** On a busy machine a lock may time out. Every use case is safe to retry. */
function isTransient(error: unknown): boolean {
  return hasCode(error, '55P03') || (error instanceof ScripError && error.kind === 'unavailable')
}

export type Tally = {
  readonly isOver: () => boolean
  readonly acts: () => number
  /** How often each refusal occurred, for the report. */
  readonly refused: () => string
  readonly openTrip: (kind: Kind) => Trip
  /** Counts an attempt to use a price. Returns its result, or undefined if the platform refused it. */
  readonly attempt: <T>(
    trip: Trip,
    what: string,
    work: () => Promise<T>,
    journalOf: (done: T) => string,
  ) => Promise<T | undefined>
  /** The same for a request that uses no price yet, such as getting a quote. */
  readonly ask: <T>(work: () => Promise<T>) => Promise<T | undefined>
  /** Counts a use of a price that was measured elsewhere, or refused. */
  readonly noteAct: (trip: Trip, act: Act | 'REPRICED') => void
  /** Values the attempts of this tick at the market of this tick. */
  readonly measure: (pool: Pool, market: Market) => Promise<void>
  /** Each kind separately: a kind that loses must not hide one that wins. */
  readonly gains: () => ReadonlyMap<Kind, Value>
  readonly countWins: (kind?: Kind) => number
  /** The trip that gained most, or lost least. */
  readonly best: (kind?: Kind) => Trip | undefined
}

type Attempt = { readonly trip: Trip; readonly what: string; readonly journalId: string }

export function createTally(actsMax: number): Tally {
  const trips: Trip[] = []
  const refused = new Map<string, number>()
  let unmeasured: Attempt[] = []
  let acts = 0

  const noteRefusal = (code: string): unknown => refused.set(code, (refused.get(code) ?? 0) + 1)
  const isOver = (): boolean => acts >= actsMax
  const ask = <T>(work: () => Promise<T>): Promise<T | undefined> => runOrRefuse(work, noteRefusal)

  return {
    isOver,
    ask,
    acts: () => acts,
    refused: () => [...refused].map(([code, count]) => `${code} ${count}`).join(', '),
    openTrip: (kind) => {
      const trip: Trip = { kind, acts: [] }
      trips.push(trip)
      return trip
    },
    attempt: async (trip, what, work, journalOf) => {
      if (isOver()) return undefined
      acts++
      const done = await ask(work)
      if (done !== undefined) unmeasured.push({ trip, what, journalId: journalOf(done) })
      return done
    },
    noteAct: (trip, act) => {
      if (isOver()) return
      acts++
      if (act === 'REPRICED') noteRefusal(act)
      else trip.acts.push(act)
    },
    measure: async (pool, market) => {
      const attempts = unmeasured
      unmeasured = []
      await measureAttempts(pool, market, attempts)
    },
    gains: () => new Map(kinds.map((kind) => [kind, sumGains(playedOf(trips, kind))])),
    countWins: (kind) => playedOf(trips, kind).filter((trip) => gainOf(trip) > 0n).length,
    best: (kind) => {
      const [first, ...rest] = playedOf(trips, kind)
      return first && rest.reduce((best, trip) => (gainOf(trip) > gainOf(best) ? trip : best), first)
    },
  }
}

/** Retries transient errors. Returns undefined if the platform refuses. */
async function runOrRefuse<T>(work: () => Promise<T>, noteRefusal: (code: string) => unknown): Promise<T | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (isTransient(error) && attempt < attemptsMax) continue
      if (!(error instanceof ScripError) || !refusals.includes(error.code)) throw error
      noteRefusal(error.code)
      return undefined
    }
  }
}

async function measureAttempts(pool: Pool, market: Market, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return
  const moves = await readMoves(
    pool,
    attempts.map(({ journalId }) => journalId),
  )
  for (const { trip, what, journalId } of attempts) {
    const legs = moves.get(journalId)
    if (legs === undefined) throw new Error(`No desk took part in an act (${what}): the drill cannot value it.`)
    const gain = legs.reduce((sum, { code, amount }) => sum + valueOf(amount, code, market), 0n)
    const moved = legs.map(({ code, amount }) => `${amount} ${code}`).join(' for ')
    trip.acts.push({ what, at: market.at, moved, gain })
  }
}

/** The trips of a kind, or all, in which the platform accepted a price at least once. */
function playedOf(trips: readonly Trip[], kind?: Kind): Trip[] {
  return trips.filter((trip) => trip.acts.length > 0 && (kind === undefined || trip.kind === kind))
}

function sumGains(trips: readonly Trip[]): Value {
  return trips.reduce((sum, trip) => sum + gainOf(trip), 0n)
}

export function gainOf({ acts }: Trip): Value {
  return acts.reduce((sum, { gain }) => sum + gain, 0n)
}

/** For the report: each act with its time and its gain. */
export function describeTrip({ kind, acts }: Trip): string {
  const lines = acts.map(
    ({ what, at, moved, gain }) => `${what} at ${at.toISOString()} moved ${moved}: ${centsUp(gain)} cents`,
  )
  return `${kind}: ${lines.join('; ')}`
}

type Leg = { readonly code: Code; readonly amount: bigint }

/** What the desks paid out in each journal, by currency. Negative if they took in. */
async function readMoves(pool: Pool, journalIds: readonly string[]): Promise<Map<string, Leg[]>> {
  const { rows } = await pool.query<Leg & { journalId: string }>(
    `select t.journal_id as "journalId", b.currency as code,
        sum(case when t.from_kind = 'exchange' then t.amount else -t.amount end) as amount
      from ledger_transfers t join ledger_books b on b.id = t.book_id
      where t.journal_id = any($1::uuid[]) and 'exchange' in (t.from_kind, t.to_kind)
      group by t.journal_id, b.currency`,
    [journalIds],
  )
  return Map.groupBy(rows, ({ journalId }) => journalId)
}
