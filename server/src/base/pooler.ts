import { type Connection, connect } from './db.ts'
import { queryTuples, sql } from './sql.ts'

const responseTimeoutMs = 10_000

/**
 * Whether a pooler is between us and PostgreSQL. It makes up the process id that starts a connection, and in transaction mode
 * the next transaction may run in another server process.
 */
export async function isPooled(client: Connection): Promise<boolean> {
  const { processID: announcedPid } = client as unknown as { processID: number | null }
  const [row] = await queryTuples(client, [sql.integer], { text: 'select pg_backend_pid()' })
  return row?.[0] !== announcedPid
}

const reasons = {
  worker:
    'DATABASE_URL leads through a connection pooler, and a worker needs connections of its own: through a pooler, ' +
    'two workers can hold the same advisory lock and do the same work. ' +
    'Set DATABASE_URL of this process to PostgreSQL itself, or to HAProxy. Only `api` processes may use a pooler.',
  migration:
    'OWNER_DATABASE_URL leads through a connection pooler, and a migration needs a connection of its own: through a ' +
    'pooler, its lock and its limits can end up on the connections of others. ' +
    'Set OWNER_DATABASE_URL to PostgreSQL itself, or to HAProxy.',
}

/** Throws if a pooler is between PostgreSQL and a process that needs connections of its own. */
export async function refusePooler(url: string, from: keyof typeof reasons): Promise<void> {
  const clients = await Promise.all([connect(url, responseTimeoutMs), connect(url, responseTimeoutMs)])
  try {
    // Several transactions, with another connection in use: a pooler that passes on the process id serves them in turn.
    for (let round = 1; round <= 5; round++) {
      const pooled = await Promise.all(clients.map(isPooled))
      if (pooled.includes(true)) throw new Error(reasons[from])
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}
