import { type Money, parseMoney } from '../base/money.ts'
import { currencyError } from './errors.ts'
import type { CatalogueCurrency } from './store.ts'

/** An amount that somebody asks for: exact, above zero, and no more than the currency allows. */
export function parseAmount(text: string, currency: CatalogueCurrency, param = 'amount'): Money {
  const amount = parseMoney(text, currency, param)
  if (amount.minor === 0n) throw currencyError('AMOUNT_ZERO', { param })
  if (amount.minor > currency.amountMax) throw currencyError('AMOUNT_ABOVE_LIMIT', { param })
  return amount
}

/** The smallest amount keeps charges and dust in proportion. What is left of something may be less. */
export function refuseDust({ minor }: Money, currency: CatalogueCurrency, param = 'amount'): void {
  if (minor < currency.amountMin) throw currencyError('AMOUNT_BELOW_LIMIT', { param })
}
