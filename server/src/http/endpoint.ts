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

/** A body that has nothing else in it. */
export function closed<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

/** An answer that carries these. */
export function answers(properties: TProperties) {
  return { 200: enveloped(Type.Object(properties)) }
}
