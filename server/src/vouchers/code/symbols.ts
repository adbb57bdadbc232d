// The alphabet and checksum of our codes. Imports nothing, since the web pages use it too.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const randomSymbols = 15

/** Normalises typed text: any case, dashes and spaces anywhere, O for 0, I and L for 1. */
export function readSymbols(text: string): string {
  return text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

/** True if the code has our format and a correct check symbol. */
export function isCodeOfOurs(code: string): boolean {
  const symbols = Array.from(code, (letter) => alphabet.indexOf(letter))
  return (
    code.length === randomSymbols + 1 &&
    !symbols.includes(-1) &&
    checkSymbol(symbols.slice(0, randomSymbols)) === symbols[randomSymbols]
  )
}

/** The code of these symbols, with its check symbol appended. */
export function writeSymbols(symbols: readonly number[]): string {
  return [...symbols, checkSymbol(symbols)].map((symbol) => alphabet.charAt(symbol)).join('')
}

/**
 * The sum of αⁱ·dᵢ over GF(32), α a root of x⁵ + x³ + 1. Its powers up to the 30th differ, so it detects every single
 * wrong symbol and every swap of two symbols.
 */
function checkSymbol(symbols: readonly number[]): number {
  let sum = 0
  // Horner's rule from the last symbol: symbol i is multiplied by α i + 1 times.
  for (const symbol of symbols.toReversed()) sum = timesAlpha(sum ^ symbol)
  return sum
}

function timesAlpha(value: number): number {
  const shifted = value << 1
  return shifted & 32 ? shifted ^ 0b101001 : shifted
}
