import type { Static } from 'typebox'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import type { Wire } from '../../http/schema.ts'
import { onVoucher, stateOf } from './reserved.ts'
import type { Capture, VoucherHold } from './store.ts'
import type { wireHold, wireHoldDetails } from './wire.ts'

export function toWireHold(hold: VoucherHold, currency: CatalogueCurrency, at: Date): Wire<Static<typeof wireHold>> {
  const state = stateOf(hold, at)
  return {
    id: hold.id,
    referenceId: hold.reference,
    voucherId: hold.voucherId,
    state,
    amount: wireMoney(hold.amount, currency),
    capturedAmount: wireMoney(hold.captured, currency),
    charge: wireMoney(hold.charge, currency),
    capturedCharge: wireMoney(hold.capturedCharge, currency),
    chargedTo: hold.chargedTo,
    heldAmount: wireMoney(state === 'OPEN' ? onVoucher(hold) : 0n, currency),
    currency: currency.code,
    createdAt: hold.createdAt.toISOString(),
    expiresAt: hold.expiresAt.toISOString(),
  }
}

export function toWireDetails(
  hold: VoucherHold,
  captures: readonly Capture[],
  currency: CatalogueCurrency,
  at: Date,
): Wire<Static<typeof wireHoldDetails>> {
  const listed = captures.map(({ id, amount, charge, createdAt }) => ({
    transactionId: id,
    amount: wireMoney(amount, currency),
    charge: wireMoney(charge, currency),
    createdAt: createdAt.toISOString(),
  }))
  return { ...toWireHold(hold, currency, at), captures: listed }
}
