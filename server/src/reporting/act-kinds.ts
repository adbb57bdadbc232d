import type { actKinds } from './audit-wire.ts'

export type ActKind = (typeof actKinds)[number]

/** What an operation is about, by its address. The first that fits counts. */
const patterns: readonly (readonly [ActKind, RegExp])[] = [
  ['team', /\/merchant\/(members|invitations)/],
  ['settings', /(settings|account-numbers|limits|brand|locations|registers|update-admin-charges|invoice-currencies)/],
  ['invoices', /invoice/],
  ['customers', /customer/],
  ['outflows', /(payout|outflows|deposit-cases)/],
  ['developers', /(webhook|\/keys|\/sandbox)/],
  [
    'payments',
    /(redeem|refund|payment-request|payment-links|receipt|deposit|shifts|\/till|voucher-holds|redemption-charges)/,
  ],
  ['vouchers', /(voucher|\/issued)/],
]

export function kindOfAct(operation: string): ActKind {
  return patterns.find(([, pattern]) => pattern.test(operation))?.[0] ?? 'other'
}
