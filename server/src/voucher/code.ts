import type { Random } from '../base/random.ts'
import { voucherError } from './errors.ts'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const randomSymbols = 15

/** A new code: 75 random bits and a check symbol. Written without dashes wherever it is kept. */
export function makeCode(random: Random): string {
  // 256 is a multiple of 32, so every symbol is equally likely.
  const symbols = Array.from(random(randomSymbols), (byte) => byte % 32)
  return [...symbols, checkSymbol(symbols)].map((symbol) => alphabet.charAt(symbol)).join('')
}

/** What somebody typed, as it is looked up by. */
export type ReadCode = {
  readonly symbols: string
  /** It has the form of our codes and its check symbol is right. If not, it can only be one that a merchant brought along. */
  readonly isOurs: boolean
}

/** Codes of other systems: long enough to be one, and no longer than a card has room for. */
const foreignForm = /^[0-9A-Z]{6,40}$/

/** A code as a person types it: any case, dashes and spaces anywhere, O for 0, I and L for 1. */
export function readCode(text: string, param = 'voucherCode'): ReadCode {
  const symbols = text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  if (!foreignForm.test(symbols)) throw voucherError('VOUCHER_CODE_MISTYPED', { param })
  return { symbols, isOurs: isOurs(symbols) }
}

function isOurs(code: string): boolean {
  const symbols = Array.from(code, (letter) => alphabet.indexOf(letter))
  return (
    code.length === randomSymbols + 1 &&
    !symbols.includes(-1) &&
    checkSymbol(symbols.slice(0, randomSymbols)) === symbols[randomSymbols]
  )
}

/** What people name it by. It opens nothing: sixty of its 75 random bits are not in it. */
export function tailOf(symbols: string): string {
  return symbols.slice(-4)
}

/** In fours, like a gift card. One of another system as its merchant wrote it. */
export function showCode(code: string): string {
  return /^[0-9A-Z]{16}$/.test(code) ? (code.match(/.{4}/g)?.join('-') ?? code) : code
}

/**
 * The sum of αⁱ·dᵢ over GF(32), α a root of x⁵ + x³ + 1. Its powers up to the 30th differ, so every wrong symbol and
 * every two symbols that changed places are found.
 */
function checkSymbol(symbols: readonly number[]): number {
  let sum = 0
  // Horner's rule from the last symbol: each passes through as many multiplications by α as its place says.
  for (const symbol of symbols.toReversed()) sum = timesAlpha(sum ^ symbol)
  return sum
}

function timesAlpha(value: number): number {
  const shifted = value << 1
  return shifted & 32 ? shifted ^ 0b101001 : shifted
}
