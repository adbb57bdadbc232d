import Type, { type Static } from 'typebox'
import { modes } from '../../base/mode.ts'
import { cursorFields } from '../../http/schema.ts'

const text = Type.String()
const time = Type.String({ format: 'date-time' })

const wireNamedCurrency = Type.Object({ currency: text, name: text, symbol: text })
export type WireNamedCurrency = Static<typeof wireNamedCurrency>

const wireHeld = Type.Object({ ...wireNamedCurrency.properties, available: text })
export type WireHeld = Static<typeof wireHeld>

/** All balances in one currency. */
const wireTotal = Type.Object({
  ...wireNamedCurrency.properties,
  amount: text,
  // Whether other currencies are in it, at the market rate. It is then an indication, and no price.
  isConverted: Type.Boolean(),
  // Currencies with a balance that are not in it, because they have no recent rate.
  leftOut: Type.Array(text),
})
export type WireTotal = Static<typeof wireTotal>

export const wireWallet = Type.Object({
  mode: Type.Enum(modes),
  currencies: Type.Array(wireNamedCurrency),
  balances: Type.Array(wireHeld),
  total: wireTotal,
})
export type WireWallet = Static<typeof wireWallet>

export const moveKinds = [
  'redeemed',
  'bought',
  'sent',
  'received',
  'exchanged',
  'paid',
  'paid_out',
  'refunded',
  'returned',
  'funded',
  'deposited',
] as const

const wireMove = Type.Object({
  id: text,
  currency: text,
  kind: Type.Enum(moveKinds),
  // Negative for outgoing amounts.
  amount: text,
  withName: text,
  note: text,
  createdAt: time,
})
export type WireMove = Static<typeof wireMove>

export const wireMoves = Type.Object({
  moves: Type.Array(wireMove),
  ...cursorFields,
})
export type WireMoves = Static<typeof wireMoves>

/** A user or a merchant to whom the user has paid. */
const wireContact = Type.Object({
  kind: Type.Enum(['user', 'merchant']),
  name: text,
  // Empty for a merchant, which requests its payments itself.
  username: text,
})
export type WireContact = Static<typeof wireContact>

export const wireContacts = Type.Object({ contacts: Type.Array(wireContact) })
export type WireContacts = Static<typeof wireContacts>

export const wireRecipient = Type.Object({ fullName: text, username: text, avatar: text })
export type WireRecipient = Static<typeof wireRecipient>

// A fraction of whole numbers, because a decimal would have to be rounded.
const wireRate = Type.Object({ numerator: text, denominator: text })

export const wireQuote = Type.Object({
  from: text,
  to: text,
  pays: text,
  gets: text,
  rate: wireRate,
  marketRate: wireRate,
  spreadPercent: text,
  until: time,
  quoteId: text,
})
export type WireQuote = Static<typeof wireQuote>
