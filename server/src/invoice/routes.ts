import Type from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { findCurrency, listNetworks, pickCurrency, readCurrencies } from '../currency/store.ts'
import type { LogoUrl } from '../currency/wire.ts'
import { callerOf, idempotencyKeyOf } from '../http/caller.ts'
import { answers, closed, endpoints, publicKey, secretKey } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { createLimit, networkOf } from '../http/limit.ts'
import { pageQuery } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { findShop } from '../merchant/store.ts'
import { confirmStaff, type PinTools } from '../user/pin.ts'
import { wirePin } from '../user/routes.ts'
import { approveInvoice, type DecideTools, payInvoice, rejectInvoice } from './decide.ts'
import { invoiceError } from './errors.ts'
import { findInvoice, listInvoiceCurrencies, listInvoices, setInvoiceCurrencies } from './store.ts'
import { submitInvoice } from './submit.ts'
import { registerInvoicePageRoutes } from './page-routes.ts'
import type { Printer } from '../print/printer.ts'
import { readInvoiceFacts } from './invoice-facts.ts'
import { readSubmission, toWireInvoice, wireInvoice, wireSubmission } from './wire.ts'

const server = '/merchant-integrations-server'
const invoiceID = Type.String({ format: 'uuid' })
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const statuses = ['Approved', 'Pending', 'Rejected'] as const
const hourMs = 3_600_000
// Without a secret key, where everybody may: of one place, and to one shop from it.
const submissionsAnHour = 60

export function registerInvoiceRoutes(
  http: Server,
  tools: DecideTools & PinTools & { readonly logoUrl: LogoUrl; readonly printer: Printer },
): void {
  const api = endpoints(http, ['Invoices'])
  const { pool } = tools
  const submissions = createLimit(tools.clock, submissionsAnHour, hourMs)
  const limitSubmissions = (ip: string, environmentId: string): void => {
    const { isWithin, secondsLeft } = submissions.count(`${networkOf(ip)} ${environmentId}`)
    if (!isWithin) throw invoiceError('INVOICES_TOO_MANY', { retryAfterSeconds: secondsLeft })
  }
  registerInvoicePageRoutes(http, tools, limitSubmissions)

  api.post(`${server}/create-invoice`, publicKey('cashier', 'accountant'), {
    summary: 'Submits an invoice to a merchant, who decides upon it',
    description:
      'In a currency in which the merchant takes invoices. Totals are computed by the server; a quantity has at most six decimals, and what is less than a minor unit of a line rounds half to even. Dates are YYYY-MM-DD, in the merchant’s time zone, or RFC 3339.',
    body: wireSubmission,
    handler: async (request) => {
      const caller = callerOf(request)
      if (!caller.hasSecret) limitSubmissions(request.ip, caller.environmentId)
      await submitInvoice(tools, caller, readSubmission(request.body, idempotencyKeyOf(request)))
      return acknowledge('The invoice is submitted.')
    },
  })

  api.get(`${server}/fetch-invoice`, secretKey('accountant'), {
    summary: 'Lists invoices that were submitted to you, newest first',
    querystring: Type.Object({
      ...pageQuery,
      filter: Type.Optional(Type.Union(statuses.map((status) => Type.Literal(status)))),
    }),
    response: answers({ invoices: Type.Array(wireInvoice), total: Type.Number() }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { page, limit, filter } = request.query
      const { invoices, total } = await withEnvironment(pool, environmentId, (tx) =>
        listInvoices(tx, environmentId, filter, page, limit),
      )
      const [catalogue, networks, { timeZone }] = await Promise.all([
        readCurrencies(pool),
        listNetworks(pool),
        findShop(pool, environmentId),
      ])
      const wire = invoices.map((invoice) => {
        const currency = pickCurrency(catalogue, invoice.currency, 'any')
        const network = networks.find(({ abbreviation }) => abbreviation === invoice.network)
        return toWireInvoice(invoice, { currency, network, timeZone, logoUrl: tools.logoUrl })
      })
      return answer('Your invoices.', { invoices: wire, total })
    },
  })

  api.post(`${server}/approve-invoice`, secretKey('accountant'), {
    summary: 'Approve an invoice, and pay it with a voucher if your balance covers it',
    description:
      'If the balance is too low, or the payment has to wait for approval, the invoice stays approved and unpaid. Pay it later with pay-invoice, or let it be paid automatically.',
    body: closed({ invoiceID, onChain: Type.Optional(Type.Boolean()), pin: Type.Optional(wirePin) }),
    handler: async (request) => {
      const { invoiceID: id, onChain = false, pin } = request.body
      await confirmStaff(tools, request, pin)
      await approveInvoice(tools, callerOf(request), id.toLowerCase(), onChain)
      return acknowledge('The invoice is approved.')
    },
  })
  api.post(`${server}/reject-invoice`, secretKey('accountant'), {
    summary: 'Rejects an invoice',
    body: closed({ invoiceID, reason: Type.Optional(Type.String({ maxLength: 500 })) }),
    handler: async (request) => {
      const { invoiceID: id, reason = '' } = request.body
      await rejectInvoice(tools, callerOf(request), id.toLowerCase(), reason)
      return acknowledge('The invoice is rejected.')
    },
  })
  api.post(`${server}/pay-invoice`, secretKey('accountant'), {
    summary: 'Pays an approved invoice that your balance did not cover before',
    body: closed({ invoiceID, pin: Type.Optional(wirePin) }),
    handler: async (request) => {
      await confirmStaff(tools, request, request.body.pin)
      const status = await payInvoice(tools, callerOf(request), request.body.invoiceID.toLowerCase())
      return acknowledge(status === 'done' ? 'The invoice is paid.' : 'The payment waits for approval.')
    },
  })

  api.get(`${server}/invoices/:id/invoice.pdf`, secretKey('accountant'), {
    summary: 'An invoice to print or to file',
    params: Type.Object({ id: invoiceID }),
    response: {
      200: {
        description: 'A PDF document',
        content: { 'application/pdf': { schema: Type.Unsafe<unknown>({ type: 'string' }) } },
      },
    },
    handler: async (request, reply) => {
      const { environmentId } = callerOf(request)
      const id = request.params.id.toLowerCase()
      const invoice = await withEnvironment(pool, environmentId, (tx) => findInvoice(tx, environmentId, id))
      if (invoice === undefined) throw invoiceError('INVOICE_NOT_FOUND')
      const facts = await readInvoiceFacts(pool, environmentId, invoice)
      const pdf = await tools.printer.printInvoice({ environmentId, audience: 'merchant' }, facts)
      return reply.type('application/pdf').send(pdf)
    },
  })

  const currencies = Type.Array(text(12), { maxItems: 100 })
  api.get(`${server}/invoice-currencies`, secretKey('accountant'), {
    summary: 'Lists the currencies in which you take invoices',
    response: answers({ currencies }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const list = await withEnvironment(pool, environmentId, (tx) => listInvoiceCurrencies(tx, environmentId))
      return answer('Your currencies for invoices.', { currencies: list })
    },
  })
  api.post(`${server}/invoice-currencies`, secretKey('accountant'), {
    operationId: 'set-invoice-currencies',
    summary: 'Sets the currencies in which you take invoices',
    body: closed({ currencies }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const codes = request.body.currencies.map((code) => code.toUpperCase())
      for (const code of codes) await findCurrency(pool, code)
      await withEnvironment(pool, environmentId, (tx) => setInvoiceCurrencies(tx, environmentId, codes))
      return acknowledge('Your currencies for invoices are set.')
    },
  })
}
