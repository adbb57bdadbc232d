import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'

const voucherId = Type.String({ format: 'uuid' })
const amount = Type.String({ description: 'In major units, exact to the last digit' })
const currency = Type.String()
const aVoucher = Type.Object({ voucherId })

export const voucherEvent = defineEvents({
  'voucher.issued': {
    summary: 'A voucher was issued. Those of a batch are told together, when it is ready.',
    data: Type.Object({
      voucherId,
      amount,
      currency,
      reference: Type.String(),
      replaces: Type.Optional(Type.String({ format: 'uuid', description: 'The lost voucher whose value it has' })),
    }),
  },
  'voucher.redeemed': {
    summary: 'A part of a voucher was redeemed. Told to the merchant that did, and to its issuer.',
    data: Type.Object({
      voucherId,
      amount,
      charge: Type.String({ description: 'On top of the amount' }),
      chargedTo: Type.Union([Type.Literal('voucher'), Type.Literal('merchant')]),
      currency,
      transactionId: Type.Optional(Type.String({ format: 'uuid', description: 'If it is yours' })),
      reference: Type.Optional(Type.String({ description: 'If it is yours' })),
    }),
  },
  'voucher.refunded': {
    summary: 'Value came back onto a voucher of yours. If it had expired, it is open again.',
    data: Type.Object({ voucherId, amount, currency }),
  },
  'voucher.cancelled': {
    summary: 'A voucher was cancelled. What was left went back to who paid for it.',
    data: Type.Object({ voucherId, reason: Type.String() }),
  },
  'voucher.blocked': { summary: 'Nobody can redeem it until it is unblocked.', data: aVoucher },
  'voucher.unblocked': { summary: 'It can be redeemed again.', data: aVoucher },
  'voucher.replaced': {
    summary: 'It was lost. All that was left is on another voucher.',
    data: Type.Object({ voucherId, replacedBy: Type.String({ format: 'uuid' }) }),
  },
  'voucher.expired': {
    summary: 'It expired with something left, which went where its issuer had stated.',
    data: Type.Object({ voucherId, to: Type.Union([Type.Literal('payer'), Type.Literal('unclaimed')]) }),
  },
  'voucher.reopened': { summary: 'An expired voucher has its value again.', data: aVoucher },
  'voucher.pin_frozen': {
    summary: 'Ten wrong pins were tried in all. It stays frozen until you reset the pin.',
    data: aVoucher,
  },
  'voucher.pin_reset': { summary: 'Wrong pins are forgotten, and there may be a new pin.', data: aVoucher },
})
