import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Db } from '../../base/db.ts'
import { withEnvironment, withUser } from '../../base/environment.ts'
import { formatMoney, type Money } from '../../base/money.ts'
import { pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { callerOf } from '../../http/caller.ts'
import { answers, anyRole, endpoints, publicKey, sandbox, secretKey } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import type { Server } from '../../http/server.ts'
import { findShops } from '../../identity/merchant/store.ts'
import { toWireShop } from '../../identity/merchant/to-wire.ts'
import { readMetadata } from '../transaction/metadata.ts'
import { takeReference } from '../transaction/reference.ts'
import { wireReference } from '../transaction/wire.ts'
import { showContact } from '../../identity/user/contact.ts'
import type { CountUserLookups } from '../../identity/user/quota.ts'
import { signedOf } from '../../identity/user/session.ts'
import { findUsers, fullNameOf, type User, readIdentifier } from '../../identity/user/store.ts'
import { sealQuote } from '../wallet/quote.ts'
import { modeOf, pin } from '../wallet/routes.ts'
import { toWireQuote } from '../wallet/to-wire.ts'
import {
  type AnswerTools,
  authorisePayment,
  cancelPayment,
  declinePayment,
  findPayable,
  offerPayments,
} from './answer-payment.ts'
import { paymentError } from './errors.ts'
import { findPayer, linkOf, requestByLink, requestPayment } from './request-payment.ts'
import {
  findRequest,
  listBlocked,
  listOpenRequests,
  listUnpaidRequests,
  type PaymentRequest,
  unblockMerchant,
} from './store.ts'
import {
  wireBlocks,
  wirePaymentLink,
  type WireOffer,
  wireOfferedRequest,
  wirePaid,
  type WirePaymentRequest,
  wirePaymentRequests,
} from './wire.ts'

const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const byReference = Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) })
const identifierMax = 254

