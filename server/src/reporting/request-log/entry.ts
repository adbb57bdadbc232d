import { digitsOf, exactNumber } from '../../http/exact-json.ts'
import { looksSecret, redactJson } from './redact.ts'

/** A request as it ended, with its bodies as they were. It is in memory only until the next write. */
export type Recorded = {
  readonly id: string
  readonly environmentId: string
  readonly keyId: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationMs: number
  readonly address: string
  readonly at: Date
  /** The reference that the response names, if it does. */
  readonly reference: unknown
  readonly params: unknown
  readonly body: unknown
  /** The response if it is JSON and short enough to be stored. */
  readonly sent: string
  /** How much memory the bodies take, roughly. */
  readonly bytes: number
}

/** The same as it is written. */
export type Entry = Omit<Recorded, 'reference' | 'params' | 'body' | 'sent'> & {
  readonly reference: string
  readonly errorCode: string
  readonly requestBody: string
  readonly responseBody: string
}

// Of each body, in characters. A redemption and its response take 600.
const storedMax = 8_192

export function toEntry(recorded: Recorded): Entry {
  const { reference, params, body, sent, ...rest } = recorded
  return {
    ...rest,
    reference: readReference(reference, params, body),
    errorCode: rest.status < 400 ? '' : (/"error":\{"type":"\w+","code":"(\w+)"/.exec(sent)?.[1] ?? ''),
    requestBody: isFilled(body) ? cut(redactJson('request', writeExactly(body))) : '',
    responseBody: sent === '' ? '' : cut(redactJson('response', sent)),
  }
}

function isFilled(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length > 0
}

/** Writes a parsed body with the digits that the client sent. */
function writeExactly(body: unknown): string {
  return JSON.stringify(body, function (this: object, key: string, value: unknown): unknown {
    if (typeof value !== 'number') return value
    const digits = digitsOf(this, key)
    return digits === undefined ? value : exactNumber(digits)
  })
}

const referenceNames = ['reference', 'referenceID', 'referenceId', 'reference_id']

function readReference(named: unknown, ...holders: readonly unknown[]): string {
  const found = [named, ...holders.flatMap(readNames)].find((each) => typeof each === 'string' && each !== '')
  return typeof found === 'string' && /^[\w.~-]{1,128}$/.test(found) && !looksSecret(found) ? found : ''
}

function readNames(holder: unknown): unknown[] {
  if (typeof holder !== 'object' || holder === null) return []
  return referenceNames.map((name) => (holder as Readonly<Record<string, unknown>>)[name])
}

/** A body that was cut is no longer JSON: pages show it as text. */
function cut(text: string): string {
  return text.length <= storedMax ? text : `${text.slice(0, storedMax)}…`
}
