import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'
import { transactionPayload } from '../transaction/events.ts'

export const paymentEvent = defineEvents({
  'payment.completed': {
    summary: 'A user authorised a payment. The amount is on your balance.',
    data: Type.Object(transactionPayload),
  },
  'payment.declined': { summary: 'A user declined a payment.', data: Type.Object(transactionPayload) },
  'payment.canceled': {
    summary: 'A payment request was withdrawn or expired.',
    data: Type.Object({
      ...transactionPayload,
      reason: Type.Union([Type.Literal('withdrawn'), Type.Literal('expired')]),
    }),
  },
})
