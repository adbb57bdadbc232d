import { type Money, parseMoney } from '../../base/money.ts'
import { currencyError } from './errors.ts'
import type { CatalogueCurrency } from './store.ts'

/** Parses a requested amount: exact, above zero, and within the maximum of the currency. */
export function parseAmount(text: string, currency: CatalogueCurrency, param = 'amount'): Money {
  const amount = parseMoney(text, currency, param)
  if (amount.minor === 0n) throw currencyError('AMOUNT_ZERO', { param })
  if (amount.minor > currency.amountMax) throw currencyError('AMOUNT_ABOVE_LIMIT', { param })
  return amount
}

/** Refuses amounts below the minimum of the currency. A remaining balance may be lower. */
export function refuseDust({ minor }: Money, currency: CatalogueCurrency, param = 'amount'): void {
  if (minor < currency.amountMin) throw currencyError('AMOUNT_BELOW_LIMIT', { param })
}
