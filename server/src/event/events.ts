import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'

const endpointId = Type.String({ format: 'uuid' })

export const webhookEvent = defineEvents({
  'merchant.webhook_test': {
    summary: 'You asked for a test. It goes to the one endpoint that was tested.',
    data: Type.Object({ endpointId }),
  },
  'merchant.webhook_disabled': {
    summary: 'We switched a webhook endpoint off: it asked for that (410), or failed for five days.',
    data: Type.Object({
      endpointId,
      url: Type.String(),
      reason: Type.Union([Type.Literal('gone'), Type.Literal('failing')]),
    }),
  },
})
