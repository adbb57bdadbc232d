import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'

const endpointId = Type.String({ format: 'uuid' })

export const webhookEvent = defineEvents({
  'merchant.webhook_test': {
    summary: 'You requested a test. It is sent only to the tested endpoint.',
    data: Type.Object({ endpointId }),
  },
  'merchant.webhook_disabled': {
    summary: 'A webhook endpoint was disabled: it returned 410, or failed for five days.',
    data: Type.Object({
      endpointId,
      url: Type.String(),
      reason: Type.Union([Type.Literal('gone'), Type.Literal('failing')]),
    }),
  },
})
