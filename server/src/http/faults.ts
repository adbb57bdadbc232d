import type { ErrorObject } from 'ajv'

/** One thing that is wrong with a request. `allowed` lists the possible values, or the field names if the field is unknown. */
export type Fault = { readonly param: string; readonly reason: string; readonly allowed?: readonly string[] }

type Schema = { const?: unknown; type?: string; format?: string; properties?: Record<string, unknown> }

// One request can contain thousands of faults.
const faultsMax = 50

const types: Record<string, string> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

const formats: Record<string, string> = {
  email: 'an email address',
  uuid: 'an id such as 01900000-0000-7000-8000-000000000000',
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T12:00:00Z',
  uri: 'a URL such as https://shop.example/page',
}

/** Describes what the validator found, one fault per field, in the order in which it was found. */
export function describeFaults(errors: readonly ErrorObject[], part: string | undefined): Fault[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/`)
  const faults = new Map<string, Fault>()
  for (const error of errors) {
    // A value that fits no member of a union has one fault, not one per member.
    if (unions.some((union) => error.schemaPath.startsWith(union))) continue
    const param = paramOf(error)
    if (!faults.has(param)) faults.set(param, { param, ...describe(error, part) })
    if (faults.size === faultsMax) break
  }
  return [...faults.values()]
}

function paramOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty } = params as { missingProperty?: string; additionalProperty?: string }
  const inside = instancePath.slice(1).replaceAll('/', '.')
  return [inside, missingProperty ?? additionalProperty].filter(Boolean).join('.')
}

function describe(error: ErrorObject, part: string | undefined): Omit<Fault, 'param'> {
  if (error.keyword === 'additionalProperties') {
    const { properties = {} } = (error.parentSchema ?? {}) as Schema
    const reason = part === 'querystring' ? 'This parameter does not exist.' : 'This field does not exist.'
    return { reason, allowed: Object.keys(properties) }
  }
  if (error.keyword === 'anyOf') return describeUnion(error.schema as readonly Schema[])
  if (error.keyword === 'const') return describeUnion([{ const: error.schema }])
  if (error.keyword === 'enum')
    return describeUnion((error.schema as readonly unknown[]).map((value) => ({ const: value })))
  return { reason: describeKeyword(error) }
}

/** A union of values, of types, or of both. */
function describeUnion(members: readonly Schema[]): Omit<Fault, 'param'> {
  const allowed = members.flatMap((member) => ('const' in member ? [String(member.const)] : []))
  const others = members.filter((member) => !('const' in member))
  const kinds = [...new Set(others.map(({ format = '', type = '' }) => formats[format] ?? types[type] ?? 'an object'))]
  // A number may be sent as text, which is not worth a word.
  const named = kinds.includes('a number') ? kinds.filter((kind) => kind !== 'text') : kinds
  const values = allowed.length === 0 ? [] : [allowed.length === 1 ? allowed.join('') : `one of ${allowed.join(', ')}`]
  const reason = `Must be ${[...named, ...values].join(' or ')}.`
  return allowed.length > 0 && others.length === 0 ? { reason, allowed } : { reason }
}

function describeKeyword({ keyword, params }: ErrorObject): string {
  const { limit = 0, format = '', type = '', pattern = '' } = params as Record<string, string | undefined>
  switch (keyword) {
    case 'required':
      return 'This field is required.'
    case 'type':
      return `Must be ${types[type] ?? type}.`
    case 'format':
      return `Must be ${formats[format] ?? format}.`
    case 'pattern':
      return describePattern(pattern)
    case 'minLength':
      return Number(limit) === 1 ? 'Must not be empty.' : `Must have at least ${limit} characters.`
    case 'maxLength':
      return `Must have at most ${limit} characters.`
    case 'minimum':
      return `Must be at least ${limit}.`
    case 'maximum':
      return `Must be at most ${limit}.`
    case 'exclusiveMinimum':
      return `Must be greater than ${limit}.`
    case 'minItems':
      return `Must have at least ${limit} ${Number(limit) === 1 ? 'entry' : 'entries'}.`
    case 'maxItems':
      return `Must have at most ${limit} entries.`
    case 'uniqueItems':
      return 'Must not contain an entry twice.'
    default:
      return 'Is not valid.'
  }
}

function describePattern(pattern: string): string {
  const [, digits] = /^\^\[0-9\]\{(\d+)\}\$$/.exec(pattern) ?? []
  if (digits !== undefined) return `Must be ${digits} digits.`
  return pattern === '\\S' ? 'Must not be blank.' : `Must match the pattern ${pattern}`
}
