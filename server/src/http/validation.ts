import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { httpError } from './errors.ts'

type ObjectSchema = { properties?: Record<string, object>; required?: string[] }

// In a body "5" is not 5. In an address everything is text, so there numbers are read from it.
const strict = withFormats(new Ajv({ coerceTypes: false, useDefaults: true, allErrors: false, strict: false }))
const lenient = withFormats(new Ajv({ coerceTypes: true, useDefaults: true, allErrors: false, strict: false }))

function withFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv, ['email', 'uuid', 'date', 'date-time', 'uri'])
  // Theirs takes urn:uuid: before it, which PostgreSQL does not.
  ajv.addFormat('uuid', /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i)
  return ajv
}

export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }): ValidateFunction =>
  (httpPart === 'body' ? strict : lenient).compile(schema)

/** An optional input that is sent as null or "" is absent. */
export function dropEmptyOptionals(request: FastifyRequest): void {
  const { body, querystring } = request.routeOptions.schema ?? {}
  if (isObject(request.body)) dropEmpty(request.body, body as ObjectSchema | undefined)
  if (isObject(request.query)) dropEmpty(request.query, querystring as ObjectSchema | undefined)
}

function dropEmpty(input: Record<string, unknown>, schema: ObjectSchema | undefined): void {
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    if (schema?.required?.includes(name) === true && !('default' in property)) continue
    if (input[name] === null || input[name] === '') Reflect.deleteProperty(input, name)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A form that the schema takes can still be no time, such as one with a leap second. */
export function readTime(text: string, param: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw httpError('FIELD_INVALID', { param, reason: 'It is not a time.' })
  return at
}
