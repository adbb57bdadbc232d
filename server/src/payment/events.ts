import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'
import { toldTransaction } from '../transaction/events.ts'

export const paymentEvent = defineEvents({
  'payment.completed': {
    summary: 'A person authorised a payment. The money is yours.',
    data: Type.Object(toldTransaction),
  },
  'payment.declined': { summary: 'A person declined a payment.', data: Type.Object(toldTransaction) },
  'payment.canceled': {
    summary: 'A request for payment was withdrawn, or not answered in time.',
    data: Type.Object({ ...toldTransaction, reason: Type.Union([Type.Literal('withdrawn'), Type.Literal('expired')]) }),
  },
})
