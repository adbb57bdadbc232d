import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { checkAmountForm } from '../../base/money.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { callerOf } from '../../http/caller.ts'
import { answers, endpoints, publicKey, sandbox, secretKey } from '../../http/endpoint.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import type { Server } from '../../http/server.ts'
import { takeReference } from '../../payments/transaction/reference.ts'
import { wireReference } from '../../payments/transaction/wire.ts'
import { readCode } from '../code/code.ts'
import { type GuessLimit, guesserOf } from '../code/guess-limit.ts'
import { readPurchase } from '../redeem/purchase.ts'
import { signReceipt } from '../redeem/receipt.ts'
import type { RedeemTools } from '../redeem/redeem.ts'
import { lockPin, purchaseFields } from '../voucher/wire.ts'
import { captureHold } from './capture-hold.ts'
import { createHold } from './create-hold.ts'
import { expireNow, releaseHold } from './end-hold.ts'
import { holdError } from './errors.ts'
import { extendHold } from './extend-hold.ts'
import { lifeSecondsMax } from './reserved.ts'
import { findHold, listCaptures, listHolds, type VoucherHold } from './store.ts'
import { toWireDetails, toWireHold } from './to-wire.ts'
import { holdListFields, wireCaptured, wireHold, wireHoldDetails, wireHoldState } from './wire.ts'

type HoldRouteTools = RedeemTools & { readonly limitGuesses: GuessLimit; readonly publicUrl: string }

const server = '/merchant-integrations-server/voucher-holds'
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const seconds = (description: string) => Type.Integer({ minimum: 1, maximum: lifeSecondsMax, description })

/** Reserve an amount of a voucher when an order is placed, and capture it when the order ships. */
export function registerHoldRoutes(on: Server, tools: HoldRouteTools): void {
  const api = endpoints(on, ['Payment with voucher'])
  const { pool, clock, keyRing, newId } = tools

  const toResponse = async (hold: VoucherHold) =>
    toWireHold(hold, await findCurrency(pool, hold.currency, 'any'), clock())

  api.post('/merchant-integrations/voucher-holds', publicKey('cashier'), {
    operationId: 'create-voucher-hold',
    summary: 'Hold an amount of a voucher',
    headers: idempotencyHeader,
    description:
      'Reserves the amount and its fee until you capture or release it, or it expires. The fee and who pays it are fixed, an exchange rate is not. Safe to retry with the same referenceId.',
    body: closed({
      voucherCode: Type.String({ minLength: 1, maxLength: 64 }),
      amount: wireAmount('In the currency of the voucher; "max" for the whole balance', 'max'),
      lockPin: Type.Optional(lockPin),
      ...purchaseFields,
      referenceId: Type.Optional(wireReference),
      expiresInSeconds: Type.Optional(
        seconds('15 minutes if left out, which is also the maximum without the secret key'),
      ),
    }),
    response: { 200: enveloped(wireHold) },
    handler: async (request, reply) => {
      const { body } = request
      const reference = takeReference(request, reply, body.referenceId, newId)
      const code = readCode(body.voucherCode)
      const amount = digitsOf(body, 'amount') ?? ''
      if (amount !== 'max') checkAmountForm(amount)
      const purchase = readPurchase(body, callerOf(request))
      const input = { code, amount, lockPin: body.lockPin, reference, seconds: body.expiresInSeconds, purchase }
      const guesser = guesserOf(request)
      const create = () => createHold(tools, callerOf(request), input)
      const created = await (guesser === undefined ? create() : tools.limitGuesses(guesser, create))
      markReplayed(reply, created)
      return answer('The amount is held.', await toResponse(created.hold))
    },
  })

  api.post(`${server}/:id/capture`, secretKey('cashier'), {
    operationId: 'capture-voucher-hold',
    summary: 'Capture a hold',
    headers: idempotencyHeader,
    description:
      'Redeems the held amount or a part of it, as redeem-voucher does. Several captures are possible up to the held amount. Safe to retry with the same referenceId.',
    params,
    body: closed({
      amount: Type.Optional(wireAmount('In the currency of the voucher. What is left of the hold if left out')),
      toCurrencyAbbreviation: Type.Optional(
        Type.String({ minLength: 1, maxLength: 12, description: 'Credits you in this currency, at the rate of now' }),
      ),
      final: Type.Optional(Type.Boolean({ description: 'Releases what is not captured' })),
      referenceId: Type.Optional(wireReference),
      metaData: Type.Optional(Type.String({ maxLength: 4_096 })),
    }),
    response: { 200: enveloped(wireCaptured) },
    handler: async (request, reply) => {
      const { body } = request
      const reference = takeReference(request, reply, body.referenceId, newId)
      const { redeemed, hold } = await captureHold(tools, callerOf(request), {
        id: request.params.id.toLowerCase(),
        amount: digitsOf(body, 'amount'),
        to: body.toCurrencyAbbreviation?.toUpperCase(),
        isFinal: body.final === true,
        reference,
        metadata: body.metaData ?? '',
      })
      markReplayed(reply, redeemed)
      const receipt = signReceipt(keyRing, tools.publicUrl, redeemed)
      const transaction = { transactionId: redeemed.id, referenceId: reference, receipt }
      return answer('The hold was captured.', { ...transaction, hold: await toResponse(hold) })
    },
  })

  api.post(`${server}/:id/release`, secretKey('cashier'), {
    operationId: 'release-voucher-hold',
    summary: 'Release a hold',
    description: 'What was not captured is available on the voucher again. Safe to retry.',
    params,
    body: closed({}),
    response: { 200: enveloped(wireHold) },
    handler: async (request) => {
      const hold = await releaseHold(tools, callerOf(request).environmentId, request.params.id.toLowerCase())
      return answer('The hold was released.', await toResponse(hold))
    },
  })

  api.post(`${server}/:id/extend`, secretKey('cashier'), {
    operationId: 'extend-voucher-hold',
    summary: 'Extend a hold',
    description:
      'The hold expires so many seconds from now, or when it did before if that is later. Its whole life is at most 7 days. Safe to retry.',
    params,
    body: closed({ expiresInSeconds: seconds('From now') }),
    response: { 200: enveloped(wireHold) },
    handler: async (request) => {
      const input = { id: request.params.id.toLowerCase(), seconds: request.body.expiresInSeconds }
      const hold = await extendHold(tools, callerOf(request).environmentId, input)
      return answer('The hold was extended.', await toResponse(hold))
    },
  })

  registerReads(on, tools)

  api.post('/sandbox/voucher-holds/:id/expire', sandbox, {
    operationId: 'sandbox-expire-voucher-hold',
    summary: 'Let a hold expire now',
    params,
    body: closed({}),
    response: { 200: enveloped(wireHold) },
    handler: async (request) => {
      const hold = await expireNow(tools, callerOf(request).environmentId, request.params.id.toLowerCase())
      return answer('The hold has expired.', await toResponse(hold))
    },
  })
}

