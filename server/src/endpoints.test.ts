// For every endpoint of the OpenAPI document: wrong credentials, bad bodies and bad addresses. A new endpoint is
// covered automatically.
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { resolveReferences } from '../local/test/check-document.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { createPool, type Pool } from './base/db.ts'

type Schema = {
  type?: string
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  minLength?: number
  anyOf?: Schema[]
  enum?: unknown[]
  pattern?: string
  items?: Schema
  minItems?: number
}
type Parameter = { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }
type Operation = {
  security: Record<string, unknown>[]
  parameters?: Parameter[]
  responses: Record<string, { content?: Record<string, unknown> }>
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}
type Endpoint = Operation & { method: 'GET' | 'POST' | 'DELETE'; path: string }

let world: ApiWorld
let owner: Pool
let endpoints: Endpoint[]
beforeAll(async () => {
  const database = await createTestDatabase()
  world = await createApiWorld(database.url)
  owner = createPool(database.ownerUrl, 1)
  await world.app.ready()
  const document = world.app.swagger()
  const { paths = {} } = withoutOwnLimits(resolveReferences<unknown>(document, document)) as {
    paths?: Record<string, Record<string, Operation>>
  }
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase() as Endpoint['method'],
    })),
  )
  // A stream stays open while a client listens: it has tests of its own.
  endpoints = all.filter(({ responses }) => responses['200']?.content?.['text/event-stream'] === undefined)
  expect(endpoints).toHaveLength(all.length - 1)
})
afterAll(async () => {
  await owner.end()
  await world.close()
})

const ajv = new Ajv({ strict: false })
addFormats.default(ajv, ['email', 'date', 'date-time', 'uri'])
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)

/** Without the limits of amounts and references, which an endpoint checks itself: after it has looked up other fields. */
function withoutOwnLimits(document: unknown): unknown {
  const isOwn = (key: string, value: unknown): boolean =>
    (key === 'pattern' && /\[\.\]|\._~/.test(String(value))) || (key === 'minimum' && value === 0)
  return JSON.parse(JSON.stringify(document, (key, value: unknown) => (isOwn(key, value) ? undefined : value)))
}

/** A value that its schema accepts. */
function valid(schema: Schema): unknown {
  if (schema.type === 'object' || schema.properties !== undefined)
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, property]) => [name, valid(property)]),
    )
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf?.[0] !== undefined) return valid(schema.anyOf[0])
  if (schema.type === 'array') return schema.items === undefined || !schema.minItems ? [] : [valid(schema.items)]
  if (schema.pattern === '^[0-9]{4}$') return '1234'
  if (schema.pattern === '^[0-9]{6}$') return '123456'
  if (schema.format === 'date-time') return '2026-01-01T00:00:00Z'
  if (schema.format === 'uuid') return world.newId()
  if (schema.format === 'email') return `${world.newId()}@example.com`
  if (schema.type === 'boolean') return true
  if (schema.type === 'number' || schema.type === 'integer') return 1
  return 'USD'
}

function urlOf({ path, parameters = [] }: Endpoint): string {
  const query = parameters
    .filter((p) => p.in === 'query' && p.required)
    .map((p) => `${p.name}=${String(valid(p.schema))}`)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(valid(parameters.find((parameter) => parameter.name === name)?.schema ?? {})),
  )
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

const bodyOf = ({ requestBody }: Endpoint): Schema | undefined => requestBody?.content['application/json'].schema

async function send(endpoint: Endpoint, headers: Record<string, string>, payload?: string) {
  const reply = await world.app.inject({
    method: endpoint.method,
    url: urlOf(endpoint),
    headers: { ...headers, ...(payload !== undefined && { 'content-type': 'application/json' }) },
    ...(payload !== undefined && { payload }),
  })
  // Some endpoints answer with a file.
  const isJson = String(reply.headers['content-type']).startsWith('application/json')
  return {
    status: reply.statusCode,
    json: (isJson ? reply.json() : {}) as { code: number; status: string; error?: { code: string; requestId: string } },
  }
}

const both = (publicKey: string, secretKey: string) => ({
  authorization: `Bearer ${publicKey}`,
  'x-api-private-key': secretKey,
})

function expectRefusal(reply: Awaited<ReturnType<typeof send>>, statuses: number[], about: string): void {
  expect(statuses, about).toContain(reply.status)
  expect(reply.json, about).toMatchObject({ code: reply.status, status: 'error' })
  expect(reply.json.error?.requestId, about).toMatch(/^[0-9a-f-]{36}$/)
}

