import { type Agent, request } from 'undici'
import { hasCode } from '../base/errors.ts'

/** What became of an attempt. Without a status the failure says why. */
export type Attempt = {
  readonly statusCode: number | null
  readonly failure: string
  readonly excerpt: string
  readonly durationMs: number
}

const timeoutMs = 15_000
const excerptBytesMax = 1_000

/** Sends one delivery and waits for its answer, 15 seconds in all. Never throws, and never follows a redirect. */
export async function send(dispatcher: Agent, url: string, headers: Record<string, string>, body: string | Buffer) {
  const startMs = performance.now()
  const end = (attempt: Omit<Attempt, 'durationMs'>): Attempt => ({
    ...attempt,
    durationMs: Math.round(performance.now() - startMs),
  })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher,
      signal,
      headers: { 'content-type': 'application/json', 'user-agent': 'Scrip-Webhooks/1', ...headers },
      body,
    })
    const excerpt = await readExcerpt(answer.body)
    return end({ statusCode: answer.statusCode, failure: '', excerpt })
  } catch (error) {
    return end({ statusCode: null, failure: tellFailure(error, signal.aborted), excerpt: '' })
  }
}

/** How the answer begins. Its status is known by now, so one that breaks off or drips is not waited for past its time. */
async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of body) {
      parts.push(part)
      length += part.length
      // Leaving the loop closes the connection: nobody makes us read more.
      if (length >= excerptBytesMax) break
    }
  } catch {
    // What was read is enough.
  }
  return Buffer.concat(parts).subarray(0, excerptBytesMax).toString().replaceAll('\0', '')
}

/** In words for the merchant, who cannot see our network: never an address that a name turned out to have. */
function tellFailure(error: unknown, isTimeUp: boolean): string {
  if (isTimeUp || hasCode(error, 'UND_ERR_CONNECT_TIMEOUT')) return 'no answer within 15 seconds'
  if (hasCode(error, 'WEBHOOK_TARGET_PRIVATE')) return 'the address is inside a private network'
  if (hasCode(error, 'ENOTFOUND', 'EAI_AGAIN')) return 'the name was not found'
  if (hasCode(error, 'ECONNREFUSED')) return 'the connection was refused'
  if (hasCode(error, 'ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE')) return 'the connection broke'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/CERT|TLS|SSL|ALTNAME/.test(code)) return `no secure connection (${code})`
  return 'the request could not be sent'
}
