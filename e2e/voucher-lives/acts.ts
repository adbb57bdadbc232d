// What can be done to a voucher, as requests, and the log of what the client was told of each.
import type { Line } from '../../server/local/api-process.ts'
import { ask, type Merchant, type Reply, server, toMajor } from './world.ts'

export type Voucher = { readonly id: string; readonly code: string }
/** Of each that is issued, in cents. */
export const voucherValue = 100_00n

export type ActKind = 'redeem' | 'refund' | 'cancel' | 'block' | 'unblock' | 'replace'

export type Act = {
  readonly kind: ActKind
  readonly by: Merchant
  /** Of a refund the one that was redeemed. */
  readonly voucher: Voucher
  /** Its own. Only what moves an amount has one. */
  readonly reference: string
  /** Of a refund, the reference of what it gives back. */
  readonly of: string
  /** In cents; none for all that is there. */
  readonly amount: bigint | undefined
  /** Asked with the public key alone. */
  readonly isByHolder: boolean
}

/** Times are the client's own: what is sent after another was told must see what the other did. */
export type Told = Act & Reply & { readonly sentMs: number; readonly toldMs: number }

export async function perform(line: Line, act: Act, log: Told[]): Promise<Told> {
  const request = requestOf(act)
  const sentMs = performance.now()
  const reply = await ask(line, request)
  const told = { ...act, ...reply, sentMs, toldMs: performance.now() }
  log.push(told)
  return told
}

function requestOf({ kind, by, voucher, reference, of, amount, isByHolder }: Act): string {
  const post = isByHolder ? by.postAsHolder : by.post
  const major = amount === undefined ? undefined : toMajor(amount)
  if (kind === 'redeem') {
    const body = { voucherCode: voucher.code, amount: major ?? 'max', referenceId: reference }
    return post('/merchant-integrations/redeem-voucher', body)
  }
  if (kind === 'refund')
    return post(`${server}/refund`, { referenceId: of, amount: major, refundReferenceId: reference, reason: 'drill' })
  const bodies = {
    cancel: { voucherCode: voucher.code, reason: 'drill' },
    block: {},
    unblock: {},
    replace: { referenceId: reference },
  }
  return post(`${server}/vouchers/${voucher.id}/${kind}`, bodies[kind])
}

/** What may be told, to whoever has the secret key, of an act that is not done. */
const refusals: Record<ActKind, readonly string[]> = {
  redeem: ['402 VOUCHER_BALANCE_TOO_LOW', '402 VOUCHER_EMPTY', '409 VOUCHER_BLOCKED', '409 VOUCHER_CANCELLED'],
  refund: ['402 REFUND_BALANCE_TOO_LOW', '404 TRANSACTION_NOT_FOUND', '409 REFUND_TO_SELF', '422 REFUND_TOO_LARGE'],
  cancel: ['409 VOUCHER_REPLACED'],
  block: ['409 VOUCHER_CANCELLED', '409 VOUCHER_REPLACED'],
  unblock: ['409 VOUCHER_CANCELLED', '409 VOUCHER_REPLACED'],
  replace: ['402 VOUCHER_EMPTY', '409 VOUCHER_CANCELLED', '409 VOUCHER_REPLACED'],
}
/** Who has no secret key is not told why a voucher cannot be used. */
const refusalsToHolders = ['402 VOUCHER_BALANCE_TOO_LOW', '402 VOUCHER_EMPTY', '404 VOUCHER_NOT_FOUND']

export function isLegal({ kind, isByHolder, status, error }: Told): boolean {
  if (status === 200) return true
  return (isByHolder ? refusalsToHolders : refusals[kind]).includes(`${status} ${error}`)
}

export type Receipt = {
  readonly voucher: string
  readonly merchant: string
  readonly amount: bigint
  readonly charge: bigint
}

/** What the client was told of a redemption, in the words that were signed. */
export function readReceipt({ data: { receipt } }: Told): Receipt {
  const claims = Buffer.from(receipt.split('.')[1] ?? '', 'base64url').toString()
  const { voucher, merchant, amount, charge } = JSON.parse(claims) as Record<keyof Receipt, string>
  return { voucher, merchant, amount: centsOf(amount), charge: centsOf(charge) }
}

/** Of 12.34 or 12.3, as answers and receipts write it. */
export function centsOf(major: string | number): bigint {
  const [whole = '0', part = ''] = String(major).split('.')
  return BigInt(whole + part.padEnd(2, '0'))
}
