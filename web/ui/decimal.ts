import { locale } from './locale.ts'

/** The decimal string as the reader's locale writes it, every digit kept: no float touches an amount. */
export function groupDecimal(decimal: string): string {
  const [whole = '0', fraction] = decimal.replace('-', '').split('.')
  const digits = /^\d+$/.test(whole) ? new Intl.NumberFormat(locale, latinDigits).format(BigInt(whole)) : whole
  return fraction === undefined ? digits : `${digits}${decimalMark}${fraction}`
}

/** Without the zeros at the end of a long fraction, which say nothing: coins have eighteen decimals. */
export function shortDecimal(decimal: string): string {
  const fraction = decimal.split('.')[1] ?? ''
  return fraction.length > 4 ? decimal.replace(/\.?0+$/, '') : decimal
}

/** What somebody typed, with a point: who writes 2,5 at home may write so here. */
export function readDecimal(typed: string): string {
  const text = typed.trim()
  return decimalMark === ',' ? text.replace(',', '.') : text
}

export function isZero(decimal: string): boolean {
  return /^[0.]*$/.test(decimal)
}

/** How much of the whole is left, from 0 to 1000. Only for drawing. */
export function perMille(part: string, whole: string): number {
  const scale = Math.max(fractionLength(part), fractionLength(whole))
  const total = toUnits(whole, scale)
  if (total <= 0n) return 0
  const share = Number((toUnits(part, scale) * 1000n) / total)
  return Math.min(1000, Math.max(0, share))
}

export function addDecimals(decimals: readonly string[]): string {
  return decimals.reduce((sum, each) => combine(sum, each, (a, b) => a + b), '0')
}

/** May be below zero. */
export function subtractDecimal(from: string, what: string): string {
  return combine(from, what, (a, b) => a - b)
}

/** With as many decimals as the longer of the two. */
function combine(a: string, b: string, how: (a: bigint, b: bigint) => bigint): string {
  const scale = Math.max(fractionLength(a), fractionLength(b))
  const units = how(toUnits(a, scale), toUnits(b, scale))
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`
}

// The fraction is kept as it came, in latin digits, so the rest is written in them too.
const latinDigits = { numberingSystem: 'latn' }
const decimalMark =
  new Intl.NumberFormat(locale, latinDigits).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'

function fractionLength(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0
}

function toUnits(decimal: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  const digits = whole + fraction.padEnd(scale, '0')
  return /^-?\d+$/.test(digits) ? BigInt(digits) : 0n
}
