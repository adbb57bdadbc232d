// What can be done to a voucher, as requests, and the log of the responses.
import type { Connection } from '../../server/local/drill/api-process.ts'
import { send, type Merchant, type Reply, server, toMajor } from './world.ts'

export type Voucher = { readonly id: string; readonly code: string }
/** The value of each issued voucher, in cents. */
export const voucherValue = 100_00n

export type ActKind = 'redeem' | 'refund' | 'cancel' | 'block' | 'unblock' | 'replace'

export type Act = {
  readonly kind: ActKind
  readonly by: Merchant
  /** For a refund, the voucher that was redeemed. */
  readonly voucher: Voucher
  /** The act's own reference. Only acts that move an amount send one. */
  readonly reference: string
  /** For a refund, the reference of the redemption. */
  readonly of: string
  /** In cents, or undefined for everything that is left. */
  readonly amount: bigint | undefined
  /** Sent with the public key alone. */
  readonly isByPublicKey: boolean
}

/** Times are the client's own: an act that is sent after another's response must see what the other did. */
export type Done = Act & Reply & { readonly sentMs: number; readonly doneMs: number }

export async function perform(connection: Connection, act: Act, log: Done[]): Promise<Done> {
  const request = requestOf(act)
  const sentMs = performance.now()
  const reply = await send(connection, request)
  const done = { ...act, ...reply, sentMs, doneMs: performance.now() }
  log.push(done)
  return done
}

function requestOf({ kind, by, voucher, reference, of, amount, isByPublicKey }: Act): string {
  const post = isByPublicKey ? by.postWithPublicKey : by.post
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

/** How the API may refuse an act to a caller with the secret key. */
const refusals: Record<ActKind, readonly string[]> = {
  redeem: ['402 VOUCHER_BALANCE_TOO_LOW', '402 VOUCHER_EMPTY', '409 VOUCHER_BLOCKED', '409 VOUCHER_CANCELLED'],
  refund: ['402 REFUND_BALANCE_TOO_LOW', '404 TRANSACTION_NOT_FOUND', '409 REFUND_TO_SELF', '422 REFUND_TOO_LARGE'],
  cancel: ['409 VOUCHER_REPLACED'],
  block: ['409 VOUCHER_CANCELLED', '409 VOUCHER_REPLACED'],
  unblock: ['409 VOUCHER_CANCELLED', '409 VOUCHER_REPLACED'],
  replace: ['402 VOUCHER_EMPTY', '409 VOUCHER_CANCELLED', '409 VOUCHER_REPLACED'],
}
/** A caller without the secret key does not learn why a voucher cannot be used. */
const refusalsToHolders = ['402 VOUCHER_BALANCE_TOO_LOW', '402 VOUCHER_EMPTY', '404 VOUCHER_NOT_FOUND']

export function isLegal({ kind, isByPublicKey, status, error }: Done): boolean {
  if (status === 200) return true
  return (isByPublicKey ? refusalsToHolders : refusals[kind]).includes(`${status} ${error}`)
}

export type Receipt = {
  readonly voucher: string
  readonly merchant: string
  readonly amount: bigint
  readonly charge: bigint
}

/** The signed claims of a redemption's receipt. */
export function readReceipt({ data: { receipt } }: Done): Receipt {
  const claims = Buffer.from(receipt.split('.')[1] ?? '', 'base64url').toString()
  const { voucher, merchant, amount, charge } = JSON.parse(claims) as Record<keyof Receipt, string>
  return { voucher, merchant, amount: centsOf(amount), charge: centsOf(charge) }
}

/** From 12.34 or 12.3, as responses and receipts write it. */
export function centsOf(major: string | number): bigint {
  const [whole = '0', part = ''] = String(major).split('.')
  return BigInt(whole + part.padEnd(2, '0'))
}
