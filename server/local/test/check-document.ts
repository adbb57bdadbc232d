// Compares the responses of a test's server with its OpenAPI document and with the schemas of its routes.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyReply } from 'fastify'
import type { Server } from '../../src/http/server.ts'
import { type Document, type Operation, operationsOf, type Schema } from '../../src/http/reference/document.ts'

/** Replaces every reference by what it refers to. No schema of the document refers to itself. */
export function resolveReferences<Value>(document: object, value: Value): Value {
  if (Array.isArray(value)) return value.map((item: unknown) => resolveReferences(document, item)) as Value
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as { $ref?: unknown }
  if (typeof $ref === 'string') {
    const target = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document)
    return { ...(resolveReferences(document, target) as object), ...rest } as Value
  }
  const inside = Object.entries(value).map(([name, child]) => [name, resolveReferences(document, child as unknown)])
  return Object.fromEntries(inside) as Value
}

/** Compiles the schemas of the document, which are JSON Schema 2020-12. References are followed, not copied. */
export function createCompiler(document: object): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  addFormats.default(ajv, ['email', 'uuid', 'date', 'date-time', 'uri'])
  ajv.addFormat('binary', true)
  ajv.addSchema(document, 'openapi')
  return (schema) => ajv.compile(referToDocument(schema))
}

function referToDocument<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as Value
}

type Faults = { readonly list: () => readonly string[] }
/** What the document states about one status of one operation. */
type Declared = {
  readonly headers: readonly string[]
  readonly codes: readonly string[]
  readonly validate: ValidateFunction | undefined
}

/**
 * Lists responses to clients with keys that the document does not describe: an undeclared status, error code or header, or a body
 * that does not fit its schema.
 */
export function checkDocument(app: Server['app']): Faults {
  const faults = new Set<string>()
  const declared = new Map<string, Declared | undefined>()
  let find: (name: string, status: string) => Declared | undefined
  app.addHook('onReady', (done) => {
    find = readDeclared(app.swagger() as unknown as Document)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const { url = '', config } = request.routeOptions
    const isApi = config.credentials === 'public' || config.credentials === 'secret'
    // The document is for clients with keys. Sessions of staff members have errors of their own.
    if (isApi && request.method !== 'HEAD' && request.headers.authorization !== undefined) {
      const name = `${request.method} ${url}`
      const status = String(reply.statusCode)
      const key = `${name} ${status}`
      if (!declared.has(key)) declared.set(key, find(name, status))
      for (const fault of faultsOf(declared.get(key), reply, payload)) faults.add(`${key} ${fault}`)
    }
    done(null, payload)
  })
  return { list: () => [...faults] }
}

function readDeclared(document: Document): (name: string, status: string) => Declared | undefined {
  const compile = createCompiler(document)
  const operations = new Map<string, Operation>()
  for (const { method, path, operation } of operationsOf(document))
    operations.set(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, operation)
  return (name, status) => {
    const { $ref: reference, ...inline } = operations.get(name)?.responses[status] ?? {}
    const shared = document.components.responses[reference?.split('/').at(-1) ?? '']
    const response = shared ?? inline
    if (response.content === undefined) return undefined
    const { schema, examples = {} } = response.content['application/json'] ?? {}
    const validate = status === '200' && schema !== undefined ? compile(schema) : undefined
    return { headers: Object.keys(response.headers ?? {}), codes: Object.keys(examples), validate }
  }
}

function faultsOf(declared: Declared | undefined, reply: FastifyReply, payload: unknown): string[] {
  if (declared === undefined) return [`is not declared: ${String(payload)}`]
  const { headers, codes, validate } = declared
  const isSuccess = reply.statusCode === 200
  const faults = ['Scrip-Reference-Id', 'Idempotent-Replayed']
    // Errors have the reference too, but most of them are shared with operations that have none.
    .filter((name) => isSuccess && reply.hasHeader(name) && !headers.includes(name))
    .map((name) => `has the header ${name}, which is not declared`)
  if (typeof payload !== 'string' || (isSuccess && validate === undefined)) return faults
  const body = JSON.parse(payload) as { error?: { code: string } }
  const { code } = body.error ?? {}
  if (code !== undefined && !codes.includes(code)) faults.push(`has the code ${code}, which is not declared`)
  if (validate?.(body) === false) faults.push(JSON.stringify(validate.errors))
  return faults
}

/**
 * Lists successful responses that do not fit the response schema of their route, for our own pages too. A field that the schema does not
 * have is a fault: the pages could not know it.
 */
export function checkSchemas(app: Server['app']): Faults {
  const faults = new Set<string>()
  const validators = new Map<unknown, ValidateFunction>()
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  addFormats.default(ajv, ['email', 'uuid', 'date', 'date-time', 'uri'])
  app.addHook('onSend', (request, reply, payload, done) => {
    const { url = '', schema } = request.routeOptions
    const declared = (schema?.response as { 200?: Schema } | undefined)?.[200]
    if (declared !== undefined && reply.statusCode === 200 && typeof payload === 'string' && isJson(reply)) {
      const validate = validators.get(declared) ?? ajv.compile(refuseUnknown(declared))
      validators.set(declared, validate)
      if (!validate(JSON.parse(payload))) faults.add(`${request.method} ${url} ${JSON.stringify(validate.errors)}`)
    }
    done(null, payload)
  })
  return { list: () => [...faults] }
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('application/json')
}

/** The same schema, whose objects have only the fields that it names. A part of an intersection has those of the other parts too. */
function refuseUnknown<Value>(schema: Value, isPart = false): Value {
  if (Array.isArray(schema)) return schema.map((item: unknown) => refuseUnknown(item)) as Value
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = Object.fromEntries(
    Object.entries(schema).map(([name, child]: [string, unknown]) =>
      name === 'allOf' && Array.isArray(child)
        ? [name, child.map((part: unknown) => refuseUnknown(part, true))]
        : [name, refuseUnknown(child)],
    ),
  )
  const isObject = 'properties' in schema || 'allOf' in schema
  const isOpen = isPart || !isObject || 'additionalProperties' in schema
  return (isOpen ? inside : { ...inside, unevaluatedProperties: false }) as Value
}
