// Shops that redeem all the time, repeat a request until it is acknowledged, and keep their own list of what was.
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ApiProcess,
  type Connection,
  type Connections,
  distribute,
  withConnections,
} from '../server/local/drill/api-process.ts'
import type { Db } from '../server/src/base/db.ts'
import type { Redemption, Shop, Voucher } from './vouchers/world.ts'

type Api = Pick<ApiProcess, 'port'>

/** `requestedAt` and `acknowledgedAt` are this machine's time, which is also PostgreSQL's, in whole milliseconds, rounded down. */
export type Acknowledgement = Redemption & {
  readonly transactionId: string
  readonly body: string
  readonly requestedAt: number
  readonly acknowledgedAt: number
  readonly atMs: number
}
export type Load = {
  readonly acknowledged: readonly Acknowledgement[]
  /** Responses below 500 other than 200, which a shop does not repeat. */
  readonly refused: readonly string[]
  /** How often a request was sent again, by the reason. */
  readonly retries: Readonly<Record<string, number>>
  /** Waits until so many more redemptions were acknowledged. */
  readonly untilAcknowledged: (more: number) => Promise<void>
  /** Waits for the acknowledgement of what was requested, and ends. */
  readonly stop: () => Promise<void>
  /** Ends without waiting for acknowledgements. */
  readonly abandon: () => Promise<void>
}
export type LoadOptions = {
  readonly vouchers: readonly Voucher[]
  readonly clients: number
  /** Of all clients together. Without it, a client redeems again at once. */
  readonly perSecond?: number
  /** Begins each reference. */
  readonly name?: string
}

const retryMs = 20
const responseTimeoutMs = 20_000

/** Adjacent clients use different processes, and another one after a request failed. Amounts differ, at 4.00 at most. */
export function startLoad(apis: readonly Api[], shop: Shop, options: LoadOptions): Load {
  const { vouchers, clients, perSecond = Infinity, name = 'order' } = options
  const acknowledged: Acknowledgement[] = []
  const refused: string[] = []
  const retries: Record<string, number> = {}
  const everyMs = (clients * 1_000) / perSecond
  let [count, isStopping, isAbandoned] = [0, false, false]

  const redeem = async (connections: Connections, first: number): Promise<void> => {
    const index = count++
    const voucher = vouchers[index % vouchers.length] as Voucher
    const redemption = { reference: `${name}-${index}`, voucher, amount: 1_00n + BigInt(index % 300) }
    const requestedAt = Date.now()
    for (let turn = first; !isAbandoned; turn++) {
      const connection = connections[turn % connections.length] as Connection
      const outcome = await sendOnce(connection, shop.redeem(redemption))
      if (outcome.is === 'acknowledged') {
        const times = { requestedAt, acknowledgedAt: Date.now(), atMs: performance.now() }
        acknowledged.push({ ...redemption, ...outcome, ...times })
        return
      }
      if (outcome.is === 'refused') {
        refused.push(`${redemption.reference}: ${outcome.text}`)
        return
      }
      retries[outcome.reason] = (retries[outcome.reason] ?? 0) + 1
      await sleep(retryMs)
    }
  }
  const client = (place: number): Promise<void> =>
    withConnections(apis, apis.length, async (connections) => {
      if (perSecond < Infinity) await sleep((place * 1_000) / perSecond)
      while (!isStopping) {
        const nextMs = performance.now() + everyMs
        await redeem(connections, place)
        if (perSecond < Infinity) await sleep(Math.max(0, nextMs - performance.now()))
      }
    })
  const running = Promise.all(Array.from({ length: clients }, (_, place) => client(place)))
  const stop = async (): Promise<void> => {
    isStopping = true
    await running
  }
  return {
    acknowledged,
    refused,
    retries,
    untilAcknowledged: async (more) => {
      const goal = acknowledged.length + more
      while (acknowledged.length < goal) await sleep(50)
    },
    stop,
    abandon: () => {
      isAbandoned = true
      return stop()
    },
  }
}

