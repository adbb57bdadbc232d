import Type, { type Static } from 'typebox'
import { wireShop } from '../../identity/merchant/wire.ts'
import { wireStatus } from '../transaction/wire.ts'
import { wireQuote } from '../wallet/wire.ts'

const text = Type.String()
const time = Type.String({ format: 'date-time' })

/** Why a request ended unpaid: the user declined it, the merchant withdrew it, or it expired. Empty: it did not. */
const requestEndings = ['declined', 'withdrawn', 'expired', ''] as const

/** A payment request as the user who is to pay sees it. */
const wirePaymentRequest = Type.Object({
  id: text,
  merchantId: text,
  merchant: text,
  shop: wireShop,
  amount: text,
  currency: text,
  note: text,
  status: wireStatus,
  byLink: Type.Boolean(),
  createdAt: time,
  expiresAt: time,
  ending: Type.Enum(requestEndings),
  endedAt: Type.Union([Type.Null(), time]),
})
export type WirePaymentRequest = Static<typeof wirePaymentRequest>

export const wirePaymentLink = {
  id: text,
  referenceId: text,
  link: Type.String({ description: 'Opens the request in the wallet app' }),
  expiresAt: time,
}

export const wirePaymentRequests = Type.Object({ requests: Type.Array(wirePaymentRequest) })
export type WirePaymentRequests = Static<typeof wirePaymentRequests>

/** The price in one of the user's currencies. */
const wireOffer = Type.Object({
  ...wireQuote.properties,
  isEnough: Type.Boolean(),
  available: text,
  // What is left of it after the payment. Empty if it is not enough.
  remains: text,
})
export type WireOffer = Static<typeof wireOffer>

export const wireOfferedRequest = Type.Object({ ...wirePaymentRequest.properties, from: Type.Array(wireOffer) })
export type WireOfferedRequest = Static<typeof wireOfferedRequest>

/** The id is that of the entry in the user's activity. */
export const wirePaid = Type.Object({ id: text })
export type WirePaid = Static<typeof wirePaid>

export const wireBlocks = Type.Object({ blocked: Type.Array(Type.Object({ merchantId: text, name: text })) })
export type WireBlocks = Static<typeof wireBlocks>
