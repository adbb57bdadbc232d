import { type Connection, connect } from './db.ts'

const answerTimeoutMs = 10_000

export type Ownership = ReturnType<typeof createOwnership>

/**
 * Things that one process works at and no other: PostgreSQL keeps the lock for as long as our connection lives, so a process that dies
 * gives everything back in that moment. It holds no transaction open.
 */
export function createOwnership(url: string) {
  let connection: Promise<Connection> | undefined
  let lost = 0

  async function open(): Promise<Connection> {
    const opened = await connect(url, answerTimeoutMs)
    // What we had is anybody's from now on. Whoever works at it does so with others for a moment.
    opened.on('end', () => {
      lost++
      connection = undefined
    })
    return opened
  }
  async function ask(text: string, name: string): Promise<boolean> {
    connection ??= open().catch((error: unknown) => {
      connection = undefined
      throw error
    })
    const used = await connection
    try {
      const { rows } = await used.query<{ done: boolean }>(text, [name])
      return rows[0]?.done === true
    } catch (error) {
      // One that is silent gives nothing back by itself.
      connection = undefined
      void used.end().catch(() => undefined)
      throw error
    }
  }
  return {
    /** How often everything was lost. What was taken before the last time is anybody's. */
    lost: () => lost,
    /** Says no if another process has it. */
    take: (name: string) => ask('select pg_try_advisory_lock(hashtextextended($1, 0)) as done', name),
    give: (name: string) => ask('select pg_advisory_unlock(hashtextextended($1, 0)) as done', name),
    close: async (): Promise<void> => {
      await (await connection)?.end()
    },
  }
}
