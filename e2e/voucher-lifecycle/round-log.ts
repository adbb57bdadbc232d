// The successful acts of a round, by kind.
import { centsOf, readReceipt, type Receipt, type Done } from './acts.ts'
import type { Merchant, World } from './world.ts'

/** From the sending of the first request to the earliest success response. */
export type Span = { readonly sentMs: number; readonly doneMs: number }
type Redemption = Span & Receipt & { readonly id: string; readonly environmentId: string }
type Refund = Span & {
  readonly id: string
  readonly environmentId: string
  readonly of: string
  readonly amount: bigint
}
type Replacement = Span & { readonly id: string; readonly amount: bigint }

export type RoundLog = {
  readonly issuer: Merchant
  /** The issued voucher, followed by its replacements. */
  readonly voucherIds: readonly [string, ...string[]]
  /** By reference. */
  readonly redemptions: ReadonlyMap<string, Redemption>
  readonly refunds: ReadonlyMap<string, Refund>
  /** By voucher. */
  readonly cancels: ReadonlyMap<string, Span>
  readonly replacements: ReadonlyMap<string, Replacement>
  readonly faults: readonly string[]
}

/** Collects the successful acts. All responses for one reference must have the same transaction. */
export function readLog({ a }: World, log: readonly Done[]): RoundLog {
  const faults: string[] = []
  const redemptions = new Map<string, Redemption>()
  const refunds = new Map<string, Refund>()
  const replacements = new Map<string, Replacement>()
  const succeeded = log.filter(({ status }) => status === 200)
  const sales = succeeded.filter(({ kind }) => kind === 'redeem' || kind === 'refund')
  for (const [reference, all] of Map.groupBy(sales, (each) => each.reference)) {
    const [first] = all as [Done]
    const { environmentId, code } = first.by
    const id = first.data.transactionId
    if (all.some(({ data }) => data.transactionId !== id)) faults.push(`${reference} has several transactions`)
    const shared = { ...spanOf(log.filter((each) => each.reference === reference)), id, environmentId }
    if (first.kind === 'refund') {
      const amount = centsOf(first.data.amount)
      refunds.set(reference, { ...shared, of: first.of, amount })
      if (amount !== (first.amount ?? amount)) faults.push(`${reference} refunded ${amount}`)
      continue
    }
    const receipt = readReceipt(first)
    redemptions.set(reference, { ...shared, ...receipt })
    const isAmountRight = receipt.amount === (first.amount ?? receipt.amount)
    if (!isAmountRight || receipt.voucher !== first.voucher.id || receipt.merchant !== code)
      faults.push(`the receipt of ${reference} does not match its request`)
  }
  for (const each of succeeded.filter(({ kind }) => kind === 'replace')) {
    if (replacements.has(each.voucher.id)) faults.push('a voucher was replaced twice')
    const { id, amount } = each.data
    replacements.set(each.voucher.id, { ...spanOf([each]), id, amount: centsOf(amount) })
  }
  const ended = Map.groupBy(
    succeeded.filter(({ kind, by }) => kind === 'cancel' && by === a),
    ({ voucher }) => voucher.id,
  )
  const cancels = new Map([...ended].map(([id, all]) => [id, spanOf(all)]))
  for (const id of cancels.keys()) if (replacements.has(id)) faults.push('a voucher was cancelled and replaced')
  const voucherIds = [log[0]?.voucher.id ?? '', ...[...replacements.values()].map(({ id }) => id)] as const
  return { issuer: a, voucherIds: [...voucherIds], redemptions, refunds, cancels, replacements, faults }
}

function spanOf(all: readonly Done[]): Span {
  const succeeded = all.filter(({ status }) => status === 200)
  return {
    sentMs: Math.min(...all.map(({ sentMs }) => sentMs)),
    doneMs: Math.min(...succeeded.map(({ doneMs }) => doneMs)),
  }
}
