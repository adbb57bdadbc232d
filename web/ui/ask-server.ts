/** The code is the server's, or one of ours when it did not answer as it should. */
export type Refusal = {
  readonly code: string
  readonly message: string
  /** The largest amount that would go through. */
  readonly maxAmount?: string
}
export type Answer<Data> = { readonly data: Data } | { readonly refusal: Refusal }

const patienceMs = 20_000

/** What is secret is in the body: an address is kept in too many places. */
export async function askServer<Data>(path: string, body: object, headers: object = {}): Promise<Answer<Data>> {
  try {
    const reply = await postJson(path, body, headers)
    const told = (await reply.json()) as { data: Data; message: string; error?: { code: string } }
    return reply.ok ? told : { refusal: { code: told.error?.code ?? 'BROKEN', message: told.message } }
  } catch {
    return { refusal: { code: 'UNREACHABLE', message: 'We could not reach the server. Check that you are online.' } }
  }
}

export function postJson(path: string, body: object, headers: object = {}): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    cache: 'no-store',
    signal: AbortSignal.timeout(patienceMs),
  })
}
