// What the parts of the drill of webhooks share: its size, its merchant, what runs and what it found.
import { type ApiProcess, type Line, withLines } from '../../server/local/api-process.ts'
import type { createShop } from '../vouchers/world.ts'
import type { Receiver, Temper } from './receiver.ts'

export type Size = {
  readonly events: number
  readonly endpoints: number
  readonly kills: number
  readonly eventsPerSecond: number
}

export type World = {
  readonly size: Size
  /** Lives through all of it, so that each event is asked for once. */
  readonly api: ApiProcess
  /** Deliver, and are killed. */
  readonly workers: readonly [ApiProcess, ApiProcess]
  readonly shop: Awaited<ReturnType<typeof createShop>>
  readonly receiver: Receiver
  readonly endpoints: readonly Endpoint[]
  readonly report: Report
}

/** Where it stands in the list is its number at the receiver. */
export type Endpoint = { readonly id: string; readonly temper: Temper }

/** As GET /events tells it. */
export type ListedEvent = { readonly id: string; readonly timestamp: string }

type Report = ReturnType<typeof createReport>

export function createReport() {
  const faults: string[] = []
  return {
    faults,
    /** All that GET /events lists. */
    listed: [] as ListedEvent[],
    /** Those of them that happened when every endpoint was there. */
    events: [] as ListedEvent[],
    /** When each was. */
    killsMs: [] as number[],
    missing: 0,
    badSignatures: 0,
    repeated: 0,
    doubled: 0,
    medianMs: Number.POSITIVE_INFINITY,
    p99Ms: Number.POSITIVE_INFINITY,
    expect: (holds: boolean, fault: string): void => {
      if (!holds) faults.push(fault)
    },
  }
}

/** A request with both keys of the merchant. */
export async function ask<T>(
  { shop }: Pick<World, 'shop'>,
  line: Line,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<T> {
  const { status, body: text } = await line.ask(shop.request(method, path, body))
  if (status !== 200) throw new Error(`The drill cannot go on: ${method} ${path} answered ${status} ${text}`)
  return (JSON.parse(text) as { data: T }).data
}

export async function askOnce<T>(
  world: Pick<World, 'shop' | 'api'>,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<T> {
  return withLines([world.api], 1, ([line]) => ask<T>(world, line, method, path, body))
}
