import { isDeepStrictEqual } from 'node:util'
import Type from 'typebox'
import { errorCatalogue } from '../../base/errors.ts'
import { errorPageOf, statusOf } from '../envelope.ts'
import { type Document, type Operation, operationsOf, pascalCase, type Response, type Schema } from './document.ts'
import { errorHeaders } from './headers.ts'
import { errorsOf, sharedErrors } from './operation-errors.ts'

const detailSchema = Type.Object({
  type: Type.Enum(Object.keys(statusOf), { description: 'The category of the error, one per HTTP status' }),
  code: Type.String({ description: 'For programs: one of the codes at /docs/errors' }),
  param: Type.String({ description: 'The field that is wrong, or empty' }),
  requestId: Type.String(),
  doc: Type.String({ description: 'The path of a page about the error' }),
  reason: Type.Optional(Type.String({ description: 'For FIELD_INVALID: the reason of the first fault' })),
  retryAfterSeconds: Type.Optional(Type.Integer({ description: 'Equals the Retry-After header' })),
  faults: Type.Optional(
    Type.Array(
      Type.Object({
        param: Type.String(),
        reason: Type.String(),
        allowed: Type.Optional(Type.Array(Type.String())),
      }),
      { description: 'For FIELD_INVALID: everything that is wrong with the request' },
    ),
  ),
})

const errorSchema = Type.Object({
  message: Type.String({ description: 'A message for people' }),
  code: Type.Integer({ description: 'Equals the HTTP status' }),
  status: Type.Enum(['error']),
  error: Type.Unsafe<unknown>({ $ref: '#/components/schemas/ErrorDetail' }),
})

const statusNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
}

/** Adds the errors of every operation: one response per status, with the codes that the operation can return. */
export function addErrorResponses(document: Document): Document {
  const responses: Record<string, Response> = {}
  const examples: Record<string, object> = {}
  for (const { method, operation } of operationsOf(document)) {
    const byStatus = Map.groupBy(errorsOf(operation, method), (code) => statusOf[findError(code).kind])
    for (const [status, codes] of [...byStatus].toSorted(([a], [b]) => a - b)) {
      const sorted = [...new Set(codes)].toSorted()
      const name = nameOf(operation, status, sorted)
      responses[name] ??= describeResponse(status, sorted)
      for (const code of sorted) examples[code] ??= exampleOf(code)
      operation.responses[String(status)] = { $ref: `#/components/responses/${name}` }
    }
  }
  const own = { Error: errorSchema as Schema, ErrorDetail: detailSchema as Schema }
  const schemas = { ...document.components.schemas, ...own }
  return { ...document, components: { ...document.components, schemas, responses, examples } }
}

function findError(code: string): (typeof errorCatalogue)[number] {
  const found = errorCatalogue.find((error) => error.code === code)
  if (found === undefined) throw new Error(`No error has the code ${code}.`)
  return found
}

/** A response with one code has the name of the code. Others have a shared name, or the name of their operation. */
function nameOf({ operationId }: Operation, status: number, codes: readonly string[]): string {
  const [only = ''] = codes
  if (codes.length === 1) return pascalCase(only)
  const [shared] = Object.entries(sharedErrors).find(([, all]) => isDeepStrictEqual(all.toSorted(), codes)) ?? []
  return shared ?? `${pascalCase(operationId)}${statusNames[status] ?? status}`
}

function describeResponse(status: number, codes: readonly string[]): Response {
  const schema: Schema = {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      {
        type: 'object',
        properties: {
          code: { type: 'integer', enum: [status] },
          error: {
            allOf: [
              { $ref: '#/components/schemas/ErrorDetail' },
              { type: 'object', properties: { code: { type: 'string', enum: [...codes] } } },
            ],
          },
        },
      },
    ],
  }
  return {
    description: codes.map((code) => `\`${code}\`: ${findError(code).message}`).join('\n\n'),
    headers: errorHeaders(status),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}

function exampleOf(code: string): object {
  const { kind, message } = findError(code)
  const facts = code === 'FIELD_INVALID' ? { param: 'amount', reason: 'This field is required.' } : { param: '' }
  const { param, reason } = { reason: undefined, ...facts }
  return {
    summary: message,
    value: {
      message,
      code: statusOf[kind],
      status: 'error',
      error: {
        type: kind,
        code,
        param,
        requestId: '01900000-0000-7000-8000-0000000000aa',
        doc: errorPageOf(code),
        ...(reason !== undefined && { reason, faults: [{ param, reason }] }),
        ...(kind === 'too_many' && { retryAfterSeconds: 42 }),
      },
    },
  }
}
