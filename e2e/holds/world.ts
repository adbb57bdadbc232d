// What the parts of the holds drill share: its processes, its vouchers, and the responses that its clients got.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiProcess, Connection, Connections } from '../../server/local/drill/api-process.ts'
import type { Pool } from '../../server/src/base/db.ts'
import type { Acknowledgement } from '../steady-load.ts'
import type { Shop, Voucher } from '../vouchers/world.ts'

export const server = '/merchant-integrations-server'

export type World = {
  readonly isShort: boolean
  /** Connects as the owner of the tables, who sees the rows of every environment. */
  readonly pool: Pool
  readonly apis: [ApiProcess, ApiProcess]
  readonly worker: ApiProcess
  readonly shop: Shop
  /** A voucher that expired or was replaced is followed by a new one at its place. */
  readonly vouchers: Voucher[]
  readonly report: Report
}

type Paid = Pick<Acknowledgement, 'transactionId' | 'reference' | 'amount'>
/** A hold as its client knows it. Amounts are in cents. */
export type KnownHold = { readonly id: string; readonly amount: bigint; readonly captures: Paid[] }

export type Report = {
  readonly faults: string[]
  readonly holds: KnownHold[]
  /** Redemptions without a hold that were acknowledged. */
  redemptions: readonly Paid[]
  readonly counts: Record<'retries' | 'refused' | 'replaced' | 'replacements refused' | 'expired vouchers', number>
  kills: number
  overCaptured: number
  stranded: number
  doubled: number
  lost: number
  unknown: number
  readonly expect: (holds: boolean, fault: string) => void
}

export function createReport(): Report {
  const faults: string[] = []
  const counts = { retries: 0, refused: 0, replaced: 0, 'replacements refused': 0, 'expired vouchers': 0 }
  const found = { overCaptured: 0, stranded: 0, doubled: 0, lost: 0, unknown: 0 }
  return {
    faults,
    holds: [],
    redemptions: [],
    counts,
    kills: 0,
    ...found,
    expect: (holds, fault) => {
      if (!holds) faults.push(fault)
    },
  }
}

type Data = { readonly id: string; readonly code: string; readonly transactionId: string; readonly balance: number }
export type Reply = { readonly status: number; readonly error: string; readonly data: Data }

/** Repeats a request, at the processes in turn, until one of them has answered it, as a shop would. */
export async function sendUntilAnswered({ report }: World, connections: Connections, request: string): Promise<Reply> {
  for (let turn = Math.floor(Math.random() * 2); ; turn++) {
    const connection = connections[turn % connections.length] as Connection
    const response = await connection.send(request).catch(() => undefined)
    if (response?.status === 500) throw new Error(`The API failed: ${response.body}`)
    if (response !== undefined && response.status < 500) {
      const { data, error } = JSON.parse(response.body) as { data: Data; error?: { code: string } }
      return { status: response.status, error: error?.code ?? '', data }
    }
    report.counts.retries++
    await sleep(20)
  }
}

const voucherValue = 5_000_00n
let issued = 0

/** Issues a voucher from the balance, which expires after so many seconds, or never. */
export async function issueVoucher(world: World, connections: Connections, lifeSeconds?: number): Promise<Voucher> {
  for (;;) {
    const expiresAt = lifeSeconds === undefined ? undefined : new Date(Date.now() + lifeSeconds * 1_000).toISOString()
    const body = { amount: toMajor(voucherValue), currency: 'USD', expiresAt, referenceId: `voucher-${issued++}` }
    const { status, error, data } = await sendUntilAnswered(
      world,
      connections,
      world.shop.request('POST', `${server}/vouchers`, body),
    )
    if (status === 200) return { id: data.id, code: data.code, value: voucherValue }
    // It was to expire before a process that was killed had started again.
    if (error !== 'EXPIRY_INVALID') throw new Error(`A voucher was not issued: ${status} ${error}`)
  }
}

export function toMajor(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}
