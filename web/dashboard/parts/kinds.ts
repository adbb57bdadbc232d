/** Types of money in and money out, in the order in which the chart draws them. */
export const kindsIn = ['VOUCHER_REDEMPTION', 'PAYMENT_REQUEST', 'WALLET_DEPOSIT'] as const
export const kindsOut = ['REFUND', 'PAYOUT', 'INVOICE_PAYMENT', 'VOUCHER_PURCHASE'] as const

export function isIn(kind: string): boolean {
  return (kindsIn as readonly string[]).includes(kind)
}
