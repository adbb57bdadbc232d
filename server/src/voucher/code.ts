import type { Random } from '../base/random.ts'
import { voucherError } from './errors.ts'
import { isCodeOfOurs, randomSymbols, readSymbols, writeSymbols } from './symbols.ts'

/** A new code: 75 random bits and a check symbol. Written without dashes wherever it is kept. */
export function makeCode(random: Random): string {
  // 256 is a multiple of 32, so every symbol is equally likely.
  return writeSymbols(Array.from(random(randomSymbols), (byte) => byte % 32))
}

/** What somebody typed, as it is looked up by. */
export type ReadCode = {
  readonly symbols: string
  /** It has the form of our codes and its check symbol is right. If not, it can only be one that a merchant brought along. */
  readonly isOurs: boolean
}

/** Codes of other systems: long enough to be one, and no longer than a card has room for. */
const foreignForm = /^[0-9A-Z]{6,40}$/

/** A code as a person types it. */
export function readCode(text: string, param = 'voucherCode'): ReadCode {
  const symbols = readSymbols(text)
  if (!foreignForm.test(symbols)) throw voucherError('VOUCHER_CODE_MISTYPED', { param })
  return { symbols, isOurs: isCodeOfOurs(symbols) }
}

/** What people name it by. It opens nothing: sixty of its 75 random bits are not in it. Of a short one of another system it would tell too much. */
export function tailOf(symbols: string): string | undefined {
  return symbols.length < 12 ? undefined : symbols.slice(-4)
}

/** In fours, like a gift card. One of another system as its merchant wrote it. */
export function showCode(code: string): string {
  return /^[0-9A-Z]{16}$/.test(code) ? (code.match(/.{4}/g)?.join('-') ?? code) : code
}
