import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Mode } from '../../base/mode.ts'
import { formatMoney } from '../../base/money.ts'
import { writeInZone } from '../../base/zone.ts'
import type { CatalogueCurrency, Network } from '../../catalogue/currency/store.ts'
import { type LogoUrl, toAbbrevCurrency } from '../../catalogue/currency/to-wire.ts'
import { idempotencyKeyOf } from '../../http/caller.ts'
import { digitsOf, exactNumber } from '../../http/exact-json.ts'
import { type ExactNumber, type Wire } from '../../http/schema.ts'
import type { Shop } from '../../identity/merchant/store.ts'
import { toWireShop } from '../../identity/merchant/to-wire.ts'
import { mediaTypeOf } from './file-kind.ts'
import { netOf } from './lines.ts'
import type { Invoice } from './store.ts'
import type { Submission } from './submit.ts'
import { type ShownInvoice, wireInvoice, wireSubmission } from './wire.ts'

/** Visitors' keys are separate from the shop's own, so that a visitor cannot use a key that the shop needs. */
export function visitorKeyOf(request: FastifyRequest): string | undefined {
  const key = idempotencyKeyOf(request)
  return key === undefined ? undefined : `visitor/${key}`
}

type SubmissionBody = Static<typeof wireSubmission> & Pick<Submission, 'attachments'>

export function readSubmission(body: SubmissionBody, key: string | undefined): Submission {
  return {
    ...body,
    currency: body.currencyAbbreviation.toUpperCase(),
    network: body.blockchainNetworkAbbreviation?.toUpperCase(),
    items: body.invoiceItems.map((item) => ({
      description: item.description,
      quantity: digitsOf(item, 'quantity') ?? '',
      unitPrice: digitsOf(item, 'unitPrice') ?? '',
    })),
    taxes: body.taxes?.map((tax) => ({ name: tax.name, rate: digitsOf(tax, 'rate') ?? '' })),
    totalAmount: digitsOf(body, 'totalAmount'),
    attachments: body.attachments?.map((id) => id.toLowerCase()),
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
    netAmount: money(netOf(invoice.items)),
    taxes: invoice.taxes.map(({ name, rate, amount }) => ({ name, rate: exactNumber(rate), amount: money(amount) })),
    senderNumber: invoice.senderNumber,
    senderAddress: invoice.senderAddress,
    attachments: invoice.attachments.map(({ id, name, kind, size }) => ({ id, name, type: mediaTypeOf(kind), size })),
  }
}

type ShownFacts = {
  readonly mode: Mode
  readonly shop: Shop
  readonly currency: CatalogueCurrency
}

/** What the sender sees. The files have no ids: the sender cannot download them. */
export function toShownInvoice(invoice: Invoice, { mode, shop, currency }: ShownFacts): ShownInvoice {
  const { number, status, email, fullName, reason, senderNumber, senderAddress } = invoice
  const money = (minor: bigint): string => formatMoney({ minor, currency })
  return {
    mode,
    merchant: { name: shop.name, timeZone: shop.timeZone },
    shop: toWireShop(shop),
    currency: { abbreviation: currency.code, symbol: currency.symbol, name: currency.name },
    ...{ number, status, email, fullName, reason, senderNumber, senderAddress },
    invoiceDate: invoice.invoiceDate.toISOString(),
    dueDate: invoice.dueDate.toISOString(),
    createdAt: invoice.createdAt.toISOString(),
    decidedAt: invoice.decidedAt?.toISOString() ?? null,
    paidAt: invoice.paidAt?.toISOString() ?? null,
    net: money(netOf(invoice.items)),
    total: money(invoice.total),
    taxes: invoice.taxes.map(({ name, rate, amount }) => ({ name, rate, amount: money(amount) })),
    attachments: invoice.attachments.map(({ name, size }) => ({ name, size })),
    items: invoice.items.map(({ unitPrice, total, ...item }) => ({
      ...item,
      unitPrice: money(unitPrice),
      total: money(total),
    })),
  }
}
