import type { Duplex } from 'node:stream'
import pg from 'pg'
import { defineErrors, hasCode, unavailable } from './errors.ts'
import { clientFor, type Messages } from './hosts.ts'
import { traceStatements, traceWaiting } from './trace-sql.ts'

export type Pool = pg.Pool
export type Connection = pg.Client
export type Client = Connection | pg.PoolClient

/** A client inside an open transaction. Only inTransaction creates one. */
export type Tx = Client & { readonly inTransaction: true }

/** Anything that can run a single read statement. */
export type Db = Pool | Client

export const dbError = defineErrors({
  OUTCOME_UNKNOWN: unavailable('The database did not confirm the commit. Retry with the same reference.'),
  // Thrown inside a transaction to restart it from the beginning.
  TRANSACTION_AGAIN: unavailable('A concurrent request changed the same record. Retry.'),
})

/** Whether PostgreSQL rejected a row because of one of these constraints. */
export function violates(error: unknown, ...constraints: string[]): boolean {
  return error instanceof Error && 'constraint' in error && constraints.includes(withoutPart(String(error.constraint)))
}

/** A divided table has a primary key for each part: that of ledger_keys_p3 is ledger_keys_p3_pkey. */
function withoutPart(constraint: string): string {
  return constraint.replace(/_p(?:\d{1,4}|\d{4}q\d)_pkey$/, '_pkey')
}

// Parse bigint columns, and numeric columns without decimals (amounts), as bigint. Other numerics stay text.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text))
types.setTypeParser(pg.types.builtins.NUMERIC, (text) => (text.includes('.') ? text : BigInt(text)))

export function createPool(url: string, connectionsMax = 10, responseTimeoutMs = 0): Pool {
  const options = { connectionString: url, max: connectionsMax, types, pipeline: true }
  const pool = new pg.Pool({ ...options, ...timeouts(responseTimeoutMs), Client: clientFor(url) })
  // The pool replaces an idle connection that breaks. Without a listener the error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    // The same for a connection in use: its current statement fails, which is enough.
    client.on('error', () => undefined)
    endOnStandby(client)
    traceStatements(client)
  })
  traceWaiting(pool)
  return pool
}

/** Ends a connection to a server that has become a standby: it would refuse every further write. */
function endOnStandby(client: Client): void {
  const { connection } = client as unknown as Messages
  connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
    if (code === '25006') void client.end()
  })
}

function timeouts(responseTimeoutMs: number): pg.ClientConfig {
  return responseTimeoutMs > 0 ? { query_timeout: responseTimeoutMs, connectionTimeoutMillis: responseTimeoutMs } : {}
}

/**
 * Opens a dedicated connection. Statements sent without awaiting each other are pipelined. A server that does not respond
 * within `responseTimeoutMs` counts as lost: the connection is dropped, and the statement is not cancelled on the server.
 */
export async function connect(url: string, responseTimeoutMs = 0): Promise<Connection> {
  const options = { connectionString: url, types, pipeline: true, keepAlive: true }
  const client = new (clientFor(url))({ ...options, ...timeouts(responseTimeoutMs) })
  client.on('error', () => undefined)
  await client.connect()
  endOnStandby(client)
  traceStatements(client)
  return client
}

/**
 * Sends COMMIT. The outcome is committed, rolled back, or unknown. It is unknown if the connection breaks during COMMIT, and
 * if the wait for a synchronous standby is cancelled, which PostgreSQL reports as a success with a warning.
 */
export async function commit(client: Client): Promise<'committed' | 'rolled_back'> {
  try {
    const { result, warning } = await withWarning(client, () => client.query('commit'))
    if (warning !== undefined) throw dbError('OUTCOME_UNKNOWN', {}, warning)
    // PostgreSQL answers COMMIT of a failed transaction with success and the command ROLLBACK.
    return result.command === 'COMMIT' ? 'committed' : 'rolled_back'
  } catch (error) {
    if (hasCode(error, 'OUTCOME_UNKNOWN')) throw error
    // A constraint checked at COMMIT, or a serialisation failure: PostgreSQL reported that it rolled back.
    if (isServerError(error)) throw error
    throw dbError('OUTCOME_UNKNOWN', {}, error)
  }
}

type WithWarning<T> = { readonly result: T; readonly warning: object | undefined }

/** The result of `work`, and the first warning that PostgreSQL sent meanwhile. A cancelled wait for a standby is one. */
export async function withWarning<T>(client: Client, work: () => Promise<T>): Promise<WithWarning<T>> {
  let warning: object | undefined
  const onNotice = (notice: { code?: string | undefined }): void => {
    if (notice.code === '01000') warning ??= notice
  }
  client.on('notice', onNotice)
  try {
    const result = await work()
    return { result, warning }
  } finally {
    client.off('notice', onNotice)
  }
}

/** Whether PostgreSQL reported this error for the statement, as opposed to a connection that broke first. */
export function isServerError(error: unknown): boolean {
  // A PANIC during COMMIT may come after the commit record has reached the disk.
  return error instanceof pg.DatabaseError && !isEnd(error)
}

/** Whether the statement or its values are wrong (SQLSTATE classes 22, 23 and 42). A lock or a full disk is no such error. */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(?:22|23|42)/.test(error.code ?? '')
}

/** Whether PostgreSQL ends this connection with the error. */
export function isEnd(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'ERROR'
}

const attemptsMax = 5
// Limits our wait for a lock, and how long others wait for the locks of a crashed process.
const begin = `begin; set local lock_timeout = '5s'; set local idle_in_transaction_session_timeout = '30s'`

/** Runs `work` in one transaction and rolls back if it throws. Retries the whole transaction after a deadlock. */
export async function inTransaction<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(pool, work)
    } catch (error) {
      if (!hasCode(error, '40P01', '40001', 'TRANSACTION_AGAIN') || attempt === attemptsMax) throw error
    }
  }
}

async function attemptTransaction<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken = false
  try {
    await client.query(begin)
    const result = await work(Object.assign(client, { inTransaction: true as const }))
    if ((await commit(client)) === 'rolled_back') throw new Error('A failed statement was ignored in a transaction.')
    return result
  } catch (error) {
    broken = await rollBack(client)
    throw error
  } finally {
    client.release(broken)
  }
}

/** Returns whether the connection is broken. */
export function rollBack(client: Client): Promise<boolean> {
  return client.query('rollback').then(
    () => false,
    () => true,
  )
}

type Results<T> = { -readonly [P in keyof T]: Awaited<T[P]> }

/** Sends all statements of `send` in one packet: a system call per statement costs more than most statements do. */
export function sendTogether<T>(client: Client, send: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

/** Runs independent reads in one round trip on one connection. */
export async function readTogether<T extends readonly Promise<unknown>[] | []>(
  pool: Pool,
  send: (client: Client) => T,
): Promise<Results<T>> {
  const client = await pool.connect()
  let isBroken = true
  try {
    const found = await allOrFirstError(sendTogether(client, () => send(client)))
    isBroken = false
    return found
  } finally {
    client.release(isBroken)
  }
}

/** Waits for all statements and throws the first error: those after it only report the aborted transaction. */
export async function allOrFirstError<T extends readonly Promise<unknown>[] | []>(sent: T): Promise<Results<T>> {
  const settled = await Promise.allSettled(sent)
  for (const result of settled) if (result.status === 'rejected') throw result.reason
  return settled.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as Results<T>
}
