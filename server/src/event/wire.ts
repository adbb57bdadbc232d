import Type, { type TSchema } from 'typebox'
import type { MerchantCaller } from '../http/caller.ts'
import { eventCatalogue } from '../ledger/event.ts'
import type { Position, ToldEvent } from './store.ts'

const described = (data: TSchema, type: TSchema): TSchema =>
  Type.Object({
    id: Type.String({ format: 'uuid', description: 'The same in every delivery of it' }),
    type,
    timestamp: Type.String({ format: 'date-time', description: 'When it happened' }),
    mode: Type.Union([Type.Literal('live'), Type.Literal('test')]),
    objectId: Type.String({ format: 'uuid', description: 'What it is about' }),
    sequence: Type.Integer({
      description: 'Of two events about one object the later has the higher one. What was none of yours leaves a gap.',
    }),
    data,
  })

export const wireEvent = described(
  Type.Object({}, { additionalProperties: true, description: 'By type: see the webhooks of this document' }),
  Type.String(),
)

/** What GET /events lists and a webhook carries. Its first three are what Standard Webhooks asks for. */
export function toWireEvent(event: ToldEvent, mode: MerchantCaller['mode']) {
  const { id, type, createdAt, objectId, sequence, data } = event
  return { id, type, timestamp: createdAt.toISOString(), mode, objectId, sequence: Number(sequence), data }
}

/** Every event as a webhook, for the OpenAPI document. */
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
            '2XX': { description: 'Taken. Anything else, or nothing within 15 seconds, is tried again.' },
            '4XX': { description: 'Tried again later. 410 switches the endpoint off.' },
          },
        },
      },
    ]),
  )
}

/** Opaque to callers: the place after this. */
export function writePosition({ txid, id }: Position): string {
  return Buffer.from(`${txid}.${id}`).toString('base64url')
}

export function readPosition(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return { txid: '0', id: 0n }
  const [, txid, id] = /^(\d{1,19})\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return txid === undefined || id === undefined ? undefined : { txid, id: BigInt(id) }
}
