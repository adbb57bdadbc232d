import { isZero, subtractDecimal } from '../../ui/decimal.ts'

/** Whether a decimal string, as `readDecimal` returns it, is an amount above zero. */
export function isAmount(decimal: string): boolean {
  return isAmountOrZero(decimal) && !isZero(decimal)
}

export function isAmountOrZero(decimal: string): boolean {
  return /^\d+(\.\d+)?$/.test(decimal)
}

export function isLess(one: string, other: string): boolean {
  return subtractDecimal(one, other).startsWith('-')
}
