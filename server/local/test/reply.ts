// A response of the API as tests read it.
import type { OutgoingHttpHeaders } from 'node:http'

export type Fields = Record<string, unknown>
type ApiError = { readonly code: string; readonly reason?: string; readonly param?: string } & Fields

export type Reply<Data = Fields> = {
  readonly status: number
  readonly text: string
  readonly headers: OutgoingHttpHeaders
  /** The whole body. Empty if it is not JSON. */
  readonly body: Fields
  /** The body's `data`. */
  readonly data: Data
  /** The body's `error`, if the request was refused. */
  readonly error: ApiError | undefined
}

type Injected = { readonly statusCode: number; readonly body: string; readonly headers: OutgoingHttpHeaders }

/** The caller names the type of the data; that a response has this type is checked against its schema. */
export function readReply<Data>({ statusCode, body: text, headers }: Injected): Reply<Data> {
  const isJson = String(headers['content-type']).includes('json')
  const body = isJson ? (JSON.parse(text) as Fields) : {}
  const { data, error } = body as { data: Data; error?: ApiError }
  return { status: statusCode, text, headers, body, data, error }
}
