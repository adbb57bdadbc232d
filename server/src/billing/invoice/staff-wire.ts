import Type, { type Static } from 'typebox'
import { cursorFields } from '../../http/schema.ts'
import { mediaTypes } from './file-kind.ts'

/** waiting: approved, and its payment waits for another staff member or because its recipient is new. unpaid: approved only. */
export const invoiceStates = ['pending', 'unpaid', 'waiting', 'paid', 'rejected'] as const
export const wireInvoiceState = Type.Enum(invoiceStates)

/** The states by which a list is filtered. A waiting invoice is unpaid. */
export const listedStates = ['pending', 'unpaid', 'paid', 'rejected'] as const

const listed = {
  id: Type.String({ format: 'uuid' }),
  number: Type.String(),
  state: wireInvoiceState,
  fullName: Type.String(),
  email: Type.String(),
  total: Type.String({ description: 'With taxes' }),
  currency: Type.String(),
  dueDate: Type.String({ format: 'date-time' }),
  createdAt: Type.String({ format: 'date-time' }),
}

const wireListedInvoice = Type.Object(listed)
export type WireListedInvoice = Static<typeof wireListedInvoice>

export const wireListedInvoices = Type.Object({ invoices: Type.Array(wireListedInvoice), ...cursorFields })
export type WireListedInvoices = Static<typeof wireListedInvoices>

export const historyKinds = [
  'submitted',
  'approved',
  'rejected',
  'payment_requested',
  'payment_approved',
  'payment_cancelled',
  'paid',
] as const

const historyEntry = Type.Object({
  kind: Type.Enum(historyKinds),
  at: Type.String({ format: 'date-time' }),
  by: Type.String({ description: 'The staff member; empty for the submitter, a key or the worker' }),
})

/** An invoice in the dashboard. Amounts as strings. */
export const wireReviewedInvoice = Type.Object({
  ...listed,
  invoiceDate: Type.String({ format: 'date-time' }),
  senderNumber: Type.String(),
  senderAddress: Type.String(),
  network: Type.String(),
  onChain: Type.Boolean(),
  net: Type.String(),
  taxes: Type.Array(Type.Object({ name: Type.String(), rate: Type.String(), amount: Type.String() })),
  items: Type.Array(
    Type.Object({
      id: Type.String(),
      description: Type.String(),
      quantity: Type.String(),
      unitPrice: Type.String(),
      total: Type.String(),
    }),
  ),
  attachments: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      type: Type.Enum(mediaTypes),
      size: Type.Integer({ description: 'In bytes' }),
    }),
  ),
  reason: Type.String({ description: 'The reason for the rejection' }),
  voucherId: Type.String({ description: 'The voucher that paid it; empty if unpaid' }),
  isKnownSender: Type.Boolean({ description: 'Whether an invoice of this address was paid before' }),
  available: Type.String({ description: 'Your available balance in its currency' }),
  history: Type.Array(historyEntry, { description: 'In its order' }),
})
export type WireReviewedInvoice = Static<typeof wireReviewedInvoice>
