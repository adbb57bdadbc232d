// For every endpoint of the OpenAPI document: every wrong credential, hundreds of bad bodies, every id of another
// merchant. A new endpoint is covered by being there.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/api-world.ts'
import { createTestDatabase } from '../local/test-database.ts'

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
type Parameter = { name: string; in: 'path' | 'query'; required?: boolean; schema: Schema }
type Operation = {
  security: Record<string, unknown>[]
  parameters?: Parameter[]
  responses: Record<string, { content?: Record<string, unknown> }>
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}
type Endpoint = Operation & { method: 'GET' | 'POST' | 'DELETE'; path: string }

let world: ApiWorld
let endpoints: Endpoint[]
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  await world.app.ready()
  const { paths = {} } = world.app.swagger() as unknown as { paths?: Record<string, Record<string, Operation>> }
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase() as Endpoint['method'],
    })),
  )
  // A stream answers for as long as somebody listens: it has tests of its own.
  endpoints = all.filter(({ responses }) => responses['200']?.content?.['text/event-stream'] === undefined)
  expect(endpoints).toHaveLength(all.length - 1)
})
afterAll(() => world.close())

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
  return {
    status: reply.statusCode,
    json: reply.json<{ code: number; status: string; error?: { code: string; requestId: string } }>(),
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

const journals = async (): Promise<number> => (await world.pool.query('select from ledger_journals')).rowCount ?? -1

describe('every endpoint', () => {
  test('is in the document, with what it needs', () => {
    expect(endpoints.length).toBeGreaterThanOrEqual(9)
    for (const { security } of endpoints) expect(security).toHaveLength(1)
  })

  test('refuses every wrong credential in one form', async () => {
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

  test('refuses at least 300 bad bodies, each with the envelope, none with a 5xx', async () => {
    const { ours } = world
    const keys = both(ours.publicKey, ours.secretKey)
    const odd = [
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
    for (const endpoint of endpoints) {
      const before = await journals()
      let taken = 0
      const schema = bodyOf(endpoint)
      if (schema?.properties === undefined) continue
      const names = Object.keys(schema.properties)
      const text = (replaced: string, value: string): string =>
        `{${names.map((name) => `"${name}":${name === replaced ? value : JSON.stringify(valid(schema.properties?.[name] ?? {}))}`).join(',')}}`
      const bodies = [
        '',
        '{',
        'null',
        '[]',
        '"x"',
        '1',
        '{"a":',
        `{"${names[0]}":1,"${names[0]}":2}`,
        '{"__proto__":{"a":1}}',
        '{"constructor":{"prototype":{}}}',
        `${text('', '').slice(0, -1)},"unknown":1}`,
        ...names.map((name) =>
          JSON.stringify(
            Object.fromEntries(names.filter((n) => n !== name).map((n) => [n, valid(schema.properties?.[n] ?? {})])),
          ),
        ),
        ...names.flatMap((name) => odd.map((value) => text(name, value))),
        ...fc.sample(fc.json({ maxDepth: 4 }), 300),
      ]
      for (const body of bodies) {
        const reply = await send(endpoint, keys, body)
        // Something odd can be right by chance, such as true for a boolean. It must never be our fault.
        expect(reply.status, `${endpoint.path} ${body}`).toBeLessThan(500)
        if (reply.status === 200) taken++
        else expectRefusal(reply, [400, 402, 404, 409, 422], `${endpoint.path} ${body}`)
      }
      expect((await journals()) - before, endpoint.path).toBeLessThanOrEqual(taken)
    }
  }, 120_000)

  test('refuses or takes whatever stands in its address, and never fails by it', async () => {
    const { ours } = world
    const anyText = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('-1', '1e9', '\0', "'", '%', '../..', '\uFEFF'),
    )
    for (const endpoint of endpoints)
      for (const parameter of endpoint.parameters ?? [])
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

  test("answers 404 to every id of another merchant's, and changes nothing of it", async () => {
    const { ours, theirs } = world
    const email = 'theirs@example.com'
    const made = await world.call('POST', '/merchant-integrations-server/add-new-customer', {
      as: theirs,
      body: { email, name: 'Theirs' },
    })
    const foreignId = (JSON.parse(made.text) as { data: { id: string } }).data.id
    const before = await world.call('GET', '/merchant-integrations/fetch-customers', { as: theirs })
    for (const endpoint of endpoints) {
      const schema = bodyOf(endpoint)
      const inPath = (endpoint.parameters ?? []).some((p) => p.in === 'path' && p.schema.format === 'uuid')
      const inBody = Object.entries(schema?.properties ?? {}).filter(([, property]) => property.format === 'uuid')
      if (!inPath && inBody.length === 0) continue
      const body = schema && {
        ...(valid(schema) as object),
        ...Object.fromEntries(inBody.map(([name]) => [name, foreignId])),
        // One that was used before is told before anything is looked for.
        ...('reference_id' in (schema.properties ?? {}) && { reference_id: world.newId() }),
      }
      const reply = await world.call(endpoint.method, endpoint.path.replaceAll(/\{\w+\}/g, foreignId), {
        as: ours,
        ...(body && { body }),
      })
      expect(reply.status, endpoint.path).toBe(404)
    }
    expect((await world.call('GET', '/merchant-integrations/fetch-customers', { as: theirs })).text).toBe(before.text)
  })
})
