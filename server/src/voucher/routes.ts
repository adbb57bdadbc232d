import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { checkAmountForm } from '../base/money.ts'
import { pickCurrency, readCurrencies } from '../currency/store.ts'
import type { LogoUrl } from '../currency/wire.ts'
import { callerOf } from '../http/caller.ts'
import { answers, anyRole, closed, endpoints, publicKey, sandbox, secretKey } from '../http/endpoint.ts'
import { acknowledge, acknowledged, answer, enveloped } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import { networkOf } from '../http/limit.ts'
import { cursorQuery, nextCursorOf, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { wireLanguage } from '../mail/words.ts'
import { answerPending, pendingResponse } from '../outflow/wire.ts'
import { takeReference, tellReplayed } from '../transaction/reference.ts'
import { confirmStaff, type PinTools } from '../user/pin.ts'
import { wirePin } from '../user/routes.ts'
import { readCode } from './code.ts'
import { voucherError } from './errors.ts'
import type { GuessLimit } from './guess-limit.ts'
import { type Issued, issueFromBalance, issueVoucher, type IssueTools } from './issue.ts'
import { quoteRedemption } from './quote-redemption.ts'
import { receiptKeys, signReceipt } from './receipt.ts'
import { redeemVoucher, type RedeemTools } from './redeem.ts'
import { listOwnVouchers } from './store.ts'
import { verifyVoucher } from './verify.ts'
import {
  issueTerms,
  toRedeemedVoucher,
  toWireQuote,
  toWireVoucher,
  verifiedVoucher,
  wireQuote,
  wireVoucher,
} from './wire.ts'

export type VoucherTools = IssueTools &
  RedeemTools &
  PinTools & { readonly limitGuesses: GuessLimit; readonly logoUrl: LogoUrl; readonly publicUrl: string }

const amount = wireAmount('In major units')
const voucherCode = Type.String({ minLength: 1, maxLength: 64 })
const lockPin = Type.String({ pattern: '^[0-9]{4}$', description: 'The 4 digits that a locked voucher was given' })
const { currency, referenceId } = issueTerms

const wished = {
  voucherCode,
  amount: wireAmount('In the voucher’s currency; "max" for all that is left'),
  lockPin: Type.Optional(lockPin),
  walletAddress: Type.Optional(Type.String({ maxLength: 100, description: 'Not available yet' })),
  toCurrencyAbbreviation: Type.Optional(Type.String({ minLength: 1, maxLength: 12 })),
}
const wish = closed(wished)

/** The amount's form is looked at first, for everybody alike: which voucher it is for must not be told by it. */
function readWish(body: Static<typeof wish>) {
  const { lockPin: pin, walletAddress, toCurrencyAbbreviation: to } = body
  const code = readCode(body.voucherCode)
  const wanted = digitsOf(body, 'amount') ?? ''
  if (wanted !== 'max') checkAmountForm(wanted)
  return { code, amount: wanted, lockPin: pin, walletAddress, to: to?.toUpperCase() }
}

export function registerVoucherRoutes(server: Server, tools: VoucherTools): void {
  const api = endpoints(server, ['Payment with voucher'])
  const { pool, clock, newId, keyRing, logoUrl } = tools

  /** For whoever shows a voucher's code: without a secret key unknown codes are counted. */
  const asHolder = <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> =>
    callerOf(request).hasSecret ? work() : tools.limitGuesses(networkOf(request.ip), work)

  api.post('/merchant-integrations/verify-voucher', publicKey(...anyRole), {
    summary: 'Tells what a voucher is and what is left of it',
    description: 'Who redeemed it is told, with the secret key, to its issuer and to the merchant that did.',
    body: closed({ voucherCode }),
    response: { 200: enveloped(verifiedVoucher) },
    handler: async (request) => {
      const code = readCode(request.body.voucherCode)
      const found = await asHolder(request, () => verifyVoucher(tools, callerOf(request), code))
      return answer('The voucher.', {
        ...toWireVoucher(found.voucher, code.symbols, found.currency, tools),
        redeemedVouchers: found.redemptions.map((one) => toRedeemedVoucher(one, found.voucher.id, found.currency)),
      })
    },
  })

  api.post('/merchant-integrations/fetch-voucher-redemption-charges', publicKey(...anyRole), {
    summary: 'Tells what redeeming a part of a voucher costs, and keeps that price for five minutes',
    body: wish,
    response: answers({ charges: wireQuote, voucher: wireVoucher }),
    handler: async (request) => {
      const ask = readWish(request.body)
      const quoted = await asHolder(request, () => quoteRedemption(tools, callerOf(request), ask))
      const voucher = toWireVoucher(quoted.voucher, ask.code.symbols, quoted.wish.currency, tools)
      return answer('The charges.', { charges: toWireQuote(quoted, logoUrl), voucher })
    },
  })

  api.post('/merchant-integrations/redeem-voucher', publicKey('cashier'), {
    summary: 'Redeems a part of a voucher, or all of it',
    description:
      'A repeat with the same referenceId answers as the first did and moves nothing. The reference is told in the header Scrip-Reference-Id, also of one that was not named.',
    body: closed({
      ...wished,
      referenceId,
      metaData: Type.Optional(Type.String({ maxLength: 4_096 })),
      quoteId: Type.Optional(Type.String({ maxLength: 3_000, description: 'Of charges that were quoted' })),
    }),
    response: {
      200: Type.Intersect([
        acknowledged,
        Type.Object({
          data: Type.Object({
            transactionId: Type.String(),
            referenceId: Type.String(),
            receipt: Type.String({ description: 'Signed; its key is at /.well-known/scrip-receipt-keys.json' }),
          }),
        }),
      ]),
    },
    handler: async (request, reply) => {
      const { referenceId: named, metaData: metadata = '', quoteId } = request.body
      const reference = takeReference(request, reply, named, newId)
      const ask = { ...readWish(request.body), reference, metadata, quoteId }
      const redeemed = await asHolder(request, () => redeemVoucher(tools, callerOf(request), ask))
      tellReplayed(reply, redeemed)
      const receipt = signReceipt(keyRing, tools.publicUrl, redeemed)
      const data = { transactionId: redeemed.id, referenceId: reference, receipt }
      return { ...acknowledge('The voucher was redeemed.'), data }
    },
  })

  api.post('/merchant-integrations-server/vouchers', secretKey('accountant'), {
    operationId: 'issue-voucher',
    summary: 'Issue a voucher from your balance',
    description:
      'An outflow: above your approval threshold it waits with its amount held, and the response has status "PENDING" and no code. Repeat the request with the same referenceId to get the voucher once it is approved.',
    body: closed({
      amount,
      ...issueTerms,
      lockPin: Type.Optional(lockPin),
      forEmail: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
      sendEmail: Type.Optional(Type.Boolean({ description: 'Sends the voucher to forEmail, code and all' })),
      language: Type.Optional(wireLanguage),
      forMerchant: Type.Optional(Type.String({ maxLength: 16, description: 'A merchant’s code' })),
      pin: Type.Optional(wirePin),
    }),
    response: { 200: Type.Union([enveloped(wireVoucher), pendingResponse]) },
    handler: async (request, reply) => {
      const { body } = request
      await confirmStaff(tools, request, body.pin)
      const reference = takeReference(request, reply, body.referenceId, newId)
      const requested = await issueFromBalance(tools, callerOf(request), {
        amount: digitsOf(body, 'amount') ?? '',
        currency: body.currency.toUpperCase(),
        reference,
        lockPin: body.lockPin,
        onlyAt: body.onlyAt,
        expires: body.expiresAt,
        recipient: recipientOf(body),
        gift: body.sendEmail === true ? { language: body.language } : undefined,
      })
      if ('pending' in requested) {
        const { pending, amount: held } = requested
        tellReplayed(reply, pending)
        return answerPending(pending, reference, held.minor, held.currency)
      }
      tellReplayed(reply, requested)
      return answer('The voucher was issued.', toIssuedVoucher(requested))
    },
  })

  api.get('/merchant-integrations-server/vouchers', secretKey('accountant'), {
    operationId: 'list-vouchers',
    summary: 'Lists the vouchers that you issued, newest first',
    querystring: Type.Object(cursorQuery),
    response: answers({ vouchers: Type.Array(wireVoucher), nextCursor: Type.String() }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { limit } = request.query
      const before = readCursor(request.query.cursor)
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listOwnVouchers(tx, environmentId, { before, limit }, clock()),
      )
      const catalogue = await readCurrencies(pool)
      const vouchers = found.map((voucher) => {
        // Nobody sees a code before it is handed over.
        // And one whose key is not in the ring must not hide the others.
        const isShown = voucher.isDelivered && keyRing.findKey(voucher.keyId) !== undefined
        const code = isShown ? keyRing.open(voucher.id, voucher) : ''
        return toWireVoucher(voucher, code, pickCurrency(catalogue, voucher.currency, 'any'), tools)
      })
      return answer('Your vouchers.', { vouchers, nextCursor: nextCursorOf(found, limit) })
    },
  })

  api.post('/sandbox/vouchers', sandbox, {
    operationId: 'sandbox-voucher',
    summary: 'Makes a voucher of play money',
    body: closed({ amount, currency, lockPin: Type.Optional(lockPin), onchain: Type.Optional(Type.Boolean()) }),
    response: { 200: enveloped(wireVoucher) },
    handler: async (request, reply) => {
      const { body } = request
      if (body.onchain === true) throw voucherError('VOUCHER_ONCHAIN_UNAVAILABLE', { param: 'onchain' })
      const issued = await issueVoucher(tools, callerOf(request), {
        amount: digitsOf(body, 'amount') ?? '',
        currency: body.currency.toUpperCase(),
        reference: takeReference(request, reply, undefined, newId),
        paidFrom: 'treasury',
        lockPin: body.lockPin,
      })
      tellReplayed(reply, issued)
      return answer('The voucher was made.', toIssuedVoucher(issued))
    },
  })

  // For everybody: a receipt is verified without asking us about it.
  api.get('/.well-known/scrip-receipt-keys.json', 'none', (_, reply) =>
    reply.header('Access-Control-Allow-Origin', '*').send(receiptKeys(keyRing)),
  )

  function toIssuedVoucher({ voucher, code, currency: of }: Issued) {
    return toWireVoucher(voucher, code, of, tools)
  }
}

function recipientOf({ forEmail, forMerchant }: { forEmail?: string; forMerchant?: string }) {
  if (forEmail !== undefined && forMerchant !== undefined)
    throw voucherError('RECIPIENT_TWICE', { param: 'forMerchant' })
  if (forEmail !== undefined) return { kind: 'email', name: forEmail } as const
  return forMerchant === undefined ? undefined : ({ kind: 'merchant', name: forMerchant } as const)
}
