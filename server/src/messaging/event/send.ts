import { type Agent, request } from 'undici'
import { hasCode } from '../../base/errors.ts'

/** The result of an attempt. `failure` gives the reason if there is no status. */
export type Attempt = {
  readonly statusCode: number | null
  readonly failure: string
  readonly excerpt: string
  readonly durationMs: number
}

const timeoutMs = 15_000
const excerptBytesMax = 1_000

/** Sends one delivery and waits at most 15 seconds for the response. Never throws and never follows redirects. */
export async function send(
  dispatcher: Agent,
  url: string,
  headers: Record<string, string>,
  body: string | Buffer,
): Promise<Attempt> {
  const startMs = performance.now()
  const end = (attempt: Omit<Attempt, 'durationMs'>): Attempt => ({
    ...attempt,
    durationMs: Math.round(performance.now() - startMs),
  })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await request(url, {
      method: 'POST',
      dispatcher,
      signal,
      headers: { 'content-type': 'application/json', 'user-agent': 'Scrip-Webhooks/1', ...headers },
      body,
    })
    const excerpt = await readExcerpt(response.body)
    return end({ statusCode: response.statusCode, failure: '', excerpt })
  } catch (error) {
    return end({ statusCode: null, failure: describeFailure(error, signal.aborted), excerpt: '' })
  }
}

/** The first bytes of the response. The status is known by now, so a response that breaks off or drips does not matter. */
async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of body) {
      parts.push(part)
      length += part.length
      // Leaving the loop closes the connection, so a receiver cannot make us read more.
      if (length >= excerptBytesMax) break
    }
  } catch {
    // Use what was read.
  }
  return Buffer.concat(parts).subarray(0, excerptBytesMax).toString().replaceAll('\0', '')
}

/** Describes a failure to the merchant. Never reveals the resolved address, because merchants must not probe our network. */
function describeFailure(error: unknown, isTimeUp: boolean): string {
  if (isTimeUp || hasCode(error, 'UND_ERR_CONNECT_TIMEOUT')) return 'no response within 15 seconds'
  if (hasCode(error, 'WEBHOOK_TARGET_PRIVATE')) return 'the address is inside a private network'
  if (hasCode(error, 'ENOTFOUND', 'EAI_AGAIN')) return 'the host name was not found'
  if (hasCode(error, 'ECONNREFUSED')) return 'the connection was refused'
  if (hasCode(error, 'ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE')) return 'the connection broke'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/CERT|TLS|SSL|ALTNAME/.test(code)) return `no secure connection (${code})`
  return 'the request could not be sent'
}