/** Values that clients send by mistake. Some are valid for some fields, such as true for a boolean. */
const oddValues = [
  '-1',
  '-0',
  '1e400',
  '1e-400',
  '9007199254740993',
  '"5 "',
  '[5]',
  'null',
  '{}',
  '"\\u0000"',
  '"urn:uuid:01900000-0000-7000-8000-000000000000"',
  'true',
  '""',
  '{"__proto__":{}}',
]

/** Bodies with one field replaced by an odd value. */
function oddBodiesFor({ properties = {} }: Schema): string[] {
  const names = Object.keys(properties)
  const fields = names.map((name) => `"${name}":${JSON.stringify(valid(properties[name] ?? {}))}`)
  return names.flatMap((name, i) => oddValues.map((value) => `{${fields.with(i, `"${name}":${value}`).join(',')}}`))
}

/** Bodies that are not JSON, or ambiguous JSON. */
function malformedBodiesFor({ properties = {} }: Schema): string[] {
  const name = Object.keys(properties)[0] ?? 'a'
  return [
    '{',
    '{"a":',
    "{'a':1}",
    'undefined',
    `{"${name}":1,"${name}":2}`,
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    '{"a":"\\u0000"}',
  ]
}

/** At least 300 bodies that the document's schema does not allow, or that are not JSON. */
function badBodiesFor(schema: Schema): string[] {
  const { properties = {}, required = [] } = schema
  const names = Object.keys(properties)
  const validate = ajv.compile(schema)
  const isBad = (text: string): boolean => {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return true
    // Optional fields may be sent as null or "".
    const filled = Object.entries(body).filter(([name, value]) => {
      return required.includes(name) || !(name in properties) || (value !== null && value !== '')
    })
    return !validate(Object.fromEntries(filled))
  }
  const full = valid(schema) as Record<string, unknown>
  const without = required.map((name) => JSON.stringify({ ...full, [name]: undefined }))
  const isParsed = (text: string): boolean => !text.includes('__proto__') && !text.includes('\\u0000')
  const wrong = [
    ...['null', '[]', '"x"', '1', 'true'],
    JSON.stringify({ ...full, unknown: 1 }),
    ...without,
    ...oddBodiesFor(schema).filter(isParsed),
    ...names.flatMap((name) =>
      [5, true, 'x', [5], { a: 1 }].map((value) => JSON.stringify({ ...full, [name]: value })),
    ),
    ...fc.sample(fc.json({ maxDepth: 4 }), 400),
  ]
  return [...malformedBodiesFor(schema), ...wrong.filter(isBad)]
}

