import Type, { type Static } from 'typebox'
import { abbrevCurrency, shownCurrency } from '../../catalogue/currency/wire.ts'
import { closed, money, named, wireAmount } from '../../http/schema.ts'
import { wireShop } from '../../identity/merchant/wire.ts'
import { mediaTypes } from './file-kind.ts'
import { addressMax, attachmentsMax, senderNumberMax, taxesMax, taxNameMax } from './limits.ts'

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
  taxes: Type.Optional(
    Type.Array(
      closed({ name: text(taxNameMax), rate: wireAmount('In percent: from 0 to 100, with at most three decimals') }),
      { maxItems: taxesMax, description: 'Each on the sum of the lines' },
    ),
  ),
  totalAmount: Type.Optional(wireAmount('The total with taxes that you expect. Another one is refused')),
  senderNumber: Type.Optional(
    Type.String({ maxLength: senderNumberMax, description: 'Your own number of the invoice, once per email address' }),
  ),
  senderAddress: Type.Optional(
    Type.String({ maxLength: addressMax, description: 'Your postal address, in at most eight lines' }),
  ),
})

/** An invoice of the public page. Its files are uploaded first. */
export const pageSubmission = closed({
  ...wireSubmission.properties,
  attachments: Type.Optional(
    Type.Array(Type.String({ format: 'uuid' }), { maxItems: attachmentsMax, uniqueItems: true }),
  ),
})

/** A file for an invoice of the public page. */
export const pageUpload = closed({
  merchantCode: text(16),
  mode: Type.Enum(['live', 'test']),
  name: Type.String({ maxLength: 1_000 }),
  content: Type.String({ minLength: 1, description: 'The file in base64' }),
})

const wireMediaType = Type.Enum(mediaTypes, { title: 'AttachmentType' })

/** A stored file, by the id that the invoice takes. */
export const uploadedFile = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: wireMediaType,
  size: Type.Integer(),
})
export type UploadedFile = Static<typeof uploadedFile>

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
  totalAmount: money('With taxes'),
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
  netAmount: money('Without taxes'),
  taxes: Type.Array(
    named('InvoiceTax', {
      name: Type.String(),
      rate: Type.Number({ description: 'In percent' }),
      amount: money('Rounded half up'),
    }),
  ),
  senderNumber: Type.String({ description: 'The submitter’s own number of the invoice' }),
  senderAddress: Type.String({ description: 'The submitter’s postal address, in lines' }),
  attachments: Type.Array(
    named('InvoiceAttachment', {
      id: Type.String(),
      name: Type.String(),
      type: wireMediaType,
      size: Type.Integer({ description: 'In bytes' }),
    }),
    { description: 'Files of the submitter, which staff download' },
  ),
})

/** What the public page of a merchant that accepts invoices shows. */
export const shownRecipient = Type.Object({
  name: Type.String(),
  timeZone: Type.String(),
  // What it shows of the brand. Address and tax number are for customers.
  shop: Type.Object({ logoUrl: Type.String() }),
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
  shop: wireShop,
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
  net: Type.String(),
  total: Type.String(),
  senderNumber: Type.String(),
  senderAddress: Type.String(),
  taxes: Type.Array(Type.Object({ name: Type.String(), rate: Type.String(), amount: Type.String() })),
  attachments: Type.Array(Type.Object({ name: Type.String(), size: Type.Integer() })),
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
