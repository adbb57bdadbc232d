import type { FastifyContextConfig, FastifyReply, FastifyRequest, FastifySchema, RouteShorthandOptions } from 'fastify'
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import { acknowledged, enveloped } from './envelope.ts'
import { closed, type Wire } from './schema.ts'
import type { Server } from './server.ts'

type Roles = NonNullable<FastifyContextConfig['roles']>

/** Who may call an endpoint: the configuration for keys and staff, or the credentials that our own pages send. */
type Access = FastifyContextConfig | 'none' | 'user' | 'wallet' | 'operator'

export const anyRole: Roles = ['cashier', 'accountant', 'developer']

/** Requires the public key, or a session of the owner or of a staff member with one of these roles. */
export function publicKey(...roles: Roles): FastifyContextConfig {
  return { credentials: 'public', roles }
}

/** Requires the public and the secret key, or a session of the owner or of a staff member with one of these roles. */
export function secretKey(...roles: Roles): FastifyContextConfig {
  return { credentials: 'secret', roles }
}

/** For responses that contain voucher codes: each read is recorded in the audit log. */
export function showingCodes(access: FastifyContextConfig): FastifyContextConfig {
  return { ...access, showsCodes: true }
}

/** The audit log names these fields of the body, such as the address of an invitation. Never name a secret. */
export function namingInActs(access: FastifyContextConfig, ...fields: string[]): FastifyContextConfig {
  return { ...access, namedInActs: fields }
}

/** Requires a session of the owner or of a staff member with one of these roles. Keys are refused. */
export function staff(...roles: Roles): FastifyContextConfig {
  return { credentials: 'member', roles }
}

/** Test mode only. */
export const sandbox: FastifyContextConfig = { credentials: 'secret', roles: ['developer'], isSandbox: true }

/** What a handler returns: what its response schema describes, or the reply that it has sent, such as a file or a stream. */
type Returned<Response extends TSchema> = Wire<Static<Response>> | FastifyReply

type Handler<Params extends TSchema, Query extends TSchema, Body extends TSchema, Response extends TSchema> = (
  request: FastifyRequest<{ Params: Static<Params>; Querystring: Static<Query>; Body: Static<Body> }>,
  reply: FastifyReply,
) => Returned<Response> | Promise<Returned<Response>>

type Endpoint<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Response extends TSchema,
> = FastifySchema & {
  readonly params?: Params
  readonly querystring?: Query
  readonly body?: Body
  /** Left out: the endpoint only acknowledges. */
  readonly response?: { readonly 200: Response }
  readonly route?: Pick<RouteShorthandOptions, 'bodyLimit' | 'exposeHeadRoute'> & {
    /** Runs after the credentials are checked and before the body is read. */
    readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  }
  readonly handler: Handler<Params, Query, Body, Response>
}

type AddEndpoint = <
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Response extends TSchema = typeof acknowledged,
>(
  url: string,
  access: Access,
  endpoint: Endpoint<Params, Query, Body, Response> | Handler<Params, Query, Body, Response>,
) => void

type Endpoints = { readonly get: AddEndpoint; readonly post: AddEndpoint; readonly delete: AddEndpoint }

/**
 * Returns functions that add endpoints. Endpoints for keys form the merchant API and appear in the reference under `tags`; without a
 * response schema they only acknowledge. All other endpoints are for our own pages and are hidden from the reference.
 */
export function endpoints({ app }: Server, tags: readonly string[] = []): Endpoints {
  const adding =
    (method: 'GET' | 'POST' | 'DELETE'): AddEndpoint =>
    (url, access, endpoint) => {
      const { handler, route, ...documented } = typeof endpoint === 'function' ? { handler: endpoint } : endpoint
      const config = typeof access === 'string' ? { credentials: access } : access
      const isHidden = config.credentials !== 'public' && config.credentials !== 'secret'
      const described = { tags: config.isSandbox === true ? ['Sandbox'] : tags, response: { 200: acknowledged } }
      const querystring = refusingUnknown(documented.querystring)
      // A POST without fields takes no body or an empty one: a field that has no effect must not seem to have one.
      const body = documented.body ?? (method === 'POST' ? closed({}) : undefined)
      const fields = { querystring, ...(body !== undefined && { body }) }
      const schema = { ...(isHidden ? { hide: true } : described), ...documented, ...fields }
      app.route({ ...route, method, url, config, schema, handler })
    }
  return { get: adding('GET'), post: adding('POST'), delete: adding('DELETE') }
}

/** A query schema that refuses unknown parameters: a misspelt filter must not answer everything. */
function refusingUnknown(query: TSchema = Type.Object({})): TSchema {
  return { ...query, additionalProperties: false }
}

/** The response schemas of an endpoint that returns these fields in the envelope. */
export function answers<Properties extends TProperties>(
  properties: Properties,
): { 200: ReturnType<typeof enveloped<TObject<Properties>>> } {
  return { 200: enveloped(Type.Object(properties)) }
}
