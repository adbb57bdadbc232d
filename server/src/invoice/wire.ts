import Type, { type Static } from 'typebox'
import { formatMoney } from '../base/money.ts'
import type { CatalogueCurrency, Network } from '../currency/store.ts'
import { abbrevCurrency, type LogoUrl, toAbbrevCurrency } from '../currency/wire.ts'
import { closed } from '../http/endpoint.ts'
import { digitsOf, exactNumber, wireAmount } from '../http/exact-json.ts'
import { writeDay } from './dates.ts'
import type { Invoice } from './store.ts'
import type { Submission } from './submit.ts'

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
      quantity: wireAmount('Above zero, with at most six decimals'),
      unitPrice: wireAmount('In major units'),
    }),
    { minItems: 1, maxItems: 100 },
  ),
})

export function readSubmission(body: Static<typeof wireSubmission>, key: string | undefined): Submission {
  return {
    ...body,
    currency: body.currencyAbbreviation.toUpperCase(),
    network: body.blockchainNetworkAbbreviation?.toUpperCase(),
    items: body.invoiceItems.map((item) => ({
      description: item.description,
      quantity: digitsOf(item, 'quantity') ?? '',
      unitPrice: digitsOf(item, 'unitPrice') ?? '',
    })),
    key,
  }
}

const time = Type.String({ format: 'date-time' })

export const wireInvoice = Type.Object({
  id: Type.String(),
  invoiceNumber: Type.String({ description: 'Without gaps in a year of yours' }),
  invoiceDate: time,
  dueDate: time,
  createdAt: time,
  updatedAt: time,
  status: Type.String(),
  totalAmount: Type.Number(),
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
    { description: 'Who submitted it' },
  ),
  invoiceItems: Type.Array(
    Type.Object({
      id: Type.String(),
      description: Type.String(),
      quantity: Type.Number(),
      unitPrice: Type.Number(),
      totalPrice: Type.Number(),
      createdAt: time,
      updatedAt: time,
    }),
  ),
  onChain: Type.Boolean(),
  reason: Type.String({ description: 'Why it was rejected' }),
  paidAt: Type.String({ description: 'When its voucher went out; empty while it waits' }),
})

type Facts = {
  readonly currency: CatalogueCurrency
  readonly network: Network | undefined
  readonly timeZone: string
  readonly logoUrl: LogoUrl
}

export function toWireInvoice(invoice: Invoice, { currency, network, timeZone, logoUrl }: Facts) {
  const money = (minor: bigint): unknown => exactNumber(formatMoney({ minor, currency }))
  const createdAt = invoice.createdAt.toISOString()
  const updatedAt = (invoice.paidAt ?? invoice.decidedAt ?? invoice.createdAt).toISOString()
  return {
    id: invoice.id,
    invoiceNumber: invoice.number,
    invoiceDate: writeDay(invoice.invoiceDate, timeZone),
    dueDate: writeDay(invoice.dueDate, timeZone),
    createdAt,
    updatedAt,
    status: invoice.status,
    totalAmount: money(invoice.total),
    // Whether an address has an account is nobody's business but its owner's.
    userId: '',
    currency: toAbbrevCurrency(currency, logoUrl),
    blockchainNetwork: {
      blockExplorerUrl: network?.explorerUrl ?? '',
      chainID: network?.chainId.toString() ?? '',
      id: network?.id ?? '',
      networkName: network?.name ?? '',
    },
    merchantUser: { id: '', name: invoice.fullName, email: invoice.email },
    invoiceItems: invoice.items.map(({ id, description, quantity, unitPrice, total }) => ({
      id,
      description,
      quantity: exactNumber(quantity),
      unitPrice: money(unitPrice),
      totalPrice: money(total),
      createdAt,
      updatedAt: createdAt,
    })),
    onChain: invoice.onChain,
    reason: invoice.reason,
    paidAt: invoice.paidAt?.toISOString() ?? '',
  }
}
