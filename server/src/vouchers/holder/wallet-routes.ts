import Type from 'typebox'
import { formatMoney } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { idempotencyKeyOf } from '../../http/caller.ts'
import { endpoints } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { networkOf } from '../../http/limit.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { markReplayed } from '../../http/idempotency.ts'
import { findShops } from '../../identity/merchant/store.ts'
import { toWireShop } from '../../identity/merchant/to-wire.ts'
import type { CountUser } from '../../identity/user/quota.ts'
import { signedOf } from '../../identity/user/session.ts'
import { readCode, showCode } from '../code/code.ts'
import type { GuessLimit } from '../code/guess-limit.ts'
import { listVouchersOf, type Voucher } from '../voucher/store.ts'
import { pin, wireCode } from '../../payments/wallet/routes.ts'
import { buyVoucher, type HolderWalletTools, redeemIntoWallet } from './wallet.ts'
import { wireBought, wireReceived, type WireWalletVoucher, wireWalletVouchers } from './wallet-wire.ts'

const lockPin = Type.Optional(Type.String({ pattern: '^[0-9]{4}$' }))

/** A user's vouchers: list, redeem into the wallet, buy and give. */
export function registerHolderWalletRoutes(
  server: Server,
  tools: HolderWalletTools & { readonly limitGuesses: GuessLimit; readonly countUser: CountUser },
): void {
  const api = endpoints(server)
  const { pool, clock, keyRing, newId } = tools

  api.get('/wallet/vouchers', 'wallet', {
    querystring: Type.Object(cursorQuery),
    response: { 200: enveloped(wireWalletVouchers) },
    handler: async (request) => {
      const { cursor, limit } = request.query
      const { id: userId, email } = signedOf(request).user
      const found = await listVouchersOf(pool, userId, readCursor(cursor), limit + 1, clock())
      const { page, continuation } = cutPage(found, limit)
      const [catalogue, shops] = await Promise.all([
        readCurrencies(pool),
        findShops(
          pool,
          page.map(({ environmentId }) => environmentId),
        ),
      ])
      const vouchers = page.map((voucher) => {
        const currency = pickCurrency(catalogue, voucher.currency, 'any')
        const issuer = shops.get(voucher.environmentId)
        if (issuer === undefined) throw new Error('A voucher has no issuer.')
        const money = (minor: bigint): string => formatMoney({ minor, currency })
        return {
          ...shownOf(voucher, [userId, email]),
          merchant: issuer.name,
          amount: money(voucher.amount),
          balance: money(voucher.available),
          shop: toWireShop(issuer),
        }
      })
      return answer('Your vouchers, newest first.', { vouchers, ...continuation })
    },
  })

  function shownOf(
    { id, currency, hasPin, state, ...voucher }: Voucher,
    mine: readonly string[],
  ): Omit<WireWalletVoucher, 'merchant' | 'amount' | 'balance' | 'shop'> {
    const isOpen = state === 'open'
    // The code of a gift is shown only to its recipient.
    const isGiven = voucher.recipientKind !== 'nobody' && !mine.includes(voucher.recipient.toLowerCase())
    const code = isOpen && !isGiven ? showCode(keyRing.open(id, voucher)) : ''
    const [createdAt, expiresAt] = [voucher.createdAt.toISOString(), voucher.expiresAt?.toISOString() ?? null]
    return { id, code, currency, hasPin, expiresAt, isOpen, isGiven, createdAt }
  }

  api.post('/wallet/vouchers/redeem', 'wallet', {
    body: closed({
      code: Type.String({ minLength: 1, maxLength: 64 }),
      amount: Type.Optional(wireAmount('The full balance if omitted')),
      lockPin,
    }),
    response: { 200: enveloped(wireReceived) },
    handler: async (request, reply) => {
      const { lockPin: word } = request.body
      const key = idempotencyKeyOf(request) ?? newId()
      const amount = digitsOf(request.body, 'amount') ?? 'max'
      const input = { code: readCode(request.body.code, 'code'), amount, lockPin: word, key }
      const redeemed = await tools.limitGuesses(networkOf(request.ip), () =>
        redeemIntoWallet(tools, signedOf(request), input),
      )
      markReplayed(reply, redeemed)
      const { received } = redeemed
      return answer('Added to your wallet.', { amount: formatMoney(received), currency: received.currency.code })
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
    response: { 200: enveloped(wireBought) },
    handler: async (request, reply) => {
      const { body } = request
      if (body.for !== undefined) await tools.countUser(signedOf(request).user.id, body.for)
      const currency = await findCurrency(pool, body.currency)
      const amount = parseAmount(digitsOf(body, 'amount') ?? '', currency)
      refuseDust(amount, currency)
      const key = idempotencyKeyOf(request) ?? newId()
      const input = { amount, currency, lockPin: body.lockPin, gift: body.for, key, pin: body.pin }
      const bought = await buyVoucher(tools, signedOf(request), input)
      markReplayed(reply, bought)
      // The code of a gift is only for its recipient.
      const code = body.for === undefined ? showCode(bought.code) : ''
      return answer('Bought.', { id: bought.voucher.id, code })
    },
  })
}
