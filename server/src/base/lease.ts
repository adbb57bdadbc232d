import { type Connection, connect } from './db.ts'
import { queryTuples, sql } from './sql.ts'

const responseTimeoutMs = 10_000

export type Leases = {
  /** How often all leases were lost. A lease claimed before the last loss is void. */
  readonly lost: () => number
  /** Returns false if another process holds the lease. */
  readonly claim: (name: string) => Promise<boolean>
  readonly release: (name: string) => Promise<boolean>
  readonly close: () => Promise<void>
}

/**
 * Leases on work that only one process may do. Each lease is a PostgreSQL advisory lock that lasts as long as our connection, so
 * a process that crashes releases its leases at once. No transaction is held open.
 */
export function createLeases(url: string): Leases {
  let connection: Promise<Connection> | undefined
  let lost = 0

  async function open(): Promise<Connection> {
    const opened = await connect(url, responseTimeoutMs)
    // All leases are gone now. Until the holder notices, another process may do the same work.
    opened.on('end', () => {
      lost++
      connection = undefined
    })
    return opened
  }
  async function query(text: string, name: string): Promise<boolean> {
    connection ??= open().catch((error: unknown) => {
      connection = undefined
      throw error
    })
    const used = await connection
    try {
      const [row] = await queryTuples(used, [sql.boolean], { text, values: [name] })
      return row?.[0] === true
    } catch (error) {
      // PostgreSQL keeps the locks of a hanging connection until it is closed.
      connection = undefined
      void used.end().catch(() => undefined)
      throw error
    }
  }
  return {
    lost: () => lost,
    claim: (name) => query('select pg_try_advisory_lock(hashtextextended($1, 0)) as done', name),
    release: (name) => query('select pg_advisory_unlock(hashtextextended($1, 0)) as done', name),
    close: async () => {
      await (await connection)?.end()
    },
  }
}
