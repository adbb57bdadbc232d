// What the parts of the drill of voucher lives share: its size, its merchants, what it asks and what it found.
import type { ApiProcess, Line } from '../../server/local/api-process.ts'
import { openShop } from '../../server/local/shop.ts'
import type { Pool } from '../../server/src/base/db.ts'
import type { WorkerProcess } from './worker-process.ts'

export type World = {
  readonly isShort: boolean
  /** As the owner of the tables, from whom no environment's rows are hidden. */
  readonly pool: Pool
  /** As the superuser, who sees and ends connections. */
  readonly admin: Pool
  /** Issues the vouchers. */
  readonly a: Merchant
  /** Redeems them too. */
  readonly b: Merchant
  readonly api: ApiProcess
  /** One more, with a worker in it. */
  readonly startAnother: () => Promise<ApiProcess>
  /** Those that are alive. */
  readonly workers: WorkerProcess[]
  readonly startWorker: () => WorkerProcess
  readonly report: Report
}

export type Report = ReturnType<typeof createReport>

export function createReport() {
  const faults: string[] = []
  return {
    faults,
    batchSeconds: 0,
    kills: 0,
    issued: 0,
    funded: 0,
    rounds: 0,
    illegal: 0,
    expect: (holds: boolean, fault: string): void => {
      if (!holds) faults.push(fault)
    },
  }
}

export const server = '/merchant-integrations-server'

export type Merchant = Awaited<ReturnType<typeof openMerchant>>

/** A merchant in test mode, and its requests as they travel. */
export async function openMerchant(pool: Pool, pepper: Buffer, code: string) {
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
    get: (path: string): string => `GET ${path} HTTP/1.1\r\n${about}\r\n${secret}\r\n\r\n`,
    post: (path: string, body: object): string => post(path, body, secret),
    /** With the public key alone, as from a browser, and each as from another customer's. */
    postAsHolder: (path: string, body: object): string => post(path, body, `X-Forwarded-For: ${newAddress()}`),
  }
}

let addresses = 0

/** An address that nobody had before: who asks for many dead codes from one is taken for somebody who guesses. */
function newAddress(): string {
  addresses++
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** What one or another of the answers carries. */
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

/** `error` is the code of what was refused, and empty for what was done. */
export type Reply = { readonly status: number; readonly error: string; readonly data: Data }

export async function ask(line: Line, request: string): Promise<Reply> {
  const { status, body } = await line.ask(request)
  const { data, error } = JSON.parse(body) as { data: Data; error?: { code: string } }
  return { status, error: error?.code ?? '', data }
}

export async function askOrThrow(line: Line, request: string): Promise<Data> {
  const { status, error, data } = await ask(line, request)
  if (status !== 200) throw new Error(`The drill cannot go on: ${status} ${error}`)
  return data
}

export async function fund(line: Line, merchant: Merchant, amount: number): Promise<void> {
  await askOrThrow(line, merchant.post('/sandbox/fund', { amount, currency: 'USD' }))
}

export async function readBalance(pool: Pool, ownerId: string, kind: 'voucher' | 'merchant' | 'fee' | 'batch') {
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

/** What a redemption takes from its voucher: the amount, 0.10, and 1.5 % of it rounded up. */
export function takenFor(amount: bigint): bigint {
  return amount + 10n + (amount * 15_000n + 999_999n) / 1_000_000n
}
