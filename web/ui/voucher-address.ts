import { isCodeOfOurs, randomSymbols, readSymbols } from '../../server/src/vouchers/code/symbols.ts'

/** Identifies a voucher. Only imported gift cards have a merchant code. */
export type VoucherAddress = { readonly code: string; readonly merchantCode: string }

/** Reads #CODE or #MERCHANT.CODE. Browsers never send the fragment to the server. */
export function readFragment(fragment: string): VoucherAddress | null {
  const text = decode(fragment.replace(/^#/, '')).trim()
  const dot = text.indexOf('.')
  const code = text.slice(dot + 1).trim()
  return code === '' ? null : { code, merchantCode: dot < 0 ? '' : text.slice(0, dot).trim() }
}

export function writeFragment({ code, merchantCode }: VoucherAddress): string {
  const prefix = merchantCode === '' ? '' : `${encodeURIComponent(merchantCode)}.`
  return `#${prefix}${encodeURIComponent(code)}`
}

/** The content of the QR code: a link to the voucher page. */
export function voucherLink(address: VoucherAddress): string {
  return `${location.origin}/v${writeFragment(address)}`
}

/** Reads typed or pasted text: a code, a merchant code and a code joined by a dot, or a link. */
export function readTyped(text: string): VoucherAddress | null {
  return readFragment(text.slice(text.indexOf('#') + 1))
}

/** Groups a code in fours, as printed. Links and imported gift cards stay unchanged. */
export function groupTyped(text: string): string {
  if (/[.#/:]/.test(text)) return text
  const symbols = text.toUpperCase().replaceAll(/[\s-]/g, '')
  return symbols.match(/.{1,4}/g)?.join('-') ?? ''
}

/** Whether the text is as long as a voucher code but has a wrong check character. */
export function isMistyped(code: string): boolean {
  const symbols = readSymbols(code)
  return symbols.length === randomSymbols + 1 && !isCodeOfOurs(symbols)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
