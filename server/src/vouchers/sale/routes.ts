import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, secretKey } from '../../http/endpoint.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import { closed } from '../../http/schema.ts'
import type { Server } from '../../http/server.ts'
import { confirmStaff, type PinTools } from '../../identity/user/pin.ts'
import type { CountUserLookups } from '../../identity/user/quota.ts'
import { wirePin } from '../../identity/user/routes.ts'
import { takeReference } from '../../payments/transaction/reference.ts'
import { type GuessLimit, guesserOf } from '../code/guess-limit.ts'
import { readRulesBody } from '../voucher/read-rules.ts'
import type { WireTools } from '../voucher/to-wire.ts'
import { lockPin } from '../voucher/wire.ts'
import { type CashBackTools, offerCashBack, payCashBack } from './cash-back.ts'
import { saleError } from './errors.ts'
import { sendAgain } from './gift.ts'
import { registerSaleLimits, type SaleLimitTools } from './limit-routes.ts'
import { sellerOf } from './limit.ts'
import { reloadVoucher } from './reload.ts'
import { sellVoucher } from './sell.ts'
import { findSale, listSales } from './store.ts'
import { registerTillLookUp, type TillTools } from './till-routes.ts'
import { toWireSale, toWireSold } from './to-wire.ts'
import { voidSale } from './void-sale.ts'
import {
  cashBackBody,
  paybackFields,
  reloadBody,
  saleBody,
  type Tender,
  voucherCode,
  wireCashBackOffer,
  wireSale,
  wireSales,
  wireSold,
} from './wire.ts'

type SaleTools = CashBackTools &
  WireTools &
  PinTools &
  SaleLimitTools &
  TillTools & { readonly limitGuesses: GuessLimit; readonly countUserLookups: CountUserLookups }

const server = '/merchant-integrations-server'
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const tag = 'Selling vouchers'
const staffPin = Type.Optional(wirePin)

/** Sell, reload, undo and pay back store vouchers. */
export function registerSaleRoutes(on: Server, tools: SaleTools): void {
  registerSelling(on, tools)
  registerPayback(on, tools)
  registerSaleLists(on, tools)
  registerSaleLimits(on, tools)
  registerTillLookUp(on, tools)
}

type Paid = {
  readonly price?: unknown
  readonly tender: Tender
  readonly tenderReference?: string
  readonly reason?: string
  readonly registerId?: string
}

function paidOf(body: Paid) {
  const { tender, tenderReference = '', reason = '', registerId } = body
  return { price: digitsOf(body, 'price'), tender, tenderReference, reason, registerId }
}

/** Staff confirm what they give away with their PIN, like every outflow. */
async function confirmGivenAway(
  tools: PinTools,
  request: FastifyRequest,
  body: Paid & { pin?: string },
): Promise<void> {
  const isGivenAway = body.tender === 'free' || body.price !== undefined
  if (isGivenAway) await confirmStaff(tools, request, body.pin)
}

/** Does what takes a code. Unknown codes that a staff member sends are counted as guesses. */
function withCode<T>(tools: SaleTools, request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const guesser = guesserOf(request)
  return guesser === undefined ? work() : tools.limitGuesses(guesser, work)
}

function registerSelling(on: Server, tools: SaleTools): void {
  const api = endpoints(on, [tag])

  api.post(`${server}/voucher-sales`, secretKey('cashier', 'accountant'), {
    operationId: 'sell-voucher',
    summary: 'Sell a store voucher',
    headers: idempotencyHeader,
    description:
      'For money that you took yourself. Only you accept the voucher. With the code of a card of an inactive batch, that card is activated. Counts for the daily limit of the key or the staff member; what you give away counts as an outflow too.',
    body: closed({ ...saleBody, pin: staffPin }),
    response: { 200: enveloped(wireSold) },
    handler: async (request, reply) => {
      const { body } = request
      await confirmGivenAway(tools, request, body)
      const input = {
        ...paidOf(body),
        reference: takeReference(request, reply, body.referenceId, tools.newId),
        amount: digitsOf(body, 'amount'),
        currency: body.currency.toUpperCase(),
        voucherCode: body.voucherCode,
        lockPin: body.lockPin,
        expires: body.expiresAt,
        gift: body.gift,
        rules: await readRulesBody(tools, request, body.rules),
      }
      const caller = callerOf(request)
      const sold = await withCode(tools, request, () => sellVoucher(tools, caller, input))
      markReplayed(reply, sold)
      // Cashiers can read the references of all sales: with a retry they would get the codes of each other's customers.
      const showsCode = sold.sale.sellerId === sellerOf(caller)
      return answer('The voucher was sold.', toWireSold(sold, tools, { showsCode }))
    },
  })

  api.post(`${server}/voucher-reloads`, secretKey('cashier', 'accountant'), {
    operationId: 'reload-voucher',
    summary: 'Reload a store voucher',
    headers: idempotencyHeader,
    body: closed({ ...reloadBody, pin: staffPin }),
    response: { 200: enveloped(wireSold) },
    handler: async (request, reply) => {
      const { body } = request
      await confirmGivenAway(tools, request, body)
      const reference = takeReference(request, reply, body.referenceId, tools.newId)
      const input = {
        ...paidOf(body),
        reference,
        voucherCode: body.voucherCode,
        amount: digitsOf(body, 'amount') ?? '',
      }
      const sold = await withCode(tools, request, () => reloadVoucher(tools, callerOf(request), input))
      markReplayed(reply, sold)
      return answer('The voucher was reloaded.', toWireSold(sold, tools, { showsCode: false }))
    },
  })

  api.post(`${server}/vouchers/:id/send`, secretKey('cashier', 'accountant'), {
    operationId: 'send-gift',
    summary: 'Send a gift again',
    description:
      'To the same or to another address, at most ten times. A gift that waits for its day is sent now. Cashiers send it to the same address only.',
    params,
    body: closed({ email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })), pin: staffPin }),
    handler: async (request) => {
      // Like reading its code.
      if (request.body.email !== undefined) await confirmStaff(tools, request, request.body.pin)
      await sendAgain(tools, callerOf(request), { voucherId: request.params.id, email: request.body.email })
      return acknowledge('The gift is on its way.')
    },
  })
}

