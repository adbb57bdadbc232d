import Type, { type Static } from 'typebox'
import { shownCurrency } from '../../catalogue/currency/wire.ts'
import { wireShop } from '../../identity/merchant/wire.ts'
import { shownOnchain, shownPayout } from '../voucher/wire.ts'

// What the page of a voucher shows to its holder. Amounts as strings, because browsers parse numbers as floats.
const wireHistoryEntry = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['issued', 'redeemed', 'refunded', 'expired', 'reopened', 'returned', 'reloaded', 'undone']),
  amount: Type.String({ description: 'The change of the balance, including the fee' }),
  charge: Type.String({ description: 'The fee included in it; empty if none' }),
  at: Type.String({ format: 'date-time' }),
  place: Type.String(),
  payout: Type.Union([Type.Null(), shownPayout], { description: 'Set if it pays on a network' }),
})
export type WireHistoryEntry = Static<typeof wireHistoryEntry>

/** A currency on a network in which an address can be paid. */
const wirePayoutOption = Type.Object({
  network: Type.String({ description: 'Its abbreviation' }),
  networkName: Type.String(),
  currency: Type.String(),
})
export type WirePayoutOption = Static<typeof wirePayoutOption>

export const wireHeldVoucher = Type.Object({
  mode: Type.Enum(['live', 'test']),
  code: Type.String(),
  merchantCode: Type.String(),
  amount: Type.String(),
  balance: Type.String(),
  currency: shownCurrency,
  issuer: Type.String(),
  shop: wireShop,
  platform: Type.String(),
  issuedAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String(),
  lastDay: Type.String({ description: 'Last day of validity, in the issuer’s time zone' }),
  isExpired: Type.Boolean(),
  expiredTo: Type.Enum(['payer', 'unclaimed'], { description: 'Who gets the remaining value' }),
  hasPin: Type.Boolean(),
  usableAt: Type.Array(Type.String(), { description: 'Names of merchants. Empty for all' }),
  history: Type.Array(wireHistoryEntry),
  onchain: Type.Union([Type.Null(), shownOnchain]),
  payoutOptions: Type.Array(wirePayoutOption, {
    description: 'In what it can be paid to an address, if it is the refund of a crypto deposit',
  }),
})
export type WireHeldVoucher = Static<typeof wireHeldVoucher>

/** The price of a redemption to an address. */
export const wirePayoutQuote = Type.Object({
  quoteId: Type.String(),
  expiresAt: Type.String({ format: 'date-time' }),
  walletAddress: Type.String({ description: 'With its checksum' }),
  amount: Type.String({ description: 'What is redeemed, in the currency of the voucher' }),
  arrives: Type.String({ description: 'What arrives, in its own currency' }),
  arrivesIn: shownCurrency,
  gas: Type.String(),
  fee: Type.String({ description: 'Without the gas' }),
  taken: Type.String({ description: 'What leaves the voucher' }),
  left: Type.String({ description: 'What stays on the voucher' }),
})
export type WirePayoutQuote = Static<typeof wirePayoutQuote>

export const wirePayoutSent = Type.Object({ id: Type.String() })
export type WirePayoutSent = Static<typeof wirePayoutSent>
