import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'
import { toldTransaction } from '../transaction/events.ts'

export const payoutEvent = defineEvents({
  'payout.completed': { summary: 'A payout has arrived.', data: Type.Object(toldTransaction) },
})
