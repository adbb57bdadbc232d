import { messages } from './example-messages.ts'
import { emptyLists, flags, numbers, optionals, texts } from './example-values.ts'
import { type Document, type Operation, operationsOf, type Schema } from './document.ts'

type Schemas = Record<string, Schema>

const formats: Readonly<Record<string, string>> = {
  uuid: '01900000-0000-7000-8000-000000000001',
  email: 'ada@example.com',
  'date-time': '2026-01-31T12:00:00.000Z',
  uri: 'https://shop.example/page',
}

/** Adds an example to every required parameter, every body and every successful response. */
export function addExamples(document: Document): Document {
  const { schemas } = document.components
  for (const { operation } of operationsOf(document)) {
    for (const parameter of operation.parameters ?? [])
      if ('schema' in parameter && parameter.required === true)
        parameter.example = exampleOf(schemas, parameter.schema, `${operation.operationId}.${parameter.name}`)
    for (const media of Object.values(operation.requestBody?.content ?? {}))
      media.example = exampleOf(schemas, media.schema, '')
    for (const [type, media] of Object.entries(operation.responses['200']?.content ?? {}))
      media.example = files[type] ?? withMessage(operation, exampleOf(schemas, media.schema, ''))
  }
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const media = post?.requestBody?.content['application/json']
    if (media !== undefined) media.example = exampleOf(schemas, media.schema, type)
  }
  return document
}

function withMessage({ operationId }: Operation, example: unknown): unknown {
  const message = messages[operationId]
  return message === undefined ? example : { ...(example as object), message }
}

const files: Readonly<Record<string, string>> = {
  'text/csv':
    'number,code,amount,currency,expires,link\r\n1,459W-99AP-0JZ9-NK3E,25.00,USD,,https://pay.example/v#459W-99AP-0JZ9-NK3E\r\n',
  'application/pdf': '%PDF-1.7',
  'text/event-stream': 'id: NzUzLjEyMw\nevent: voucher.redeemed\ndata: {}\n\n',
}

/** An example that fits the schema. `place` is the name of the schema around it and of the field, such as Voucher.amount. */
function exampleOf(schemas: Schemas, schema: Schema, place: string): unknown {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    const target = schemas[name] ?? {}
    return exampleOf(schemas, target, isObject(schemas, target) ? name : place)
  }
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(schemas, part, place))) as object
  const [first] = schema.anyOf ?? []
  if (first !== undefined) return exampleOf(schemas, first, place)
  if (schema.type === 'object') return objectOf(schemas, schema, place)
  if (schema.type === 'array') return listOf(schemas, schema, place)
  return valueOf(schema, place)
}

function isObject(schemas: Schemas, { type, allOf, anyOf, $ref }: Schema): boolean {
  const first = allOf?.[0] ?? anyOf?.[0] ?? ($ref === undefined ? undefined : schemas[$ref.split('/').at(-1) ?? ''])
  return type === 'object' || (first !== undefined && isObject(schemas, first))
}

function objectOf(schemas: Schemas, { properties = {}, required = [] }: Schema, place: string): object {
  const [owner = ''] = place.split('.')
  const shown = Object.entries(properties).filter(
    ([name]) => required.includes(name) || optionals.includes(name) || optionals.includes(`${owner}.${name}`),
  )
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(schemas, property, `${owner}.${name}`)]))
}

function listOf(schemas: Schemas, { items }: Schema, place: string): unknown[] {
  const isEmpty = items === undefined || emptyLists.includes(place.split('.').at(-1) ?? '')
  return isEmpty ? [] : [exampleOf(schemas, items, place)]
}

function valueOf(schema: Schema, place: string): unknown {
  const field = place.split('.').at(-1) ?? ''
  const text = texts[place] ?? texts[field]
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum.find((value) => value === text) ?? schema.enum[0]
  switch (schema.type) {
    case 'null':
      return null
    case 'boolean':
      return flags[place] ?? flags[field] ?? false
    case 'number':
    case 'integer':
      return numbers[place] ?? numbers[field] ?? schema.minimum ?? missing(place)
    default:
      return text ?? formats[schema.format ?? ''] ?? missing(place)
  }
}

/** Throws, so that a new field gets an example with a meaning. */
function missing(place: string): never {
  throw new Error(`Add an example for ${place} to example-values.ts.`)
}