/** A digest of the rows of every table, by table. Without the time at which a key was last used, and what was requested. */
async function readRows(): Promise<Record<string, string>> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I', relname) as name from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r'
       and relname !~ '^request_log'`,
  )
  const digests: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await owner.query<{ digest: string }>(
      `select coalesce(md5(string_agg(shown, ',' order by shown)), '') as digest
       from (select (to_jsonb(t) - 'last_used_at')::text as shown from ${name} t) as rows`,
    )
    digests[name] = rows[0]?.digest ?? ''
  }
  expect(tables.length).toBeGreaterThan(50)
  return digests
}

const journals = async (): Promise<number> => (await world.pool.query('select from ledger_journals')).rowCount ?? -1

describe('every endpoint', () => {
  test('is in the document with one kind of credentials', () => {
    expect(endpoints.length).toBeGreaterThanOrEqual(9)
    for (const { security } of endpoints) expect(security).toHaveLength(1)
  })

  test('refuses every wrong credential with 401 or 403 in the envelope and posts nothing', async () => {
    const { ours, theirs } = world
    const invented = ours.secretKey.slice(0, -1) + (ours.secretKey.endsWith('a') ? 'b' : 'a')
    const cases: [string, Record<string, string>, 'always' | 'secret'][] = [
      ['none', {}, 'always'],
      ['public only', { authorization: `Bearer ${ours.publicKey}` }, 'secret'],
      ["another merchant's secret", both(ours.publicKey, theirs.secretKey), 'always'],
      ['an invented secret', both(ours.publicKey, invented), 'always'],
      ['test with live', both(ours.publicKey, ours.liveSecretKey), 'always'],
      ['live with test', both(ours.livePublicKey, ours.secretKey), 'always'],
      ['a revoked secret', both(ours.publicKey, ours.revokedSecretKey), 'always'],
      ['secret as bearer', both(ours.secretKey, ours.secretKey), 'always'],
      ['basic', { authorization: `Basic ${ours.publicKey}` }, 'always'],
      ['public twice', both(ours.publicKey, ours.publicKey), 'always'],
    ]
    for (const endpoint of endpoints) {
      const before = await journals()
      const schema = bodyOf(endpoint)
      const needsSecret = endpoint.security.some((needs) => 'secretKey' in needs)
      for (const [name, headers, when] of cases) {
        if (when === 'secret' && !needsSecret) continue
        const reply = await send(endpoint, headers, schema && JSON.stringify(valid(schema)))
        expectRefusal(reply, [401, 403], `${endpoint.path} with ${name}`)
      }
      expect(await journals(), endpoint.path).toBe(before)
      const right = await send(endpoint, both(ours.publicKey, ours.secretKey), schema && JSON.stringify(valid(schema)))
      expect([200, 404, 409, 422], `${endpoint.path} with the right keys`).toContain(right.status)
    }
  })

  test('refuses every bad body with 400 or 422 and changes no row', { timeout: 120_000 }, async () => {
    const { ours } = world
    const keys = both(ours.publicKey, ours.secretKey)
    const withBody = endpoints.filter((endpoint) => bodyOf(endpoint)?.properties !== undefined)
    expect(withBody.length).toBeGreaterThanOrEqual(30)
    const before = await readRows()
    let sent = 0
    let refused = 0
    for (const endpoint of withBody) {
      const bodies = badBodiesFor(bodyOf(endpoint) ?? {})
      expect(bodies.length, endpoint.path).toBeGreaterThanOrEqual(300)
      for (const body of bodies) {
        const reply = await send(endpoint, keys, body)
        sent++
        expectRefusal(reply, [400, 422], `${endpoint.path} ${body}`)
        refused++
      }
    }
    expect(sent).toBeGreaterThanOrEqual(withBody.length * 300)
    expect(refused).toBe(sent)
    expect(await readRows()).toEqual(before)
  })

  test('a POST without fields takes no body or an empty one, and refuses any field', async () => {
    const keys = both(world.ours.publicKey, world.ours.secretKey)
    const bare = endpoints.filter((endpoint) => {
      const { properties } = bodyOf(endpoint) ?? {}
      return endpoint.method === 'POST' && Object.keys(properties ?? {}).length === 0
    })
    expect(bare.length).toBeGreaterThanOrEqual(8)
    for (const endpoint of bare) {
      const { status, json } = await send(endpoint, keys, '{"reason":"x"}')
      expect([endpoint.path, status, json.error]).toMatchObject([
        endpoint.path,
        400,
        { code: 'FIELD_INVALID', param: 'reason' },
      ])
      for (const body of [undefined, '{}'])
        expect([200, 404, 409], endpoint.path).toContain((await send(endpoint, keys, body)).status)
    }
  })

  test('answers odd values with a success or a refusal in the envelope, never with a 5xx', {
    timeout: 120_000,
  }, async () => {
    const { ours } = world
    const keys = both(ours.publicKey, ours.secretKey)
    for (const endpoint of endpoints) {
      const before = await journals()
      let accepted = 0
      for (const body of oddBodiesFor(bodyOf(endpoint) ?? {})) {
        const reply = await send(endpoint, keys, body)
        if (reply.status === 200) accepted++
        else expectRefusal(reply, [400, 402, 404, 409, 422], `${endpoint.path} ${body}`)
      }
      expect((await journals()) - before, endpoint.path).toBeLessThanOrEqual(accepted)
    }
  })

  test('answers any text in its address without a 5xx', { timeout: 120_000 }, async () => {
    const { ours } = world
    const anyText = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('-1', '1e9', '\0', "'", '%', '../..', '\uFEFF'),
    )
    for (const endpoint of endpoints)
      for (const parameter of (endpoint.parameters ?? []).filter((each) => each.in !== 'header'))
        for (const text of fc.sample(anyText, 60)) {
          const value = encodeURIComponent(text.isWellFormed() ? text : 'x')
          const url =
            parameter.in === 'query'
              ? `${urlOf(endpoint).split('?')[0]}?${parameter.name}=${value}`
              : endpoint.path.replace(/\{\w+\}/, value)
          const reply = await world.app.inject({
            method: endpoint.method,
            url,
            headers: both(ours.publicKey, ours.secretKey),
          })
          expect(reply.statusCode, `${endpoint.method} ${url}`).toBeLessThan(500)
        }
  })
})
