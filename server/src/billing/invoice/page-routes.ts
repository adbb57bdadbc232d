import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { endpoints } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { type CreateLimit, networkOf, refuseAbove } from '../../http/limit.ts'
import type { Server } from '../../http/server.ts'
import { findLogoOf } from '../../identity/merchant/brand-store.ts'
import { findOwner, findShop, readProfile } from '../../identity/merchant/store.ts'
import { toWireShop } from '../../identity/merchant/to-wire.ts'
import type { DecideTools } from './decide.ts'
import { findByCode } from './find-by-code.ts'
import { openInvoice, sealInvoice } from './link.ts'
import type { Printer } from '../../print/printer.ts'
import { readInvoiceFacts } from './invoice-facts.ts'
import { listInvoiceCurrencies } from './store.ts'
import { submitInvoice } from './submit.ts'
import { readSubmission, toShownInvoice, visitorKeyOf } from './to-wire.ts'
import { pageSubmission, shownInvoice, shownRecipient, submittedInvoice } from './wire.ts'

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

  api.post('/invoice/merchant', 'none', {
    body: closed({ merchantCode: Type.String({ maxLength: 16 }), mode }),
    response: { 200: enveloped(shownRecipient) },
    handler: async ({ body }) => {
      const environmentId = await findByCode(pool, body.merchantCode, body.mode)
      const { merchantId } = await findOwner(pool, environmentId)
      const [shop, { homeCurrency }, codes, catalogue] = await Promise.all([
        findShop(pool, environmentId),
        readProfile(pool, merchantId),
        withEnvironment(pool, environmentId, (tx) => listInvoiceCurrencies(tx, environmentId)),
        readCurrencies(pool),
      ])
      const homeFirst = codes.toSorted((a, b) => Number(b === homeCurrency) - Number(a === homeCurrency))
      const currencies = homeFirst.map((code) => pickCurrency(catalogue, code, 'any'))
      return answer('The merchant and its invoice currencies.', {
        name: shop.name,
        timeZone: shop.timeZone,
        shop: { logoUrl: toWireShop(shop).logoUrl },
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
    body: closed({ mode, invoice: pageSubmission }),
    response: { 200: enveloped(submittedInvoice) },
    handler: async (request) => {
      const { invoice } = request.body
      const environmentId = await findByCode(pool, invoice.merchantCode, request.body.mode)
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
      const [shop, owner, currency] = await Promise.all([
        findShop(pool, environmentId),
        findOwner(pool, environmentId),
        findCurrency(pool, invoice.currency, 'any'),
      ])
      return answer('Your invoice.', toShownInvoice(invoice, { mode: owner.mode, shop, currency }))
    },
  })

  const pdfs = tools.createLimit('invoice-pdf', pdfsAMinute, 60_000)
  api.post('/invoice/pdf', 'none', {
    body: withToken,
    handler: async ({ body, ip }, reply) => {
      refuseAbove(await pdfs.count(networkOf(ip)))
      const { environmentId, ...invoice } = await openInvoice(tools, body.token)
      const facts = await readInvoiceFacts(pool, environmentId, invoice)
      const readLogo = () => findLogoOf(pool, environmentId)
      const pdf = await tools.printer.printInvoice({ environmentId, audience: 'visitor' }, facts, readLogo)
      return reply.type('application/pdf').send(pdf)
    },
  })
}
