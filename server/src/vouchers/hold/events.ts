import Type from 'typebox'
import { formatMoney } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { defineEvents, type Event } from '../../ledger/event.ts'
import type { VoucherHold } from './store.ts'
import { wireHoldState } from './wire.ts'

const amount = Type.String({ description: 'In major units, exact to the last digit' })
const hold = {
  holdId: Type.String({ format: 'uuid' }),
  voucherId: Type.String({ format: 'uuid' }),
  reference: Type.String({ description: 'The reference of the request that created the hold' }),
  state: wireHoldState,
  amount,
  capturedAmount: Type.String({ description: 'What was captured so far' }),
  currency: Type.String(),
  expiresAt: Type.String({ format: 'date-time' }),
}

const holdEvent = defineEvents({
  'voucher_hold.created': {
    summary: 'An amount of a voucher was reserved for an order.',
    data: Type.Object(hold),
  },
  'voucher_hold.captured': {
    summary: 'A hold was captured, wholly or in part. The redemption has an event voucher.redeemed of its own.',
    data: Type.Object({
      ...hold,
      transactionId: Type.String({ format: 'uuid', description: 'That of the redemption' }),
      captureReference: Type.String({ description: 'The reference of the capture' }),
      captureAmount: amount,
    }),
  },
  'voucher_hold.extended': { summary: 'A hold has a later expiry.', data: Type.Object(hold) },
  'voucher_hold.released': {
    summary: 'A hold was released. What was not captured is available on the voucher again.',
    data: Type.Object(hold),
  },
  'voucher_hold.expired': {
    summary: 'A hold expired. What was not captured is available on the voucher again.',
    data: Type.Object(hold),
  },
})

function dataOf(held: VoucherHold, currency: CatalogueCurrency) {
  return {
    holdId: held.id,
    voucherId: held.voucherId,
    reference: held.reference,
    state: held.state,
    amount: formatMoney({ minor: held.amount, currency }),
    capturedAmount: formatMoney({ minor: held.captured, currency }),
    currency: currency.code,
    expiresAt: held.expiresAt.toISOString(),
  }
}

/** An event for the merchant that holds, with the state after the change. */
export function holdChanged(
  type: 'voucher_hold.created' | 'voucher_hold.extended' | 'voucher_hold.released' | 'voucher_hold.expired',
  held: VoucherHold,
  currency: CatalogueCurrency,
): Event {
  return holdEvent(type, subjectOf(held), dataOf(held, currency))
}

export function holdCaptured(
  held: VoucherHold,
  currency: CatalogueCurrency,
  { transactionId, reference, part }: { transactionId: string; reference: string; part: bigint },
): Event {
  const capture = { captureReference: reference, captureAmount: formatMoney({ minor: part, currency }) }
  return holdEvent('voucher_hold.captured', subjectOf(held), { ...dataOf(held, currency), transactionId, ...capture })
}

function subjectOf({ environmentId, id, sequence }: VoucherHold): Pick<Event, 'environmentId' | 'about'> {
  return { environmentId, about: { id, sequence } }
}
