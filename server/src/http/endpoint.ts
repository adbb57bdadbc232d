import type { FastifyContextConfig, FastifySchema } from 'fastify'
import Type, { type TProperties } from 'typebox'
import { acknowledged, enveloped } from './envelope.ts'

type Roles = NonNullable<FastifyContextConfig['roles']>

/** An endpoint of the merchant API: who may call it, and what the reference tells of it. One that names no answer only acknowledges. */
export function documented<const Schema extends FastifySchema>(
  tags: readonly string[],
  credentials: 'public' | 'secret',
  roles: Roles,
  schema: Schema,
) {
  return { config: { credentials, roles }, schema: { tags, response: { 200: acknowledged }, ...schema } as Schema }
}

/** One of play money, for test keys alone. */
export function sandboxed<const Schema extends FastifySchema>(schema: Schema) {
  const { config, schema: told } = documented(['Sandbox'], 'secret', ['developer'], schema)
  return { config: { ...config, isSandbox: true }, schema: told }
}

/** What our own pages ask for people, and no part of the merchant API. */
export function hidden<const Schema extends FastifySchema>(
  credentials: 'none' | 'person' | 'wallet' | 'operator',
  schema?: Schema,
) {
  return { config: { credentials }, schema: { hide: true, ...schema } as Schema }
}

/** The same for the staff of a merchant: its owner, and who has one of these roles. */
export function hiddenForStaff<const Schema extends FastifySchema>(roles: Roles, schema?: Schema) {
  return { config: { credentials: 'member', roles } as const, schema: { hide: true, ...schema } as Schema }
}

/** A body that has nothing else in it. */
export function closed<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

/** An answer that carries these. */
export function answers(properties: TProperties) {
  return { 200: enveloped(Type.Object(properties)) }
}
