import Type from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { formatMoney } from '../base/money.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../currency/store.ts'
import { idempotencyKeyOf } from '../http/caller.ts'
import { closed, endpoints } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import { httpError } from '../http/errors.ts'
import { createLimit, networkOf } from '../http/limit.ts'
import type { Server } from '../http/server.ts'
import type { Mode } from '../ledger/book.ts'
import { merchantError } from '../merchant/errors.ts'
import { findEnvironment, findOwner, findShop, readProfile } from '../merchant/store.ts'
import type { DecideTools } from './decide.ts'
import { openInvoice, sealInvoice } from './link.ts'
import type { Printer } from '../print/printer.ts'
import { readInvoiceFacts } from './invoice-facts.ts'
import { listInvoiceCurrencies } from './store.ts'
import { submitInvoice } from './submit.ts'
import { readSubmission, wireSubmission } from './wire.ts'

// Of one place. Drawing one takes a tenth of a second, and with a hundred long lines a second.
const pdfsAMinute = 20
const mode = Type.Union([Type.Literal('live'), Type.Literal('test')])
// In the body: an address is kept in too many places.
const withToken = closed({ token: Type.String({ maxLength: 300 }) })

/** The page on which somebody without an account submits an invoice, and the one on which he follows it. No part of the merchant API. */
export function registerInvoicePageRoutes(
  server: Server,
  tools: DecideTools & { readonly printer: Printer },
  limitSubmissions: (ip: string, environmentId: string) => void,
): void {
  const api = endpoints(server)
  const { pool, clock, keyRing, random } = tools

  async function findTaker(code: string, of: Mode): Promise<string> {
    const environmentId = await findEnvironment(pool, code.toUpperCase(), of)
    if (environmentId === undefined) throw merchantError('MERCHANT_NOT_FOUND')
    return environmentId
  }

  api.post('/invoice/merchant', 'none', {
    body: closed({ merchantCode: Type.String({ maxLength: 16 }), mode }),
    handler: async ({ body }) => {
      const environmentId = await findTaker(body.merchantCode, body.mode)
      const { merchantId } = await findOwner(pool, environmentId)
      const [{ name, timeZone }, { homeCurrency }, codes, catalogue] = await Promise.all([
        findShop(pool, environmentId),
        readProfile(pool, merchantId),
        withEnvironment(pool, environmentId, (tx) => listInvoiceCurrencies(tx, environmentId)),
        readCurrencies(pool),
      ])
      const homeFirst = codes.toSorted((a, b) => Number(b === homeCurrency) - Number(a === homeCurrency))
      const currencies = homeFirst.map((code) => pickCurrency(catalogue, code, 'any'))
      return answer('Who takes the invoice, and in what.', {
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
    handler: async (request) => {
      const { invoice } = request.body
      const environmentId = await findTaker(invoice.merchantCode, request.body.mode)
      limitSubmissions(request.ip, environmentId)
      const asked = readSubmission(invoice, idempotencyKeyOf(request))
      const id = await submitInvoice(tools, await findOwner(pool, environmentId), asked)
      return answer('The invoice is submitted.', { token: sealInvoice(keyRing, environmentId, id, random) })
    },
  })

  api.post('/invoice/state', 'none', {
    body: withToken,
    handler: async ({ body }) => {
      const { environmentId, ...invoice } = await openInvoice(pool, keyRing, body.token)
      const [{ name, timeZone }, owner, currency] = await Promise.all([
        findShop(pool, environmentId),
        findOwner(pool, environmentId),
        findCurrency(pool, invoice.currency, 'any'),
      ])
      const { number, status, email, fullName, reason, invoiceDate, dueDate, createdAt, decidedAt, paidAt } = invoice
      const money = (minor: bigint): string => formatMoney({ minor, currency })
      return answer('Your invoice.', {
        mode: owner.mode,
        merchant: { name, timeZone },
        currency: { abbreviation: currency.code, symbol: currency.symbol, name: currency.name },
        ...{ number, status, email, fullName, reason, invoiceDate, dueDate, createdAt, decidedAt, paidAt },
        total: money(invoice.total),
        items: invoice.items.map(({ unitPrice, total, ...item }) => ({
          ...item,
          unitPrice: money(unitPrice),
          total: money(total),
        })),
      })
    },
  })

  const pdfs = createLimit(clock, pdfsAMinute, 60_000)
  api.post('/invoice/pdf', 'none', {
    body: withToken,
    handler: async ({ body, ip }, reply) => {
      const { isWithin, secondsLeft } = pdfs.count(networkOf(ip))
      if (!isWithin) throw httpError('RATE_LIMITED', { retryAfterSeconds: secondsLeft })
      const { environmentId, ...invoice } = await openInvoice(pool, keyRing, body.token)
      const facts = await readInvoiceFacts(pool, environmentId, invoice)
      const pdf = await tools.printer.printInvoice({ environmentId, audience: 'visitor' }, facts)
      return reply.type('application/pdf').send(pdf)
    },
  })
}
