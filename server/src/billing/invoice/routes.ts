import type { Pool } from '../../base/db.ts'
import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { findCurrency, listNetworks, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import type { LogoUrl } from '../../catalogue/currency/to-wire.ts'
import { callerOf, idempotencyKeyOf } from '../../http/caller.ts'
import { answers, endpoints, publicKey, secretKey } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import { type CreateLimit, networkOf, refuseAbove } from '../../http/limit.ts'
import { continueAt, cursorFields, pageFields, pageQuery } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { findLogoOf } from '../../identity/merchant/brand-store.ts'
import { findShop } from '../../identity/merchant/store.ts'
import { describeWait } from '../../payments/outflow/to-wire.ts'
import { confirmStaff, type PinTools } from '../../identity/user/pin.ts'
import { wirePin } from '../../identity/user/routes.ts'
import { approveInvoice, type DecideTools, payInvoice, rejectInvoice } from './decide.ts'
import { invoiceError } from './errors.ts'
import { revokeLinks } from './link.ts'
import { findInvoice, type Invoice, listInvoiceCurrencies, listInvoices, setInvoiceCurrencies } from './store.ts'
import { submitInvoice } from './submit.ts'
import { registerAttachmentRoutes } from './attachment-routes.ts'
import { registerStaffInvoiceRoutes } from './staff-routes.ts'
import { registerInvoicePageRoutes } from './page-routes.ts'
import type { Printer } from '../../print/printer.ts'
import { readInvoiceFacts } from './invoice-facts.ts'
import { readSubmission, toWireInvoice, visitorKeyOf, type WireInvoice } from './to-wire.ts'
import { wireInvoice, wireInvoiceStatus, wireSubmission } from './wire.ts'

const server = '/merchant-integrations-server'
const invoiceID = Type.String({ format: 'uuid' })
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const hourMs = 3_600_000
// Without a secret key: per network and shop.
const submissionsAnHour = 60

export function registerInvoiceRoutes(
  http: Server,
  tools: DecideTools &
    PinTools & {
      readonly visitorPool: Pool
      readonly logoUrl: LogoUrl
      readonly printer: Printer
      readonly createLimit: CreateLimit
    },
): void {
  const api = endpoints(http, ['Invoices'])
  const { pool } = tools
  const submissions = tools.createLimit('invoice', submissionsAnHour, hourMs)
  const limitSubmissions = async (ip: string, environmentId: string): Promise<void> => {
    refuseAbove(await submissions.count(`${networkOf(ip)} ${environmentId}`))
  }
  registerInvoicePageRoutes(http, { ...tools, pool: tools.visitorPool }, limitSubmissions)
  registerAttachmentRoutes(http, tools)
  registerStaffInvoiceRoutes(http, tools)

  async function toWire(environmentId: string, invoices: readonly Invoice[]): Promise<WireInvoice[]> {
    const [catalogue, networks, { timeZone }] = await Promise.all([
      readCurrencies(pool),
      listNetworks(pool),
      findShop(pool, environmentId),
    ])
    return invoices.map((invoice) => {
      const currency = pickCurrency(catalogue, invoice.currency, 'any')
      const network = networks.find(({ abbreviation }) => abbreviation === invoice.network)
      return toWireInvoice(invoice, { currency, network, timeZone, logoUrl: tools.logoUrl })
    })
  }

  async function readInvoice(environmentId: string, id: string): Promise<WireInvoice> {
    const found = await withEnvironment(pool, environmentId, (tx) => findInvoice(tx, environmentId, id.toLowerCase()))
    const [invoice] = await toWire(environmentId, found === undefined ? [] : [found])
    if (invoice === undefined) throw invoiceError('INVOICE_NOT_FOUND')
    return invoice
  }

  api.post(`${server}/create-invoice`, publicKey('cashier', 'accountant'), {
    summary: 'Submit an invoice',
    description:
      'In a currency that the merchant accepts for invoices. The server computes the totals; a quantity has at most six decimals, and the total of a line rounds half to even. A tax is computed on the sum of the lines and rounds half up. Dates are YYYY-MM-DD, in the merchant’s time zone, or RFC 3339.',
    headers: idempotencyHeader,
    body: wireSubmission,
    response: answers({ id: invoiceID }),
    handler: async (request, reply) => {
      const caller = callerOf(request)
      if (!caller.hasSecret) await limitSubmissions(request.ip, caller.environmentId)
      const key = caller.hasSecret ? idempotencyKeyOf(request) : visitorKeyOf(request)
      const submitted = await submitInvoice(tools, caller, readSubmission(request.body, key))
      markReplayed(reply, submitted)
      return answer('The invoice is submitted.', { id: submitted.id })
    },
  })

  api.get(`${server}/fetch-invoice`, secretKey('accountant'), {
    summary: 'List invoices',
    description: 'Invoices submitted to you, newest first.',
    querystring: Type.Object({
      ...pageQuery,
      filter: Type.Optional(wireInvoiceStatus),
    }),
    response: answers({ invoices: Type.Array(wireInvoice), total: Type.Number(), ...pageFields }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { page, limit, filter } = request.query
      const { invoices, total } = await withEnvironment(pool, environmentId, (tx) =>
        listInvoices(tx, environmentId, filter, page, limit),
      )
      const wire = await toWire(environmentId, invoices)
      return answer('Your invoices.', { invoices: wire, total, hasMore: page * limit < total })
    },
  })

  api.get(`${server}/invoices/:id`, secretKey('accountant'), {
    operationId: 'fetch-one-invoice',
    summary: 'Get an invoice',
    params: Type.Object({ id: invoiceID }),
    response: { 200: enveloped(wireInvoice) },
    handler: async (request) =>
      answer('The invoice.', await readInvoice(callerOf(request).environmentId, request.params.id)),
  })

  api.post(`${server}/approve-invoice`, secretKey('accountant'), {
    summary: 'Approve an invoice',
    description:
      'The response has its status and paidAt. If the balance is too low, or the payment has to wait for approval, the invoice stays approved and unpaid, with an empty paidAt. Pay it later with pay-invoice, or let it be paid automatically.',
    body: closed({ invoiceID, onChain: Type.Optional(Type.Boolean()), pin: Type.Optional(wirePin) }),
    response: { 200: enveloped(wireInvoice) },
    handler: async (request) => {
      const { invoiceID: id, onChain = false, pin } = request.body
      await confirmStaff(tools, request, pin)
      await approveInvoice(tools, callerOf(request), id.toLowerCase(), onChain)
      return answer('The invoice is approved.', await readInvoice(callerOf(request).environmentId, id))
    },
  })
  api.post(`${server}/reject-invoice`, secretKey('accountant'), {
    summary: 'Reject an invoice',
    body: closed({ invoiceID, reason: Type.Optional(Type.String({ maxLength: 500 })) }),
    handler: async (request) => {
      const { invoiceID: id, reason = '' } = request.body
      await rejectInvoice(tools, callerOf(request), id.toLowerCase(), reason)
      return acknowledge('The invoice is rejected.')
    },
  })
  api.post(`${server}/pay-invoice`, secretKey('accountant'), {
    summary: 'Pay an approved invoice',
    body: closed({ invoiceID, pin: Type.Optional(wirePin) }),
    handler: async (request) => {
      await confirmStaff(tools, request, request.body.pin)
      const paid = await payInvoice(tools, callerOf(request), request.body.invoiceID.toLowerCase())
      return acknowledge(paid.status === 'done' ? 'The invoice is paid.' : describeWait(paid))
    },
  })

  api.post(`${server}/invoices/:id/revoke-links`, secretKey('accountant'), {
    operationId: 'revoke-invoice-links',
    summary: 'Revoke the private links of an invoice',
    description: 'Anyone with a private link can see the invoice for 90 days. The links sent until now stop working.',
    params: Type.Object({ id: invoiceID }),
    body: closed({}),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const id = request.params.id.toLowerCase()
      await withEnvironment(pool, environmentId, (tx) => revokeLinks(tx, environmentId, id, tools.clock()))
      return acknowledge('The private links of this invoice no longer work.')
    },
  })

  api.get(`${server}/invoices/:id/invoice.pdf`, secretKey('accountant'), {
    summary: 'Download an invoice as PDF',
    params: Type.Object({ id: invoiceID }),
    response: {
      200: {
        description: 'A PDF document',
        content: { 'application/pdf': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
      },
    },
    handler: async (request, reply) => {
      const { environmentId } = callerOf(request)
      const id = request.params.id.toLowerCase()
      const invoice = await withEnvironment(pool, environmentId, (tx) => findInvoice(tx, environmentId, id))
      if (invoice === undefined) throw invoiceError('INVOICE_NOT_FOUND')
      const facts = await readInvoiceFacts(pool, environmentId, invoice)
      const readLogo = () => findLogoOf(pool, environmentId)
      const pdf = await tools.printer.printInvoice({ environmentId, audience: 'merchant' }, facts, readLogo)
      return reply.type('application/pdf').send(pdf)
    },
  })

  const currencies = Type.Array(text(12), { maxItems: 100 })
  api.get(`${server}/invoice-currencies`, secretKey('accountant'), {
    summary: 'List accepted invoice currencies',
    description: 'All of them, at most 100.',
    response: answers({ currencies, ...cursorFields }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const list = await withEnvironment(pool, environmentId, (tx) => listInvoiceCurrencies(tx, environmentId))
      return answer('Your currencies for invoices.', { currencies: list, ...continueAt('') })
    },
  })
  api.post(`${server}/invoice-currencies`, secretKey('accountant'), {
    operationId: 'set-invoice-currencies',
    summary: 'Update accepted invoice currencies',
    body: closed({ currencies }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const codes = request.body.currencies.map((code) => code.toUpperCase())
      for (const code of codes) await findCurrency(pool, code, 'offered', 'currencies')
      await withEnvironment(pool, environmentId, (tx) => setInvoiceCurrencies(tx, environmentId, codes))
      return acknowledge('Your currencies for invoices are set.')
    },
  })
}
