import Type from 'typebox'
import { httpError } from './errors.ts'

/** The digits of every number that was read, by the object that holds it and its key. Gone with the object. */
const digitsRead = new WeakMap<object, Map<string, string>>()

type Reviver = (this: object, key: string, value: unknown, context: { source?: string }) => unknown
type ParseWithSource = (text: string, reviver: Reviver) => unknown

/**
 * Reads JSON and remembers each number's digits, since 0.1 and 2^53 + 1 are lost in a float. Refuses what two readers
 * could understand differently: a key twice in one object, and keys that reach into the language.
 */
export function parseExactJson(text: string): unknown {
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
  refuseDoubleKeys(text)
  return value
}

/** PostgreSQL has no text with a NUL or with half of a character in it, and no name, note or reference needs them. */
function isText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The digits of a number as they were sent, or a string as it is: "0.1" is as good as 0.1. */
export function digitsOf(holder: object, key: string): string | undefined {
  const value = (holder as Record<string, unknown>)[key]
  if (typeof value === 'string') return value
  const digits = typeof value === 'number' ? digitsRead.get(holder)?.get(key) : undefined
  return digits === undefined ? undefined : withoutExponent(digits)
}

/** 5e-05, as some languages write 0.00005, as plain digits. One past any amount stays as it is, and is no amount. */
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

/** The schema of an amount: a number, or its digits as a string. */
export function wireAmount(description: string) {
  return Type.Union([Type.Number(), Type.String({ minLength: 1, maxLength: 120 })], { description })
}

/** A number for the answer, to the last digit. */
export function exactNumber(decimal: string): unknown {
  return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(decimal)
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g

// JSON.parse keeps the last of two and says nothing. The text is valid JSON by now: on one that is not, such as a lot of
// quotes, this search would take time by the square of its length.
function refuseDoubleKeys(text: string): void {
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
