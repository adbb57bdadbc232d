import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'
import { toldTransaction } from '../transaction/events.ts'

export const payoutEvent = defineEvents({
  'payout.waiting': {
    summary: 'A payout waits for a second person, or because its recipient is new. Its amount is held.',
    data: Type.Object({ ...toldTransaction, needsApproval: Type.Boolean() }),
  },
  'payout.completed': { summary: 'A payout has arrived.', data: Type.Object(toldTransaction) },
  'payout.canceled': {
    summary: 'A payout that waited was cancelled, or nobody approved it in time. Its amount is free again.',
    data: Type.Object({ ...toldTransaction, reason: Type.Union([Type.Literal('withdrawn'), Type.Literal('expired')]) }),
  },
})
