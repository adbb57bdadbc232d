import type { Answer, Refusal } from './send-request.ts'

export type Request = {
  readonly read: <Data>(path: string) => Promise<Answer<Data>>
  /** With an idempotency key the server acts once, however often the request is sent. */
  readonly act: <Data>(path: string, body: object, key?: string) => Promise<Answer<Data>>
  readonly remove: (path: string) => Promise<Answer<object>>
  /** The raw response: a file, or a stream of events. */
  readonly open: (path: string, signal: AbortSignal, more?: Readonly<Record<string, string>>) => Promise<Response>
}

type RequestOptions = {
  readonly headers: Readonly<Record<string, string>>
  /** Fields whose JSON numbers are amounts: they are read as strings, since a float would lose digits. */
  readonly exactKeys?: ReadonlySet<string>
}
type Payload<Data> = { readonly data: Data; readonly message: string; readonly error?: Partial<Refusal> }
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

const timeoutMs = 15_000
export const unreachable = 'UNREACHABLE'

/** Sends requests to the server with the session of the signed-in user. */
export function createRequest({ headers, exactKeys = new Set() }: RequestOptions): Request {
  const keepDigits: Reviver = (key, value, { source }) =>
    typeof value === 'number' && exactKeys.has(key) ? (source ?? String(value)) : value
  const parse = (text: string): unknown => (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, keepDigits)

  /** A response that is missing or not JSON does not say whether the server has acted. */
  async function send<Data>(method: string, path: string, body?: object, key?: string): Promise<Answer<Data>> {
    try {
      const response = await fetch(path, {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        cache: 'no-store',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const payload = parse(await response.text()) as Payload<Data>
      if (response.ok) return payload
      const code = payload.error?.code ?? unreachable
      // The server refuses with these codes before it acts. After any other 5xx it may have acted.
      const isSure = response.status < 500 || /^(RATE|CHAIN|EXCHANGE)_/.test(code)
      return { refusal: { ...payload.error, code: isSure ? code : unreachable, message: payload.message } }
    } catch {
      return { refusal: { code: unreachable, message: '' } }
    }
  }

  return {
    read: (path) => send('GET', path),
    act: (path, body, key) => send('POST', path, body, key),
    remove: (path) => send('DELETE', path),
    open: (path, signal, more = {}) => fetch(path, { headers: { ...headers, ...more }, cache: 'no-store', signal }),
  }
}
