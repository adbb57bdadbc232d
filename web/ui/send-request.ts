import { uiWords } from './words.ts'

/** The code is the server's, or UNREACHABLE or BROKEN when the response was missing or unreadable. */
export type Refusal = {
  readonly code: string
  readonly message: string
  /** The largest amount that the server would accept. */
  readonly maxAmount?: string
}
export type Answer<Data> = { readonly data: Data } | { readonly refusal: Refusal }

type Payload<Data> = { readonly data: Data; readonly message: string; readonly error?: { readonly code: string } }

const timeoutMs = 20_000

/** Secrets are sent in the body: browsers, proxies and logs store addresses. */
export async function sendRequest<Data>(path: string, body: object, headers: object = {}): Promise<Answer<Data>> {
  try {
    const response = await postJson(path, body, headers)
    const payload = (await response.json()) as Payload<Data>
    if (response.ok) return payload
    return { refusal: { code: payload.error?.code ?? 'BROKEN', message: payload.message } }
  } catch {
    return { refusal: { code: 'UNREACHABLE', message: uiWords().unreachable } }
  }
}

export function postJson(path: string, body: object, headers: object = {}): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  })
}
