import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { withEnvironment, withUser } from '../base/environment.ts'
import { formatMoney } from '../base/money.ts'
import { type CatalogueCurrency, pickCurrency, readCurrencies } from '../currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { answers, anyRole, closed, endpoints, publicKey, sandbox, secretKey } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import type { Server } from '../http/server.ts'
import { readMetadata } from '../transaction/metadata.ts'
import { takeReference, tellReplayed } from '../transaction/reference.ts'
import type { CountPeople } from '../user/quota.ts'
import { signedOf } from '../user/session.ts'
import { findPeople, fullNameOf, type Person, readIdentifier } from '../user/store.ts'
import { sealQuote } from '../wallet/quote.ts'
import { modeOf, pin } from '../wallet/routes.ts'
import { toWireQuote } from '../wallet/wire.ts'
import { type AnswerTools, authorisePayment, cancelPayment, declinePayment, offerPayments } from './answer-payment.ts'
import { paymentError } from './errors.ts'
import { findPayer, requestPayment } from './request-payment.ts'
import { findRequest, listBlocked, listOpenRequests, type PaymentRequest, unblockMerchant } from './store.ts'

const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const byReference = Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) })
const identifierMax = 254

export function registerPaymentRoutes(server: Server, tools: AnswerTools & { readonly countPeople: CountPeople }) {
  const api = endpoints(server, ['Payment via app authorisation'])
  const { pool, clock, newId, countPeople } = tools

  api.get('/merchant-integrations/confirm-user/:identifier', publicKey(...anyRole), {
    summary: 'Confirms that somebody has a wallet here, by e-mail, username or phone number',
    description: 'With the public key alone the address and the number that you did not name yourself are masked.',
    params: Type.Object({ identifier: Type.String({ minLength: 1, maxLength: identifierMax }) }),
    response: answers({ fullName: Type.String(), email: Type.String(), phone: Type.String(), avatar: Type.String() }),
    handler: async (request) => {
      const { identifier } = request.params
      const caller = callerOf(request)
      countPeople(request, identifier)
      const person = await findPayer(pool, caller, identifier)
      return answer('The person.', toWireUser(person, caller.hasSecret ? undefined : readIdentifier(identifier).value))
    },
  })

  api.post('/merchant-integrations/payment-request', publicKey('cashier'), {
    summary: 'Asks a person for a payment, who authorises it in the wallet app',
    description:
      'It waits for fifteen minutes; verify-transaction and the events payment.* tell what became of it. A text under "note" in the metadata is shown to the person.',
    body: closed({
      amount: wireAmount('In major units'),
      currency: Type.String({ minLength: 1, maxLength: 12 }),
      user_identifier: Type.String({ minLength: 1, maxLength: identifierMax }),
      metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
      reference_id: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    handler: async (request, reply) => {
      const { user_identifier: identifier, metadata = {} } = request.body
      const reference = takeReference(request, reply, request.body.reference_id, newId, 'reference_id')
      countPeople(request, identifier)
      const note = 'note' in metadata && typeof metadata.note === 'string' ? metadata.note.slice(0, 200) : ''
      const posted = await requestPayment(tools, callerOf(request), {
        amount: digitsOf(request.body, 'amount') ?? '',
        currency: request.body.currency.toUpperCase(),
        identifier,
        metadata: readMetadata(metadata),
        note,
        reference,
      })
      tellReplayed(reply, posted)
      return acknowledge('The person is asked.')
    },
  })

  api.post('/merchant-integrations-server/payment-requests/:reference/cancel', secretKey('cashier'), {
    operationId: 'cancel-payment-request',
    summary: 'Withdraws a request for payment that is not answered yet',
    params: byReference,
    handler: async (request) => {
      const by = { reference: request.params.reference }
      const { status } = await cancelPayment(tools, callerOf(request).environmentId, by, 'withdrawn')
      if (status !== 'CANCELED') throw paymentError('PAYMENT_ENDED', { status })
      return acknowledge('The request is withdrawn.')
    },
  })

  /** The person whom a test merchant's request is for, who need not be there. */
  async function findAsked(request: FastifyRequest<{ Params: { reference: string } }>) {
    const { environmentId } = callerOf(request)
    const by = { environmentId, reference: request.params.reference }
    const found = await withEnvironment(pool, environmentId, (tx) => findRequest(tx, by))
    const person = found && (await findPeople(pool, [found.userId])).get(found.userId)
    if (found === undefined || person === undefined) throw paymentError('PAYMENT_NOT_FOUND')
    return { found, person }
  }
  api.post('/sandbox/payment-requests/:reference/authorise', sandbox, {
    operationId: 'sandbox-authorise',
    summary: 'Authorises a request for payment, as the person would',
    params: byReference,
    handler: async (request) => {
      const { found, person } = await findAsked(request)
      await authorisePayment(tools, { person, isSandbox: true }, 'test', { id: found.id })
      return acknowledge('Authorised.')
    },
  })
  api.post('/sandbox/payment-requests/:reference/decline', sandbox, {
    operationId: 'sandbox-decline',
    summary: 'Declines a request for payment, as the person would',
    params: byReference,
    handler: async (request) => {
      const { found } = await findAsked(request)
      await declinePayment(tools, found.userId, found.id, false)
      return acknowledge('Declined.')
    },
  })

  api.get('/wallet/payment-requests', 'wallet', async (request) => {
    const { id: userId } = signedOf(request).person
    const found = await withUser(pool, userId, (tx) => listOpenRequests(tx, userId, clock()))
    const catalogue = await readCurrencies(pool)
    return answer('What waits for you.', { requests: found.map((each) => toWireRequest(each, catalogue)) })
  })
  api.get('/wallet/payment-requests/:id', 'wallet', {
    params,
    handler: async (request) => {
      const signed = signedOf(request)
      const { id: userId } = signed.person
      const found = await withUser(pool, userId, (tx) => findRequest(tx, { id: request.params.id }))
      if (found === undefined) throw paymentError('PAYMENT_NOT_FOUND')
      const offers = found.endedAt === null ? await offerPayments(tools, modeOf(signed), found) : []
      const from = offers.map(({ isEnough, ...quote }) => ({
        ...toWireQuote(quote, sealQuote(tools, userId, `payment/${found.id}`, quote)),
        isEnough,
      }))
      return answer('Who asks for what, and what would leave.', {
        ...toWireRequest(found, await readCurrencies(pool)),
        from,
      })
    },
  })
  api.post('/wallet/payment-requests/:id/authorise', 'wallet', {
    params,
    body: closed({ quoteId: Type.Optional(Type.String({ maxLength: 2_000 })), pin }),
    handler: async (request, reply) => {
      const signed = signedOf(request)
      const ask = { id: request.params.id.toLowerCase(), ...request.body }
      const posted = await authorisePayment(tools, signed, modeOf(signed), ask)
      tellReplayed(reply, posted)
      return answer('Paid.', { id: posted.journalId })
    },
  })
  api.post('/wallet/payment-requests/:id/decline', 'wallet', {
    params,
    body: closed({ block: Type.Optional(Type.Boolean()) }),
    handler: async (request) => {
      const { id: userId } = signedOf(request).person
      await declinePayment(tools, userId, request.params.id.toLowerCase(), request.body.block === true)
      return acknowledge('Declined.')
    },
  })
  api.get('/wallet/blocks', 'wallet', async (request) =>
    answer('Who cannot ask you.', { blocked: await listBlocked(pool, signedOf(request).person.id) }),
  )
  api.delete('/wallet/blocks/:id', 'wallet', {
    params,
    handler: async (request) => {
      await unblockMerchant(pool, signedOf(request).person.id, request.params.id)
      return acknowledge('It can ask you again.')
    },
  })
}

function toWireRequest(found: PaymentRequest, catalogue: readonly CatalogueCurrency[]) {
  const { id, merchantId, merchant, note, status, createdAt, expiresAt } = found
  const currency = pickCurrency(catalogue, found.currency, 'any')
  const amount = formatMoney({ minor: found.amount, currency })
  return { id, merchantId, merchant, amount, currency: currency.code, note, status, createdAt, expiresAt }
}

/** Whole for the secret key; else what the caller named himself is, and the rest is masked. */
function toWireUser(person: Person, known: string | undefined) {
  const { email, phone, avatar } = person
  const shown = (value: string, mask: (text: string) => string): string =>
    known === undefined || known === value || value === '' ? value : mask(value)
  return { fullName: fullNameOf(person), email: shown(email, maskEmail), phone: shown(phone, maskPhone), avatar }
}

function maskEmail(email: string): string {
  const [name = '', domain = ''] = email.split('@')
  return `${name.slice(0, 1)}***@${domain.slice(0, 1)}***${domain.slice(domain.lastIndexOf('.'))}`
}

function maskPhone(phone: string): string {
  return `${phone.slice(0, 4)}${'*'.repeat(phone.length - 6)}${phone.slice(-2)}`
}
