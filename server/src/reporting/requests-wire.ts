import Type, { type Static } from 'typebox'
import { cursorFields } from '../http/schema.ts'
import { wirePayment } from './wire.ts'

const text = Type.String()
const { reference, amount, currency, status, statusReason, person, by, createdAt } = wirePayment.properties

/** A payment request as the shop sees it. */
export const wireAsked = Type.Object({
  ...{ reference, amount, currency, status, statusReason, person, by, createdAt },
  note: text,
  isByLink: Type.Boolean({ description: 'True while nobody has paid a request by link' }),
  link: Type.String({ description: 'Empty if it is not by link, or has ended' }),
  expiresAt: Type.String({ format: 'date-time' }),
})
export type WireAsked = Static<typeof wireAsked>

export const wireAskedPage = Type.Object({ requests: Type.Array(wireAsked), ...cursorFields })
export type WireAskedPage = Static<typeof wireAskedPage>
