import { offsetMs } from '../../base/zone.ts'

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Weekday = (typeof weekdays)[number]

/** Who may use a voucher, when, and for which orders. What is left out is not restricted. */
export type VoucherRules = {
  /** The least total of an order, in minor units of the voucher's currency. */
  readonly minimumPurchase?: string
  /** A time, as ISO 8601. */
  readonly validFrom?: string
  /** In the time zone of the merchant that redeems it. */
  readonly weekdays?: readonly Weekday[]
  /** One redemption or hold for each order, of all vouchers with this rule. */
  readonly onePerOrder?: true
  /** A customer of the issuer. */
  readonly customerId?: string
  /** A user of the platform, and the identifier with which the issuer named them. */
  readonly user?: { readonly id: string; readonly identifier: string }
}

/** The rules of a row. Null without rules. */
export function rulesOf({ rules }: { readonly rules: Readonly<Record<string, unknown>> | null }): VoucherRules | null {
  // Only `writeRules` writes them.
  return rules
}

export function writeRules(rules: VoucherRules | null): string | null {
  return rules === null ? null : JSON.stringify(rules)
}

export function isBound({ customerId, user }: VoucherRules): boolean {
  return customerId !== undefined || user !== undefined
}

/** The order that a use of this voucher is recorded for, if an order takes only one voucher like it. */
export function orderOf(
  voucher: Parameters<typeof rulesOf>[0],
  purchase: { readonly orderReference?: string | undefined } | undefined,
): string | undefined {
  return rulesOf(voucher)?.onePerOrder === true ? purchase?.orderReference : undefined
}

/** What is known about one use of a voucher. */
export type VoucherUse = {
  readonly at: Date
  /** Of the merchant that redeems it. */
  readonly timeZone: string
  /** True if the person that the voucher is bound to uses it. */
  readonly isByBound: boolean
  /** The total of the order, in minor units of the voucher's currency. */
  readonly purchase: bigint | undefined
  readonly orderReference: string | undefined
  /** True if another voucher with the rule "one per order" was used for the order. */
  readonly isOrderTaken: boolean
}

/** The error codes of rules, with what a client needs to correct the request. */
export type BrokenRule =
  | { readonly code: 'VOUCHER_NOT_VALID_YET'; readonly validFrom: string }
  | { readonly code: 'VOUCHER_WRONG_WEEKDAY'; readonly weekdays: readonly Weekday[] }
  | { readonly code: 'VOUCHER_BOUND' }
  | { readonly code: 'VOUCHER_PURCHASE_MISSING' }
  | { readonly code: 'VOUCHER_MINIMUM_PURCHASE'; readonly minimum: bigint }
  | { readonly code: 'VOUCHER_ORDER_MISSING' }
  | { readonly code: 'VOUCHER_ONE_PER_ORDER' }

/** The first rule that this use breaks. Undefined if it breaks none. */
export function findBrokenRule(rules: VoucherRules, use: VoucherUse): BrokenRule | undefined {
  const { validFrom, weekdays: days, minimumPurchase, onePerOrder } = rules
  if (validFrom !== undefined && use.at < new Date(validFrom)) return { code: 'VOUCHER_NOT_VALID_YET', validFrom }
  if (days !== undefined && !days.includes(weekdayAt(use.at, use.timeZone)))
    return { code: 'VOUCHER_WRONG_WEEKDAY', weekdays: days }
  if (isBound(rules) && !use.isByBound) return { code: 'VOUCHER_BOUND' }
  if (minimumPurchase !== undefined) {
    if (use.purchase === undefined) return { code: 'VOUCHER_PURCHASE_MISSING' }
    const minimum = BigInt(minimumPurchase)
    if (use.purchase < minimum) return { code: 'VOUCHER_MINIMUM_PURCHASE', minimum }
  }
  if (onePerOrder === undefined) return undefined
  if (use.orderReference === undefined) return { code: 'VOUCHER_ORDER_MISSING' }
  return use.isOrderTaken ? { code: 'VOUCHER_ONE_PER_ORDER' } : undefined
}

/** The day of the week there, at this time. */
export function weekdayAt(at: Date, timeZone: string): Weekday {
  const local = new Date(at.getTime() + offsetMs(at, timeZone))
  // JavaScript counts from Sunday.
  const day = weekdays[(local.getUTCDay() + 6) % 7]
  if (day === undefined) throw new Error('A week has seven days.')
  return day
}
