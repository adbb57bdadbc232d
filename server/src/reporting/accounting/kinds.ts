/** Why value came onto vouchers or left them. */
export const movementKinds = [
  'issued',
  'reloaded',
  'redeemed',
  'fees',
  'refunded',
  'returned',
  'expired',
  'reopened',
  'cancelled',
  'voided',
  'paid_back',
  'replaced',
  'other',
] as const
export type MovementKind = (typeof movementKinds)[number]

/** Ages of vouchers in calendar months. */
export const ages = ['0-2', '3-5', '6-11', '12-23', '24+'] as const
export type Age = (typeof ages)[number]

export const feeKinds = ['redemption', 'payment_request', 'deposit', 'payout', 'other'] as const
export type FeeKind = (typeof feeKinds)[number]

/** `network`: a redemption on a network, whose fee waited with its value. */
export const feeBearers = ['voucher', 'payer', 'merchant', 'network'] as const
export type FeeBearer = (typeof feeBearers)[number]
