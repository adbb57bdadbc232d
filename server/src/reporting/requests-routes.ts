import Type from 'typebox'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { readCurrencies } from '../catalogue/currency/store.ts'
import { callerOf, type MerchantCaller } from '../http/caller.ts'
import { endpoints, staff } from '../http/endpoint.ts'
import { answer, enveloped } from '../http/envelope.ts'
import { continueAt, cursorQuery, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { paymentError } from '../payments/request/errors.ts'
import { linkOf } from '../payments/request/request-payment.ts'
import { readRange } from './days.ts'
import { findPayments, type PaymentFilter, type PaymentRow } from './payments-store.ts'
import { type AskedPayment, findAsked } from './requests-store.ts'
import { type Catalogue, toWirePayment } from './to-wire.ts'
import { wireAsked, type WireAsked, wireAskedPage } from './requests-wire.ts'

type Tools = { readonly pool: Pool; readonly publicUrl: string }

/** The payment requests of a shop, and of a cashier only the cashier's own. */
export function registerRequestLists(server: Server, { pool, publicUrl }: Tools): void {
  const api = endpoints(server)

  async function readPage(
    { environmentId, role, memberId }: MerchantCaller,
    range: { readonly from: string; readonly below: string },
    filter: PaymentFilter,
    limit: number,
  ) {
    const own = role === 'cashier' ? { member: memberId } : {}
    return withEnvironment(pool, environmentId, async (tx) => {
      const wanted = { type: 'PAYMENT_REQUEST', ...filter, ...own }
      const { payments, next } = await findPayments(tx, environmentId, range, wanted, limit)
      const ids = payments.map(({ id }) => id)
      return { payments, next, asked: await findAsked(tx, ids) }
    })
  }

  function toWire(catalogue: Catalogue, { mode }: MerchantCaller, payment: PaymentRow, asked: AskedPayment): WireAsked {
    const { reference, amount, currency, status, person, by, createdAt, statusReason } = toWirePayment(
      catalogue,
      payment,
    )
    const isByLink = asked.userId === null
    return {
      ...{ reference, amount, currency, status, statusReason, person, by, createdAt },
      note: asked.note,
      isByLink,
      link: isByLink && asked.endedAt === null ? linkOf(publicUrl, mode, asked.id) : '',
      expiresAt: asked.expiresAt.toISOString(),
    }
  }

  api.get('/merchant/payment-requests', staff('cashier', 'accountant'), {
    querystring: Type.Object({ ...cursorQuery, status: Type.Optional(Type.String({ maxLength: 40 })) }),
    response: { 200: enveloped(wireAskedPage) },
    handler: async (request) => {
      const caller = callerOf(request)
      const { cursor, limit, status } = request.query
      const { from } = await readRange(pool, caller.merchantId, {})
      const { payments, next, asked } = await readPage(caller, { from, below: readCursor(cursor) }, { status }, limit)
      const catalogue = await readCurrencies(pool)
      const requests = payments.flatMap((payment) => {
        const found = asked.get(payment.id)
        return found === undefined ? [] : [toWire(catalogue, caller, payment, found)]
      })
      return answer('Your payment requests.', { requests, ...continueAt(next) })
    },
  })

  api.get('/merchant/payment-requests/:reference', staff('cashier', 'accountant'), {
    params: Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) }),
    response: { 200: enveloped(wireAsked) },
    handler: async (request) => {
      const caller = callerOf(request)
      const { reference } = request.params
      const range = await readRange(pool, caller.merchantId, {})
      const { payments, asked } = await readPage(caller, range, { oneOf: [{ reference }] }, 1)
      const [payment] = payments
      const found = payment && asked.get(payment.id)
      if (payment === undefined || found === undefined) throw paymentError('PAYMENT_NOT_FOUND')
      return answer('The payment request.', toWire(await readCurrencies(pool), caller, payment, found))
    },
  })
}
