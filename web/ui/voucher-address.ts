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

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const symbolsOfOurs = 16

/** As long as one of our codes, but its last symbol does not follow from the others: something is mistyped. */
export function isMistyped(code: string): boolean {
  const letters = code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  if (letters.length !== symbolsOfOurs) return false
  const symbols = Array.from(letters, (letter) => alphabet.indexOf(letter))
  return symbols.includes(-1) || checkSymbol(symbols.slice(0, -1)) !== symbols.at(-1)
}

/** As the server makes it: the sum of αⁱ·dᵢ over GF(32). */
function checkSymbol(symbols: readonly number[]): number {
  let sum = 0
  for (const symbol of symbols.toReversed()) {
    const shifted = (sum ^ symbol) << 1
    sum = shifted & 32 ? shifted ^ 0b101001 : shifted
  }
  return sum
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
