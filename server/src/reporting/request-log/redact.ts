import { isCodeOfOurs, readSymbols } from '../../vouchers/code/symbols.ts'
import { type BodyKind, isShownField } from './shown-fields.ts'

const hidden = '"[hidden]"'

/** An object or a list that is open while its text is read. */
type Open = { readonly isObject: boolean; readonly depth: number; isAtName: boolean }

/**
 * Redacts a body, which is valid JSON: names, structure, booleans and empty values stay; of other values only those of fields that
 * are known to be harmless. Works on the text, so that numbers keep their digits, and copies what stays in long pieces.
 */
export function redactJson(kind: BodyKind, text: string): string {
  const path: string[] = []
  const open: Open[] = []
  let redacted = ''
  let copied = 0
  for (let at = 0; at < text.length; ) {
    const inside = open.at(-1)
    const mark = text[at] ?? ''
    if (mark === '{' || mark === '[') open.push({ isObject: mark === '{', depth: path.length, isAtName: mark === '{' })
    else if (mark === '}' || mark === ']') path.length = open.pop()?.depth ?? 0
    else if (mark === ',' || mark === ':') {
      if (inside?.isObject === true) inside.isAtName = mark === ','
    } else if (mark > ' ') {
      const end = mark === '"' ? endOfString(text, at) : endOfWord(text, at)
      if (!isShown(kind, path, inside, text.slice(at, end))) {
        redacted += text.slice(copied, at) + hidden
        copied = end
      }
      at = end
      continue
    }
    at++
  }
  return redacted + text.slice(copied)
}

/** Whether a name or a value may stay. A name becomes the end of the path. */
function isShown(kind: BodyKind, path: string[], inside: Open | undefined, literal: string): boolean {
  if (inside?.isAtName !== true) return isEmptyValue(literal) || isShownValue(kind, path, literal)
  const name = readString(literal)
  path.length = inside.depth
  path.push(name)
  return isShownField(kind, path) || isPlainName(name)
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

/** Whether an odd number of backslashes is before a mark. */
function isEscaped(text: string, at: number): boolean {
  let count = 0
  while (text[at - 1 - count] === '\\') count++
  return count % 2 === 1
}

function endOfWord(text: string, start: number): number {
  let at = start
  while (at < text.length && !',:]} \n\r\t'.includes(text[at] ?? '')) at++
  return at
}

function readString(literal: string): string {
  if (!literal.startsWith('"')) return literal
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1)
}

function isEmptyValue(literal: string): boolean {
  return literal === '""' || literal === 'null' || literal === 'true' || literal === 'false'
}

function isShownValue(kind: BodyKind, path: readonly string[], literal: string): boolean {
  return isShownField(kind, path) && !looksSecret(readString(literal))
}

/** A name that a person gave to a field. What clients use as a key by mistake, such as a code, mostly has digits. */
function isPlainName(name: string): boolean {
  return /^[A-Za-z_]{1,40}$/.test(name) && !looksSecret(name)
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
const groupedCode =
  /(?<![0-9a-z])(?:[0-9a-z]{4}(?:[-\s][0-9a-z]{4}){3}|[0-9a-z]{5}(?:[-\s][0-9a-z]{5}){4})(?![0-9a-z])/i
const onchainCode = /(?<![0-9a-z])[0-9a-z]{25}(?![0-9a-z])/i
const key = /[ps]k_(?:live|test)_|whsec_|\bBearer\s/i

/** Whether a harmless field may contain a voucher code, a key or an address, because the client mistook one field for another. */
export function looksSecret(text: string): boolean {
  if (text.includes('@') || key.test(text)) return true
  if (text.length < 16) return false
  const rest = text.replaceAll(uuid, '')
  return groupedCode.test(rest) || onchainCode.test(rest) || isOwnCode(rest)
}

const ownLength = 16
// With a mark between all symbols.
const writtenMax = 2 * ownLength

function isOwnCode(text: string): boolean {
  if (text.length > writtenMax) return false
  const symbols = readSymbols(text)
  return symbols.length === ownLength && isCodeOfOurs(symbols)
}
