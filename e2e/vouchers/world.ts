// What the parts of the drill of vouchers share: its size, its shop and what it found.
import type { Answer, ApiProcess, Line } from '../../server/local/api-process.ts'
import { openShop } from '../../server/local/shop.ts'
import type { Pool } from '../../server/src/base/db.ts'

export type World = {
  readonly isShort: boolean
  /** As the owner of the tables, from whom no environment's rows are hidden. */
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

type Report = ReturnType<typeof createReport>

export function createReport() {
  const faults: string[] = []
  const paid: Paid[] = []
  return {
    faults,
    /** What the client was told was paid: its own log, which the database is held against. */
    paid,
    overRedeemed: 0,
    replaysDiffering: 0,
    pinsCompared: 0,
    guesses: 0,
    hits: 0,
    expect: (holds: boolean, fault: string): void => {
      if (!holds) faults.push(fault)
    },
    notePaid: (redemption: Redemption, { body }: Answer): void => {
      const { transactionId } = (JSON.parse(body) as { data: { transactionId: string } }).data
      paid.push({ ...redemption, transactionId })
    },
  }
}

type Shop = Awaited<ReturnType<typeof createShop>>

/** A merchant in test mode, and the requests that it sends. */
export async function createShop(pool: Pool, pepper: Buffer, code: string) {
  const { environmentId, publicKey, secretKey } = await openShop(pool, pepper, code)

  const post = (path: string, body: object, headers: string): string => {
    const text = JSON.stringify(body)
    const about = `Content-Type: application/json\r\nContent-Length: ${text.length}`
    return `POST ${path} HTTP/1.1\r\nHost: drill\r\nAuthorization: Bearer ${publicKey}\r\n${headers}\r\n${about}\r\n\r\n${text}`
  }
  const make = async (line: Line, path: string, value: bigint, options: object): Promise<Voucher> => {
    const body = { amount: toMajor(value), currency: 'USD', ...options }
    const { status, body: text } = await line.ask(post(path, body, `X-API-Private-Key: ${secretKey}`))
    if (status !== 200) throw new Error(`No voucher was made: ${text}`)
    const { id, code } = (JSON.parse(text) as { data: { id: string; code: string } }).data
    return { id, code, value }
  }
  return {
    environmentId,
    /** With both keys. */
    request: (method: 'GET' | 'POST', path: string, body: object = {}): string =>
      method === 'POST'
        ? post(path, body, `X-API-Private-Key: ${secretKey}`)
        : `GET ${path} HTTP/1.1\r\nHost: drill\r\nAuthorization: Bearer ${publicKey}\r\nX-API-Private-Key: ${secretKey}\r\n\r\n`,
    makeVoucher: (line: Line, value: bigint, lockPin?: string) => make(line, '/sandbox/vouchers', value, { lockPin }),
    /** Paid out of the shop's balance, and of no use in the shop itself. */
    issueFor: (line: Line, merchantCode: string) =>
      make(line, '/merchant-integrations-server/vouchers', 1_00n, { onlyAt: [merchantCode] }),
    // With the public key alone, as from a browser, and each redemption as from another customer's.
    redeem: ({ reference: referenceId, voucher, amount }: Redemption, lockPin?: string): string => {
      const body = { voucherCode: voucher.code, amount: toMajor(amount), referenceId, lockPin }
      return post('/merchant-integrations/redeem-voucher', body, `X-Forwarded-For: ${newAddress()}`)
    },
    verify: (voucherCode: string, address: string): string =>
      post('/merchant-integrations/verify-voucher', { voucherCode }, `X-Forwarded-For: ${address}`),
  }
}

let addresses = 0

/** An address that nobody had before. The API believes the proxy before it, which is us. */
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

export function countOf(answers: Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length
}

/** How often which status was answered. */
export function tally(answers: Answer[]): string {
  const statuses = [...new Set(answers.map(({ status }) => status))]
  return statuses.map((status) => `${countOf(answers, status)} × ${status}`).join(', ')
}
