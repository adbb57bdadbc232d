import Type from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { formatMoney, parseMoney } from '../base/money.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { closed, endpoints, secretKey, staff } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import type { Server } from '../http/server.ts'
import type { PostTools } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import { takeReference, tellReplayed } from '../transaction/reference.ts'
import { confirmAct, type PinTools } from '../user/pin.ts'
import type { CountPeople } from '../user/quota.ts'
import { wirePin } from '../user/routes.ts'
import { signedOf } from '../user/session.ts'
import { findPeople, fullNameOf } from '../user/store.ts'
import { approvePayout, cancelPayout } from './finish-payout.ts'
import { payOut } from './pay-out.ts'
import { listWaiting, saveLimits } from './store.ts'

const code = Type.String({ minLength: 1, maxLength: 12 })
const params = Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) })
const pin = Type.Optional(wirePin)
// An amount, or "none"; not named, it stays as it was.
const limit = Type.Optional(wireAmount('In major units, or "none"'))

export function registerPayoutRoutes(
  server: Server,
  tools: PostTools & PinTools & { readonly countPeople: CountPeople },
): void {
  const api = endpoints(server, ['Transactions, payouts, balance'])
  const { pool, newId } = tools
  api.post('/merchant-integrations-server/payout', secretKey('accountant'), {
    summary: 'Pays a person out of your balance',
    description:
      'The amount is in the currency that it is paid from. Above your threshold it waits for a second person of your staff; to a new recipient it waits for as long as you said. verify-transaction and the events payout.* tell what became of it.',
    body: closed({
      amount: wireAmount('In major units of the currency that it is paid from'),
      metaData: Type.Optional(Type.String({ maxLength: 4_096 })),
      fromCurrencyAbbreviation: code,
      toCurrencyAbbreviation: code,
      referenceId: Type.Optional(Type.String({ maxLength: 200 })),
      platformUsernameOrEmail: Type.String({ minLength: 1, maxLength: 254 }),
      blockchainNetworkAbbreviation: Type.Optional(Type.String({ maxLength: 20 })),
    }),
    handler: async (request, reply) => {
      const { body } = request
      tools.countPeople(request, body.platformUsernameOrEmail)
      const posted = await payOut(tools, callerOf(request), {
        amount: digitsOf(body, 'amount') ?? '',
        from: body.fromCurrencyAbbreviation.toUpperCase(),
        to: body.toCurrencyAbbreviation.toUpperCase(),
        identifier: body.platformUsernameOrEmail,
        network: body.blockchainNetworkAbbreviation?.toUpperCase(),
        metadata: body.metaData ?? '',
        reference: takeReference(request, reply, body.referenceId, newId),
      })
      tellReplayed(reply, posted)
      return acknowledge('The payout is taken.')
    },
  })
  api.post('/merchant-integrations-server/payouts/:reference/cancel', secretKey('accountant'), {
    operationId: 'cancel-payout',
    summary: 'Cancels a payout that waits, and frees what it holds',
    params,
    handler: async (request) => {
      await cancelPayout(tools, callerOf(request).environmentId, request.params, 'withdrawn')
      return acknowledge('The payout is cancelled.')
    },
  })

  api.get('/merchant/payouts', staff('accountant'), async (request) => {
    const { environmentId } = callerOf(request)
    const found = await withEnvironment(pool, environmentId, (tx) => listWaiting(tx, environmentId))
    const userIds = found.map(({ userId }) => userId)
    const people = await findPeople(pool, userIds)
    const catalogue = await readCurrencies(pool)
    const payouts = found.map(({ reference, status, amount, currency, toCurrency, createdAt, notBefore, userId }) => {
      const person = people.get(userId)
      return {
        reference,
        status,
        amount: formatMoney({ minor: amount, currency: pickCurrency(catalogue, currency, 'any') }),
        currency,
        toCurrency,
        to: person === undefined ? '' : fullNameOf(person),
        createdAt,
        notBefore,
      }
    })
    return answer('What waits.', { payouts })
  })
  api.post('/merchant/payouts/:reference/approve', staff('accountant'), {
    params,
    body: closed({ pin }),
    handler: async (request) => {
      await confirmAct(tools, signedOf(request), request.body.pin)
      await approvePayout(tools, callerOf(request), request.params.reference)
      return acknowledge('Approved.')
    },
  })
  // Not for keys: it bounds what a stolen one can pay out.
  api.post('/merchant/payout-limits', staff(), {
    body: closed({
      currency: code,
      daily: limit,
      approvalAbove: limit,
      newRecipientHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720 })),
      pin,
    }),
    handler: async (request) => {
      const { body } = request
      const { environmentId, mode } = callerOf(request)
      await confirmAct(tools, signedOf(request), body.pin)
      const currency = await findCurrency(pool, body.currency.toUpperCase(), 'any')
      const read = (name: 'daily' | 'approvalAbove'): bigint | null | undefined => {
        if (body[name] === 'none') return null
        const text = digitsOf(body, name)
        return text === undefined ? undefined : parseMoney(text, currency, name).minor
      }
      const { newRecipientHours } = body
      const limits = { daily: read('daily'), approvalAbove: read('approvalAbove'), newRecipientHours }
      const bookId = await ensureBook(pool, mode, currency.code)
      await withEnvironment(pool, environmentId, (tx) => saveLimits(tx, environmentId, bookId, limits))
      return acknowledge('Your limits are set.')
    },
  })
}
