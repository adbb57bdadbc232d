import { isDeepStrictEqual } from 'node:util'
import { type Document, type Operation, operationsOf, pascalCase, type Schema } from './document.ts'

/**
 * Moves schemas to the components, where generated clients take the names of their types from: schemas with a title under their
 * title, bodies and responses under the name of their operation.
 */
export function nameSchemas(document: Document): Document {
  const { schemas } = document.components
  const name = (value: Schema, title: string): Schema => {
    const { description, ...schema } = value
    delete schema.title
    const known = schemas[title]
    if (known !== undefined && !isDeepStrictEqual(known, schema))
      throw new Error(`Two different schemas have the title ${title}.`)
    schemas[title] = schema
    return { $ref: `#/components/schemas/${title}`, ...(description !== undefined && { description }) }
  }
  const named = {
    ...document,
    paths: nameTitled(document.paths, name) as Document['paths'],
    webhooks: nameTitled(document.webhooks, name) as Document['webhooks'],
  }
  for (const { operation } of operationsOf(named)) nameBodies(operation, name)
  for (const [type, { post }] of Object.entries(named.webhooks)) {
    const content = post?.requestBody?.content['application/json']
    if (content !== undefined) content.schema = name(content.schema, `${pascalCase(type)}Event`)
  }
  return { ...named, components: { ...document.components, schemas: sortByName(schemas) } }
}

function nameBodies(operation: Operation, name: (schema: Schema, title: string) => Schema): void {
  const title = pascalCase(operation.operationId)
  const bodies = [
    [operation.requestBody?.content['application/json'], `${title}Request`],
    [operation.responses['200']?.content?.['application/json'], `${title}Response`],
  ] as const
  for (const [content, own] of bodies)
    if (content !== undefined && content.schema.$ref === undefined) content.schema = name(content.schema, own)
}

/** Replaces titled schemas by references, from the inside to the outside. */
function nameTitled(value: unknown, name: (schema: Schema, title: string) => Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => nameTitled(item, name))
  if (typeof value !== 'object' || value === null) return value
  const inside = Object.entries(value).map(([key, child]) => [key, nameTitled(child, name)] as const)
  const schema = joinConstants(stateLimits(Object.fromEntries(inside)))
  return typeof schema.title === 'string' ? name(schema, schema.title) : schema
}

/** Limits that the endpoint checks itself take the place of those that the validator checks. */
function stateLimits({ 'x-limits': limits, ...schema }: Schema): Schema {
  return { ...schema, ...limits }
}

/** A union of constants as one enum: generators turn it into a type with these values. */
function joinConstants(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  const values = anyOf?.map((member) => (member.enum?.length === 1 ? member.enum[0] : member.const))
  if (values === undefined) return schema.enum === undefined ? schema : { ...withTypeOf(schema.enum), ...schema }
  return values.every((value) => typeof value === 'string') ? { ...rest, type: 'string', enum: values } : schema
}

function withTypeOf(values: readonly unknown[]): Schema {
  return values.every((value) => typeof value === 'string') ? { type: 'string' } : {}
}

function sortByName(schemas: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => a.localeCompare(b)))
}
