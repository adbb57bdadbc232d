import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'

const payout = {
  transactionId: Type.String({ format: 'uuid' }),
  reference: Type.String(),
  amount: Type.String({ description: 'In major units, exact to the last digit' }),
  currency: Type.String(),
}

export const payoutEvent = defineEvents({
  'payout.waiting': {
    summary: 'A payout waits for a second person, or because its recipient is new. Its amount is held.',
    data: Type.Object({ ...payout, needsApproval: Type.Boolean() }),
  },
  'payout.completed': { summary: 'A payout has arrived.', data: Type.Object(payout) },
  'payout.canceled': {
    summary: 'A payout that waited was cancelled, or nobody approved it in time. Its amount is free again.',
    data: Type.Object({ ...payout, reason: Type.Union([Type.Literal('withdrawn'), Type.Literal('expired')]) }),
  },
})