function registerReads(on: Server, { pool, clock }: HoldRouteTools): void {
  const api = endpoints(on, ['Payment with voucher'])

  api.get(server, secretKey('cashier', 'accountant'), {
    operationId: 'list-voucher-holds',
    summary: 'List holds',
    description: 'Newest first.',
    querystring: Type.Object({ ...cursorQuery, state: Type.Optional(wireHoldState) }),
    response: answers(holdListFields),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { limit, cursor, state } = request.query
      const at = clock()
      const wanted = { state, before: readCursor(cursor), limit: limit + 1, at }
      const found = await withEnvironment(pool, environmentId, (tx) => listHolds(tx, environmentId, wanted))
      const { page, continuation } = cutPage(found, limit)
      const catalogue = await readCurrencies(pool)
      const holds = page.map((hold) => toWireHold(hold, pickCurrency(catalogue, hold.currency, 'any'), at))
      return answer('Your holds.', { holds, ...continuation })
    },
  })

  api.get(`${server}/:id`, secretKey('cashier', 'accountant'), {
    operationId: 'fetch-voucher-hold',
    summary: 'Get a hold',
    params,
    response: { 200: enveloped(wireHoldDetails) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      return withEnvironment(pool, environmentId, async (tx) => {
        const hold = await findHold(tx, environmentId, request.params.id.toLowerCase())
        if (hold === undefined) throw holdError('VOUCHER_HOLD_NOT_FOUND')
        const captures = await listCaptures(tx, environmentId, hold.id)
        const currency = await findCurrency(tx, hold.currency, 'any')
        return answer('The hold.', toWireDetails(hold, captures, currency, clock()))
      })
    },
  })
}
