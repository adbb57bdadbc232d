import { isCodeOfOurs, randomSymbols, readSymbols } from '../../server/src/voucher/symbols.ts'

/** Which voucher the page is about. Only an old gift card that a merchant brought along has a merchant's code. */
export type VoucherAddress = { readonly code: string; readonly merchantCode: string }

/** From the fragment, which never leaves the browser: #CODE or #MERCHANT.CODE. */
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

/** What the QR code says: scanning it opens this very page. */
export function voucherLink(address: VoucherAddress): string {
  return `${location.origin}/v${writeFragment(address)}`
}

/** From what a person typed or pasted: a code, a shop's code and a code with a dot between, or a whole link. */
export function readTyped(text: string): VoucherAddress | null {
  return readFragment(text.slice(text.indexOf('#') + 1))
}

/** In fours, as it is printed. Links and old gift cards stay as they are. */
export function groupTyped(text: string): string {
  if (/[.#/:]/.test(text)) return text
  const symbols = text.toUpperCase().replaceAll(/[\s-]/g, '')
  return symbols.match(/.{1,4}/g)?.join('-') ?? ''
}

/** As long as one of our codes, but its last symbol does not follow from the others: something is mistyped. */
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
