import type { Duplex } from 'node:stream'
import pg from 'pg'
import { defineErrors, hasCode, unavailable } from './errors.ts'

export type Pool = pg.Pool
export type Connection = pg.Client
export type Client = Connection | pg.PoolClient

/** A client inside an open transaction. Only inTransaction makes one, so that no statement leaves it unseen. */
export type Tx = Client & { readonly inTransaction: true }

/** Whatever can run a single statement that reads. */
export type Db = Pool | Client

export const dbError = defineErrors({
  OUTCOME_UNKNOWN: unavailable(
    'The database did not say whether this was committed. Ask again with the same reference.',
  ),
  // Thrown by work inside a transaction that must be done again from its beginning.
  TRANSACTION_AGAIN: unavailable('Somebody else did the same at the same moment. Ask again.'),
})

/** Whether PostgreSQL refused a row because of one of these constraints. */
export function violates(error: unknown, ...constraints: string[]): boolean {
  return error instanceof Error && 'constraint' in error && constraints.includes(String(error.constraint))
}

// bigint columns as bigint. So are amounts, which are numeric without decimals. A numeric that has them stays text.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text))
types.setTypeParser(pg.types.builtins.NUMERIC, (text) => (text.includes('.') ? text : BigInt(text)))

export function createPool(url: string, connectionsMax = 10, answerTimeoutMs = 0): Pool {
  const options = { connectionString: url, max: connectionsMax, types, pipeline: true }
  const pool = new pg.Pool({ ...options, ...timeouts(answerTimeoutMs) })
  // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => undefined)
  // Nor may one that breaks while it is in use: the statement under way fails, which is enough.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

function timeouts(answerTimeoutMs: number): pg.ClientConfig {
  return answerTimeoutMs > 0 ? { query_timeout: answerTimeoutMs, connectionTimeoutMillis: answerTimeoutMs } : {}
}

/**
 * A connection of its own. Statements sent without waiting for each other travel together (pipelined). A server that
 * does not answer within `answerTimeoutMs` is taken for lost: the connection is dropped, nothing is cancelled there.
 */
export async function connect(url: string, answerTimeoutMs = 0): Promise<Connection> {
  const options = { connectionString: url, types, pipeline: true, keepAlive: true }
  const client = new pg.Client({ ...options, ...timeouts(answerTimeoutMs) })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/**
 * Sends COMMIT, and knows three answers: committed, rolled back, or unknown. A connection lost during COMMIT is
 * unknown. So is a cancelled wait for a synchronous standby, which PostgreSQL answers with success and a warning.
 */
export async function commit(client: Client): Promise<'committed' | 'rolled_back'> {
  const warnings: unknown[] = []
  const onNotice = (notice: { code?: string | undefined }) => {
    if (notice.code === '01000') warnings.push(notice)
  }
  client.on('notice', onNotice)
  try {
    const { command } = await client.query('commit')
    if (warnings.length > 0) throw dbError('OUTCOME_UNKNOWN', {}, warnings[0])
    // COMMIT of a failed transaction succeeds, as ROLLBACK.
    return command === 'COMMIT' ? 'committed' : 'rolled_back'
  } catch (error) {
    if (hasCode(error, 'OUTCOME_UNKNOWN')) throw error
    // A constraint checked at COMMIT, or a serialisation failure: PostgreSQL itself said that it rolled back.
    if (isAnswer(error)) throw error
    throw dbError('OUTCOME_UNKNOWN', {}, error)
  } finally {
    client.off('notice', onNotice)
  }
}

/** PostgreSQL answered this statement with an error, as against a connection that broke before it could. */
function isAnswer(error: unknown): boolean {
  // A PANIC during COMMIT may come after its record has reached the disk.
  return error instanceof pg.DatabaseError && !isEnd(error)
}

/** PostgreSQL said that it ends this connection. */
export function isEnd(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'ERROR'
}

const attemptsMax = 5
// Nobody waits for ever: neither we for a lock, nor others for the locks of a process that is gone.
const begin = `begin; set local lock_timeout = '5s'; set local idle_in_transaction_session_timeout = '30s'`

/** One transaction around `work`: a throw is a rollback. A deadlock's victim starts again from the beginning. */
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

/** Says whether the connection is broken. */
export function rollBack(client: Client): Promise<boolean> {
  return client.query('rollback').then(
    () => false,
    () => true,
  )
}

type Answers<T> = { -readonly [P in keyof T]: Awaited<T[P]> }

/** What `send` sends leaves in one packet: a system call for each statement costs more than most of them do. */
export function sendTogether<T>(client: Client, send: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

/** Reads that do not need each other, in one round on one connection. */
export async function readTogether<T extends readonly Promise<unknown>[] | []>(
  pool: Pool,
  send: (client: Client) => T,
): Promise<Answers<T>> {
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

/** Waits for all that was sent. The first error is the cause; those after it only say that the transaction is lost. */
export async function allOrFirstError<T extends readonly Promise<unknown>[] | []>(sent: T): Promise<Answers<T>> {
  const settled = await Promise.allSettled(sent)
  for (const result of settled) if (result.status === 'rejected') throw result.reason
  return settled.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as Answers<T>
}
