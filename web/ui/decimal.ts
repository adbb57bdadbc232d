// Exact arithmetic on amounts as the server writes them. No float touches an amount.

/** Drops trailing zeros from a fraction of more than 4 digits: crypto amounts come with 18 decimals. */
export function shortDecimal(decimal: string): string {
  const fraction = decimal.split('.')[1] ?? ''
  return fraction.length > 4 ? decimal.replace(/\.?0+$/, '') : decimal
}

export function isZero(decimal: string): boolean {
  return /^[0.]*$/.test(decimal)
}

/** The part in thousandths of the whole, from 0 to 1000. Only for drawing. */
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

/** The difference, which may be negative. */
export function subtractDecimal(minuend: string, subtrahend: string): string {
  return combine(minuend, subtrahend, (a, b) => a - b)
}

/** The result has as many decimals as the operand with more of them. */
function combine(a: string, b: string, operate: (a: bigint, b: bigint) => bigint): string {
  const scale = Math.max(fractionLength(a), fractionLength(b))
  const units = operate(toUnits(a, scale), toUnits(b, scale))
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`
}

function fractionLength(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0
}

function toUnits(decimal: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  const digits = whole + fraction.padEnd(scale, '0')
  return /^-?\d+$/.test(digits) ? BigInt(digits) : 0n
}
