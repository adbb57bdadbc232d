import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { callerOf } from '../../http/caller.ts'
import { answers, endpoints, sandbox, secretKey } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import { cursorFields, cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { confirmStaff, type PinTools } from '../../identity/user/pin.ts'
import type { CountUserLookups } from '../../identity/user/quota.ts'
import { wirePin } from '../../identity/user/routes.ts'
import { wireLanguage } from '../../mail/words.ts'
import { answerPending } from '../../payments/outflow/to-wire.ts'
import { pendingResponse } from '../../payments/outflow/wire.ts'
import { takeReference } from '../../payments/transaction/reference.ts'
import { voucherError } from '../code/errors.ts'
import { type Issued, issueFromBalance, issueVoucher, type IssueTools } from './issue.ts'
import { findOnchain } from './onchain-store.ts'
import { readRulesBody } from './read-rules.ts'
import { revealCode } from './reveal-code.ts'
import { listOwnVouchers } from './store.ts'
import { readOnchain, toIssuersVoucher, type WireTools } from './to-wire.ts'
import { issueTerms, listedVoucher, lockPin, onchainFields, revealedCode, wireVoucher } from './wire.ts'

type IssueRouteTools = IssueTools & PinTools & WireTools & { readonly countUserLookups: CountUserLookups }

const amount = wireAmount('In major units')

export function registerIssueRoutes(server: Server, tools: IssueRouteTools): void {
  const api = endpoints(server, ['Payment with voucher'])
  const { pool, clock, newId } = tools

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
        rules: await readRulesBody(tools, request, body.rules),
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
        ...toIssuersVoucher(
          voucher,
          '',
          pickCurrency(catalogue, voucher.currency, 'any'),
          tools,
          onchain.get(voucher.id),
        ),
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
    body: closed({
      amount,
      currency: issueTerms.currency,
      lockPin: Type.Optional(lockPin),
      voucherType: Type.Optional(Type.Enum(['platform', 'store'], { description: 'platform if left out' })),
      rules: issueTerms.rules,
      ...onchainFields,
    }),
    response: { 200: enveloped(wireVoucher) },
    handler: async (request, reply) => {
      const { body } = request
      const issued = await issueVoucher(tools, callerOf(request), {
        amount: digitsOf(body, 'amount') ?? '',
        currency: body.currency.toUpperCase(),
        reference: takeReference(request, reply, undefined, newId),
        paidFrom: body.voucherType === 'store' ? 'float' : 'treasury',
        lockPin: body.lockPin,
        onchain: readOnchain(body),
        rules: await readRulesBody(tools, request, body.rules),
      })
      markReplayed(reply, issued)
      return answer('The voucher was made.', toIssuedVoucher(issued))
    },
  })

  function toIssuedVoucher({ voucher, code, currency: of, onchain }: Issued) {
    return toIssuersVoucher(voucher, code, of, tools, onchain)
  }
}

function recipientOf({ forEmail, forMerchant }: { forEmail?: string; forMerchant?: string }) {
  if (forEmail !== undefined && forMerchant !== undefined)
    throw voucherError('RECIPIENT_TWICE', { param: 'forMerchant' })
  if (forEmail !== undefined) return { kind: 'email', name: forEmail } as const
  return forMerchant === undefined ? undefined : ({ kind: 'merchant', name: forMerchant } as const)
}
