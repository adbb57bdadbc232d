import Type, { type Static } from 'typebox'
import { getAddress } from 'viem'
import { checkAmountForm, formatMoney } from '../../base/money.ts'
import { idempotencyKeyOf } from '../../http/caller.ts'
import { endpoints } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { markReplayed } from '../../http/idempotency.ts'
import { networkOf } from '../../http/limit.ts'
import type { Server } from '../../http/server.ts'
import { readCode } from '../code/code.ts'
import type { GuessLimit } from '../code/guess-limit.ts'
import { takenBy } from '../redeem/offer.ts'
import type { Quoted } from '../redeem/quote-redemption.ts'
import { readWalletAddress } from '../voucher/wallet-address.ts'
import { type AddressRedemption, type HolderRedeemTools, quoteToAddress, redeemToAddress } from './redeem.ts'
import { holderFields } from './routes.ts'
import { type WirePayoutQuote, wirePayoutQuote, wirePayoutSent } from './wire.ts'

const { code, lockPin } = holderFields
const fields = {
  code,
  lockPin,
  amount: wireAmount('In the currency of the voucher; "max" for the whole balance', 'max'),
  walletAddress: Type.String({ minLength: 1, maxLength: 100 }),
  // Of an offchain voucher. An onchain voucher is paid in its own currency on its own network.
  currency: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
  network: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
}
const quoteBody = closed(fields)

/** A holder redeems an onchain voucher, or the refund of a deposit, to an address, in two steps: a quote, and the redemption at its price. */
export function registerHolderRedemptionRoutes(
  server: Server,
  tools: HolderRedeemTools & { readonly limitGuesses: GuessLimit },
): void {
  const api = endpoints(server)

  api.post('/holder/voucher/quote', 'none', {
    body: quoteBody,
    response: { 200: enveloped(wirePayoutQuote) },
    handler: async (request) => {
      const input = readInput(request.body)
      const quoted = await tools.limitGuesses(networkOf(request.ip), () => quoteToAddress(tools, input))
      return answer('The price.', toShownQuote(quoted, input.walletAddress))
    },
  })

  api.post('/holder/voucher/redeem', 'none', {
    body: closed({ ...fields, quoteId: Type.String({ minLength: 1, maxLength: 3_000 }) }),
    response: { 200: enveloped(wirePayoutSent) },
    handler: async (request, reply) => {
      const key = idempotencyKeyOf(request) ?? tools.newId()
      const input = { ...readInput(request.body), quoteId: request.body.quoteId, key }
      const redeemed = await tools.limitGuesses(networkOf(request.ip), () => redeemToAddress(tools, input))
      markReplayed(reply, redeemed)
      return answer('The redemption is on its way.', { id: redeemed.id })
    },
  })
}

/** Checks the forms before the voucher is looked up, so that an error reveals nothing about it. */
function readInput(body: Static<typeof quoteBody>): AddressRedemption {
  const amount = digitsOf(body, 'amount') ?? ''
  if (amount !== 'max') checkAmountForm(amount)
  const walletAddress = readWalletAddress(body.walletAddress.trim())
  const { lockPin, currency: to, network } = body
  return { code: readCode(body.code, 'code'), amount, lockPin, walletAddress, to, network }
}

function toShownQuote(
  { request, voucher, offer, gas, quoteId, expiresAt }: Quoted,
  walletAddress: string,
): WirePayoutQuote {
  const money = (minor: bigint): string => formatMoney({ minor, currency: request.currency })
  const taken = takenBy(offer)
  const { to } = request
  return {
    quoteId,
    expiresAt: expiresAt.toISOString(),
    walletAddress: getAddress(walletAddress),
    amount: money(offer.amount),
    arrives: formatMoney({ minor: offer.toAmount, currency: to }),
    arrivesIn: { abbreviation: to.code, symbol: to.symbol, name: to.name },
    gas: money(gas),
    fee: money(offer.charge - gas),
    taken: money(taken),
    left: money(voucher.available - taken),
  }
}
