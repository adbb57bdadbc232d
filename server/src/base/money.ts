import { defineErrors, malformed, unacceptable } from './errors.ts'

/** Amounts are integers of the currency's smallest unit. Amounts, rates and shares are never floats. */
export type Currency = { readonly code: string; readonly decimals: number }
export type Money = { readonly minor: bigint; readonly currency: Currency }

/** How a division rounds. Every division names it. */
export type Rounding = 'up' | 'down' | 'half_even' | 'half_up'

/** A rate as a fraction of integers, in major units: 1 from = numerator/denominator to. */
export type Rate = { readonly numerator: bigint; readonly denominator: bigint }

const moneyError = defineErrors({
  AMOUNT_INVALID: malformed('Enter the amount as a plain decimal number, for example 12.50.'),
  AMOUNT_TOO_PRECISE: unacceptable('The amount has more decimals than its currency allows.'),
  AMOUNT_TOO_LARGE: unacceptable('The amount exceeds what an account can hold.'),
  RATE_INVALID: malformed('Enter the rate as a plain decimal number greater than zero.'),
})

/** The largest value of numeric(78, 0); 2^256 - 1 fits. */
const minorMax = 10n ** 78n - 1n
const decimalForm = /^(0|[1-9]\d*)(?:\.(\d+))?$/

/** Throws if the text is not a decimal amount, whatever the currency. */
export function checkAmountForm(text: string, param = 'amount'): void {
  if (!decimalForm.test(text)) throw moneyError('AMOUNT_INVALID', { param })
}

/** `param` is the name of the request field, for the error. */
export function parseMoney(text: string, currency: Currency, param = 'amount'): Money {
  const [, whole, fraction = ''] = decimalForm.exec(text) ?? []
  if (whole === undefined) throw moneyError('AMOUNT_INVALID', { param })
  // Refuse instead of rounding: 1.005 USD is a mistake that the caller must correct.
  if (fraction.length > currency.decimals)
    throw moneyError('AMOUNT_TOO_PRECISE', { param, decimals: currency.decimals })
  // Checked before BigInt parses the digits, which takes seconds for a million of them.
  if (whole.length > 78) throw moneyError('AMOUNT_TOO_LARGE', { param })
  const minor = BigInt(whole + fraction.padEnd(currency.decimals, '0'))
  if (minor > minorMax) throw moneyError('AMOUNT_TOO_LARGE', { param })
  return { minor, currency }
}

/** Formats major units with all decimals of the currency, for example 12.50. parseMoney reads the result. */
export function formatMoney({ minor, currency }: Money): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(currency.decimals + 1, '0')
  const whole = digits.slice(0, digits.length - currency.decimals)
  const fraction = digits.slice(digits.length - currency.decimals)
  return `${minor < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Formats parts per million as a percentage without trailing zeros: 15000 is 1.5. */
export function formatPercent(ppm: bigint): string {
  return formatMoney({ minor: ppm, currency: { code: 'percent', decimals: 4 } }).replace(/\.?0+$/, '')
}

export function divide(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  if (dividend < 0n || divisor <= 0n)
    throw new RangeError('divide takes a dividend of at least 0 and a divisor above 0')
  const quotient = dividend / divisor
  const rest = dividend % divisor
  if (rest === 0n || rounding === 'down') return quotient
  if (rounding === 'up') return quotient + 1n
  const twice = rest * 2n
  if (twice === divisor) return rounding === 'half_up' || quotient % 2n === 1n ? quotient + 1n : quotient
  return twice > divisor ? quotient + 1n : quotient
}

export function parseRate(text: string): Rate {
  const [, whole, fraction = ''] = decimalForm.exec(text) ?? []
  if (whole === undefined || text.length > 100) throw moneyError('RATE_INVALID')
  const numerator = BigInt(whole + fraction)
  if (numerator === 0n) throw moneyError('RATE_INVALID')
  return { numerator, denominator: 10n ** BigInt(fraction.length) }
}

/** `rest` is the fraction of a minor unit lost by rounding: `minor` plus `rest` is the exact result. */
export type Converted = { readonly money: Money; readonly rest: Rate }

/** Payees' amounts round down, payers' amounts round up. The fraction lost is returned as `rest`. */
export function convert(amount: Money, rate: Rate, to: Currency, rounding: Rounding): Converted {
  const dividend = amount.minor * rate.numerator * 10n ** BigInt(to.decimals)
  const divisor = rate.denominator * 10n ** BigInt(amount.currency.decimals)
  const minor = divide(dividend, divisor, rounding)
  return {
    money: { minor, currency: to },
    rest: { numerator: dividend - minor * divisor, denominator: divisor },
  }
}
