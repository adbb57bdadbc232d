import Type, { type Static } from 'typebox'
import { modes } from '../../base/mode.ts'
import { languages } from '../../mail/words.ts'

const text = Type.String()

export const realms = [...modes, 'staff'] as const
const wireRealm = Type.Enum(realms)

export const linkPurposes = ['sign_up', 'reset', 'invite'] as const
const wirePurpose = Type.Enum(linkPurposes)

export const wireUser = Type.Object({
  id: text,
  realm: wireRealm,
  email: text,
  phone: text,
  username: text,
  surname: text,
  otherNames: text,
  fullName: text,
  avatar: text,
  language: Type.Enum(languages),
  isDiscoverable: Type.Boolean(),
  isPinSet: Type.Boolean(),
  level: Type.Integer(),
  isOperator: Type.Boolean(),
  hasTwoFactor: Type.Boolean(),
})
export type WireUser = Static<typeof wireUser>

// A till session shows no contact details: the email address is empty and these are null.
const hiddenAtTill = Type.Union([text, Type.Null()])

/** The user of the session. */
export const wireMe = Type.Object({
  ...wireUser.properties,
  phone: hiddenAtTill,
  username: hiddenAtTill,
  // True with an authenticator app, or when this session began with a passkey.
  hasSecondFactor: Type.Boolean(),
  // If true, the server refuses everything else until it is set up.
  mustSetUpSecondFactor: Type.Boolean(),
})
export type WireMe = Static<typeof wireMe>

/** An emailed link, before it is used. */
export const wireLink = Type.Object({
  purpose: wirePurpose,
  realm: wireRealm,
  email: text,
  // The merchant that invites; empty if the link is not an invitation.
  merchant: text,
  // Whether the email address of an invitation already has an account.
  isKnown: Type.Boolean(),
})
export type WireLink = Static<typeof wireLink>

export const wireUsedLink = Type.Object({ purpose: wirePurpose, realm: wireRealm })