export function registerPaymentRoutes(
  server: Server,
  tools: AnswerTools & { readonly countUserLookups: CountUserLookups; readonly publicUrl: string },
): void {
  const api = endpoints(server, ['Payment via app authorisation'])
  const { pool, clock, newId, countUserLookups } = tools

  api.get('/merchant-integrations/confirm-user/:identifier', publicKey(...anyRole), {
    summary: 'Look up a user',
    description:
      'The email address and the phone number are masked, except the one that you sent, for the public key, for cashiers and for developers.',
    params: Type.Object({ identifier: Type.String({ minLength: 1, maxLength: identifierMax }) }),
    response: answers({ fullName: Type.String(), email: Type.String(), phone: Type.String(), avatar: Type.String() }),
    handler: async (request) => {
      const { identifier } = request.params
      const caller = callerOf(request)
      await countUserLookups(request, identifier)
      const user = await findPayer(pool, caller, identifier, 'identifier')
      return answer('The user.', toWireUser(showContact(caller, user, readIdentifier(identifier).value)))
    },
  })

  api.post('/merchant-integrations/payment-request', publicKey('cashier'), {
    summary: 'Request a payment',
    headers: idempotencyHeader,
    description:
      'The user has 15 minutes to answer. Follow it with verify-transaction or the payment.* events. A text under "note" in the metadata is shown to the user.',
    body: closed({
      amount: wireAmount('In major units'),
      currency: Type.String({ minLength: 1, maxLength: 12 }),
      user_identifier: Type.String({ minLength: 1, maxLength: identifierMax }),
      metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
      reference_id: Type.Optional(wireReference),
    }),
    handler: async (request, reply) => {
      const { user_identifier: identifier, metadata } = request.body
      const reference = takeReference(request, reply, request.body.reference_id, newId, 'reference_id')
      await countUserLookups(request, identifier)
      const note = noteOf(metadata)
      const posted = await requestPayment(tools, callerOf(request), {
        amount: digitsOf(request.body, 'amount') ?? '',
        currency: request.body.currency.toUpperCase(),
        identifier,
        metadata: readMetadata(metadata),
        note,
        reference,
      })
      markReplayed(reply, posted)
      return acknowledge('The payment was requested.')
    },
  })

  api.post('/merchant-integrations-server/payment-links', secretKey('cashier'), {
    operationId: 'create-payment-link',
    summary: 'Request a payment by link',
    headers: idempotencyHeader,
    description:
      'The first user who opens the link in the wallet app and authorises the payment pays it. It can be paid for 24 hours, once. Show it as a QR code or send it. Follow it with verify-transaction or the payment.* events, and cancel it like any payment request.',
    body: closed({
      amount: wireAmount('In major units'),
      currency: Type.String({ minLength: 1, maxLength: 12 }),
      note: Type.Optional(Type.String({ maxLength: 200, description: 'Shown to the user' })),
      referenceId: Type.Optional(wireReference),
    }),
    response: answers(wirePaymentLink),
    handler: async (request, reply) => {
      const { currency, note = '', referenceId } = request.body
      const reference = takeReference(request, reply, referenceId, newId)
      const amount = digitsOf(request.body, 'amount') ?? ''
      const caller = callerOf(request)
      const input = { amount, currency: currency.toUpperCase(), metadata: '', note, reference }
      const posted = await requestByLink(tools, caller, input)
      markReplayed(reply, posted)
      const { id, expiresAt } = posted
      const link = linkOf(tools.publicUrl, caller.mode, id)
      return answer('Send this link.', { id, referenceId: reference, link, expiresAt: expiresAt.toISOString() })
    },
  })

  api.post('/merchant-integrations-server/payment-requests/:reference/cancel', secretKey('cashier'), {
    operationId: 'cancel-payment-request',
    summary: 'Cancel a payment request',
    params: byReference,
    handler: async (request) => {
      const { environmentId, role, memberId } = callerOf(request)
      const by = { environmentId, reference: request.params.reference }
      // Cashiers cancel their own requests only.
      if (role === 'cashier') {
        const found = await withEnvironment(pool, environmentId, (tx) => findRequest(tx, by))
        if (found !== undefined && found.memberId !== memberId) throw paymentError('PAYMENT_OF_COLLEAGUE')
      }
      const { status } = await cancelPayment(tools, environmentId, by, 'withdrawn')
      if (status !== 'CANCELED') throw paymentError('PAYMENT_ENDED', { status })
      return acknowledge('The request is withdrawn.')
    },
  })

  /** A payment request of a test merchant and its user. */
  async function findTestRequest(request: FastifyRequest<{ Params: { reference: string } }>) {
    const { environmentId } = callerOf(request)
    const by = { environmentId, reference: request.params.reference }
    const found = await withEnvironment(pool, environmentId, (tx) => findRequest(tx, by))
    // Nobody is asked by link.
    const userId = found?.userId ?? ''
    const user = userId === '' ? undefined : (await findUsers(pool, [userId])).get(userId)
    if (found === undefined || user === undefined) throw paymentError('PAYMENT_NOT_FOUND')
    return { found, user }
  }
  api.post('/sandbox/payment-requests/:reference/authorise', sandbox, {
    operationId: 'sandbox-authorise',
    summary: 'Authorise a test payment request',
    params: byReference,
    handler: async (request) => {
      const { found, user } = await findTestRequest(request)
      await authorisePayment(tools, { user, isSandbox: true }, 'test', { id: found.id })
      return acknowledge('Authorised.')
    },
  })
  api.post('/sandbox/payment-requests/:reference/decline', sandbox, {
    operationId: 'sandbox-decline',
    summary: 'Decline a test payment request',
    params: byReference,
    handler: async (request) => {
      const { found, user } = await findTestRequest(request)
      await declinePayment(tools, user.id, found.id, false)
      return acknowledge('Declined.')
    },
  })

  api.get('/wallet/payment-requests', 'wallet', {
    response: { 200: enveloped(wirePaymentRequests) },
    handler: async (request) => {
      const { id: userId } = signedOf(request).user
      const found = await withUser(pool, userId, (tx) => listOpenRequests(tx, userId, clock()))
      return answer('Your open payment requests.', { requests: await toWireRequests(pool, found) })
    },
  })
  api.get('/wallet/payment-requests/unpaid', 'wallet', {
    response: { 200: enveloped(wirePaymentRequests) },
    handler: async (request) => {
      const { id: userId } = signedOf(request).user
      const found = await withUser(pool, userId, (tx) => listUnpaidRequests(tx, userId))
      return answer('Your latest payment requests that ended unpaid.', { requests: await toWireRequests(pool, found) })
    },
  })
  api.get('/wallet/payment-requests/:id', 'wallet', {
    params,
    response: { 200: enveloped(wireOfferedRequest) },
    handler: async (request) => {
      const signed = signedOf(request)
      const { id: userId } = signed.user
      const found = await findPayable(tools, userId, modeOf(signed), request.params.id.toLowerCase())
      if (found === undefined) throw paymentError('PAYMENT_NOT_FOUND')
      const offers = found.endedAt === null ? await offerPayments(tools, modeOf(signed), userId, found) : []
      const [shown] = await toWireRequests(pool, [found])
      if (shown === undefined) throw paymentError('PAYMENT_NOT_FOUND')
      const from = offers.map(({ available, ...quote }) => ({
        ...toWireQuote(quote, sealQuote(tools, userId, `payment/${found.id}`, quote)),
        ...toWireBalance(quote.pays, available),
      }))
      return answer('The payment request, with quotes from your balances.', { ...shown, from })
    },
  })
  api.post('/wallet/payment-requests/:id/authorise', 'wallet', {
    params,
    body: closed({ quoteId: Type.Optional(Type.String({ maxLength: 2_000 })), pin }),
    response: { 200: enveloped(wirePaid) },
    handler: async (request, reply) => {
      const signed = signedOf(request)
      const input = { id: request.params.id.toLowerCase(), ...request.body }
      const posted = await authorisePayment(tools, signed, modeOf(signed), input)
      markReplayed(reply, posted)
      return answer('Paid.', { id: posted.journalId })
    },
  })
  api.post('/wallet/payment-requests/:id/decline', 'wallet', {
    params,
    body: closed({ block: Type.Optional(Type.Boolean()) }),
    handler: async (request) => {
      const { id: userId } = signedOf(request).user
      await declinePayment(tools, userId, request.params.id.toLowerCase(), request.body.block === true)
      return acknowledge('Declined.')
    },
  })
  api.get('/wallet/blocks', 'wallet', {
    response: { 200: enveloped(wireBlocks) },
    handler: async (request) =>
      answer('The merchants that you blocked.', { blocked: await listBlocked(pool, signedOf(request).user.id) }),
  })
  api.delete('/wallet/blocks/:id', 'wallet', {
    params,
    handler: async (request) => {
      await unblockMerchant(pool, signedOf(request).user.id, request.params.id)
      return acknowledge('The merchant is unblocked.')
    },
  })
}

