// A PostgreSQL that exists only in this process: the statements that posting sends, with row locks, unique names, lost
// connections, outages and slow responses, all in virtual time.
import type { Connection, Pool } from '../../server/src/base/db.ts'
import { Client, type Network } from './client.ts'
import { createStriker, type Fault, type Outage } from './faults.ts'
import { createLocks, type Locks } from './locks.ts'
import { createTables, type Tables } from './tables.ts'
import type { VirtualTime } from './virtual-time.ts'

export type Server = {
  readonly tables: Tables
  readonly locks: Locks
  readonly connect: () => Promise<Connection>
  readonly createPool: (connectionsMax: number) => Pool
  readonly countOpen: () => number
  readonly countStatements: () => number
}

type ServerOptions = {
  readonly time: VirtualTime
  readonly random: () => number
  readonly faults: readonly Fault[]
  readonly outages: readonly Outage[]
}

export function createServer({ time, random, faults, outages }: ServerOptions): Server {
  const tables = createTables()
  const locks = createLocks(time)
  const clients = new Set<Client>()
  let statements = 0
  const network: Network = {
    time,
    latencyMs: () => 0.2 + random() * 2,
    strike: createStriker(faults),
    onStatement: () => statements++,
    onGone: (client) => clients.delete(client),
  }
  const isIn = (kind: Outage['kind']): boolean =>
    outages.some((outage) => outage.kind === kind && outage.fromMs <= time.nowMs() && time.nowMs() < outage.toMs)

  for (const { kind, fromMs } of outages)
    if (kind === 'down')
      time.after(fromMs, () => {
        for (const client of clients) client.break(0)
      })

  async function connect(): Promise<Client> {
    await time.sleep(network.latencyMs())
    if (isIn('down')) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const client = new Client(network, { tables, locks, transaction: undefined, isReadOnly: () => isIn('read only') })
    clients.add(client)
    return client
  }

  return {
    tables,
    locks,
    // Posting uses no more of the driver than the client has.
    connect: async () => (await connect()) as unknown as Connection,
    createPool: (connectionsMax) => createPool(connect, connectionsMax),
    countOpen: () => clients.size,
    countStatements: () => statements,
  }
}

/** A pool that keeps no idle connection. */
function createPool(connect: () => Promise<Client>, connectionsMax: number): Pool {
  let open = 0
  const waits: (() => void)[] = []
  const leave = (): void => {
    open--
    waits.shift()?.()
  }
  const pool = {
    connect: async () => {
      if (open >= connectionsMax) await new Promise<void>((resolve) => waits.push(resolve))
      open++
      const client = await connect().catch((error: unknown) => {
        leave()
        throw error
      })
      const release = (): void => {
        void client.end()
        leave()
      }
      return Object.assign(client, { release })
    },
    end: () => Promise.resolve(),
  }
  return pool as unknown as Pool
}
