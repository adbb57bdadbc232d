import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'
import { transactionDetails } from '../../payments/transaction/events.ts'

export const refundEvent = defineEvents({
  'refund.completed': {
    summary: 'You refunded a redemption, a payment or a deposit, in full or in part.',
    data: Type.Object({
      transactionId: Type.String({ format: 'uuid' }),
      reference: Type.String(),
      refundOf: Type.String({ description: 'The reference of the refunded transaction' }),
      amount: Type.String({ description: 'In major units, exact to the last digit' }),
      currency: Type.String(),
      ...transactionDetails,
    }),
  },
})
