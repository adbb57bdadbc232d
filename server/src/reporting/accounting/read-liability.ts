import type { Owner } from '../../http/caller.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { voucherAccounts } from './accounts.ts'
import { type Age, ages, type MovementKind, movementKinds } from './kinds.ts'
import { readPeriod, type Period, type PeriodInput } from './period.ts'
import { type Movement, sumMovements } from './store.ts'

const kindOfJournal: Readonly<Record<string, MovementKind>> = {
  'voucher.issue': 'issued',
  'voucher.sell': 'issued',
  'wallet.buy': 'issued',
  'invoice.pay': 'issued',
  // A payment to an address goes back as a voucher.
  'deposit.refund': 'issued',
  'voucher.reload': 'reloaded',
  'voucher.redeem': 'redeemed',
  'voucher.refund': 'refunded',
  'payment.refund': 'refunded',
  // A redemption on a network failed, or its network undid it.
  'voucher.redeem_fail': 'returned',
  'vault.undo': 'returned',
  'voucher.expiry': 'expired',
  'voucher.reopen': 'reopened',
  'voucher.cancel': 'cancelled',
  'voucher.void': 'voided',
  'voucher.cash_back': 'paid_back',
  'voucher.replacement': 'replaced',
}

const firstMonths = [0, 3, 6, 12, 24] as const

/** What one kind of vouchers in one currency is worth. */
export type Liability = {
  readonly currency: string
  readonly vouchers: 'platform' | 'store'
  readonly opening: bigint
  readonly closing: bigint
  readonly movements: readonly { readonly kind: MovementKind; readonly valueIn: bigint; readonly valueOut: bigint }[]
  /** Outstanding at the end of the period by the month of issue, oldest first. */
  readonly months: readonly { readonly month: string; readonly outstanding: bigint }[]
  readonly ages: readonly { readonly months: Age; readonly outstanding: bigint }[]
}

/** What the vouchers that a merchant has issued were worth at the end of a day, and what changed it in a period. */
export async function readLiability(
  pool: Pool,
  { environmentId, merchantId }: Owner,
  input: PeriodInput,
  at: Date,
): Promise<{ period: Period; liabilities: Liability[] }> {
  return withEnvironment(pool, environmentId, async (tx) => {
    const period = await readPeriod(tx, merchantId, input, at)
    const movements = await sumMovements(tx, environmentId, period, voucherAccounts)
    return { period, liabilities: toLiabilities(movements, period.until) }
  })
}

function toLiabilities(movements: readonly Movement[], until: string): Liability[] {
  const groups = Map.groupBy(movements, ({ currency, account }) => `${currency} ${account}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const vouchers = first.account === 'store_vouchers' ? 'store' : 'platform'
    const months = sumMonths(group)
    return [
      {
        currency: first.currency,
        vouchers,
        opening: sumNet(group.filter(({ isBefore }) => isBefore)),
        closing: sumNet(group),
        movements: sumKinds(group.filter(({ isBefore }) => !isBefore)),
        months,
        ages: sumAges(months, until),
      },
    ]
  })
}

function sumNet(movements: readonly Movement[]): bigint {
  return movements.reduce((sum, { valueIn, valueOut }) => sum + valueIn - valueOut, 0n)
}

function kindOf({ journalKind, otherKind, valueOut }: Movement): MovementKind {
  if (journalKind === 'voucher.redeem' && otherKind === 'fee') return 'fees'
  // A holder redeemed on the network, or a redemption of ours was lost to that.
  if (journalKind === 'vault.redeemed') return valueOut > 0n ? 'redeemed' : 'returned'
  return kindOfJournal[journalKind] ?? 'other'
}

function sumKinds(movements: readonly Movement[]): Liability['movements'] {
  const groups = Map.groupBy(movements, kindOf)
  return movementKinds.flatMap((kind) => {
    const group = groups.get(kind)
    if (group === undefined) return []
    const valueIn = group.reduce((sum, each) => sum + each.valueIn, 0n)
    const valueOut = group.reduce((sum, each) => sum + each.valueOut, 0n)
    return [{ kind, valueIn, valueOut }]
  })
}

function sumMonths(movements: readonly Movement[]): Liability['months'] {
  const groups = Map.groupBy(movements, ({ month }) => month)
  return [...groups]
    .map(([month, group]) => ({ month, outstanding: sumNet(group) }))
    .filter(({ outstanding }) => outstanding !== 0n)
    .sort((a, b) => (a.month < b.month ? -1 : 1))
}

function monthsOf(day: string): number {
  return 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7))
}

/** The age of a voucher in calendar months: 0 in the month of its issue. */
function ageOf(month: string, until: string): Age {
  const months = monthsOf(until) - monthsOf(month)
  return ages[firstMonths.findLastIndex((first) => months >= first)] ?? '0-2'
}

function sumAges(months: Liability['months'], until: string): Liability['ages'] {
  return ages.map((age) => ({
    months: age,
    outstanding: months
      .filter(({ month }) => ageOf(month, until) === age)
      .reduce((sum, { outstanding }) => sum + outstanding, 0n),
  }))
}
