import Type, { type Static } from 'typebox'
import { roles } from '../../http/role.ts'
import { named } from '../../http/schema.ts'

const wireRole = Type.Enum(roles)
export type WireRole = Static<typeof wireRole>

/** A merchant that a user works for. */
const wireWorkplace = Type.Object({
  code: Type.String(),
  name: Type.String(),
  role: wireRole,
  timeZone: Type.String(),
  homeCurrency: Type.String(),
  isTill: Type.Boolean({ description: 'True for a session that began with a PIN at a till' }),
})
export type WireWorkplace = Static<typeof wireWorkplace>

export const wireWorkplaces = Type.Object({ merchants: Type.Array(wireWorkplace) })
export type WireWorkplaces = Static<typeof wireWorkplaces>

export const wireMember = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  name: Type.String(),
  role: wireRole,
  since: Type.String({ format: 'date-time' }),
  isPinSet: Type.Boolean(),
  isActive: Type.Boolean(),
})
export type WireMember = Static<typeof wireMember>

/** A shop as its customers see it. Everything but the name may be empty. */
export const wireShop = named('Shop', {
  name: Type.String(),
  logoUrl: Type.String({ description: 'Path of a PNG on this server. A new logo has another path' }),
  accent: Type.String({ description: '#rrggbb' }),
  address: Type.String({ description: 'Lines, separated by line feeds' }),
  taxNumber: Type.String(),
})
export type WireShop = Static<typeof wireShop>
