import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'

export const refundEvent = defineEvents({
  'refund.completed': {
    summary: 'You gave back what a redemption took, or a part of it.',
    data: Type.Object({
      transactionId: Type.String({ format: 'uuid' }),
      reference: Type.String(),
      refundOf: Type.String({ description: 'The reference of what was refunded' }),
      amount: Type.String({ description: 'In major units, exact to the last digit' }),
      currency: Type.String(),
    }),
  },
})
