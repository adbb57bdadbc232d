import { isZero } from '../../ui/decimal.ts'
import { readDecimal } from '../../ui/numbers.ts'
import type { Tender } from '../shell/responses.ts'
import type { Faults } from '../parts/use-faults.ts'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import { isAmountOrZero, isLess } from './amounts.ts'

/** How the customer pays, as it was typed. */
export type PaymentInput = {
  readonly tender: Tender
  /** Undefined: the full amount. */
  readonly price: string | undefined
  readonly reference: string
  readonly reason: string
  /** The cash that the customer gave, to show the change. It is not sent. */
  readonly received: string
}

export const noPayment: PaymentInput = { tender: 'cash', price: undefined, reference: '', reason: '', received: '' }

/** What the customer pays for an amount. */
export function priceOf({ tender, price }: PaymentInput, amount: string): string {
  if (tender === 'free') return '0'
  const lower = readDecimal(price ?? '')
  return lower === '' ? amount : lower
}

/** Staff confirm with their PIN what they give away. */
export function isGivenAway(payment: PaymentInput, amount: string): boolean {
  const price = priceOf(payment, amount)
  return payment.tender === 'free' || (isAmountOrZero(price) && isLess(price, amount))
}

export function faultsOfPayment(payment: PaymentInput, amount: string): Faults {
  const { tender, price, reference, reason, received } = payment
  const paid = priceOf(payment, amount)
  const cash = readDecimal(received)
  return {
    ...(tender !== 'free' && price !== undefined && faultOfPrice(readDecimal(price), amount)),
    ...(tender === 'other' && reference.trim() === '' && { reference: selling.sell.referenceMissing }),
    ...(tender === 'free' && reason.trim() === '' && { reason: selling.sell.reasonMissing }),
    ...(tender === 'cash' && cash !== '' && !isAmountOrZero(cash) && { received: words.refusals.AMOUNT_INVALID }),
    ...(tender === 'cash' &&
      isAmountOrZero(cash) &&
      isAmountOrZero(paid) &&
      isLess(cash, paid) && { received: selling.sell.receivedLow }),
  }
}

function faultOfPrice(price: string, amount: string): Faults {
  if (price === '') return {}
  if (!isAmountOrZero(price)) return { price: words.refusals.AMOUNT_INVALID }
  if (isZero(price)) return { price: selling.sell.priceZero }
  return isAmountOrZero(amount) && isLess(amount, price) ? { price: selling.sell.priceTooHigh } : {}
}

/** The fields of a request. The price is left out if it is the amount: a lower one needs a PIN. */
export function bodyOfPayment(payment: PaymentInput, amount: string, registerId: string | undefined): object {
  const { tender, reference, reason } = payment
  const isLower = tender !== 'free' && isGivenAway(payment, amount)
  return {
    tender,
    ...(isLower && { price: priceOf(payment, amount) }),
    ...(tender !== 'cash' && tender !== 'free' && reference.trim() !== '' && { tenderReference: reference.trim() }),
    ...(tender === 'free' && { reason: reason.trim() }),
    ...(registerId !== undefined && { registerId }),
  }
}
