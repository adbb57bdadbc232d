import { isCodeOfOurs, readSymbols } from '../../../server/src/vouchers/code/symbols.ts'
import { readTyped } from '../../ui/voucher-address.ts'

/** Addresses end up in histories and logs: what may be the beginning of a voucher's code waits for Enter. */
export function mayBecomeCode(typed: string): boolean {
  const symbols = readSymbols(typed)
  return typed.includes('#') || (symbols.length > 4 && /^[0-9A-Z]{5,16}$/.test(symbols))
}

/** Replaces a full voucher code by its last 4 characters. */
export function withoutCode(text: string): string {
  const typed = text.includes('#') ? (readTyped(text)?.code ?? '') : text
  // Grouped text is a code even if mistyped. Without groups it may be a reference.
  const isCode = text.includes('#') || /^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/i.test(typed) || isCodeOfOurs(readSymbols(typed))
  return isCode ? typed.slice(-4) : text
}
