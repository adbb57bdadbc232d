import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { withUser } from '../../base/environment.ts'
import { formatMoney } from '../../base/money.ts'
import { parseAmount } from '../../catalogue/currency/amount.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { type Live, streamChanges } from '../../messaging/event/live.ts'
import type { EndWithCredential } from '../../messaging/event/revocation.ts'
import { callerOf, idempotencyKeyOf } from '../../http/caller.ts'
import { endpoints, sandbox } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { sendStream } from '../../http/event-stream.ts'
import { continueAt, cursorQuery, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import type { Mode } from '../../base/mode.ts'
import { fundMerchant, type FundTools } from '../../identity/merchant/fund.ts'
import { userError } from '../../identity/user/errors.ts'
import type { CountUser } from '../../identity/user/quota.ts'
import { wirePin } from '../../identity/user/routes.ts'
import { type Signed, signedOf } from '../../identity/user/session.ts'
import { findUser, fullNameOf, type User } from '../../identity/user/store.ts'
import { idempotencyHeader, markReplayed, refuseTakenKey } from '../../http/idempotency.ts'
import type { ActTools } from './act.ts'
import { listContacts } from './contacts.ts'
import { exchangeMoney, quoteExchange, quoteSides } from './exchange.ts'
import { fundWallet } from './fund.ts'
import type { QuoteTools } from './quote.ts'
import { searchMoves } from './search.ts'
import { findRecipient, sendMoney } from './send.ts'
import { listBalances, pageMoves } from './store.ts'
import { sumBalances } from './total.ts'
import { toWireMove, toWireQuote } from './to-wire.ts'
import { wireContacts, wireMoves, wireQuote, wireRecipient, wireWallet } from './wire.ts'

export type WalletTools = ActTools &
  QuoteTools &
  FundTools & {
    readonly countUser: CountUser
    readonly liveUsers: Live
    readonly endWithCredential: EndWithCredential
  }

export const wireCode = Type.String({ minLength: 1, maxLength: 12 })
export const pin = Type.Optional(wirePin)

/** The mode of a wallet follows from its owner's realm. */
export function modeOf({ user }: Signed): Mode {
  return user.realm === 'test' ? 'test' : 'live'
}

export function registerWalletRoutes(server: Server, tools: WalletTools): void {
  const api = endpoints(server)
  const { pool, newId, countUser } = tools
  const keyOf = (request: FastifyRequest): string => idempotencyKeyOf(request) ?? newId()

  api.get('/wallet', 'wallet', {
    querystring: Type.Object({ currency: Type.Optional(wireCode) }),
    response: { 200: enveloped(wireWallet) },
    handler: async (request) => {
      const signed = signedOf(request)
      const [balances, catalogue] = [
        await listBalances(pool, modeOf(signed), signed.user.id),
        await readCurrencies(pool),
      ]
      return answer('Your balances.', {
        mode: modeOf(signed),
        currencies: catalogue
          .filter(({ isActive }) => isActive)
          .map(({ code: currency, name, symbol }) => ({ currency, name, symbol })),
        balances: balances.map(({ currency: code, available }) => {
          const currency = pickCurrency(catalogue, code, 'any')
          const { name, symbol } = currency
          return { currency: code, name, symbol, available: formatMoney({ minor: available, currency }) }
        }),
        total: await sumBalances(tools, balances, catalogue, request.query.currency),
      })
    },
  })
  api.get('/wallet/activity', 'wallet', {
    querystring: Type.Object({ ...cursorQuery, search: Type.Optional(Type.String({ maxLength: 100 })) }),
    response: { 200: enveloped(wireMoves) },
    handler: async (request) => {
      const { id: userId } = signedOf(request).user
      const { cursor, limit, search = '' } = request.query
      const before = readCursor(cursor)
      const catalogue = await readCurrencies(pool)
      const { moves, next } = await withUser(pool, userId, (tx) =>
        search.trim() === ''
          ? pageMoves(tx, userId, before, limit)
          : searchMoves(tx, { userId, text: search, before, limit }, catalogue),
      )
      return answer('Your activity, newest first.', {
        moves: moves.map((move) => toWireMove(move, catalogue)),
        ...continueAt(next),
      })
    },
  })
  api.get('/wallet/contacts', 'wallet', {
    response: { 200: enveloped(wireContacts) },
    handler: async (request) => {
      const { id: userId } = signedOf(request).user
      return answer('The users and merchants whom you have paid, the latest first.', {
        contacts: await withUser(pool, userId, (tx) => listContacts(tx, userId)),
      })
    },
  })
  // For fetch: EventSource cannot send the realm header that a session requires.
  api.get('/wallet/stream', 'wallet', {
    route: { exposeHeadRoute: false },
    handler: (request, reply) => {
      const { id } = signedOf(request).user
      const audience = { name: 'wallet', listenerId: id, objectId: id } as const
      const source = (signal: AbortSignal) => streamChanges(tools.liveUsers, id, signal)
      return sendStream(request, reply, audience, tools.endWithCredential(request, source))
    },
  })
  api.get('/wallet/people/:identifier', 'wallet', {
    params: Type.Object({ identifier: Type.String({ maxLength: 254 }) }),
    response: { 200: enveloped(wireRecipient) },
    handler: async (request) => {
      const signed = signedOf(request)
      await countUser(signed.user.id, request.params.identifier)
      const user = await findRecipient(pool, modeOf(signed), request.params.identifier)
      return answer('The user.', { fullName: fullNameOf(user), username: user.username, avatar: user.avatar })
    },
  })
  api.post('/wallet/quotes', 'wallet', {
    body: closed({
      from: wireCode,
      to: wireCode,
      amount: wireAmount('To exchange'),
      side: Type.Enum(quoteSides, { default: 'pays' }),
    }),
    response: { 200: enveloped(wireQuote) },
    handler: async (request) => {
      const signed = signedOf(request)
      const { from, to, side } = request.body
      const input = { from, to, side, amount: digitsOf(request.body, 'amount') ?? '' }
      const { id, quote } = await quoteExchange(tools, signed.user.id, modeOf(signed), input)
      return answer('The rate is held for two minutes.', toWireQuote(quote, id))
    },
  })
  api.post('/wallet/exchange', 'wallet', {
    body: closed({ quoteId: Type.String({ format: 'uuid' }), pin }),
    handler: async (request, reply) => {
      const signed = signedOf(request)
      markReplayed(reply, await exchangeMoney(tools, signed, modeOf(signed), request.body))
      return acknowledge('Exchanged.')
    },
  })
  api.post('/wallet/send', 'wallet', {
    body: closed({
      to: Type.String({ minLength: 3, maxLength: 254 }),
      amount: wireAmount('To send'),
      currency: wireCode,
      note: Type.Optional(Type.String({ maxLength: 200 })),
      pin,
    }),
    handler: async (request, reply) => {
      const signed = signedOf(request)
      const { note = '', ...rest } = request.body
      await countUser(signed.user.id, rest.to)
      const currency = await findCurrency(pool, rest.currency, 'any')
      const amount = parseAmount(digitsOf(request.body, 'amount') ?? '', currency)
      const input = { ...rest, amount, note, key: keyOf(request) }
      markReplayed(reply, await sendMoney(tools, signed, modeOf(signed), input))
      return acknowledge('Sent.')
    },
  })

  async function findTestUser(identifier: string): Promise<User> {
    const user = await findUser(pool, 'test', identifier)
    if (user === undefined) throw userError('USER_NOT_FOUND', { param: 'user' })
    return user
  }

  api.post('/sandbox/fund', sandbox, {
    operationId: 'sandbox-fund',
    summary: 'Fund a test balance or a test user’s wallet',
    headers: idempotencyHeader,
    body: closed({
      currency: wireCode,
      amount: wireAmount('In major units'),
      account: Type.Optional(Type.Union([Type.Literal('balance'), Type.Literal('admin')])),
      user: Type.Optional(Type.String({ maxLength: 254, description: 'Email, username or phone number' })),
    }),
    handler: async (request, reply) => {
      const { account = 'balance', user } = request.body
      const { environmentId } = callerOf(request)
      const reference = idempotencyKeyOf(request) ?? newId()
      const currency = request.body.currency.toUpperCase()
      const input = { currency, amount: digitsOf(request.body, 'amount') ?? '', reference }
      const funding =
        user === undefined
          ? fundMerchant(tools, callerOf(request), { ...input, account })
          : fundWallet(tools, await findTestUser(user), 'test', {
              ...input,
              reference: `${environmentId}/${reference}`,
            })
      markReplayed(reply, await funding.catch(refuseTakenKey))
      return acknowledge('Funded.')
    },
  })
}
