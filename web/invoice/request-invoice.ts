import type { Read } from '../../server/src/http/schema.ts'
import type { ShownInvoice, ShownRecipient, SubmittedInvoice } from '../../server/src/billing/invoice/wire.ts'
import { type Answer, sendRequest, postJson } from '../ui/send-request.ts'

export type Mode = Invoice['mode']
/** The public link of a merchant that accepts invoices. */
export type MerchantLink = { readonly merchantCode: string; readonly mode: Mode }
/** The merchant, with the currencies that it accepts invoices in. */
export type Recipient = Read<ShownRecipient>
export type InvoiceCurrency = Recipient['currencies'][number]

export type Draft = {
  readonly currencyAbbreviation: string
  readonly invoiceDate: string
  readonly dueDate: string
  readonly fullName: string
  readonly email: string
  readonly senderNumber?: string
  readonly senderAddress?: string
  readonly invoiceItems: readonly DraftItem[]
  readonly taxes: readonly DraftTax[]
  /** What the form showed. The server refuses another total. */
  readonly totalAmount: string
  /** The ids of uploaded files. */
  readonly attachments: readonly string[]
}
export type DraftItem = {
  readonly description: string
  readonly quantity: string
  readonly unitPrice: string
}
export type DraftTax = {
  readonly name: string
  /** In percent. */
  readonly rate: string
}

export type Invoice = Read<ShownInvoice>

export function fetchRecipient(link: MerchantLink): Promise<Answer<Recipient>> {
  return sendRequest('/invoice/merchant', link)
}

/** Safe to retry: a draft sent again with the same idempotency key returns the first invoice. */
export function submitInvoice(
  { merchantCode, mode }: MerchantLink,
  draft: Draft,
  key: string,
): Promise<Answer<Read<SubmittedInvoice>>> {
  const body = { mode, invoice: { merchantCode, ...draft } }
  return sendRequest('/invoice/submit', body, { 'idempotency-key': key })
}

export function fetchInvoice(token: string): Promise<Answer<Invoice>> {
  return sendRequest('/invoice/state', { token })
}

/** Returns null if the PDF cannot be loaded. */
export async function fetchPdf(token: string): Promise<Blob | null> {
  const response = await postJson('/invoice/pdf', { token }).catch(() => null)
  return response?.ok === true ? response.blob() : null
}
