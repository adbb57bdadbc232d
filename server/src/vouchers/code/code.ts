import type { Random } from '../../base/random.ts'
import { voucherError } from './errors.ts'
import { isCodeOfOurs, randomSymbols, readSymbols, writeSymbols } from './symbols.ts'

/** A new code: 75 random bits and a check symbol. Codes are stored without dashes. */
export function makeCode(random: Random): string {
  // 256 is a multiple of 32, so every symbol is equally likely.
  return writeSymbols(Array.from(random(randomSymbols), (byte) => byte % 32))
}

/** A typed code in the form used for lookups. */
export type ReadCode = {
  readonly symbols: string
  /** True if the code has our format and a correct check symbol. Any other code can only be an imported one. */
  readonly isOurs: boolean
  /** The field of the request that had the code, for errors. */
  readonly param?: string
}

/** Format of imported codes: 6 to 40 letters and digits. */
const importedForm = /^[0-9A-Z]{6,40}$/

/** Parses a typed code. */
export function readCode(text: string, param = 'voucherCode'): ReadCode {
  const symbols = readSymbols(text)
  if (!importedForm.test(symbols)) throw voucherError('VOUCHER_CODE_MISTYPED', { param })
  return { symbols, isOurs: isCodeOfOurs(symbols), param }
}

/**
 * The last 4 symbols, for display: they leave 60 random bits unknown. Undefined for short imported codes, which they
 * would give away.
 */
export function tailOf(symbols: string): string | undefined {
  return symbols.length < 12 ? undefined : symbols.slice(-4)
}

/** Groups our codes in fours, like a gift card. Imported codes stay as the merchant wrote them. */
export function showCode(code: string): string {
  return /^[0-9A-Z]{16}$/.test(code) ? (code.match(/.{4}/g)?.join('-') ?? code) : code
}
