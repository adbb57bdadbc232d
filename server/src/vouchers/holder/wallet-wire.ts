import Type, { type Static } from 'typebox'
import { cursorFields } from '../../http/schema.ts'
import { wireShop } from '../../identity/merchant/wire.ts'

const text = Type.String()
const time = Type.String({ format: 'date-time' })

/** A voucher that a user bought or received. */
const wireWalletVoucher = Type.Object({
  id: text,
  // Empty if it is not open, or for a gift that someone else receives.
  code: text,
  // The shop that issued it.
  merchant: text,
  currency: text,
  hasPin: Type.Boolean(),
  expiresAt: Type.Union([time, Type.Null()]),
  isOpen: Type.Boolean(),
  isGiven: Type.Boolean(),
  createdAt: time,
  amount: text,
  balance: text,
  /** The issuer. */
  shop: wireShop,
})
export type WireWalletVoucher = Static<typeof wireWalletVoucher>

export const wireWalletVouchers = Type.Object({
  vouchers: Type.Array(wireWalletVoucher),
  ...cursorFields,
})
export type WireWalletVouchers = Static<typeof wireWalletVouchers>

/** What a redemption added to the wallet. */
export const wireReceived = Type.Object({ amount: text, currency: text })
export type WireReceived = Static<typeof wireReceived>

/** The code of a gift is empty: it is only for its recipient. */
export const wireBought = Type.Object({ id: text, code: text })
export type WireBought = Static<typeof wireBought>
