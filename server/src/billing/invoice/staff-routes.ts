import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { formatMoney } from '../../base/money.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { callerOf, type MerchantCaller } from '../../http/caller.ts'
import { answers, endpoints, staff } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { confirmStaff, type PinTools } from '../../identity/user/pin.ts'
import { wirePin } from '../../identity/user/routes.ts'
import { readAvailable } from '../../ledger/store.ts'
import { approveInvoice, type DecideTools, payInvoice, rejectInvoice } from './decide.ts'
import { invoiceError } from './errors.ts'
import { mediaTypeOf } from './file-kind.ts'
import { netOf } from './lines.ts'
import {
  type HistoryEntry,
  type ListedInvoice,
  listForStaff,
  listHistory,
  readReview,
  type Review,
} from './staff-store.ts'
import {
  listedStates,
  wireInvoiceState,
  type WireListedInvoice,
  wireListedInvoices,
  type WireReviewedInvoice,
  wireReviewedInvoice,
} from './staff-wire.ts'
import { findInvoice, hasPaidTo, type Invoice } from './store.ts'

const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const pin = Type.Optional(wirePin)
const decided = answers({ state: wireInvoiceState })

/** Invoices in the dashboard. Decisions are those of the merchant API; here the address names the invoice, for the audit log. */
export function registerStaffInvoiceRoutes(server: Server, tools: DecideTools & PinTools): void {
  const api = endpoints(server)
  const { pool, clock } = tools

  async function readReviewOf(caller: MerchantCaller, id: string): Promise<Review> {
    const { environmentId } = caller
    const review = await withEnvironment(pool, environmentId, (tx) => readReview(tx, environmentId, id))
    if (review === undefined) throw invoiceError('INVOICE_NOT_FOUND')
    return review
  }

  api.get('/merchant/invoices', staff('accountant'), {
    querystring: Type.Object({
      ...cursorQuery,
      state: Type.Optional(Type.Enum(listedStates)),
      search: Type.Optional(Type.String({ maxLength: 254 })),
    }),
    response: { 200: enveloped(wireListedInvoices) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit, ...filter } = request.query
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listForStaff(tx, environmentId, filter, readCursor(cursor), limit + 1),
      )
      const { page, continuation } = cutPage(found, limit)
      const catalogue = await readCurrencies(pool)
      const invoices = page.map((one) => toListed(one, pickCurrency(catalogue, one.currency, 'any')))
      return answer('Your invoices.', { invoices, ...continuation })
    },
  })

  api.get('/merchant/invoices/:id', staff('accountant'), {
    params,
    response: { 200: enveloped(wireReviewedInvoice) },
    handler: async (request) => {
      const caller = callerOf(request)
      const { environmentId } = caller
      const id = request.params.id.toLowerCase()
      const review = await readReviewOf(caller, id)
      const { invoice, history, isKnownSender } = await withEnvironment(pool, environmentId, async (tx) => {
        const found = await findInvoice(tx, environmentId, id)
        if (found === undefined) throw invoiceError('INVOICE_NOT_FOUND')
        return {
          invoice: found,
          history: await listHistory(tx, environmentId, id),
          isKnownSender: await hasPaidTo(tx, environmentId, found.email),
        }
      })
      const currency = await findCurrency(pool, invoice.currency, 'any')
      const account = { bookId: invoice.bookId, ownerId: environmentId, kind: 'merchant' } as const
      const available = await readAvailable(pool, account, clock())
      return answer('The invoice.', toReviewed({ invoice, review, history, isKnownSender, available }, currency))
    },
  })

  api.post('/merchant/invoices/:id/approve', staff('accountant'), {
    params,
    body: closed({ onChain: Type.Optional(Type.Boolean()), pin }),
    response: decided,
    handler: async (request) => {
      const caller = callerOf(request)
      const { onChain = false } = request.body
      const id = request.params.id.toLowerCase()
      await confirmStaff(tools, request, request.body.pin)
      await approveInvoice(tools, caller, id, onChain)
      const { state } = await readReviewOf(caller, id)
      return answer('The invoice is approved.', { state })
    },
  })

  api.post('/merchant/invoices/:id/reject', staff('accountant'), {
    params,
    body: closed({ reason: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }) }),
    response: decided,
    handler: async (request) => {
      const id = request.params.id.toLowerCase()
      await rejectInvoice(tools, callerOf(request), id, request.body.reason.trim())
      return answer('The invoice is rejected.', { state: 'rejected' })
    },
  })

  api.post('/merchant/invoices/:id/pay', staff('accountant'), {
    params,
    body: closed({ pin }),
    response: decided,
    handler: async (request) => {
      const caller = callerOf(request)
      const id = request.params.id.toLowerCase()
      await confirmStaff(tools, request, request.body.pin)
      await payInvoice(tools, caller, id)
      const { state } = await readReviewOf(caller, id)
      return answer(state === 'paid' ? 'The invoice is paid.' : 'The payment waits.', { state })
    },
  })
}

function toListed(
  { total, dueDate, createdAt, ...invoice }: ListedInvoice,
  currency: CatalogueCurrency,
): WireListedInvoice {
  return {
    ...invoice,
    total: formatMoney({ minor: total, currency }),
    dueDate: dueDate.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}

type Reviewed = {
  readonly invoice: Invoice
  readonly review: Review
  readonly history: readonly HistoryEntry[]
  readonly isKnownSender: boolean
  readonly available: bigint
}

function toReviewed(
  { invoice, review, history, isKnownSender, available }: Reviewed,
  currency: CatalogueCurrency,
): WireReviewedInvoice {
  const { id, number, fullName, email, senderNumber, senderAddress, network, onChain, reason } = invoice
  const money = (minor: bigint): string => formatMoney({ minor, currency })
  return {
    ...{ id, number, fullName, email, senderNumber, senderAddress, network, onChain, reason },
    ...{ isKnownSender, currency: currency.code },
    state: review.state,
    voucherId: review.voucherId ?? '',
    total: money(invoice.total),
    net: money(netOf(invoice.items)),
    available: money(available),
    invoiceDate: invoice.invoiceDate.toISOString(),
    dueDate: invoice.dueDate.toISOString(),
    createdAt: invoice.createdAt.toISOString(),
    taxes: invoice.taxes.map(({ name, rate, amount }) => ({ name, rate, amount: money(amount) })),
    items: invoice.items.map(({ unitPrice, total, ...item }) => ({
      ...item,
      unitPrice: money(unitPrice),
      total: money(total),
    })),
    attachments: invoice.attachments.map(({ id, name, kind, size }) => ({ id, name, type: mediaTypeOf(kind), size })),
    history: history.map(({ kind, at, by }) => ({ kind, at: at.toISOString(), by })),
  }
}
