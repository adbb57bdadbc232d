import Type from 'typebox'
import type { MerchantCaller } from '../../http/caller.ts'
import { eventCatalogue } from '../../ledger/event.ts'
import type { Position, PublishedEvent } from './store.ts'
import { described } from './wire.ts'

export type WireEvent = Pick<PublishedEvent, 'id' | 'type' | 'objectId' | 'data'> & {
  readonly timestamp: string
  readonly mode: MerchantCaller['mode']
  readonly sequence: number
}

/** An event as listed by GET /events and sent to webhooks. id, type and timestamp are required by Standard Webhooks. */
export function toWireEvent(event: PublishedEvent, mode: MerchantCaller['mode']): WireEvent {
  const { id, type, createdAt, objectId, sequence, data } = event
  return { id, type, timestamp: createdAt.toISOString(), mode, objectId, sequence: Number(sequence), data }
}

/** Describes every event as a webhook, for the OpenAPI document. */
export function describeWebhooks(): Record<string, object> {
  const ordered = eventCatalogue.toSorted((a, b) => a.type.localeCompare(b.type))
  return Object.fromEntries(
    ordered.map(({ type, summary, data }) => [
      type,
      {
        post: {
          operationId: `on-${type.replaceAll(/[._]/g, '-')}`,
          summary,
          tags: ['Events and webhooks'],
          security: [],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: described(data, Type.Literal(type)) } },
          },
          responses: {
            '2XX': { description: 'Delivered. Any other status, or no response within 15 seconds, is retried.' },
            '4XX': { description: 'Retried later. 410 disables the endpoint.' },
          },
        },
      },
    ]),
  )
}

/** Writes a position as a cursor, which is opaque to callers. */
export function writePosition({ txid, id }: Position): string {
  return Buffer.from(`${txid}.${id}`).toString('base64url')
}

export function readPosition(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return { txid: '0', id: 0n }
  const [, txid, id] = /^(\d{1,19})\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return txid === undefined || id === undefined ? undefined : { txid, id: BigInt(id) }
}
