import Type from 'typebox'
import { wireMoney } from '../currency/wire.ts'
import { callerOf } from '../http/caller.ts'
import { answers, closed, endpoints, secretKey } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import type { Server } from '../http/server.ts'
import { takeReference, tellReplayed } from '../transaction/reference.ts'
import type { PostTools } from '../ledger/batch.ts'
import { refund } from './refund.ts'

const wireReference = Type.String({ minLength: 1, maxLength: 200 })

export function registerRefundRoutes(server: Server, tools: PostTools): void {
  const api = endpoints(server, ['Payment with voucher'])
  api.post('/merchant-integrations-server/refund', secretKey('accountant'), {
    operationId: 'refund',
    summary: 'Refund a redemption or a payment, in full or in part',
    description:
      'The value returns from your balance to the voucher or wallet that it came from. Where the currency was converted, the payer gets the smaller of the original amount and the amount at the current market rate. An expired voucher reopens for 30 days; for a cancelled one, its payer is refunded. Fees are not refunded.',
    body: closed({
      referenceId: wireReference,
      amount: Type.Optional(wireAmount('In the currency of the transaction. None: all that is left')),
      reason: Type.Optional(Type.String({ maxLength: 500 })),
      refundReferenceId: wireReference,
    }),
    response: answers({
      transactionId: Type.String(),
      referenceId: Type.String({ description: 'Of what was refunded' }),
      refundReferenceId: Type.String(),
      amount: Type.Number({ description: 'What counts as refunded, in the currency of the transaction' }),
      currency: Type.String(),
      returnedAmount: Type.Number({ description: 'What the payer got back. Less where the exchange rate has moved' }),
      returnedCurrency: Type.String(),
    }),
    handler: async (request, reply) => {
      const { body } = request
      const refundReference = takeReference(request, reply, body.refundReferenceId, tools.newId, 'refundReferenceId')
      const { referenceId: reference, reason = '' } = body
      const ask = { reference, refundReference, amount: digitsOf(body, 'amount'), reason }
      const refunded = await refund(tools, callerOf(request), ask)
      tellReplayed(reply, refunded)
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
}
