import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { checkAmountForm } from '../../base/money.ts'
import { callerOf, type MerchantCaller } from '../../http/caller.ts'
import { anyRole, endpoints, publicKey } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import type { Server } from '../../http/server.ts'
import { takeReference } from '../../payments/transaction/reference.ts'
import { readCode } from '../code/code.ts'
import { type GuessLimit, guesserOf } from '../code/guess-limit.ts'
import { toIssuersVoucher, toWireVoucher, type WireTools } from '../voucher/to-wire.ts'
import { issueTerms, lockPin, purchaseFields, verifiedVoucher, wirePriced, wireRedeemed } from '../voucher/wire.ts'
import { readPurchase } from './purchase.ts'
import { quoteRedemption } from './quote-redemption.ts'
import { receiptKeys, signReceipt } from './receipt.ts'
import { redeemVoucher, type RedeemTools } from './redeem.ts'
import { toRedeemedVoucher, toWireQuote } from './to-wire.ts'
import { verifyVoucher } from './verify.ts'

type RedeemRouteTools = RedeemTools & WireTools & { readonly limitGuesses: GuessLimit; readonly publicUrl: string }

const voucherCode = Type.String({ minLength: 1, maxLength: 64 })

const redemptionFields = {
  voucherCode,
  amount: wireAmount('In the currency of the voucher; "max" for the whole balance', 'max'),
  lockPin: Type.Optional(lockPin),
  walletAddress: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Pays this address instead of your balance. The redemption is PROCESSING until its transaction is final. Gas is added to the fee',
    }),
  ),
  toCurrencyAbbreviation: Type.Optional(Type.String({ minLength: 1, maxLength: 12 })),
  blockchainNetworkAbbreviation: Type.Optional(
    Type.String({
      maxLength: 12,
      description: 'The network of walletAddress. BSC if left out; an onchain voucher is paid on its own network',
    }),
  ),
}
const redemptionBody = closed({ ...redemptionFields, ...purchaseFields })

/**
 * Checks the format of the amount before the voucher is looked up, so that the error reveals nothing about the
 * voucher.
 */
function readRedemption(body: Static<typeof redemptionBody>, caller: MerchantCaller) {
  const { lockPin: pin, walletAddress, toCurrencyAbbreviation: to } = body
  const code = readCode(body.voucherCode)
  const wanted = digitsOf(body, 'amount') ?? ''
  if (wanted !== 'max') checkAmountForm(wanted)
  const purchase = readPurchase(body, caller)
  const network = body.blockchainNetworkAbbreviation?.toUpperCase()
  return { code, amount: wanted, lockPin: pin, walletAddress, to: to?.toUpperCase(), network, purchase }
}

/** Only the issuer with its secret key sees to whom the voucher is bound. */
function shownTo({ hasSecret, environmentId }: MerchantCaller, ...parts: Parameters<typeof toWireVoucher>) {
  const [voucher] = parts
  const isIssuer = hasSecret && voucher.environmentId === environmentId
  return isIssuer ? toIssuersVoucher(...parts) : toWireVoucher(...parts)
}

export function registerRedeemRoutes(server: Server, tools: RedeemRouteTools): void {
  const api = endpoints(server, ['Payment with voucher'])
  const { newId, keyRing, logoUrl } = tools

  /** Limits guesses of codes. */
  const limitGuesses = <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> => {
    const guesser = guesserOf(request)
    return guesser === undefined ? work() : tools.limitGuesses(guesser, work)
  }

  api.post('/merchant-integrations/verify-voucher', publicKey(...anyRole), {
    summary: 'Get a voucher',
    description:
      'With the secret key, the issuer sees which merchants redeemed it and the person that it is bound to, and a merchant sees its own redemptions.',
    body: closed({ voucherCode }),
    response: { 200: enveloped(verifiedVoucher) },
    handler: async (request) => {
      const code = readCode(request.body.voucherCode)
      const found = await limitGuesses(request, () => verifyVoucher(tools, callerOf(request), code))
      return answer('The voucher.', {
        ...shownTo(callerOf(request), found.voucher, code.symbols, found.currency, tools, found.onchain),
        redeemedVouchers: found.redemptions.map((one) => toRedeemedVoucher(one, found.voucher.id, found.currency)),
      })
    },
  })

  api.post('/merchant-integrations/fetch-voucher-redemption-charges', publicKey(...anyRole), {
    summary: 'Quote a redemption',
    description: 'Returns amount and fee, and holds the price for five minutes.',
    body: redemptionBody,
    response: { 200: enveloped(wirePriced) },
    handler: async (request) => {
      const input = readRedemption(request.body, callerOf(request))
      const quoted = await limitGuesses(request, () => quoteRedemption(tools, callerOf(request), input))
      const { request: priced, onchain } = quoted
      const voucher = shownTo(callerOf(request), quoted.voucher, input.code.symbols, priced.currency, tools, onchain)
      return answer('The charges.', { charges: toWireQuote(quoted, logoUrl), voucher })
    },
  })

  api.post('/merchant-integrations/redeem-voucher', publicKey('cashier'), {
    summary: 'Redeem a voucher',
    headers: idempotencyHeader,
    description:
      'Safe to retry with the same referenceId. The Scrip-Reference-Id header of the response has the reference, also if the request had none.',
    body: closed({
      ...redemptionFields,
      ...purchaseFields,
      referenceId: issueTerms.referenceId,
      metaData: Type.Optional(Type.String({ maxLength: 4_096 })),
      quoteId: Type.Optional(Type.String({ maxLength: 3_000, description: 'From fetch-voucher-redemption-charges' })),
    }),
    response: { 200: enveloped(wireRedeemed) },
    handler: async (request, reply) => {
      const { referenceId: named, metaData: metadata = '', quoteId } = request.body
      const reference = takeReference(request, reply, named, newId)
      const input = { ...readRedemption(request.body, callerOf(request)), reference, metadata, quoteId }
      const redeemed = await limitGuesses(request, () => redeemVoucher(tools, callerOf(request), input))
      markReplayed(reply, redeemed)
      const receipt = signReceipt(keyRing, tools.publicUrl, redeemed)
      return answer('The voucher was redeemed.', { transactionId: redeemed.id, referenceId: reference, receipt })
    },
  })

  // Public: receipts are verified without a request per receipt.
  api.get('/.well-known/scrip-receipt-keys.json', 'none', (_, reply) =>
    reply.header('Access-Control-Allow-Origin', '*').send(receiptKeys(keyRing)),
  )
}
