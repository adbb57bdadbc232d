import Type, { type Static } from 'typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import { callerOf, type MerchantCaller } from '../../http/caller.ts'
import { endpoints, secretKey } from '../../http/endpoint.ts'
import { closed, type Wire, wireAmount } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { markReplayed } from '../../http/idempotency.ts'
import type { Server } from '../../http/server.ts'
import { answerPending } from '../../payments/outflow/to-wire.ts'
import { pendingResponse } from '../../payments/outflow/wire.ts'
import { takeReference } from '../../payments/transaction/reference.ts'
import { wireReference } from '../../payments/transaction/wire.ts'
import { confirmStaff, type PinTools } from '../../identity/user/pin.ts'
import type { CountUserLookups } from '../../identity/user/quota.ts'
import { wirePin } from '../../identity/user/routes.ts'
import { showCode } from '../../vouchers/code/code.ts'
import { readIssued } from '../../vouchers/voucher/issue.ts'
import { refundError } from './errors.ts'
import { refund, type RefundTools } from './refund.ts'
import {
  type DepositRefundInput,
  type RecipientName,
  refundDeposit,
  type RefundDepositTools,
} from './refund-deposit.ts'
import { wireRefund } from './wire.ts'

const wireReason = Type.Optional(Type.String({ maxLength: 500 }))
const recipientFields = {
  platformUsernameOrEmail: Type.Optional(
    Type.String({ minLength: 1, maxLength: 254, description: 'The payer of a deposit, if it is a user' }),
  ),
  merchantCode: Type.Optional(
    Type.String({ minLength: 1, maxLength: 16, description: 'The payer of a deposit, if it is a merchant' }),
  ),
  byLink: Type.Optional(
    Type.Boolean({
      description: 'If the payer of a deposit is not known: you get a private link, where the payer names an address',
    }),
  ),
  payerEmail: Type.Optional(
    Type.String({ format: 'email', maxLength: 254, description: 'With byLink: the link is also sent here' }),
  ),
  pin: Type.Optional(wirePin),
}
type RecipientBody = {
  platformUsernameOrEmail?: string
  merchantCode?: string
  byLink?: boolean
  payerEmail?: string
  pin?: string
}

const response = { 200: Type.Union([enveloped(wireRefund), pendingResponse]) }

type Tools = RefundDepositTools &
  PinTools &
  RefundTools & { readonly countUserLookups: CountUserLookups; readonly publicUrl: string }

export function registerRefundRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server, ['Payment with voucher'])
  api.post('/merchant-integrations-server/refund', secretKey('accountant'), {
    operationId: 'refund',
    summary: 'Create a refund',
    description:
      'The value returns from your balance to the voucher or wallet that it came from. Where the currency was converted, the payer gets the smaller of the original amount and the amount at the current market rate. An expired voucher reopens for 30 days; for a cancelled one, its payer is refunded. Fees are not refunded. The payer of a crypto deposit is not known: name a user or a merchant, or ask for a private link with byLink, where the payer names an address on a network. At most the credited amount is refunded, in the currency of the transaction. Like a payout, such a refund can wait for approval; the response then has status "PENDING".',
    body: closed({
      referenceId: wireReference,
      amount: Type.Optional(wireAmount('In the currency of the transaction. Leave out to refund the rest')),
      reason: wireReason,
      refundReferenceId: wireReference,
      ...recipientFields,
    }),
    response,
    handler: async (request, reply) => {
      const { body } = request
      const refundReference = takeReference(request, reply, body.refundReferenceId, tools.newId, 'refundReferenceId')
      const { referenceId: reference, reason = '' } = body
      const input = { reference, refundReference, amount: digitsOf(body, 'amount'), reason }
      const to = recipientOf(body)
      if (to !== undefined)
        return answerDepositRefund(tools, request, reply, body.pin, { ...input, of: { reference }, to })
      const refunded = await refund(tools, callerOf(request), input)
      markReplayed(reply, refunded)
      const { transaction, currency, returned } = refunded
      return answer('The refund was made.', {
        transactionId: transaction.id,
        referenceId: body.referenceId,
        refundReferenceId: refundReference,
        amount: wireMoney(transaction.amount, currency),
        currency: currency.code,
        returnedAmount: wireMoney(returned.minor, returned.currency),
        returnedCurrency: returned.currency.code,
      })
    },
  })

  api.post('/merchant-integrations-server/deposit-cases/:id/return', secretKey('accountant'), {
    operationId: 'return-deposit-case',
    summary: 'Return an unmatched deposit',
    description:
      'To the wallet of a user, the balance of a merchant or, with byLink, an address that the payer names on a private page, in the currency that was paid. Like a payout, it can wait for approval; the response then has status "PENDING". If you cancel it then, the amount stays on your balance.',
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    body: closed({ refundReferenceId: wireReference, reason: wireReason, ...recipientFields }),
    response,
    handler: async (request, reply) => {
      const { body } = request
      const refundReference = takeReference(request, reply, body.refundReferenceId, tools.newId, 'refundReferenceId')
      const to = recipientOf(body)
      if (to === undefined) throw refundError('REFUND_RECIPIENT_MISSING', { param: 'platformUsernameOrEmail' })
      const of = { caseId: request.params.id.toLowerCase() }
      return answerDepositRefund(tools, request, reply, body.pin, {
        ...{ of, to, refundReference, reason: body.reason ?? '' },
      })
    },
  })
}

function recipientOf(body: RecipientBody): RecipientName | undefined {
  const { platformUsernameOrEmail: user, merchantCode, byLink, payerEmail: email } = body
  const names = [user !== undefined, merchantCode !== undefined, byLink === true].filter(Boolean).length
  if (names > 1) throw refundError('REFUND_RECIPIENT_TWICE', { param: byLink === true ? 'byLink' : 'merchantCode' })
  if (email !== undefined && byLink !== true) throw refundError('REFUND_RECIPIENT_MISSING', { param: 'byLink' })
  if (byLink === true) return { linkFor: { email } }
  if (user !== undefined) return { user }
  return merchantCode === undefined ? undefined : { merchantCode }
}

async function answerDepositRefund(
  tools: Tools,
  request: FastifyRequest,
  reply: FastifyReply,
  pin: string | undefined,
  input: DepositRefundInput,
): Promise<Wire<Static<(typeof response)[200]>>> {
  await confirmStaff(tools, request, pin)
  if ('user' in input.to) await tools.countUserLookups(request, input.to.user)
  const refunded = await refundDeposit(tools, callerOf(request), input)
  const { outflow, transaction, currency, depositReference, voucherId } = refunded
  markReplayed(reply, outflow)
  if (outflow.status !== 'done') return answerPending(outflow, input.refundReference, transaction.amount, currency)
  const amount = wireMoney(transaction.amount, currency)
  return answer('The refund was made.', {
    transactionId: transaction.id,
    referenceId: depositReference,
    refundReferenceId: input.refundReference,
    ...{ amount, currency: currency.code, returnedAmount: amount, returnedCurrency: currency.code },
    ...(voucherId !== null && { link: await linkOf(tools, callerOf(request), voucherId) }),
  })
}

async function linkOf(tools: Tools, caller: MerchantCaller, voucherId: string): Promise<string> {
  const { code } = await readIssued(tools, caller, { journalId: voucherId, replayed: false })
  return `${tools.publicUrl}/v#${showCode(code)}`
}
