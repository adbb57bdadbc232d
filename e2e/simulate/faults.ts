// What goes wrong in a schedule, and when. A fault strikes the nth statement of its kind, so that a seed repeats it exactly.
import { oneOf } from '../../server/local/parts/seeded-random.ts'

export type StatementKind = 'lock' | 'read' | 'write' | 'commit' | 'rollback' | 'begin'

type FaultKind =
  /** The connection breaks before PostgreSQL gets the statement. */
  | 'lost request'
  /** The connection breaks after PostgreSQL has run the statement. */
  | 'lost response'
  | 'deadlock'
  | 'serialisation failure'
  /** PostgreSQL takes its time, but responds. */
  | 'slow'
  /** No response within the timeout. PostgreSQL runs the statement later. */
  | 'hang'
  /** COMMIT succeeds with the warning that no standby has confirmed it. */
  | 'unconfirmed commit'

export type Fault = { readonly kind: FaultKind; readonly on: StatementKind; readonly nth: number; readonly ms: number }

/** A time in which the server is down, or accepts no writes because it is a standby now. */
export type Outage = { readonly kind: 'down' | 'read only'; readonly fromMs: number; readonly toMs: number }

/** An account or a name that another program keeps locked. */
type ForeignLock = {
  readonly account: number
  readonly isNew: boolean
  readonly fromMs: number
  readonly toMs: number
}

export type Troubles = {
  readonly faults: readonly Fault[]
  readonly outages: readonly Outage[]
  readonly foreignLocks: readonly ForeignLock[]
}

const onWhat: Readonly<Record<FaultKind, readonly StatementKind[]>> = {
  'lost request': ['begin', 'lock', 'read', 'write', 'commit', 'commit', 'rollback'],
  'lost response': ['lock', 'write', 'commit', 'commit', 'commit', 'rollback'],
  deadlock: ['lock', 'write'],
  'serialisation failure': ['commit', 'write'],
  slow: ['lock', 'read', 'write', 'commit'],
  hang: ['lock', 'write', 'commit', 'commit'],
  'unconfirmed commit': ['commit'],
}
const quickKinds: readonly FaultKind[] = [
  'lost request',
  'lost response',
  'deadlock',
  'serialisation failure',
  'slow',
  'unconfirmed commit',
]

export type TroubleMix = 'none' | 'faults' | 'outages' | 'hangs' | 'foreign locks' | 'all'

/** Chooses the troubles of a schedule. At most four faults: more than five in a row may exhaust the attempts of a batch. */
export function chooseTroubles(random: () => number, mix: TroubleMix): Troubles {
  const upTo = (max: number): number => Math.floor(random() * (max + 1))
  const kinds = mix === 'hangs' ? (['hang', ...quickKinds] as const) : quickKinds
  const faults = Array.from({ length: mix === 'none' || mix === 'foreign locks' ? 0 : 1 + upTo(3) }, (): Fault => {
    const kind = oneOf(random, kinds)
    const ms = kind === 'hang' ? 5_100 + upTo(6_000) : 20 + upTo(600)
    return { kind, on: oneOf(random, onWhat[kind]), nth: 1 + upTo(10), ms }
  })
  const outages = Array.from({ length: mix === 'outages' || mix === 'all' ? 1 + upTo(2) : 0 }, (): Outage => {
    const fromMs = upTo(2_000)
    return { kind: oneOf(random, ['down', 'down', 'read only']), fromMs, toMs: fromMs + 50 + upTo(2_000) }
  })
  const foreignLocks = Array.from({ length: mix === 'foreign locks' || mix === 'all' ? 1 + upTo(1) : 0 }, () => {
    const fromMs = upTo(500)
    const lasts = random() < 0.2 ? 40_000 : 100 + upTo(6_000)
    return { account: upTo(5), isNew: random() < 0.3, fromMs, toMs: fromMs + lasts }
  })
  return { faults, outages, foreignLocks }
}

/** Says for each statement which fault strikes it, if any. */
export function createStriker(faults: readonly Fault[]): (kind: StatementKind) => Fault | undefined {
  const seen = new Map<StatementKind, number>()
  return (kind) => {
    const count = (seen.get(kind) ?? 0) + 1
    seen.set(kind, count)
    return faults.find((fault) => fault.on === kind && fault.nth === count)
  }
}
