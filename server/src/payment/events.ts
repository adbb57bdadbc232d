import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'

const payment = {
  transactionId: Type.String({ format: 'uuid' }),
  reference: Type.String(),
  amount: Type.String({ description: 'In major units, exact to the last digit' }),
  currency: Type.String(),
}

export const paymentEvent = defineEvents({
  'payment.completed': { summary: 'A person authorised a payment. The money is yours.', data: Type.Object(payment) },
  'payment.declined': { summary: 'A person declined a payment.', data: Type.Object(payment) },
  'payment.canceled': {
    summary: 'A request for payment was withdrawn, or not answered in time.',
    data: Type.Object({ ...payment, reason: Type.Union([Type.Literal('withdrawn'), Type.Literal('expired')]) }),
  },
})
