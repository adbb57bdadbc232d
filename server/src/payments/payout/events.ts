import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'
import { transactionPayload } from '../transaction/events.ts'

export const payoutEvent = defineEvents({
  'payout.completed': { summary: 'A payout was credited to its recipient.', data: Type.Object(transactionPayload) },
})
