// What the parts of the voucher-lifecycle drill share: its size, its merchants, their requests and the results.
import type { ApiProcess, Connection } from '../../server/local/drill/api-process.ts'
import { openShop } from '../../server/local/drill/shop.ts'
import type { Pool } from '../../server/src/base/db.ts'
import type { WorkerProcess } from './worker-process.ts'

export type World = {
  readonly isShort: boolean
  /** Connects as the owner of the tables, who sees the rows of every environment. */
  readonly pool: Pool
  /** Connects as the superuser, who sees and ends connections. */
  readonly admin: Pool
  /** Issues the vouchers. */
  readonly a: Merchant
  /** Redeems them as well. */
  readonly b: Merchant
  readonly api: ApiProcess
  /** Starts one more, with a worker. */
  readonly startAnother: () => Promise<ApiProcess>
  /** The running workers. */
  readonly workers: WorkerProcess[]
  readonly startWorker: () => WorkerProcess
  readonly report: Report
}

export type Report = {
  readonly faults: string[]
  batchSeconds: number
  kills: number
  issued: number
  funded: number
  rounds: number
  illegal: number
  readonly expect: (holds: boolean, fault: string) => void
}

export function createReport(): Report {
  const faults: string[] = []
  return {
    faults,
    batchSeconds: 0,
    kills: 0,
    issued: 0,
    funded: 0,
    rounds: 0,
    illegal: 0,
    expect: (holds, fault) => {
      if (!holds) faults.push(fault)
    },
  }
}

export const server = '/merchant-integrations-server'

export type Merchant = {
  readonly code: string
  readonly environmentId: string
  readonly get: (path: string) => string
  readonly post: (path: string, body: object) => string
  /** With the public key alone, each request from the browser of another customer. */
  readonly postWithPublicKey: (path: string, body: object) => string
}

/** Opens a merchant in test mode. Its functions return raw HTTP requests. */
export async function openMerchant(pool: Pool, pepper: Buffer, code: string): Promise<Merchant> {
  const { environmentId, publicKey, secretKey } = await openShop(pool, pepper, code)

  const about = `Host: drill\r\nAuthorization: Bearer ${publicKey}`
  const secret = `X-API-Private-Key: ${secretKey}`
  const post = (path: string, body: object, credential: string): string => {
    const text = JSON.stringify(body)
    const form = `Content-Type: application/json\r\nContent-Length: ${text.length}`
    return `POST ${path} HTTP/1.1\r\n${about}\r\n${credential}\r\n${form}\r\n\r\n${text}`
  }
  return {
    code,
    environmentId,
    get: (path) => `GET ${path} HTTP/1.1\r\n${about}\r\n${secret}\r\n\r\n`,
    post: (path, body) => post(path, body, secret),
    postWithPublicKey: (path, body) => post(path, body, `X-Forwarded-For: ${newAddress()}`),
  }
}

let addresses = 0

/** A new address, because the API limits unknown codes per address. */
function newAddress(): string {
  addresses++
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** The fields of all responses that the drill reads. */
export type Data = {
  readonly id: string
  readonly code: string
  readonly amount: number
  readonly status: 'issuing' | 'ready'
  readonly issued: number
  readonly refused: readonly number[]
  readonly transactionId: string
  readonly receipt: string
  readonly trial?: { readonly confirmation: string; readonly size: number; readonly faults: readonly object[] }
  readonly batch?: { readonly id: string }
}

/** `error` is the error code, or empty on success. */
export type Reply = { readonly status: number; readonly error: string; readonly data: Data }

export async function send(connection: Connection, request: string): Promise<Reply> {
  const { status, body } = await connection.send(request)
  const { data, error } = JSON.parse(body) as { data: Data; error?: { code: string } }
  return { status, error: error?.code ?? '', data }
}

export async function sendOrThrow(connection: Connection, request: string): Promise<Data> {
  const { status, error, data } = await send(connection, request)
  if (status !== 200) throw new Error(`The drill cannot continue: ${status} ${error}`)
  return data
}

export async function fund(connection: Connection, merchant: Merchant, amount: number): Promise<void> {
  await sendOrThrow(connection, merchant.post('/sandbox/fund', { amount, currency: 'USD' }))
}

export async function readBalance(
  pool: Pool,
  ownerId: string,
  kind: 'voucher' | 'merchant' | 'fee' | 'batch',
): Promise<bigint> {
  const { rows } = await pool.query<{ balance: bigint }>(
    'select balance from ledger_accounts where owner_id = $1 and kind = $2',
    [ownerId, kind],
  )
  return rows[0]?.balance ?? 0n
}

/** Amounts are in cents. */
export function toMajor(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

/** What a redemption takes from its voucher: the amount, 0.10, and 1.5 % of the amount, rounded up. */
export function takenFor(amount: bigint): bigint {
  return amount + 10n + (amount * 15_000n + 999_999n) / 1_000_000n
}
