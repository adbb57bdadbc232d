import type { Answer, Refusal } from './ask-server.ts'

export type Ask = ReturnType<typeof createAsk>

type AskOptions = {
  /** Who asks, and for whom. */
  readonly headers: Readonly<Record<string, string>>
  /** Numbers that are amounts: they are read as the digits that were sent, since a float would lose some. */
  readonly exactKeys?: ReadonlySet<string>
}
type Told<Data> = { readonly data: Data; readonly message: string; readonly error?: Partial<Refusal> }
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

const patienceMs = 15_000
export const unreachable = 'UNREACHABLE'

/** Asks the server in the name of who has signed in. */
export function createAsk({ headers, exactKeys = new Set() }: AskOptions) {
  const takeDigits: Reviver = (key, value, { source }) =>
    typeof value === 'number' && exactKeys.has(key) ? (source ?? String(value)) : value
  const parse = (text: string): unknown => (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, takeDigits)

  /** An answer that does not come, or is none of ours, says nothing about what became of the question. */
  async function ask<Data>(method: string, path: string, body?: object, key?: string): Promise<Answer<Data>> {
    try {
      const reply = await fetch(path, {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        cache: 'no-store',
        signal: AbortSignal.timeout(patienceMs),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const told = parse(await reply.text()) as Told<Data>
      if (reply.ok) return told
      const code = told.error?.code ?? unreachable
      // A missing rate, an unreachable network or a paused exchange refuses before anything is done. Other faults may have done it.
      const isSure = reply.status < 500 || /^(RATE|CHAIN|EXCHANGE)_/.test(code)
      return { refusal: { ...told.error, code: isSure ? code : unreachable, message: told.message } }
    } catch {
      return { refusal: { code: unreachable, message: '' } }
    }
  }

  return {
    /** Asks for something to read. */
    read: <Data>(path: string): Promise<Answer<Data>> => ask('GET', path),
    /** Asks for something to be done. With a key it is done once, however often it is asked for. */
    act: <Data>(path: string, body: object, key?: string): Promise<Answer<Data>> => ask('POST', path, body, key),
    remove: (path: string): Promise<Answer<object>> => ask('DELETE', path),
    /** Whatever comes, as it comes: a file, or a stream of news. */
    open: (path: string, signal: AbortSignal): Promise<Response> => fetch(path, { headers, cache: 'no-store', signal }),
  }
}
