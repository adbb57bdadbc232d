import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { checkAmountForm } from '../base/money.ts'
import { pickCurrency, readCurrencies } from '../currency/store.ts'
import type { LogoUrl } from '../currency/to-wire.ts'
import { callerOf } from '../http/caller.ts'
import { answers, anyRole, endpoints, publicKey, sandbox, secretKey } from '../http/endpoint.ts'
import { closed, wireAmount } from '../http/schema.ts'
import { answer, enveloped } from '../http/envelope.ts'
import { digitsOf } from '../http/exact-json.ts'
import { idempotencyHeader, markReplayed } from '../http/idempotency.ts'
import { cursorFields, cursorQuery, cutPage, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { wireLanguage } from '../mail/words.ts'
import { answerPending } from '../outflow/to-wire.ts'
import { pendingResponse } from '../outflow/wire.ts'
import { takeReference } from '../transaction/reference.ts'
import { confirmStaff, type PinTools } from '../user/pin.ts'
import { wirePin } from '../user/routes.ts'
import { readCode } from './code.ts'
import { voucherError } from './errors.ts'
import { type GuessLimit, guesserOf } from './guess-limit.ts'
import { type Issued, issueFromBalance, issueVoucher, type IssueTools } from './issue.ts'
import { findOnchain } from './onchain-store.ts'
import { quoteRedemption } from './quote-redemption.ts'
import { receiptKeys, signReceipt } from './receipt.ts'
import { redeemVoucher, type RedeemTools } from './redeem.ts'
import { revealCode } from './reveal-code.ts'
import { listOwnVouchers } from './store.ts'
import { verifyVoucher } from './verify.ts'
import { readOnchain, toRedeemedVoucher, toWireQuote, toWireVoucher } from './to-wire.ts'
import {
  issueTerms,
  listedVoucher,
  onchainFields,
  revealedCode,
  verifiedVoucher,
  wirePriced,
  wireRedeemed,
  wireVoucher,
} from './wire.ts'

export type VoucherTools = IssueTools &
  RedeemTools &
  PinTools & { readonly limitGuesses: GuessLimit; readonly logoUrl: LogoUrl; readonly publicUrl: string }

const amount = wireAmount('In major units')
const voucherCode = Type.String({ minLength: 1, maxLength: 64 })
const lockPin = Type.String({ pattern: '^[0-9]{4}$', description: 'The PIN of a locked voucher, 4 digits' })
const { currency, referenceId } = issueTerms

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
const redemptionBody = closed(redemptionFields)

/**
 * Checks the format of the amount before the voucher is looked up, so that the error reveals nothing about the
 * voucher.
 */
function readRedemption(body: Static<typeof redemptionBody>) {
  const { lockPin: pin, walletAddress, toCurrencyAbbreviation: to } = body
  const code = readCode(body.voucherCode)
  const wanted = digitsOf(body, 'amount') ?? ''
  if (wanted !== 'max') checkAmountForm(wanted)
  const network = body.blockchainNetworkAbbreviation?.toUpperCase()
  return { code, amount: wanted, lockPin: pin, walletAddress, to: to?.toUpperCase(), network }
}

export function registerVoucherRoutes(server: Server, tools: VoucherTools): void {
  const api = endpoints(server, ['Payment with voucher'])
  const { pool, clock, newId, keyRing, logoUrl } = tools

  /** Limits guesses of codes. */
  const limitGuesses = <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> => {
    const guesser = guesserOf(request)
    return guesser === undefined ? work() : tools.limitGuesses(guesser, work)
  }

  api.post('/merchant-integrations/verify-voucher', publicKey(...anyRole), {
    summary: 'Get a voucher',
    description:
      'With the secret key, the issuer sees which merchants redeemed it, and a merchant sees its own redemptions.',
    body: closed({ voucherCode }),
    response: { 200: enveloped(verifiedVoucher) },
    handler: async (request) => {
      const code = readCode(request.body.voucherCode)
      const found = await limitGuesses(request, () => verifyVoucher(tools, callerOf(request), code))
      return answer('The voucher.', {
        ...toWireVoucher(found.voucher, code.symbols, found.currency, tools, found.onchain),
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
      const input = readRedemption(request.body)
      const quoted = await limitGuesses(request, () => quoteRedemption(tools, callerOf(request), input))
      const { request: priced, onchain } = quoted
      const voucher = toWireVoucher(quoted.voucher, input.code.symbols, priced.currency, tools, onchain)
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
      referenceId,
      metaData: Type.Optional(Type.String({ maxLength: 4_096 })),
      quoteId: Type.Optional(Type.String({ maxLength: 3_000, description: 'From fetch-voucher-redemption-charges' })),
    }),
    response: { 200: enveloped(wireRedeemed) },
    handler: async (request, reply) => {
      const { referenceId: named, metaData: metadata = '', quoteId } = request.body
      const reference = takeReference(request, reply, named, newId)
      const input = { ...readRedemption(request.body), reference, metadata, quoteId }
      const redeemed = await limitGuesses(request, () => redeemVoucher(tools, callerOf(request), input))
      markReplayed(reply, redeemed)
      const receipt = signReceipt(keyRing, tools.publicUrl, redeemed)
      return answer('The voucher was redeemed.', { transactionId: redeemed.id, referenceId: reference, receipt })
    },
  })

  api.post('/merchant-integrations-server/vouchers', secretKey('accountant'), {
    operationId: 'issue-voucher',
    summary: 'Issue a voucher',
    headers: idempotencyHeader,
    description:
      'An outflow: above your approval threshold it waits with its amount held, and the response has status "PENDING" and no code. Repeat the request with the same referenceId to get the voucher once it is approved.',
    body: closed({
      amount,
      ...issueTerms,
      lockPin: Type.Optional(lockPin),
      forEmail: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
      sendEmail: Type.Optional(Type.Boolean({ description: 'Emails the voucher with its code to forEmail' })),
      language: Type.Optional(wireLanguage),
      forMerchant: Type.Optional(Type.String({ maxLength: 16, description: 'A merchant’s code' })),
      ...onchainFields,
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
        onchain: readOnchain(body),
        gift: body.sendEmail === true ? { language: body.language } : undefined,
      })
      if ('pending' in requested) {
        const { pending, amount: held } = requested
        markReplayed(reply, pending)
        return answerPending(pending, reference, held.minor, held.currency)
      }
      markReplayed(reply, requested)
      return answer('The voucher was issued.', toIssuedVoucher(requested))
    },
  })

  api.get('/merchant-integrations-server/vouchers', secretKey('accountant'), {
    operationId: 'list-vouchers',
    summary: 'List issued vouchers',
    description: 'Codes are left out: codeTail has the last characters. Request the code of one voucher by its id.',
    querystring: Type.Object(cursorQuery),
    response: answers({ vouchers: Type.Array(listedVoucher), ...cursorFields }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { limit } = request.query
      const before = readCursor(request.query.cursor)
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listOwnVouchers(tx, environmentId, { before, limit: limit + 1 }, clock()),
      )
      const catalogue = await readCurrencies(pool)
      const { page, continuation } = cutPage(found, limit)
      const onchain = await findOnchain(
        pool,
        page.flatMap(({ id, isOnchain }) => (isOnchain ? [id] : [])),
      )
      const vouchers = page.map((voucher) => ({
        ...toWireVoucher(voucher, '', pickCurrency(catalogue, voucher.currency, 'any'), tools, onchain.get(voucher.id)),
        codeTail: voucher.codeTail ?? '',
      }))
      return answer('Your vouchers.', { vouchers, ...continuation })
    },
  })

  api.post('/merchant-integrations-server/vouchers/:id/code', secretKey('accountant'), {
    operationId: 'reveal-voucher-code',
    summary: 'Get the code of a voucher',
    description:
      'Viewing the code is logged with the key or the staff member. The code of a voucher in a batch is available after the batch was downloaded.',
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    body: closed({ pin: Type.Optional(wirePin) }),
    response: { 200: enveloped(revealedCode) },
    handler: async (request) => {
      await confirmStaff(tools, request, request.body.pin)
      return answer('The code.', await revealCode(tools, callerOf(request).environmentId, request.params.id))
    },
  })

  api.post('/sandbox/vouchers', sandbox, {
    operationId: 'sandbox-voucher',
    summary: 'Create a test voucher',
    headers: idempotencyHeader,
    body: closed({ amount, currency, lockPin: Type.Optional(lockPin), ...onchainFields }),
    response: { 200: enveloped(wireVoucher) },
    handler: async (request, reply) => {
      const { body } = request
      const issued = await issueVoucher(tools, callerOf(request), {
        amount: digitsOf(body, 'amount') ?? '',
        currency: body.currency.toUpperCase(),
        reference: takeReference(request, reply, undefined, newId),
        paidFrom: 'treasury',
        lockPin: body.lockPin,
        onchain: readOnchain(body),
      })
      markReplayed(reply, issued)
      return answer('The voucher was made.', toIssuedVoucher(issued))
    },
  })

  // Public: receipts are verified without a request per receipt.
  api.get('/.well-known/scrip-receipt-keys.json', 'none', (_, reply) =>
    reply.header('Access-Control-Allow-Origin', '*').send(receiptKeys(keyRing)),
  )

  function toIssuedVoucher({ voucher, code, currency: of, onchain }: Issued) {
    return toWireVoucher(voucher, code, of, tools, onchain)
  }
}

function recipientOf({ forEmail, forMerchant }: { forEmail?: string; forMerchant?: string }) {
  if (forEmail !== undefined && forMerchant !== undefined)
    throw voucherError('RECIPIENT_TWICE', { param: 'forMerchant' })
  if (forEmail !== undefined) return { kind: 'email', name: forEmail } as const
  return forMerchant === undefined ? undefined : ({ kind: 'merchant', name: forMerchant } as const)
}