async function toWireRequests(db: Db, found: readonly PaymentRequest[]): Promise<WirePaymentRequest[]> {
  const environmentIds = found.map(({ environmentId }) => environmentId)
  const [catalogue, shops] = await Promise.all([readCurrencies(db), findShops(db, environmentIds)])
  return found.map((request) => {
    const { id, merchantId, merchant, environmentId, note, status } = request
    const shop = shops.get(environmentId)
    if (shop === undefined) throw new Error('A payment request has no merchant.')
    const currency = pickCurrency(catalogue, request.currency, 'any')
    const money = { amount: formatMoney({ minor: request.amount, currency }), currency: currency.code }
    const times = { createdAt: request.createdAt.toISOString(), expiresAt: request.expiresAt.toISOString() }
    const ended = { ending: endingOf(request), endedAt: request.endedAt?.toISOString() ?? null }
    const byLink = request.userId === null
    return { id, merchantId, merchant, shop: toWireShop(shop), ...money, note, status, ...times, ...ended, byLink }
  })
}

/** What the payer has, and what a payment leaves of it. */
function toWireBalance({ minor, currency }: Money, available: bigint): WireOfferBalance {
  const isEnough = minor <= available
  return {
    isEnough,
    available: formatMoney({ minor: available, currency }),
    remains: isEnough ? formatMoney({ minor: available - minor, currency }) : '',
  }
}
type WireOfferBalance = Pick<WireOffer, 'isEnough' | 'available' | 'remains'>

function endingOf({ status, endedAt, expiresAt }: PaymentRequest): WirePaymentRequest['ending'] {
  if (status === 'FAILED') return 'declined'
  if (status !== 'CANCELED') return ''
  return endedAt !== null && endedAt < expiresAt ? 'withdrawn' : 'expired'
}

/** The text that the user sees. */
function noteOf(metadata: object | undefined): string {
  const { note } = (metadata ?? {}) as { note?: unknown }
  return typeof note === 'string' ? note.slice(0, 200) : ''
}

function toWireUser(user: User) {
  const { email, phone, avatar } = user
  return { fullName: fullNameOf(user), email, phone, avatar }
}
