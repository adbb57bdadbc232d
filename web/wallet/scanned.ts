import { isCodeOfOurs, readSymbols } from '../../server/src/vouchers/code/symbols.ts'

/** What a scanned code is for. */
export type Scanned =
  | { readonly kind: 'request'; readonly id: string }
  | { readonly kind: 'voucher'; readonly code: string }
  | { readonly kind: 'user'; readonly username: string }
  /** The pay link of a user in the other mode, where the name may belong to another user. */
  | { readonly kind: 'other-mode' }
  | { readonly kind: 'unknown' }

type Place = { readonly origin: string; readonly realm: string }

const requestForm = /^\/app\/pay\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
const userForm = /^\/app\/send\/([a-z0-9_.]{3,30})$/
const unknown: Scanned = { kind: 'unknown' }

/** Reads the text of a QR code. Links to other servers are not followed: they are unknown. */
export function readScanned(text: string, { origin, realm }: Place): Scanned {
  const typed = text.trim()
  if (isCodeOfOurs(readSymbols(typed))) return { kind: 'voucher', code: typed }
  const url = URL.parse(typed)
  if (url?.origin !== origin) return unknown
  const fragment = decode(url.hash.slice(1))
  if (url.pathname === '/v' && fragment !== '') return { kind: 'voucher', code: fragment }
  const id = requestForm.exec(url.pathname)?.[1]
  if (id !== undefined) return { kind: 'request', id: id.toLowerCase() }
  const username = userForm.exec(url.pathname)?.[1]
  if (username === undefined) return unknown
  return url.searchParams.get('mode') === realm ? { kind: 'user', username } : { kind: 'other-mode' }
}

/** The link by which others send money to a user. It names the mode, since a name belongs to another user in each. */
export function writePayLink(username: string, { origin, realm }: Place): string {
  return `${origin}/app/send/${encodeURIComponent(username)}?mode=${realm}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
