/** The part of JSON Schema that our OpenAPI document uses, with its references resolved. */
export type Schema = {
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: string | number | boolean
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>

type Described = {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
}

type Methods = Readonly<Record<string, Described>>

export type ApiDocument = {
  readonly info: { readonly description?: string; readonly version: string }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Methods>>
  readonly webhooks?: Readonly<Record<string, Methods>>
}

export type Operation = {
  readonly id: string
  readonly method: string
  /** The path of an endpoint, or the type of an event. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly isWebhook: boolean
  readonly needsSecretKey: boolean
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly bodyExample: unknown
  readonly response: Schema | undefined
  readonly responseType: string
}

export type Section = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly operations: readonly Operation[]
}

/** Null when the server does not respond. */
export async function fetchDocument(): Promise<ApiDocument | null> {
  try {
    const response = await fetch('/docs/openapi.json', { signal: AbortSignal.timeout(30_000) })
    return response.ok ? (resolveReferences(await response.json()) as ApiDocument) : null
  } catch {
    return null
  }
}

/** Puts the component in the place of each reference to it. No component contains itself. */
export function resolveReferences(document: unknown): unknown {
  const resolved = new Map<string, unknown>()
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    if ('$ref' in value && typeof value.$ref === 'string') return resolveOne(value.$ref)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part)]))
  }
  const resolveOne = (reference: string): unknown => {
    if (!resolved.has(reference)) resolved.set(reference, resolve(follow(document, reference)))
    return resolved.get(reference)
  }
  return resolve(document)
}

/** What `#/components/schemas/Voucher` refers to. */
function follow(document: unknown, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (part as Readonly<Record<string, unknown>> | undefined)?.[name], document)
}

/** The endpoints by tag, in the order of the tags, and then the webhooks. */
export function listSections({ tags = [], paths, webhooks = {} }: ApiDocument): readonly Section[] {
  const endpoints = flatten(paths, false)
  const sections = tags.map(({ name, description = '' }) => ({
    id: slugOf(name),
    name,
    description,
    operations: endpoints.filter(({ tag }) => tag === name).map(({ operation }) => operation),
  }))
  const events = flatten(webhooks, true).map(({ operation }) => operation)
  const description = 'Your endpoint receives these events as POST requests with a JSON body.'
  return [...sections, { id: 'webhook-events', name: 'Webhook events', description, operations: events }]
}

function flatten(
  paths: Readonly<Record<string, Methods>>,
  isWebhook: boolean,
): readonly { readonly tag: string; readonly operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      tag: described.tags?.[0] ?? '',
      operation: toOperation(path, method, described, isWebhook),
    })),
  )
}

function toOperation(path: string, method: string, described: Described, isWebhook: boolean): Operation {
  const { operationId, summary = path, description = '', security = [], parameters = [] } = described
  const body = described.requestBody?.content['application/json']
  const [responseType = '', content] = Object.entries(described.responses['200']?.content ?? {})[0] ?? []
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    summary,
    description,
    isWebhook,
    needsSecretKey: security.some((keys) => 'secretKey' in keys),
    parameters,
    body: body?.schema,
    bodyExample: body?.example,
    response: content?.schema,
    responseType,
  }
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

/** The fields of an object, also if it is a combination of objects. */
export function fieldsOf(schema: Schema): readonly { name: string; schema: Schema; isRequired: boolean }[] {
  const own = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: schema.required?.includes(name) ?? false,
  }))
  return [...(schema.allOf ?? []).flatMap(fieldsOf), ...own]
}

/** "string", "integer or null", "list of objects". */
export function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.allOf !== undefined) return 'object'
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'any' : typeOf(schema.items)}`
  const { type = 'any', format } = schema
  return format === undefined ? type : `${type} (${format})`
}

/** The values or limits that a field accepts, as text. */
export function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, maxItems, pattern } = schema
  const values = valuesOf(schema)
  return [
    values.length > 0 ? `one of ${values.join(', ')}` : '',
    minimum === undefined ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    minLength === undefined || minLength < 2 ? '' : `at least ${minLength} characters`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    maxItems === undefined ? '' : `at most ${maxItems} items`,
    pattern === undefined ? '' : `matches ${pattern}`,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((text) => text !== '')
    .join('; ')
}

function valuesOf(schema: Schema): readonly string[] {
  if (schema.const !== undefined) return [JSON.stringify(schema.const)]
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value))
  return (schema.anyOf ?? []).flatMap(valuesOf)
}
