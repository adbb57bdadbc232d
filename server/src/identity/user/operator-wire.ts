import Type, { type Static } from 'typebox'
import { modes } from '../../base/mode.ts'
import { cursorFields } from '../../http/schema.ts'

/** An entry of the audit log. */
const wireAct = Type.Object({
  id: Type.String({ format: 'uuid' }),
  who: Type.String(),
  email: Type.String(),
  keyId: Type.String({ description: 'Empty for users and commands' }),
  merchantCode: Type.String(),
  mode: Type.Union([Type.Null(), Type.Enum(modes)]),
  operation: Type.String({ description: 'Such as POST /merchant-integrations-server/payout' }),
  object: Type.String(),
  address: Type.String(),
  status: Type.Union([Type.Null(), Type.Integer()], { description: 'Null if the process ended before it answered' }),
  at: Type.String({ format: 'date-time' }),
})
export type WireAct = Static<typeof wireAct>

export const wireActs = Type.Object({ acts: Type.Array(wireAct), ...cursorFields })
