import Type, { type Static } from 'typebox'
import { cursorFields } from '../../http/schema.ts'

const wireLoggedRequest = Type.Object({
  id: Type.String({ format: 'uuid' }),
  createdAt: Type.String({ format: 'date-time' }),
  method: Type.String(),
  route: Type.String({ description: 'The template of the path' }),
  status: Type.Integer(),
  errorCode: Type.String({ description: 'Empty unless it was refused' }),
  durationMs: Type.Integer(),
  reference: Type.String(),
  keyId: Type.String({ format: 'uuid' }),
  keyName: Type.String(),
})
export type WireLoggedRequest = Static<typeof wireLoggedRequest>

export const wireLoggedRequests = Type.Object({ requests: Type.Array(wireLoggedRequest), ...cursorFields })
export type WireLoggedRequests = Static<typeof wireLoggedRequests>

export const wireLoggedRequestDetail = Type.Object({
  ...wireLoggedRequest.properties,
  key: Type.String({ description: 'A public key in full; of a secret key its beginning and its end' }),
  address: Type.String(),
  requestBody: Type.String({ description: 'JSON, redacted and cut. Empty if there was none, or if it was too long' }),
  responseBody: Type.String(),
})
export type WireLoggedRequestDetail = Static<typeof wireLoggedRequestDetail>

/** A step of an integration, in the order in which they are usually done. */
export const integrationSteps = [
  'test_key',
  'test_redemption',
  'test_endpoint',
  'test_delivery',
  'live_key',
  'live_endpoint',
  'live_redemption',
] as const

export const wireChecklist = Type.Object({
  steps: Type.Array(Type.Object({ step: Type.Enum(integrationSteps), isDone: Type.Boolean() })),
})
export type WireChecklist = Static<typeof wireChecklist>
