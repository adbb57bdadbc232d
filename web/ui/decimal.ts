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

/** The average of a sum, rounded to the decimals of the sum. Only for display: no money is moved by it. */
export function divideDecimal(sum: string, count: number): string {
  const scale = fractionLength(sum)
  if (count === 0) return sum
  const [units, parts] = [toUnits(sum, scale), BigInt(count)]
  return writeUnits((2n * units + parts) / (2n * parts), scale)
}

/** The change from an earlier figure in thousandths of it, or null if there is nothing to compare with. */
export function perMilleChange(now: string, before: string): number | null {
  const scale = Math.max(fractionLength(now), fractionLength(before))
  const earlier = toUnits(before, scale)
  if (earlier <= 0n) return null
  return Number(((toUnits(now, scale) - earlier) * 1000n) / earlier)
}

/** The result has as many decimals as the operand with more of them. */
function combine(a: string, b: string, operate: (a: bigint, b: bigint) => bigint): string {
  const scale = Math.max(fractionLength(a), fractionLength(b))
  return writeUnits(operate(toUnits(a, scale), toUnits(b, scale)), scale)
}

function writeUnits(units: bigint, scale: number): string {
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
