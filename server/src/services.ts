import type { Agent } from 'undici'
import { type Clock, systemClock } from './base/clock.ts'
import { createPool, type Pool } from './base/db.ts'
import { countWaits } from './base/pool-waits.ts'
import { nameConnections } from './base/hosts.ts'
import { createIds, type NewId } from './base/id.ts'
import { createLeases, type Leases } from './base/lease.ts'
import type { Log } from './base/log.ts'
import { systemRandom } from './base/random.ts'
import type { Config } from './config.ts'
import { createGuardedAgent } from './messaging/event/guarded-agent.ts'
import { createLive, findChangedObjects, type Live } from './messaging/event/live.ts'
import { createRevocations, type EndWithCredential } from './messaging/event/revocation.ts'
import type { Limits } from './http/limit.ts'
import { openLimits } from './http/shared-limits.ts'
import type { Demo } from './http/site.ts'
import { type Ledger, type LedgerOptions, openLedger } from './ledger/post.ts'
import { createPrinter, type Printer } from './print/printer.ts'
import { createKeyRing, type KeyRing } from './vouchers/code/key-ring.ts'
import { findChangedUsers } from './payments/wallet/live.ts'
import { createRequestLog, type RequestLog } from './reporting/request-log/buffer.ts'
import type { CountedPool } from './reporting/metrics/process.ts'
import { writeEntries } from './reporting/request-log/store.ts'

// A database that does not respond for this long counts as unavailable.
const responseTimeoutMs = 10_000
// A frozen database gets at most one connection of the health check in this time.
const healthTimeoutMs = 3_000
// Longer than a statement may take there.
const metricsTimeoutMs = 3_000

/** What a process does: serve requests, run jobs, or both. */
export type ProcessKind = 'api' | 'worker' | 'all'

/** Settings for tests and benchmarks. */
export type Tuning = Pick<LedgerOptions, 'lanes' | 'batchMax' | 'isCareful'> & {
  /** How long currencies and fee rules are cached. */
  readonly settingsMs?: number
  readonly clock?: Clock
  /** For the pages of `npm run dev`. */
  readonly demo?: Demo
  /** Names the connections of this process in pg_stat_activity. */
  readonly kind?: ProcessKind
}

/** The connections and long-lived objects of a process. */
export type Services = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly newId: NewId
  readonly pool: Pool
  /** For pages that need no account, so that a burst of visitors does not delay payments. */
  readonly visitorPool: Pool
  readonly chainPool: Pool
  /** One connection, so that a busy process is ready. */
  readonly healthPool: Pool
  readonly ledger: Ledger
  readonly keyRing: KeyRing
  readonly agent: Agent
  readonly leases: Leases
  readonly live: Live
  readonly liveUsers: Live
  readonly endWithCredential: EndWithCredential
  readonly limits: Limits
  readonly printer: Printer
  readonly requestLog: RequestLog
  /** One connection, so that writing the log never takes one from a payment. */
  readonly requestLogPool: Pool
  /** One connection without a limit on responses, for the check of the ledger. */
  readonly checkPool: Pool
  /** One connection, so that reading metrics never takes one from a payment. */
  readonly metricsPool: Pool
  readonly countedPools: readonly CountedPool[]
}

export async function openServices(
  config: Config,
  log: Log,
  { clock = systemClock, lanes, batchMax, isCareful = false, kind = 'all' }: Tuning,
): Promise<Services> {
  const urlFor = (use: string): string => nameConnections(config.databaseUrl, `${kind} ${use}`)
  const pool = createPool(nameConnections(config.databaseUrl, kind), 10, responseTimeoutMs)
  const visitorPool = createPool(urlFor('visitors'), 3, responseTimeoutMs)
  const healthPool = createPool(urlFor('health'), 1, healthTimeoutMs)
  const requestLogPool = createPool(urlFor('requests'), 1, responseTimeoutMs)
  const chainUrl = nameConnections(config.chainDatabaseUrl, `${kind} chain`)
  const chainPool = createPool(chainUrl, 4, responseTimeoutMs)
  const metricsPool = createPool(urlFor('metrics'), 1, metricsTimeoutMs)
  const pools = { main: pool, visitors: visitorPool, chain: chainPool, requests: requestLogPool, metrics: metricsPool }
  const newId = createIds(clock, systemRandom)
  const ledgerOptions = {
    isCareful,
    ...(lanes !== undefined && { lanes }),
    ...(batchMax !== undefined && { batchMax }),
  }
  return {
    config,
    log,
    clock,
    newId,
    pool,
    visitorPool,
    chainPool,
    healthPool,
    ledger: openLedger({ url: urlFor('ledger'), clock, newId, ...ledgerOptions }),
    keyRing: createKeyRing(config.keyRing),
    agent: createGuardedAgent(config.webhookNetworks),
    leases: createLeases(urlFor('leases')),
    live: createLive(() => findChangedObjects(pool), log),
    liveUsers: createLive(() => findChangedUsers(pool, clock), log),
    endWithCredential: createRevocations(pool, clock, log),
    limits: await openLimits({ clock, log, redisUrl: config.redisUrl }),
    printer: createPrinter(),
    requestLog: createRequestLog({ write: (entries) => writeEntries(requestLogPool, entries), log }),
    requestLogPool,
    checkPool: createPool(urlFor('ledger checks'), 1),
    metricsPool,
    countedPools: Object.entries(pools).map(([use, counted]) => ({ use, pool: counted, waits: countWaits(counted) })),
  }
}
