/** What the link is for, as its reader may know. */
export type Link = {
  readonly purpose: 'sign_up' | 'reset' | 'invite'
  readonly realm: 'live' | 'test' | 'staff'
  readonly email: string
  /** Who invites. */
  readonly merchant: string
  /** Who is invited signs in here already. */
  readonly isKnown: boolean
}

export type LinkWords = {
  readonly password?: string
  readonly username?: string
  readonly surname?: string
  readonly otherNames?: string
}

/** The code is the server's, or one of ours when it did not answer as it should. */
export type Refusal = { readonly code: string; readonly message: string }
type Answer<Data> = { readonly data: Data } | { readonly refusal: Refusal }

const patienceMs = 20_000

export function lookAtLink(token: string): Promise<Answer<Link>> {
  return post<Link>('/auth/links/look', { token })
}

export function followLink(token: string, words: LinkWords): Promise<Answer<object>> {
  return post('/auth/links/use', { token, ...words })
}

/** The token is in the body: an address is kept in too many places. */
async function post<Data>(path: string, body: object): Promise<Answer<Data>> {
  try {
    const reply = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      cache: 'no-store',
      signal: AbortSignal.timeout(patienceMs),
    })
    const told = (await reply.json()) as { data: Data; message: string; error?: { code: string } }
    return reply.ok ? told : { refusal: { code: told.error?.code ?? 'BROKEN', message: told.message } }
  } catch {
    return { refusal: { code: 'UNREACHABLE', message: 'We could not reach the server. Check that you are online.' } }
  }
}
