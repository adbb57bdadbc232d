import { createHmac } from 'node:crypto'
import type { Random } from '../../base/random.ts'

const prefix = 'whsec_'

export function makeSecret(random: Random): string {
  return prefix + random(32).toString('base64')
}

/** The headers of Standard Webhooks. While a secret is being replaced there is one signature per secret. */
export function signDelivery(id: string, body: string, secrets: readonly string[], at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
