import Type, { type Static } from 'typebox'
import { roles } from '../../http/role.ts'
import { named } from '../../http/schema.ts'
import { keyKinds } from './key-kind.ts'
import { languages } from '../../mail/words.ts'

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

const wireMember = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  name: Type.String(),
  role: wireRole,
  since: Type.String({ format: 'date-time' }),
  isPinSet: Type.Boolean(),
  isActive: Type.Boolean(),
  lastSeenAt: Type.String({ description: 'To five minutes; empty if never' }),
  hasSecondFactor: Type.Boolean(),
  isYou: Type.Boolean(),
})
export type WireMember = Static<typeof wireMember>

const wireInvitation = Type.Object({
  email: Type.String(),
  role: wireRole,
  invitedAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time' }),
})

export const wireTeam = Type.Object({ members: Type.Array(wireMember), invitations: Type.Array(wireInvitation) })
export type WireTeam = Static<typeof wireTeam>

/** A session in which a staff member can act at the merchant. */
const wireMemberSession = Type.Object({
  id: Type.String({ format: 'uuid' }),
  userAgent: Type.String(),
  startedAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time' }),
  isTill: Type.Boolean({ description: 'Started with a PIN at a till' }),
  hasPasskey: Type.Boolean({ description: 'Started with a passkey' }),
  isThis: Type.Boolean({ description: 'The session of this request' }),
})

export const wireMemberSessions = Type.Object({ sessions: Type.Array(wireMemberSession) })
export type WireMemberSessions = Static<typeof wireMemberSessions>

export const wireSettings = Type.Object({
  code: Type.String(),
  companyName: Type.String(),
  tradingName: Type.String({ description: 'What customers see; empty: the company name' }),
  homeCurrency: Type.String(),
  timeZone: Type.String(),
  contactEmail: Type.String({ description: 'Where notices go; empty: nowhere' }),
  language: Type.Enum(languages, { description: 'Of emails and documents' }),
})
export type WireSettings = Static<typeof wireSettings>

/** A shop as its customers see it. Everything but the name may be empty. */
export const wireShop = named('Shop', {
  name: Type.String(),
  logoUrl: Type.String({ description: 'Path of a PNG on this server. A new logo has another path' }),
  accent: Type.String({ description: '#rrggbb' }),
  address: Type.String({ description: 'Lines, separated by line feeds' }),
  taxNumber: Type.String(),
})
export type WireShop = Static<typeof wireShop>

const wireKey = Type.Object({
  id: Type.String({ format: 'uuid' }),
  kind: Type.Enum(keyKinds),
  name: Type.String(),
  shown: Type.String({ description: 'A public key in full; of a secret key its beginning and its end' }),
  origins: Type.Array(Type.String(), { description: 'Websites that may use a public key. Empty: all' }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Type.String({ description: 'To the minute. Empty if it was never used' }),
  endsAt: Type.String({ description: 'When it stops working, or stopped. Empty if it does not end' }),
})
export type WireKey = Static<typeof wireKey>

export const wireKeys = Type.Object({ keys: Type.Array(wireKey) })
export type WireKeys = Static<typeof wireKeys>

export const wireMadeKey = Type.Object({
  id: Type.String({ format: 'uuid' }),
  key: Type.String({ description: 'Shown only once, unless it is a public key' }),
})
export type WireMadeKey = Static<typeof wireMadeKey>
