import { httpError } from './errors.ts'
import type { ExactNumber } from './schema.ts'

/** The digits of every parsed number, by its object and key. */
const digitsRead = new WeakMap<object, Map<string, string>>()

type Reviver = (this: object, key: string, value: unknown, context: { source?: string }) => unknown
type ParseWithSource = (text: string, reviver: Reviver) => unknown

/**
 * Parses JSON and remembers each number's digits, because floats lose 0.1 and 2^53 + 1. Refuses what two parsers could read
 * differently: duplicate keys, and keys that JavaScript treats specially.
 */
export function parseExactJson(text: string): unknown {
  refuseManyParts(text)
  let value: unknown
  try {
    value = (JSON.parse as ParseWithSource)(text, function (key, read, { source }) {
      if (key === '__proto__' || (key === 'constructor' && typeof read === 'object')) throw httpError('BODY_MALFORMED')
      if (!isText(key) || (typeof read === 'string' && !isText(read))) throw httpError('BODY_MALFORMED')
      if (typeof read === 'number' && source !== undefined) {
        const digits = digitsRead.get(this) ?? new Map<string, string>()
        digits.set(key, source)
        digitsRead.set(this, digits)
      }
      return read
    })
  } catch (error) {
    throw httpError('BODY_MALFORMED', {}, error)
  }
  refuseDuplicateKeys(text)
  return value
}

// As many as fit into a body of the usual size. Larger bodies are allowed for a file or a list, which is one long string.
const partsMax = 64 * 1024

/** Refuses a large body of many small values, before each of them takes time and memory. */
function refuseManyParts(text: string): void {
  if (text.length <= partsMax) return
  let parts = 0
  let isInString = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (isInString && character === '\\') i++
    else if (character === '"') isInString = !isInString
    else if (!isInString && (character === ',' || character === '[' || character === '{')) parts++
    if (parts > partsMax) throw httpError('BODY_MALFORMED')
  }
}

/** PostgreSQL cannot store NUL characters or lone surrogates in text. */
function isText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The digits of a number as sent, or the string itself: "0.1" is as good as 0.1. */
export function digitsOf(holder: object, key: string): string | undefined {
  const value = (holder as Record<string, unknown>)[key]
  if (typeof value === 'string') return value
  const digits = typeof value === 'number' ? digitsRead.get(holder)?.get(key) : undefined
  return digits === undefined ? undefined : withoutExponent(digits)
}

/** Writes 5e-05, as some languages print 0.00005, as plain digits. Larger exponents stay and are refused as amounts. */
function withoutExponent(digits: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,2})$/.exec(digits) ?? []
  if (exponent === undefined) return digits
  const place = whole.length + Number(exponent)
  const all = (whole + fraction).padStart(whole.length + fraction.length + Math.max(0, 1 - place), '0')
  const point = Math.max(1, place)
  const left = all
    .padEnd(point, '0')
    .slice(0, point)
    .replace(/^0+(?=\d)/, '')
  const right = all.slice(point)
  return `${sign}${left}${right === '' ? '' : `.${right}`}`
}

/** A number for a response, exact to the last digit. */
export function exactNumber(decimal: string): ExactNumber {
  return (JSON as unknown as { rawJSON: (text: string) => ExactNumber }).rawJSON(decimal)
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g

// JSON.parse silently keeps the last of two equal keys. The text is already known to be valid JSON: on invalid text, such as
// many quotes, this search would take quadratic time.
function refuseDuplicateKeys(text: string): void {
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (const [found] of text.matchAll(token)) {
    if (found === '{') open.push(new Set())
    else if (found === '[') open.push(undefined)
    else if (found === '}' || found === ']') open.pop()
    else if (found === ':') {
      const keys = open.at(-1)
      const key = keyOf(last)
      if (keys?.has(key)) throw httpError('BODY_MALFORMED')
      keys?.add(key)
    }
    last = found
  }
}

// "a" and "\u0061" are the same key.
function keyOf(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}
