import type { Currency } from '../ui/amount.tsx'
import { type Answer, askServer, postJson } from '../ui/ask-server.ts'

export type Mode = 'live' | 'test'
/** The public link: whom the invoice is for. */
export type Address = { readonly merchantCode: string; readonly mode: Mode }
type InvoiceCurrency = Currency & { readonly decimals: number }
/** Who takes the invoice, and in what. */
export type Taker = {
  readonly name: string
  readonly timeZone: string
  readonly currencies: readonly InvoiceCurrency[]
}

export type Draft = {
  readonly currencyAbbreviation: string
  readonly invoiceDate: string
  readonly dueDate: string
  readonly fullName: string
  readonly email: string
  readonly invoiceItems: readonly {
    readonly description: string
    readonly quantity: string
    readonly unitPrice: string
  }[]
}

export type Invoice = {
  readonly mode: Mode
  readonly merchant: { readonly name: string; readonly timeZone: string }
  readonly currency: Currency
  readonly number: string
  readonly status: 'Pending' | 'Approved' | 'Rejected'
  readonly email: string
  readonly fullName: string
  readonly reason: string
  readonly invoiceDate: string
  readonly dueDate: string
  readonly createdAt: string
  readonly decidedAt: string | null
  readonly paidAt: string | null
  readonly total: string
  readonly items: readonly {
    readonly id: string
    readonly description: string
    readonly quantity: string
    readonly unitPrice: string
    readonly total: string
  }[]
}

export function askTaker(address: Address): Promise<Answer<Taker>> {
  return askServer('/invoice/merchant', address)
}

/** Sent again under the same key it is the same invoice: an answer that was lost does no harm. */
export function submitInvoice({ merchantCode, mode }: Address, draft: Draft, key: string) {
  const body = { mode, invoice: { merchantCode, ...draft } }
  return askServer<{ readonly token: string }>('/invoice/submit', body, { 'idempotency-key': key })
}

export function askInvoice(token: string): Promise<Answer<Invoice>> {
  return askServer('/invoice/state', { token })
}

/** The PDF, or nothing where it did not come. */
export async function askPdf(token: string): Promise<Blob | null> {
  const reply = await postJson('/invoice/pdf', { token }).catch(() => null)
  return reply?.ok === true ? reply.blob() : null
}
