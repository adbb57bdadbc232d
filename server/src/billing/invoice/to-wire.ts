import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { formatMoney } from '../../base/money.ts'
import { writeInZone } from '../../base/zone.ts'
import type { CatalogueCurrency, Network } from '../../catalogue/currency/store.ts'
import { type LogoUrl, toAbbrevCurrency } from '../../catalogue/currency/to-wire.ts'
import { idempotencyKeyOf } from '../../http/caller.ts'
import { digitsOf, exactNumber } from '../../http/exact-json.ts'
import { type ExactNumber, type Wire } from '../../http/schema.ts'
import type { Invoice } from './store.ts'
import type { Submission } from './submit.ts'
import { wireInvoice, wireSubmission } from './wire.ts'

/** Visitors' keys are separate from the shop's own, so that a visitor cannot use a key that the shop needs. */
export function visitorKeyOf(request: FastifyRequest): string | undefined {
  const key = idempotencyKeyOf(request)
  return key === undefined ? undefined : `visitor/${key}`
}

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

type Facts = {
  readonly currency: CatalogueCurrency
  readonly network: Network | undefined
  readonly timeZone: string
  readonly logoUrl: LogoUrl
}

export type WireInvoice = Wire<Static<typeof wireInvoice>>

export function toWireInvoice(invoice: Invoice, { currency, network, timeZone, logoUrl }: Facts): WireInvoice {
  const money = (minor: bigint): ExactNumber => exactNumber(formatMoney({ minor, currency }))
  const createdAt = invoice.createdAt.toISOString()
  const updatedAt = (invoice.paidAt ?? invoice.decidedAt ?? invoice.createdAt).toISOString()
  return {
    id: invoice.id,
    invoiceNumber: invoice.number,
    invoiceDate: writeInZone(invoice.invoiceDate, timeZone),
    dueDate: writeInZone(invoice.dueDate, timeZone),
    createdAt,
    updatedAt,
    status: invoice.status,
    totalAmount: money(invoice.total),
    // Always empty, so that it does not reveal whether an address has an account.
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
