// What the parts of the voucher drill share: its size, its shop and the results.
import type { HttpResponse, ApiProcess, Connection } from '../../server/local/drill/api-process.ts'
import { openShop } from '../../server/local/drill/shop.ts'
import type { Pool } from '../../server/src/base/db.ts'

export type World = {
  readonly isShort: boolean
  /** Connects as the owner of the tables, who sees the rows of every environment. */
  readonly pool: Pool
  readonly apis: [ApiProcess, ApiProcess]
  readonly shop: Shop
  /** The code of another merchant. */
  readonly elsewhere: string
  readonly report: Report
}

/** Values and amounts are in cents. */
export type Voucher = { readonly id: string; readonly code: string; readonly value: bigint }
export type Redemption = { readonly reference: string; readonly voucher: Voucher; readonly amount: bigint }
type Paid = Redemption & { readonly transactionId: string }

type Report = {
  readonly faults: string[]
  /** The redemptions that the API acknowledged, to compare with the database. */
  readonly paid: Paid[]
  overRedeemed: number
  replaysDiffering: number
  pinsCompared: number
  guesses: number
  hits: number
  readonly expect: (holds: boolean, fault: string) => void
  readonly notePaid: (redemption: Redemption, response: HttpResponse) => void
}

export function createReport(): Report {
  const faults: string[] = []
  const paid: Paid[] = []
  return {
    faults,
    paid,
    overRedeemed: 0,
    replaysDiffering: 0,
    pinsCompared: 0,
    guesses: 0,
    hits: 0,
    expect: (holds, fault) => {
      if (!holds) faults.push(fault)
    },
    notePaid: (redemption, { body }) => {
      const { transactionId } = (JSON.parse(body) as { data: { transactionId: string } }).data
      paid.push({ ...redemption, transactionId })
    },
  }
}

export type Shop = {
  readonly environmentId: string
  /** A request with both keys. */
  readonly request: (method: 'GET' | 'POST', path: string, body?: object) => string
  readonly makeVoucher: (connection: Connection, value: bigint, lockPin?: string) => Promise<Voucher>
  /** Issues a voucher from the shop's balance that only another merchant accepts. */
  readonly issueFor: (connection: Connection, merchantCode: string) => Promise<Voucher>
  /** With the public key alone, each redemption from the browser of another customer. */
  readonly redeem: (redemption: Redemption, lockPin?: string) => string
  readonly verify: (voucherCode: string, address: string) => string
}

/** Opens a merchant in test mode. */
export async function createShop(pool: Pool, pepper: Buffer, code: string): Promise<Shop> {
  const { environmentId, publicKey, secretKey } = await openShop(pool, pepper, code)

  const post = (path: string, body: object, headers: string): string => {
    const text = JSON.stringify(body)
    const about = `Content-Type: application/json\r\nContent-Length: ${text.length}`
    return `POST ${path} HTTP/1.1\r\nHost: drill\r\nAuthorization: Bearer ${publicKey}\r\n${headers}\r\n${about}\r\n\r\n${text}`
  }
  const make = async (connection: Connection, path: string, value: bigint, options: object): Promise<Voucher> => {
    const body = { amount: toMajor(value), currency: 'USD', ...options }
    const { status, body: text } = await connection.send(post(path, body, `X-API-Private-Key: ${secretKey}`))
    if (status !== 200) throw new Error(`A voucher was not created: ${text}`)
    const { id, code } = (JSON.parse(text) as { data: { id: string; code: string } }).data
    return { id, code, value }
  }
  return {
    environmentId,
    request: (method, path, body = {}) =>
      method === 'POST'
        ? post(path, body, `X-API-Private-Key: ${secretKey}`)
        : `GET ${path} HTTP/1.1\r\nHost: drill\r\nAuthorization: Bearer ${publicKey}\r\nX-API-Private-Key: ${secretKey}\r\n\r\n`,
    makeVoucher: (connection, value, lockPin) => make(connection, '/sandbox/vouchers', value, { lockPin }),
    issueFor: (connection, merchantCode) =>
      make(connection, '/merchant-integrations-server/vouchers', 1_00n, { onlyAt: [merchantCode] }),
    redeem: ({ reference: referenceId, voucher, amount }, lockPin) => {
      const body = { voucherCode: voucher.code, amount: toMajor(amount), referenceId, lockPin }
      return post('/merchant-integrations/redeem-voucher', body, `X-Forwarded-For: ${newAddress()}`)
    },
    verify: (voucherCode, address) =>
      post('/merchant-integrations/verify-voucher', { voucherCode }, `X-Forwarded-For: ${address}`),
  }
}

let addresses = 0

/** A new address. The API trusts the X-Forwarded-For of its proxy, which is the drill. */
export function newAddress(): string {
  addresses++
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

function toMajor(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

export async function readBalance(pool: Pool, ownerId: string, kind: 'voucher' | 'merchant'): Promise<bigint> {
  const { rows } = await pool.query<{ balance: bigint }>(
    'select balance from ledger_accounts where owner_id = $1 and kind = $2',
    [ownerId, kind],
  )
  return rows[0]?.balance ?? 0n
}

export function countOf(responses: HttpResponse[], status: number): number {
  return responses.filter((response) => response.status === status).length
}

/** How often each status occurred. */
export function tally(responses: HttpResponse[]): string {
  const statuses = [...new Set(responses.map(({ status }) => status))]
  return statuses.map((status) => `${countOf(responses, status)} × ${status}`).join(', ')
}
