// What the client of a round was told, sorted by what it was told of.
import { centsOf, readReceipt, type Receipt, type Told } from './acts.ts'
import type { Merchant, World } from './world.ts'

/** From the sending of the first to the earliest answer that it was done. */
export type Span = { readonly sentMs: number; readonly toldMs: number }
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
  /** The one that was issued, and what replaced it. */
  readonly voucherIds: readonly [string, ...string[]]
  /** By reference. */
  readonly redemptions: ReadonlyMap<string, Redemption>
  readonly refunds: ReadonlyMap<string, Refund>
  /** By voucher. */
  readonly cancels: ReadonlyMap<string, Span>
  readonly replacements: ReadonlyMap<string, Replacement>
  readonly faults: readonly string[]
}

/** Only what was told to be done. Several answers to one reference have to tell of the same. */
export function readLog({ a }: World, log: readonly Told[]): RoundLog {
  const faults: string[] = []
  const redemptions = new Map<string, Redemption>()
  const refunds = new Map<string, Refund>()
  const replacements = new Map<string, Replacement>()
  const done = log.filter(({ status }) => status === 200)
  const sales = done.filter(({ kind }) => kind === 'redeem' || kind === 'refund')
  for (const [reference, all] of Map.groupBy(sales, (told) => told.reference)) {
    const [first] = all as [Told]
    const { environmentId, code } = first.by
    const id = first.data.transactionId
    if (all.some(({ data }) => data.transactionId !== id)) faults.push(`${reference} is several transactions`)
    const whole = { ...spanOf(log.filter((told) => told.reference === reference)), id, environmentId }
    if (first.kind === 'refund') {
      const amount = centsOf(first.data.amount)
      refunds.set(reference, { ...whole, of: first.of, amount })
      if (amount !== (first.amount ?? amount)) faults.push(`${reference} gave back ${amount}`)
      continue
    }
    const receipt = readReceipt(first)
    redemptions.set(reference, { ...whole, ...receipt })
    const isAsAsked = receipt.amount === (first.amount ?? receipt.amount)
    if (!isAsAsked || receipt.voucher !== first.voucher.id || receipt.merchant !== code)
      faults.push(`the receipt of ${reference} is not for what was asked`)
  }
  for (const told of done.filter(({ kind }) => kind === 'replace')) {
    if (replacements.has(told.voucher.id)) faults.push('a voucher was replaced twice')
    const { id, amount } = told.data
    replacements.set(told.voucher.id, { ...spanOf([told]), id, amount: centsOf(amount) })
  }
  const ended = Map.groupBy(
    done.filter(({ kind, by }) => kind === 'cancel' && by === a),
    ({ voucher }) => voucher.id,
  )
  const cancels = new Map([...ended].map(([id, all]) => [id, spanOf(all)]))
  for (const id of cancels.keys()) if (replacements.has(id)) faults.push('a voucher was cancelled and replaced')
  const voucherIds = [log[0]?.voucher.id ?? '', ...[...replacements.values()].map(({ id }) => id)] as const
  return { issuer: a, voucherIds: [...voucherIds], redemptions, refunds, cancels, replacements, faults }
}

function spanOf(all: readonly Told[]): Span {
  const done = all.filter(({ status }) => status === 200)
  return {
    sentMs: Math.min(...all.map(({ sentMs }) => sentMs)),
    toldMs: Math.min(...done.map(({ toldMs }) => toldMs)),
  }
}
