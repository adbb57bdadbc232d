import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { ScripError } from '../base/errors.ts'
import { httpError } from './errors.ts'
import type { Fault } from './faults.ts'

type ObjectSchema = { properties?: Record<string, object>; required?: string[] }

// All faults are reported, with the schemas that describe them.
const options = { useDefaults: true, allErrors: true, verbose: true, strict: false }
// In a body "5" is not 5. In a URL everything is text, so numbers are parsed from it.
const strict = withFormats(new Ajv({ ...options, coerceTypes: false }))
const lenient = withFormats(new Ajv({ ...options, coerceTypes: true }))

function withFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv, ['email', 'uuid', 'date', 'date-time', 'uri'])
  // The library's pattern also accepts a urn:uuid: prefix, which PostgreSQL refuses.
  ajv.addFormat('uuid', /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i)
  return ajv
}

type Validate = { (data: unknown): boolean; errors?: NonNullable<ValidateFunction['errors']> | null }

/** Compiles the schema at the first request that needs it: all of them took a second of each start. */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }): Validate => {
  let compiled: ValidateFunction | undefined
  const validate: Validate = (data) => {
    compiled ??= (httpPart === 'body' ? strict : lenient).compile(schema)
    const isValid = compiled(data)
    validate.errors = compiled.errors ?? null
    return isValid
  }
  return validate
}

const checker = withFormats(new Ajv({ strict: false }))

/** Whether a value fits the schema, which is compiled at its first use. Changes nothing. */
export function createCheck<Schema extends TSchema>(schema: Schema): (value: unknown) => value is Static<Schema> {
  let compiled: ValidateFunction | undefined
  return (value): value is Static<Schema> => (compiled ??= checker.compile(schema))(value)
}

/** Treats an optional input of null or "" as absent. */
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

/** The error of a request with these faults. The first one is repeated as param and reason. */
export function fieldInvalid(faults: readonly Fault[]): ScripError {
  const [{ param, reason } = { param: '', reason: '' }] = faults
  return httpError('FIELD_INVALID', { param, reason, faults })
}

/** Parses a time. The schema accepts some forms that are no valid time, such as leap seconds. */
export function readTime(text: string, param: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw fieldInvalid([{ param, reason: 'Must be a time that exists.' }])
  return at
}
