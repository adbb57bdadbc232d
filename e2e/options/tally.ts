// What the player won or lost, read from the ledger: what exchange desks paid out less what they took in.
import type { Pool } from '../../server/src/base/db.ts'
import { hasCode, ScripError } from '../../server/src/base/errors.ts'
import { centsUp, type Code, type Market, type Value, valueOf } from './market.ts'

const kinds = ['exchange', 'redemption', 'payment', 'deposit'] as const
export type Kind = (typeof kinds)[number]

type Act = { readonly what: string; readonly at: Date; readonly moved: string; readonly gain: Value }

/** One try to win: a price that was promised, its use, and the refunds of that use. */
export type Trip = { readonly kind: Kind; readonly acts: Act[] }

/** What the platform may answer to a player who tries to win. Anything else is a fault of the drill or of the platform. */
const refusals = [
  'WALLET_RATE_MOVED',
  'WALLET_QUOTE_STALE',
  'QUOTE_STALE',
  'EXCHANGE_LIMIT_REACHED',
  'EXCHANGE_DAILY_LIMIT',
  'REFUND_BALANCE_TOO_LOW',
]

const attemptsMax = 5

/** A machine that does other work too may let a lock time out. Every use case is safe to retry. */
function isTransient(error: unknown): boolean {
  return hasCode(error, '55P03') || (error instanceof ScripError && error.kind === 'unavailable')
}

export type Tally = ReturnType<typeof createTally>

export function createTally(actsMax: number) {
  const trips: Trip[] = []
  const refused = new Map<string, number>()
  let waiting: { trip: Trip; what: string; journalId: string }[] = []
  let acts = 0

  const noteRefusal = (code: string): unknown => refused.set(code, (refused.get(code) ?? 0) + 1)
  const isOver = (): boolean => acts >= actsMax
  /** Those of a kind, or all, in which the platform kept a price at least once. */
  const played = (kind?: Kind): Trip[] =>
    trips.filter((trip) => trip.acts.length > 0 && (kind === undefined || trip.kind === kind))

  return {
    isOver,
    acts: (): number => acts,
    refused: (): string => [...refused].map(([code, count]) => `${code} ${count}`).join(', '),

    openTrip: (kind: Kind): Trip => {
      const trip: Trip = { kind, acts: [] }
      trips.push(trip)
      return trip
    },

    /** Counts an attempt to use a price. Returns what was done, or nothing if the platform refused it. */
    async attempt<T>(
      trip: Trip,
      what: string,
      work: () => Promise<T>,
      journalOf: (done: T) => string,
    ): Promise<T | undefined> {
      if (isOver()) return undefined
      acts++
      const done = await this.ask(work)
      if (done !== undefined) waiting.push({ trip, what, journalId: journalOf(done) })
      return done
    },

    /** The same for what uses no price yet, such as asking for a quote. */
    async ask<T>(work: () => Promise<T>): Promise<T | undefined> {
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
    },

    /** Counts a use of a price that was measured elsewhere, or refused. */
    noteAct(trip: Trip, act: Act | 'REPRICED'): void {
      if (isOver()) return
      acts++
      if (act === 'REPRICED') noteRefusal(act)
      else trip.acts.push(act)
    },

    /** Values what was done at this tick at the market of this tick. */
    async measure(pool: Pool, market: Market): Promise<void> {
      const done = waiting
      waiting = []
      if (done.length === 0) return
      const moves = await readMoves(
        pool,
        done.map(({ journalId }) => journalId),
      )
      for (const { trip, what, journalId } of done) {
        const legs = moves.get(journalId)
        if (legs === undefined) throw new Error(`No desk took part in what was ${what}: the drill cannot value it.`)
        const gain = legs.reduce((sum, { code, amount }) => sum + valueOf(amount, code, market), 0n)
        const moved = legs.map(({ code, amount }) => `${amount} ${code}`).join(' for ')
        trip.acts.push({ what, at: market.at, moved, gain })
      }
    },

    /** Each kind apart: a kind that loses must not hide one that wins. */
    gains: (): ReadonlyMap<Kind, Value> =>
      new Map(kinds.map((kind) => [kind, played(kind).reduce((sum, trip) => sum + gainOf(trip), 0n)])),
    countWins: (kind?: Kind): number => played(kind).filter((trip) => gainOf(trip) > 0n).length,
    /** The trip that gained most, or lost least. */
    best: (kind?: Kind): Trip | undefined => {
      const [first, ...rest] = played(kind)
      return first && rest.reduce((best, trip) => (gainOf(trip) > gainOf(best) ? trip : best), first)
    },
  }
}

export function gainOf({ acts }: Trip): Value {
  return acts.reduce((sum, { gain }) => sum + gain, 0n)
}

/** For the report: what was done when, and what it brought. */
export function describeTrip({ kind, acts }: Trip): string {
  const lines = acts.map(
    ({ what, at, moved, gain }) => `${what} at ${at.toISOString()} moved ${moved}: ${centsUp(gain)} cents`,
  )
  return `${kind}: ${lines.join('; ')}`
}

type Leg = { readonly code: Code; readonly amount: bigint }

/** What the desks paid out in each journal, by currency; below zero where they took in. */
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
