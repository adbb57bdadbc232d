import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { withUser } from '../base/environment.ts'
import { formatMoney } from '../base/money.ts'
import { parseAmount } from '../currency/amount.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../currency/store.ts'
import { type Live, streamChanges } from '../event/live.ts'
import { callerOf, idempotencyKeyOf } from '../http/caller.ts'
import { closed, endpoints, sandbox } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import { sendStream } from '../http/event-stream.ts'
import { cursorQuery, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import type { Mode } from '../ledger/book.ts'
import { fundMerchant, type FundTools } from '../merchant/fund.ts'
import { userError } from '../user/errors.ts'
import type { CountPerson } from '../user/quota.ts'
import { wirePin } from '../user/routes.ts'
import { type Signed, signedOf } from '../user/session.ts'
import { findPerson, fullNameOf, type Person } from '../user/store.ts'
import { tellReplayed } from '../transaction/reference.ts'
import type { ActTools } from './act.ts'
import { exchangeMoney, quoteExchange } from './exchange.ts'
import { fundWallet } from './fund.ts'
import type { QuoteTools } from './quote.ts'
import { findRecipient, sendMoney } from './send.ts'
import { listBalances, listMoves } from './store.ts'
import { toWireQuote } from './wire.ts'

export type WalletTools = ActTools &
  QuoteTools &
  FundTools & { readonly countPerson: CountPerson; readonly livePeople: Live }

export const wireCode = Type.String({ minLength: 1, maxLength: 12 })
export const pin = Type.Optional(wirePin)

/** A wallet belongs to a mode by its owner's realm. */
export function modeOf({ person }: Signed): Mode {
  return person.realm === 'test' ? 'test' : 'live'
}

export function registerWalletRoutes(server: Server, tools: WalletTools): void {
  const api = endpoints(server)
  const { pool, newId, countPerson } = tools
  const keyOf = (request: FastifyRequest): string => idempotencyKeyOf(request) ?? newId()

  api.get('/wallet', 'wallet', async (request) => {
    const signed = signedOf(request)
    const [balances, catalogue] = [
      await listBalances(pool, modeOf(signed), signed.person.id),
      await readCurrencies(pool),
    ]
    return answer('What you have.', {
      mode: modeOf(signed),
      currencies: catalogue
        .filter(({ isActive }) => isActive)
        .map(({ code: currency, name, symbol }) => ({ currency, name, symbol })),
      balances: balances.map(({ currency: code, available }) => {
        const currency = pickCurrency(catalogue, code, 'any')
        const { name, symbol } = currency
        return { currency: code, name, symbol, available: formatMoney({ minor: available, currency }) }
      }),
    })
  })
  api.get('/wallet/activity', 'wallet', {
    querystring: Type.Object(cursorQuery),
    handler: async (request) => {
      const { id: userId } = signedOf(request).person
      const { cursor, limit } = request.query
      const moves = await withUser(pool, userId, (tx) => listMoves(tx, userId, readCursor(cursor), limit))
      const catalogue = await readCurrencies(pool)
      return answer('What came and went, newest first.', {
        moves: moves.map((move) => ({
          ...move,
          amount: formatMoney({ minor: move.amount, currency: pickCurrency(catalogue, move.currency, 'any') }),
        })),
        nextCursor: new Set(moves.map(({ id }) => id)).size < limit ? '' : (moves.at(-1)?.id ?? ''),
      })
    },
  })
  // For fetch: a browser's own way to listen sends no header, and a session needs the realm's.
  api.get('/wallet/stream', 'wallet', {
    route: { exposeHeadRoute: false },
    handler: (request, reply) => {
      const { id } = signedOf(request).person
      const audience = { name: 'wallet', listenerId: id, objectId: id } as const
      return sendStream(request, reply, audience, (signal) => streamChanges(tools.livePeople, id, signal))
    },
  })
  api.get('/wallet/people/:identifier', 'wallet', {
    params: Type.Object({ identifier: Type.String({ maxLength: 254 }) }),
    handler: async (request) => {
      const signed = signedOf(request)
      countPerson(signed.person.id, request.params.identifier)
      const person = await findRecipient(pool, modeOf(signed), request.params.identifier)
      return answer('Who that is.', { fullName: fullNameOf(person), username: person.username, avatar: person.avatar })
    },
  })
  api.post('/wallet/quotes', 'wallet', {
    body: closed({ from: wireCode, to: wireCode, amount: wireAmount('To exchange') }),
    handler: async (request) => {
      const signed = signedOf(request)
      const { from, to } = request.body
      const ask = { from, to, amount: digitsOf(request.body, 'amount') ?? '' }
      const { id, quote } = await quoteExchange(tools, signed.person.id, modeOf(signed), ask)
      return answer('The rate is held for two minutes.', toWireQuote(quote, id))
    },
  })
  api.post('/wallet/exchange', 'wallet', {
    body: closed({ quoteId: Type.String({ format: 'uuid' }), pin }),
    handler: async (request, reply) => {
      const signed = signedOf(request)
      tellReplayed(reply, await exchangeMoney(tools, signed, modeOf(signed), request.body))
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
      countPerson(signed.person.id, rest.to)
      const currency = await findCurrency(pool, rest.currency, 'any')
      const amount = parseAmount(digitsOf(request.body, 'amount') ?? '', currency)
      const ask = { ...rest, amount, note, key: keyOf(request) }
      tellReplayed(reply, await sendMoney(tools, signed, modeOf(signed), ask))
      return acknowledge('Sent.')
    },
  })

  async function findTestUser(identifier: string): Promise<Person> {
    const person = await findPerson(pool, 'test', identifier)
    if (person === undefined) throw userError('USER_NOT_FOUND', { param: 'user' })
    return person
  }

  api.post('/sandbox/fund', sandbox, {
    operationId: 'sandbox-fund',
    summary: 'Puts play money on your balance, your admin account, or a test user’s wallet',
    body: closed({
      currency: wireCode,
      amount: wireAmount('In major units'),
      account: Type.Optional(Type.Union([Type.Literal('balance'), Type.Literal('admin')])),
      user: Type.Optional(Type.String({ maxLength: 254, description: 'By e-mail, username or phone' })),
    }),
    handler: async (request) => {
      const { account = 'balance', user } = request.body
      const { environmentId } = callerOf(request)
      const reference = idempotencyKeyOf(request) ?? newId()
      const currency = request.body.currency.toUpperCase()
      const ask = { currency, amount: digitsOf(request.body, 'amount') ?? '', reference }
      if (user === undefined) await fundMerchant(tools, callerOf(request), { ...ask, account })
      else
        await fundWallet(tools, await findTestUser(user), 'test', {
          ...ask,
          reference: `${environmentId}/${reference}`,
        })
      return acknowledge('The money is there.')
    },
  })
}
