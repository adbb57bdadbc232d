import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { parseMoney } from '../../base/money.ts'
import { pickRule } from '../../catalogue/charge/store.ts'
import { parseAmount } from '../../catalogue/currency/amount.ts'
import { pickCurrency } from '../../catalogue/currency/store.ts'
import { findPrice, type Price } from '../../catalogue/exchange/price.ts'
import type { ReadCode } from '../code/code.ts'
import { voucherError } from '../code/errors.ts'
import type { Destination, GasTerms } from './destination.ts'
import { currencyOf, type Facts } from './facts.ts'
import type { PricedRequest } from './offer.ts'
import type { Purchase } from './purchase.ts'
import type { Voucher } from '../voucher/store.ts'

export type RedemptionInput = {
  readonly code: ReadCode
  /** Major units as the client wrote them, or "max". */
  readonly amount: string
  readonly lockPin?: string | undefined
  /** The currency to credit, if not the voucher's. */
  readonly to?: string | undefined
  /** An address on a network that is paid instead of the merchant's balance. */
  readonly walletAddress?: string | undefined
  /** The abbreviation of that network. */
  readonly network?: string | undefined
  /** The user whose wallet is credited instead of the merchant's balance. No fee: the money stays the user's own. */
  readonly into?: { readonly userId: string } | undefined
  readonly purchase?: Purchase | undefined
}

/**
 * The requested amount in minor units where possible, so that 10 and 10.00 have the same fingerprint. Never throws:
 * an error would reveal vouchers that the caller may not see.
 */
export function normalizeAmount(facts: Facts, amount: string): string {
  if (facts.voucher === undefined) return amount
  try {
    return String(parseMoney(amount, currencyOf(facts, facts.voucher)).minor)
  } catch {
    return amount
  }
}

const noRule = { fixed: 0n, sharePpm: 0n }

export type Priced = { readonly request: PricedRequest; readonly price: Price }

/** The request with the current rate and fee terms. */
export async function priceRedemption(
  { pool, clock }: { pool: Pool; clock: Clock },
  facts: Facts,
  voucher: Voucher,
  input: RedemptionInput,
  sending?: { readonly destination: Destination; readonly gas: GasTerms },
): Promise<Priced> {
  const currency = currencyOf(facts, voucher)
  const amount: bigint | 'max' = input.amount === 'max' ? 'max' : parseAmount(input.amount, currency).minor
  const to =
    input.to === undefined ? currency : pickCurrency(facts.catalogue, input.to, 'offered', 'toCurrencyAbbreviation')
  const price = await findPrice(pool, currency.code, to.code, clock)
  const { discountPpm, takesFromBalance } = facts.merchant
  const isFree = voucher.isStore || input.into !== undefined
  const rule = isFree ? noRule : pickRule(facts.rules, voucher.mode, currency.code)
  const { available } = voucher
  const request = { amount, currency, to, rate: price.rate, terms: { rule, discountPpm }, takesFromBalance, available }
  if (sending === undefined) return { request, price }
  const { destination, gas } = sending
  const isFromVault = destination.onchain !== undefined
  // What a vault pays out is in its own units. A payout rounds what it converts to.
  if (isFromVault && amount !== 'max' && amount % destination.unit !== 0n)
    throw voucherError('ONCHAIN_AMOUNT_INVALID', { param: 'amount' })
  const terms = { rule, discountPpm, gas: gas.gas, ...(isFromVault && { unit: destination.unit }) }
  return { request: { ...request, terms, ...(!isFromVault && { toUnit: destination.unit }) }, price }
}
