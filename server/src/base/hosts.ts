// Connection strings with several hosts, which node-postgres does not know: postgresql://user:password@h1:5432,h2:5433/scrip
import type { EventEmitter } from 'node:events'
import pg from 'pg'

// A host that is down or frozen delays the search by this much.
const hostTimeoutMs = 2_000

/** One URL for each host, without `target_session_attrs`, which node-postgres does not know. */
export function splitHosts(url: string): string[] {
  const [, start = '', hosts, rest = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? []
  if (hosts === undefined) return [url]
  return hosts.split(',').map((host) => `${start}${host}${withoutTarget(rest)}`)
}

/** What the servers of the URL have to be. Undefined if it does not say so. */
export function targetOf(url: string): string | undefined {
  return /[?&]target_session_attrs=([^&#]*)/.exec(url)?.[1]
}

function withoutTarget(rest: string): string {
  return rest.replace(/([?&])target_session_attrs=[^&#]*(&?)/, (_, before: string, after: string) =>
    after === '' ? '' : before,
  )
}

const namePattern = /([?&])application_name=([^&#]*)&?/

/** The same URL for connections with this use in pg_stat_activity, after `scrip` or the name in the URL. */
export function nameConnections(url: string, use: string): string {
  const name = decodeURIComponent(namePattern.exec(url)?.[2] ?? 'scrip')
  const unnamed = withoutName(url)
  return `${unnamed}${unnamed.includes('?') ? '&' : '?'}application_name=${encodeURIComponent(`${name} ${use}`)}`
}

function withoutName(url: string): string {
  return url.replace(namePattern, '$1').replace(/[?&]$/, '')
}

/** The driver's connection, which reports the messages of the server. */
export type Messages = { readonly connection: EventEmitter }

/** Collects what the server says about itself while a connection starts. Read it after `connect`. */
function watchStandby(client: pg.Client): () => boolean {
  let isStandby = false
  // PostgreSQL 14 and later send both without being asked, so the check costs no round trip.
  const settings = ['in_hot_standby', 'default_transaction_read_only']
  const { connection } = client as unknown as Messages
  connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
    if (settings.includes(parameterName ?? '')) isStandby ||= parameterValue === 'on'
  })
  return () => isStandby
}

async function isPrimary(url: string): Promise<boolean> {
  const probe = new pg.Client({ connectionString: url, connectionTimeoutMillis: hostTimeoutMs })
  probe.on('error', () => undefined)
  const isStandby = watchStandby(probe)
  try {
    await probe.connect()
    return !isStandby()
  } finally {
    void probe.end().catch(() => undefined)
  }
}

type Search = { found: string | undefined; running: Promise<string> | undefined }
// By connection string without its name: the pools of a process share what they find.
const searches = new Map<string, Search>()

/** The URL of the host that is the primary, starting with the one that was the primary last time. */
async function findPrimary(url: string): Promise<string> {
  const shared = withoutName(url)
  const search = searches.get(shared) ?? { found: undefined, running: undefined }
  searches.set(shared, search)
  search.running ??= tryInTurn(splitHosts(shared), search).finally(() => (search.running = undefined))
  return search.running
}

async function tryInTurn(hosts: readonly string[], search: Search): Promise<string> {
  const first = hosts.filter((host) => host === search.found)
  let cause: unknown
  for (const host of [...first, ...hosts.filter((other) => other !== search.found)]) {
    try {
      if (await isPrimary(host)) return (search.found = host)
    } catch (error) {
      cause = error
    }
  }
  throw noPrimary(cause)
}

/** 08001 is PostgreSQL's code for a client that could not connect. */
function noPrimary(cause?: unknown): Error {
  const message = 'None of the database hosts is a primary that can be reached.'
  return Object.assign(new Error(message, { cause }), { code: '08001' })
}

/** A client that looks for the primary among several hosts before it connects. */
class PrimaryClient extends pg.Client {
  readonly #url: string
  readonly #isStandby: () => boolean

  constructor(options: pg.ClientConfig = {}) {
    const url = options.connectionString ?? ''
    super({ ...options, connectionString: splitHosts(url)[0] ?? url })
    this.#url = url
    this.#isStandby = watchStandby(this)
  }

  override connect(): Promise<this>
  override connect(callback: (error: Error | null, client?: this) => void): void
  override connect(callback?: (error: Error | null, client?: this) => void): Promise<this> | undefined {
    const connecting = this.#connectToPrimary()
    if (callback === undefined) return connecting
    connecting.then(
      () => callback(null, this),
      (error: unknown) => callback(error as Error),
    )
    return undefined
  }

  async #connectToPrimary(): Promise<this> {
    const { host, port } = new pg.Client(await findPrimary(this.#url))
    Object.assign(this, { host, port })
    await super.connect()
    // It was demoted in the meantime.
    if (this.#isStandby()) {
      void this.end().catch(() => undefined)
      throw noPrimary()
    }
    return this
  }
}

/** The driver's own client for one host. With several, one that connects to the primary. */
export function clientFor(url: string): new (options?: pg.ClientConfig) => pg.Client {
  return splitHosts(url).length > 1 ? PrimaryClient : pg.Client
}
