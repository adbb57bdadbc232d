import type { FastifyContextConfig, FastifyReply, FastifyRequest, FastifySchema, RouteShorthandOptions } from 'fastify'
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { acknowledged, enveloped } from './envelope.ts'
import type { Server } from './server.ts'

type Roles = NonNullable<FastifyContextConfig['roles']>

/** Who may call an endpoint: somebody with keys, or one of the staff; or whom our own pages serve, by the name of his credentials. */
type Access = FastifyContextConfig | 'none' | 'person' | 'wallet' | 'operator'

export const anyRole: Roles = ['cashier', 'accountant', 'developer']

/** Whoever shows the public key, the owner of the merchant, and who of its staff has one of these roles. */
export function publicKey(...roles: Roles): FastifyContextConfig {
  return { credentials: 'public', roles }
}

/** The same, with the secret key too. */
export function secretKey(...roles: Roles): FastifyContextConfig {
  return { credentials: 'secret', roles }
}

/** No keys: the owner, and who has one of these roles. */
export function staff(...roles: Roles): FastifyContextConfig {
  return { credentials: 'member', roles }
}

/** Play money, for test keys alone. */
export const sandbox: FastifyContextConfig = { credentials: 'secret', roles: ['developer'], isSandbox: true }

type Handler<Params extends TSchema, Query extends TSchema, Body extends TSchema> = (
  request: FastifyRequest<{ Params: Static<Params>; Querystring: Static<Query>; Body: Static<Body> }>,
  reply: FastifyReply,
) => unknown

type Endpoint<Params extends TSchema, Query extends TSchema, Body extends TSchema> = FastifySchema & {
  readonly params?: Params
  readonly querystring?: Query
  readonly body?: Body
  readonly route?: Pick<RouteShorthandOptions, 'bodyLimit' | 'exposeHeadRoute'>
  readonly handler: Handler<Params, Query, Body>
}

/**
 * Adds endpoints: who may call one, what it takes and answers, and what it does. What keys open is the merchant API, which the reference
 * tells of under these tags; one that names no answer only acknowledges. Whatever else there is, our own pages ask for.
 */
export function endpoints({ app }: Server, tags: readonly string[] = []) {
  const adding =
    (method: 'GET' | 'POST' | 'DELETE') =>
    <Params extends TSchema, Query extends TSchema, Body extends TSchema>(
      url: string,
      access: Access,
      endpoint: Endpoint<Params, Query, Body> | Handler<Params, Query, Body>,
    ): void => {
      const { handler, route, ...told } = typeof endpoint === 'function' ? { handler: endpoint } : endpoint
      const config = typeof access === 'string' ? { credentials: access } : access
      const isHidden = config.credentials !== 'public' && config.credentials !== 'secret'
      const described = { tags: config.isSandbox === true ? ['Sandbox'] : tags, response: { 200: acknowledged } }
      const schema = isHidden ? { hide: true, ...told } : { ...described, ...told }
      app.route({ ...route, method, url, config, schema, handler })
    }
  return { get: adding('GET'), post: adding('POST'), delete: adding('DELETE') }
}

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
