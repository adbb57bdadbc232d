import Type from 'typebox'
import { formatMoney } from '../base/money.ts'
import { parseAmount, refuseDust } from '../currency/amount.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../currency/store.ts'
import { idempotencyKeyOf } from '../http/caller.ts'
import { closed, endpoints } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import { networkOf } from '../http/limit.ts'
import { cursorQuery, nextCursorOf, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { tellReplayed } from '../transaction/reference.ts'
import type { CountPerson } from '../user/quota.ts'
import { signedOf } from '../user/session.ts'
import { readCode, showCode } from '../voucher/code.ts'
import type { GuessLimit } from '../voucher/guess-limit.ts'
import { listVouchersOf, type Voucher } from '../voucher/store.ts'
import { pin, wireCode } from '../wallet/routes.ts'
import { buyVoucher, type HolderWalletTools, keepVoucher } from './wallet.ts'

const lockPin = Type.Optional(Type.String({ pattern: '^[0-9]{4}$' }))

/** A person's vouchers: what he has, redeems into his wallet, buys and gives. */
export function registerHolderWalletRoutes(
  server: Server,
  tools: HolderWalletTools & { readonly limitGuesses: GuessLimit; readonly countPerson: CountPerson },
): void {
  const api = endpoints(server)
  const { pool, clock, keyRing, newId } = tools

  api.get('/wallet/vouchers', 'wallet', {
    querystring: Type.Object(cursorQuery),
    handler: async (request) => {
      const { cursor, limit } = request.query
      const { id: userId, email } = signedOf(request).person
      const found = await listVouchersOf(pool, userId, readCursor(cursor), limit, clock())
      const catalogue = await readCurrencies(pool)
      const vouchers = found.map((voucher) => {
        const currency = pickCurrency(catalogue, voucher.currency, 'any')
        const money = (minor: bigint): string => formatMoney({ minor, currency })
        return {
          ...shownOf(voucher, [userId, email]),
          amount: money(voucher.amount),
          balance: money(voucher.available),
        }
      })
      return answer('Your vouchers, newest first.', { vouchers, nextCursor: nextCursorOf(found, limit) })
    },
  })

  function shownOf(
    { id, currency, hasPin, expiresAt, state, createdAt, ...voucher }: Voucher,
    mine: readonly string[],
  ) {
    const isOpen = state === 'open'
    // The code of what was given is for who got it.
    const isGiven = voucher.recipientKind !== 'nobody' && !mine.includes(voucher.recipient.toLowerCase())
    const code = isOpen && !isGiven ? showCode(keyRing.open(id, voucher)) : ''
    return { id, code, currency, hasPin, expiresAt, isOpen, isGiven, createdAt }
  }

  api.post('/wallet/vouchers/redeem', 'wallet', {
    body: closed({
      code: Type.String({ minLength: 1, maxLength: 64 }),
      amount: Type.Optional(wireAmount('All of it, if none')),
      to: Type.Optional(wireCode),
      lockPin,
    }),
    handler: async (request, reply) => {
      const { to, lockPin: word } = request.body
      const key = idempotencyKeyOf(request) ?? newId()
      const amount = digitsOf(request.body, 'amount') ?? 'max'
      const ask = { code: readCode(request.body.code, 'code'), amount, to, lockPin: word, key }
      const redeemed = await tools.limitGuesses(networkOf(request.ip), () => keepVoucher(tools, signedOf(request), ask))
      tellReplayed(reply, redeemed)
      const { received } = redeemed
      return answer('It is in your wallet.', { amount: formatMoney(received), currency: received.currency.code })
    },
  })

  api.post('/wallet/vouchers', 'wallet', {
    body: closed({
      amount: wireAmount('Of the voucher'),
      currency: wireCode,
      lockPin,
      for: Type.Optional(
        Type.Union([
          Type.String({ format: 'email', maxLength: 254 }),
          Type.String({ pattern: '^[A-Za-z0-9_.]{3,30}$' }),
        ]),
      ),
      pin,
    }),
    handler: async (request, reply) => {
      const { body } = request
      if (body.for !== undefined) tools.countPerson(signedOf(request).person.id, body.for)
      const currency = await findCurrency(pool, body.currency)
      const amount = parseAmount(digitsOf(body, 'amount') ?? '', currency)
      refuseDust(amount, currency)
      const key = idempotencyKeyOf(request) ?? newId()
      const ask = { amount, currency, lockPin: body.lockPin, gift: body.for, key, pin: body.pin }
      const bought = await buyVoucher(tools, signedOf(request), ask)
      tellReplayed(reply, bought)
      // A gift's code is for who gets it.
      const code = body.for === undefined ? showCode(bought.code) : ''
      return answer('Bought.', { id: bought.voucher.id, code })
    },
  })
}
