import Type from 'typebox'
import { defineEvents } from './event.ts'

/** The alert for the operator, published to the platform merchant's live environment. */
export const differenceEvent = defineEvents({
  'ledger.difference_found': {
    summary: 'The check of the ledger found something that does not agree. Follow the runbook.',
    data: Type.Object({
      number: Type.Integer({ description: 'Its number in `scrip ledger checks`' }),
      kind: Type.String(),
      description: Type.String({ description: 'Names the journal, account or hold, and both numbers' }),
    }),
  },
})
