// What the parts of the webhook drill share: its size, its merchant, its processes and the results.
import { type ApiProcess, type Connection, withConnections } from '../../server/local/drill/api-process.ts'
import type { Shop } from '../vouchers/world.ts'
import type { Receiver, Temper } from './receiver.ts'

export type Size = {
  readonly events: number
  readonly endpoints: number
  readonly kills: number
  readonly eventsPerSecond: number
}

export type World = {
  readonly size: Size
  /** Never killed, so that each event is requested once. */
  readonly api: ApiProcess
  /** Deliver webhooks, and are killed. */
  readonly workers: readonly [ApiProcess, ApiProcess]
  readonly shop: Shop
  readonly receiver: Receiver
  readonly endpoints: readonly Endpoint[]
  readonly report: Report
}

/** Its position in the list is its number at the receiver. */
export type Endpoint = { readonly id: string; readonly temper: Temper }

/** As listed by GET /events. */
export type ListedEvent = { readonly id: string; readonly timestamp: string }

type Report = {
  readonly faults: string[]
  /** All events that GET /events lists. */
  listed: ListedEvent[]
  /** Those of them that happened after every endpoint was registered. */
  events: ListedEvent[]
  /** When each kill happened. */
  readonly killsMs: number[]
  missing: number
  badSignatures: number
  repeated: number
  doubled: number
  medianMs: number
  p99Ms: number
  readonly expect: (holds: boolean, fault: string) => void
}

export function createReport(): Report {
  const faults: string[] = []
  return {
    faults,
    listed: [],
    events: [],
    killsMs: [],
    missing: 0,
    badSignatures: 0,
    repeated: 0,
    doubled: 0,
    medianMs: Number.POSITIVE_INFINITY,
    p99Ms: Number.POSITIVE_INFINITY,
    expect: (holds, fault) => {
      if (!holds) faults.push(fault)
    },
  }
}

/** A request with both keys of the merchant. */
export async function send<T>(
  { shop }: Pick<World, 'shop'>,
  connection: Connection,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<T> {
  const { status, body: text } = await connection.send(shop.request(method, path, body))
  if (status !== 200) throw new Error(`The drill cannot continue: ${method} ${path} returned ${status} ${text}`)
  return (JSON.parse(text) as { data: T }).data
}

export async function sendOnce<T>(
  world: Pick<World, 'shop' | 'api'>,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<T> {
  return withConnections([world.api], 1, ([connection]) => send<T>(world, connection, method, path, body))
}
