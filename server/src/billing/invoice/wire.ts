import Type, { type Static } from 'typebox'
import { abbrevCurrency, shownCurrency } from '../../catalogue/currency/wire.ts'
import { closed, money, named, wireAmount } from '../../http/schema.ts'

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })

export const wireSubmission = closed({
  currencyAbbreviation: text(12),
  dueDate: text(40),
  invoiceDate: text(40),
  email: Type.String({ format: 'email', maxLength: 254 }),
  fullName: text(200),
  merchantCode: text(16),
  blockchainNetworkAbbreviation: Type.Optional(Type.String({ maxLength: 20 })),
  invoiceItems: Type.Array(
    closed({
      description: text(500),
      quantity: wireAmount('Greater than zero, with at most six decimals'),
      unitPrice: wireAmount('In major units'),
    }),
    { minItems: 1, maxItems: 100 },
  ),
})

const time = Type.String({ format: 'date-time' })

export const invoiceStatuses = ['Approved', 'Pending', 'Rejected'] as const
export const wireInvoiceStatus = Type.Enum(invoiceStatuses, { title: 'InvoiceStatus' })

export const wireInvoice = named('Invoice', {
  id: Type.String(),
  invoiceNumber: Type.String({ description: 'Consecutive within a year' }),
  invoiceDate: time,
  dueDate: time,
  createdAt: time,
  updatedAt: time,
  status: wireInvoiceStatus,
  totalAmount: money(),
  userId: Type.String(),
  currency: abbrevCurrency,
  blockchainNetwork: Type.Object({
    blockExplorerUrl: Type.String(),
    chainID: Type.String(),
    id: Type.String(),
    networkName: Type.String(),
  }),
  merchantUser: Type.Object(
    { id: Type.String(), name: Type.String(), email: Type.String() },
    { description: 'The submitter' },
  ),
  invoiceItems: Type.Array(
    Type.Object({
      id: Type.String(),
      description: Type.String(),
      quantity: Type.Number(),
      unitPrice: money(),
      totalPrice: money(),
      createdAt: time,
      updatedAt: time,
    }),
  ),
  onChain: Type.Boolean(),
  reason: Type.String({ description: 'The reason for the rejection' }),
  paidAt: Type.String({ description: 'When its voucher was sent; empty if unpaid' }),
})

/** What the public page of a merchant that accepts invoices shows. */
export const shownRecipient = Type.Object({
  name: Type.String(),
  timeZone: Type.String(),
  currencies: Type.Array(Type.Object({ ...shownCurrency.properties, decimals: Type.Integer() })),
})
export type ShownRecipient = Static<typeof shownRecipient>

/** The token opens the page that follows the invoice. */
export const submittedInvoice = Type.Object({ token: Type.String() })
export type SubmittedInvoice = Static<typeof submittedInvoice>

const moment = Type.Union([Type.Null(), time])

/** What the submitter's page shows of an invoice. Amounts as strings, because browsers parse numbers as floats. */
export const shownInvoice = Type.Object({
  mode: Type.Enum(['live', 'test']),
  merchant: Type.Object({ name: Type.String(), timeZone: Type.String() }),
  currency: shownCurrency,
  number: Type.String(),
  status: wireInvoiceStatus,
  email: Type.String(),
  fullName: Type.String(),
  reason: Type.String(),
  invoiceDate: time,
  dueDate: time,
  createdAt: time,
  decidedAt: moment,
  paidAt: moment,
  total: Type.String(),
  items: Type.Array(
    Type.Object({
      id: Type.String(),
      description: Type.String(),
      quantity: Type.String(),
      unitPrice: Type.String(),
      total: Type.String(),
    }),
  ),
})
export type ShownInvoice = Static<typeof shownInvoice>
