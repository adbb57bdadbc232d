import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'

const key = {
  keyId: Type.String({ format: 'uuid' }),
  kind: Type.Union([Type.Literal('public'), Type.Literal('secret')]),
  name: Type.String(),
}

export const merchantEvent = defineEvents({
  'merchant.key_created': { summary: 'A key was created.', data: Type.Object(key) },
  'merchant.key_rotated': {
    summary: 'A key was replaced. The old one works for another 24 hours.',
    data: Type.Object({ ...key, replacedBy: Type.String({ format: 'uuid' }) }),
  },
  'merchant.key_revoked': { summary: 'A key was revoked. It no longer works.', data: Type.Object(key) },
})
