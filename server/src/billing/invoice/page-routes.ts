import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { formatMoney } from '../../base/money.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { endpoints } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { type CreateLimit, networkOf, refuseAbove } from '../../http/limit.ts'
import type { Server } from '../../http/server.ts'
import type { Mode } from '../../base/mode.ts'
import { merchantError } from '../../identity/merchant/errors.ts'
import { findEnvironment, findOwner, findShop, readProfile } from '../../identity/merchant/store.ts'
import type { DecideTools } from './decide.ts'
import { openInvoice, sealInvoice } from './link.ts'
import type { Printer } from '../../print/printer.ts'
import { readInvoiceFacts } from './invoice-facts.ts'
import { listInvoiceCurrencies } from './store.ts'
import { submitInvoice } from './submit.ts'
import { readSubmission, visitorKeyOf } from './to-wire.ts'
import { shownInvoice, shownRecipient, submittedInvoice, wireSubmission } from './wire.ts'

// Per network. Drawing takes a tenth of a second, and a second for a hundred long lines.
const pdfsAMinute = 20
const mode = Type.Union([Type.Literal('live'), Type.Literal('test')])
// In the body, because URLs are logged in too many places.
const withToken = closed({ token: Type.String({ maxLength: 300 }) })

/** The pages where a visitor without an account submits an invoice and follows it. Not part of the merchant API. */
export function registerInvoicePageRoutes(
  server: Server,
  tools: DecideTools & { readonly printer: Printer; readonly createLimit: CreateLimit },
  limitSubmissions: (ip: string, environmentId: string) => Promise<void>,
): void {
  const api = endpoints(server)
  const { pool } = tools

  async function findMerchantEnvironment(code: string, of: Mode): Promise<string> {
    const environmentId = await findEnvironment(pool, code.toUpperCase(), of)
    if (environmentId === undefined) throw merchantError('MERCHANT_NOT_FOUND')
    return environmentId
  }

  api.post('/invoice/merchant', 'none', {
    body: closed({ merchantCode: Type.String({ maxLength: 16 }), mode }),
    response: { 200: enveloped(shownRecipient) },
    handler: async ({ body }) => {
      const environmentId = await findMerchantEnvironment(body.merchantCode, body.mode)
      const { merchantId } = await findOwner(pool, environmentId)
      const [{ name, timeZone }, { homeCurrency }, codes, catalogue] = await Promise.all([
        findShop(pool, environmentId),
        readProfile(pool, merchantId),
        withEnvironment(pool, environmentId, (tx) => listInvoiceCurrencies(tx, environmentId)),
        readCurrencies(pool),
      ])
      const homeFirst = codes.toSorted((a, b) => Number(b === homeCurrency) - Number(a === homeCurrency))
      const currencies = homeFirst.map((code) => pickCurrency(catalogue, code, 'any'))
      return answer('The merchant and its invoice currencies.', {
        name,
        timeZone,
        currencies: currencies.map(({ code, symbol, name, decimals }) => ({
          abbreviation: code,
          symbol,
          name,
          decimals,
        })),
      })
    },
  })

  api.post('/invoice/submit', 'none', {
    body: closed({ mode, invoice: wireSubmission }),
    response: { 200: enveloped(submittedInvoice) },
    handler: async (request) => {
      const { invoice } = request.body
      const environmentId = await findMerchantEnvironment(invoice.merchantCode, request.body.mode)
      await limitSubmissions(request.ip, environmentId)
      const submission = readSubmission(invoice, visitorKeyOf(request))
      const { id } = await submitInvoice(tools, await findOwner(pool, environmentId), submission)
      // A retry returns a link that expires, and is revoked, together with the first.
      return answer('The invoice is submitted.', { token: sealInvoice(tools, environmentId, id, timeOfId(id)) })
    },
  })

  api.post('/invoice/state', 'none', {
    body: withToken,
    response: { 200: enveloped(shownInvoice) },
    handler: async ({ body }) => {
      const { environmentId, ...invoice } = await openInvoice(tools, body.token)
      const [{ name, timeZone }, owner, currency] = await Promise.all([
        findShop(pool, environmentId),
        findOwner(pool, environmentId),
        findCurrency(pool, invoice.currency, 'any'),
      ])
      const { number, status, email, fullName, reason } = invoice
      const money = (minor: bigint): string => formatMoney({ minor, currency })
      return answer('Your invoice.', {
        mode: owner.mode,
        merchant: { name, timeZone },
        currency: { abbreviation: currency.code, symbol: currency.symbol, name: currency.name },
        ...{ number, status, email, fullName, reason },
        invoiceDate: invoice.invoiceDate.toISOString(),
        dueDate: invoice.dueDate.toISOString(),
        createdAt: invoice.createdAt.toISOString(),
        decidedAt: invoice.decidedAt?.toISOString() ?? null,
        paidAt: invoice.paidAt?.toISOString() ?? null,
        total: money(invoice.total),
        items: invoice.items.map(({ unitPrice, total, ...item }) => ({
          ...item,
          unitPrice: money(unitPrice),
          total: money(total),
        })),
      })
    },
  })

  const pdfs = tools.createLimit('invoice-pdf', pdfsAMinute, 60_000)
  api.post('/invoice/pdf', 'none', {
    body: withToken,
    handler: async ({ body, ip }, reply) => {
      refuseAbove(await pdfs.count(networkOf(ip)))
      const { environmentId, ...invoice } = await openInvoice(tools, body.token)
      const facts = await readInvoiceFacts(pool, environmentId, invoice)
      const pdf = await tools.printer.printInvoice({ environmentId, audience: 'visitor' }, facts)
      return reply.type('application/pdf').send(pdf)
    },
  })
}