function registerPayback(on: Server, tools: SaleTools): void {
  const api = endpoints(on, [tag])

  api.post(`${server}/voucher-sales/:id/void`, secretKey('cashier', 'accountant'), {
    operationId: 'void-voucher-sale',
    summary: 'Undo a sale or a reload',
    headers: idempotencyHeader,
    description:
      'Only while nothing of it was spent. You give back the price. A card of a batch can be sold again if you undo its sale within 15 minutes. Cashiers need the card, and have these 15 minutes.',
    params,
    body: closed({ voucherCode: Type.Optional(voucherCode), ...paybackFields }),
    response: { 200: enveloped(wireSold) },
    handler: async (request, reply) => {
      const { reason = '', registerId, voucherCode: code, referenceId } = request.body
      const reference = takeReference(request, reply, referenceId, tools.newId)
      const input = { saleId: request.params.id, voucherCode: code, reason, registerId, reference }
      const sold = await withCode(tools, request, () => voidSale(tools, callerOf(request), input))
      markReplayed(reply, sold)
      return answer('The sale was undone.', toWireSold(sold, tools, { showsCode: false }))
    },
  })

  api.post(`${server}/voucher-cash-backs/offer`, secretKey('cashier', 'accountant'), {
    operationId: 'offer-cash-back',
    summary: 'Get what is paid back for a voucher',
    description: 'Nothing is paid yet.',
    body: closed({ voucherCode, lockPin: Type.Optional(lockPin) }),
    response: { 200: enveloped(wireCashBackOffer) },
    handler: async (request) => {
      const { voucherCode: code, lockPin: pin } = request.body
      const { value, price, currency } = await withCode(tools, request, () =>
        offerCashBack(tools, callerOf(request), { voucherCode: code, lockPin: pin }),
      )
      const offer = { value: wireMoney(value, currency), price: wireMoney(price, currency), currency: currency.code }
      return answer('What is paid back.', offer)
    },
  })

  api.post(`${server}/voucher-cash-backs`, secretKey('cashier', 'accountant'), {
    operationId: 'pay-cash-back',
    summary: 'Pay back what is left of a voucher',
    headers: idempotencyHeader,
    description: 'In proportion to what was paid for it, rounded down. The voucher is closed.',
    body: closed(cashBackBody),
    response: { 200: enveloped(wireSold) },
    handler: async (request, reply) => {
      const { body } = request
      const reference = takeReference(request, reply, body.referenceId, tools.newId)
      const input = { ...paidOf(body), reference, voucherCode: body.voucherCode, lockPin: body.lockPin }
      const sold = await withCode(tools, request, () => payCashBack(tools, callerOf(request), input))
      markReplayed(reply, sold)
      return answer('The voucher was paid back.', toWireSold(sold, tools, { showsCode: false }))
    },
  })
}

function registerSaleLists(on: Server, tools: SaleTools): void {
  const api = endpoints(on, [tag])
  const { pool } = tools

  api.get(`${server}/voucher-sales`, secretKey('cashier', 'accountant'), {
    operationId: 'list-voucher-sales',
    summary: 'List voucher sales',
    description: 'Sales, reloads, and what was undone and paid back, newest first.',
    querystring: Type.Object(cursorQuery),
    response: { 200: enveloped(wireSales) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit } = request.query
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listSales(tx, environmentId, readCursor(cursor), limit + 1),
      )
      const catalogue = await readCurrencies(pool)
      const { page, continuation } = cutPage(found, limit)
      const sales = page.map((sale) => toWireSale(sale, pickCurrency(catalogue, sale.currency, 'any')))
      return answer('Your voucher sales.', { sales, ...continuation })
    },
  })

  api.get(`${server}/voucher-sales/:id`, secretKey('cashier', 'accountant'), {
    operationId: 'fetch-voucher-sale',
    summary: 'Get a voucher sale',
    description: 'With what a receipt shows.',
    params,
    response: { 200: enveloped(wireSale) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const sale = await withEnvironment(pool, environmentId, (tx) => findSale(tx, environmentId, request.params.id))
      if (sale === undefined) throw saleError('SALE_NOT_FOUND')
      const catalogue = await readCurrencies(pool)
      return answer('The voucher sale.', toWireSale(sale, pickCurrency(catalogue, sale.currency, 'any')))
    },
  })
}
