import { type Document, operationsOf, type Parameter, type Response } from './document.ts'

/** Operations that move money under a reference: of the body, of the Idempotency-Key header, or a new one. */
const referenced = [
  'capture-voucher-hold',
  'create-payment-link',
  'create-payout-batch',
  'create-voucher-batch',
  'create-voucher-cards',
  'create-voucher-hold',
  'deposit-address-payment-request',
  'import-vouchers',
  'issue-voucher',
  'pay-cash-back',
  'payment-request',
  'payout',
  'redeem-voucher',
  'refund',
  'reload-voucher',
  'replace-voucher',
  'return-deposit-case',
  'sandbox-voucher',
  'sell-voucher',
  'void-voucher-sale',
]

const integer = { type: 'integer', minimum: 0 }

const headers = {
  RequestId: {
    description: 'The id of this request. Quote it when you contact support',
    schema: { type: 'string', format: 'uuid' },
    example: '01900000-0000-7000-8000-0000000000aa',
  },
  RateLimitLimit: { description: 'Requests per minute from your address', schema: integer, example: 600 },
  RateLimitRemaining: { description: 'Requests left in this minute', schema: integer, example: 599 },
  RateLimitReset: { description: 'Seconds until the minute is over', schema: integer, example: 42 },
  RetryAfter: { description: 'Seconds to wait before the next attempt', schema: integer, example: 42 },
  ReferenceId: {
    description: 'The reference of the request, also if it had none. Errors have it too, so that you can retry',
    schema: { type: 'string', maxLength: 128 },
    example: 'order-1042',
  },
  IdempotentReplayed: {
    description: 'true if this is the response of an earlier request with the same reference',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
}

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes the request safe to retry. A reference in the body takes its place',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._~-]{1,128}$' },
    example: 'order-1042',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last message that you received. It takes the place of cursor',
    schema: { type: 'string', maxLength: 100 },
    example: 'NzUzLjEyMw',
  },
}

const toHeader = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })

const everywhere = {
  'X-Request-Id': toHeader('RequestId'),
  'X-RateLimit-Limit': toHeader('RateLimitLimit'),
  'X-RateLimit-Remaining': toHeader('RateLimitRemaining'),
  'X-RateLimit-Reset': toHeader('RateLimitReset'),
}

/** Declares the headers of requests and of successful responses. */
export function addHeaders(document: Document): Document {
  const { components } = document
  for (const { operation } of operationsOf(document)) {
    const { operationId, responses, parameters: own = [] } = operation
    const isReferenced = referenced.includes(operationId)
    const success = responses['200']
    const others = own.filter((parameter) => !isIdempotencyKey(parameter))
    const takesKey = others.length < own.length
    if (success !== undefined)
      success.headers = {
        ...everywhere,
        ...(isReferenced && { 'Scrip-Reference-Id': toHeader('ReferenceId') }),
        ...((isReferenced || takesKey) && { 'Idempotent-Replayed': toHeader('IdempotentReplayed') }),
      }
    const added = [...(takesKey ? ['IdempotencyKey'] : []), ...(operationId === 'stream-events' ? ['LastEventId'] : [])]
    if (added.length > 0)
      operation.parameters = [...others, ...added.map((name) => ({ $ref: `#/components/parameters/${name}` }))]
  }
  return { ...document, components: { ...components, headers, parameters } }
}

/** Whether the route declares the header: in lower case, as Node has it. */
function isIdempotencyKey(parameter: Parameter): boolean {
  return 'name' in parameter && parameter.name === 'idempotency-key'
}

/** The headers of an error response. */
export function errorHeaders(status: number): NonNullable<Response['headers']> {
  return { ...everywhere, ...(status === 429 && { 'Retry-After': toHeader('RetryAfter') }) }
}
