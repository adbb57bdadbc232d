import Type from 'typebox'
import { cursorFields, money, named } from '../../http/schema.ts'
import { wireRedeemed } from '../voucher/wire.ts'

export const holdStates = ['OPEN', 'CAPTURED', 'RELEASED', 'EXPIRED'] as const
export type HoldState = (typeof holdStates)[number]

export const wireHoldState = Type.Enum([...holdStates], {
  title: 'VoucherHoldState',
  description:
    'CAPTURED: wholly, or in part by a final capture. RELEASED and EXPIRED: what was not captured is available again',
})

const holdFields = {
  id: Type.String({ format: 'uuid' }),
  referenceId: Type.String({ description: 'The reference of the request that created it' }),
  voucherId: Type.String({ format: 'uuid' }),
  state: wireHoldState,
  amount: money('What may be captured in all, in the currency of the voucher'),
  capturedAmount: money('What was captured so far'),
  charge: money('The fee of the whole amount. Each capture pays its share'),
  capturedCharge: money('The fee that captures paid so far'),
  chargedTo: Type.Enum(['voucher', 'merchant'], { description: 'Who pays the fee: the voucher or your admin balance' }),
  heldAmount: money('What it reserves on the voucher now, with the fee if the voucher pays it'),
  currency: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time' }),
}
export const wireHold = named('VoucherHold', holdFields)

const wireCapture = named('VoucherHoldCapture', {
  transactionId: Type.String({ format: 'uuid' }),
  amount: money(),
  charge: money('In addition to the amount'),
  createdAt: Type.String({ format: 'date-time' }),
})
export const wireHoldDetails = named('VoucherHoldDetails', { ...holdFields, captures: Type.Array(wireCapture) })

export const wireCaptured = named('CapturedHold', { ...wireRedeemed.properties, hold: wireHold })

export const holdListFields = { holds: Type.Array(wireHold), ...cursorFields }
