/** The reference of a payment of an invoice. Payments after cancelled ones are numbered. */
export function paymentReferenceOf(invoiceId: string, attempt: number): string {
  return attempt === 1 ? `invoice-${invoiceId}` : `invoice-${invoiceId}-${attempt}`
}