type Outcome =
  | { readonly is: 'acknowledged'; readonly transactionId: string; readonly body: string }
  | { readonly is: 'refused'; readonly text: string }
  | { readonly is: 'failed'; readonly reason: string }

/** Sends a request, and gives up its connection if there is no response in time. */
async function sendOnce(connection: Connection, request: string): Promise<Outcome> {
  const timer = setTimeout(() => connection.close(), responseTimeoutMs)
  try {
    const { status, body } = await connection.send(request)
    if (status >= 500) return { is: 'failed', reason: String(status) }
    if (status !== 200) return { is: 'refused', text: `${status} ${body.slice(0, 300)}` }
    const { transactionId } = (JSON.parse(body) as { data: { transactionId: string } }).data
    return { is: 'acknowledged', transactionId, body }
  } catch (error) {
    return { is: 'failed', reason: (error as Error).message }
  } finally {
    clearTimeout(timer)
  }
}

/** Enough for any drill. */
const voucherValue = 10_000_000_00n

/** Makes the vouchers that a load redeems. */
export async function makeVouchers(apis: readonly Api[], shop: Shop, count: number): Promise<Voucher[]> {
  const vouchers: Voucher[] = []
  await withConnections(apis, 16, (connections) =>
    distribute(connections, count, async (connection, i) => {
      vouchers[i] = await shop.makeVoucher(connection, voucherValue)
    }),
  )
  return vouchers
}

/** The longest time between two acknowledgements since then. */
export function longestGapMs({ acknowledged }: Load, sinceMs: number, untilMs = performance.now()): number {
  const times = acknowledged.map(({ atMs }) => atMs).filter((atMs) => atMs >= sinceMs && atMs <= untilMs)
  const gaps = [...times, untilMs].map((atMs, i) => atMs - (times[i - 1] ?? sinceMs))
  return gaps.reduce((longest, gap) => Math.max(longest, gap), 0)
}

type Comparison = {
  /** Acknowledged, and not in the database as it was acknowledged. */
  readonly lost: number
  /** More than one redemption with a reference. */
  readonly doubled: number
  /** In the database, and not acknowledged to a shop that repeated it until it was. */
  readonly unknown: number
}

/**
 * Compares what was acknowledged with the database. That the books balance proves nothing: they balance without the payments that
 * were lost too. `db` connects as the owner, who sees the rows of every environment.
 */
export async function compareWith(
  db: Db,
  { environmentId }: Shop,
  acknowledged: readonly Pick<Acknowledgement, 'transactionId' | 'reference' | 'amount'>[],
): Promise<Comparison> {
  const { rows } = await db.query<{ id: string; reference: string; amount: bigint }>(
    `select r.id, t.reference, r.amount from all_redemptions r
      join all_transactions t on t.id = r.id join all_journals j on j.id = r.id where r.environment_id = $1`,
    [environmentId],
  )
  const found = new Set(rows.map(({ id, reference, amount }) => `${id} ${reference} ${amount}`))
  const names = acknowledged.map(({ transactionId, reference, amount }) => `${transactionId} ${reference} ${amount}`)
  return {
    lost: names.filter((name) => !found.has(name)).length,
    doubled: rows.length - new Set(rows.map(({ reference }) => reference)).size,
    unknown: found.size - names.filter((name) => found.has(name)).length,
  }
}

/** Writes the list that `scrip restore-check` reads. */
export function writeAcknowledged(file: string, merchant: string, list: readonly Acknowledgement[]): void {
  const lines = list.map(({ reference, amount, requestedAt, acknowledgedAt }) => {
    const times = { requestedAt: toText(requestedAt), acknowledgedAt: toText(acknowledgedAt) }
    return `${JSON.stringify({ merchant, mode: 'test', reference, amount: toMajor(amount), currency: 'USD', ...times })}\n`
  })
  writeFileSync(file, lines.join(''))
}

function toText(ms: number): string {
  return new Date(ms).toISOString()
}

function toMajor(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}
