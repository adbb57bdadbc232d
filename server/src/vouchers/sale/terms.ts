import { parseMoney } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { saleError } from './errors.ts'
import type { Tender } from './wire.ts'

/** How a sale was paid, as the client wrote it. */
export type PaidInput = {
  /** Major units. Undefined: the whole value. */
  readonly price: string | undefined
  readonly tender: Tender
  readonly tenderReference: string
  readonly reason: string
  readonly registerId: string | undefined
  readonly reference: string
}

/** Parts of a request that do not depend on rules or on the voucher, for its fingerprint. */
export function printOf({ price, tender, tenderReference, reason, registerId }: PaidInput): readonly string[] {
  return [price ?? '', tender, tenderReference, reason, registerId ?? '']
}

/** The price in minor units, if it goes with the value and the tender. */
export function readPrice(input: PaidInput, value: bigint, currency: CatalogueCurrency): bigint {
  const { price: text, tender, reason, tenderReference } = input
  const price = text === undefined ? undefined : parseMoney(text, currency, 'price').minor
  if (tender === 'free') {
    if (price !== undefined && price > 0n) throw saleError('SALE_FREE_HAS_PRICE', { param: 'price' })
    if (reason === '') throw saleError('SALE_REASON_MISSING', { param: 'reason' })
    return 0n
  }
  if (price === 0n) throw saleError('SALE_PRICE_MISSING', { param: 'price' })
  if (price !== undefined && price > value) throw saleError('SALE_PRICE_ABOVE_VALUE', { param: 'price' })
  if (tender === 'other' && tenderReference === '')
    throw saleError('SALE_TENDER_REFERENCE_MISSING', { param: 'tenderReference' })
  return price ?? value
}

/** What is paid back for what is left on a voucher, rounded down. A test voucher may have more on it than was sold. */
export function paybackOf(left: bigint, sold: { readonly value: bigint; readonly price: bigint }): bigint {
  if (sold.value === 0n) return 0n
  return left < sold.value ? (sold.price * left) / sold.value : sold.price
}
