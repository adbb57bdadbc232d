import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { defineErrors } from '../base/errors.ts'
import { createIds } from '../base/id.ts'
import { createLog } from '../base/log.ts'
import { systemRandom } from '../base/random.ts'
import { answer } from './envelope.ts'
import { digitsOf, exactNumber } from './exact-json.ts'
import { createMemoryLimits } from './limit.ts'
import { createServer, type Server, type ServerOptions } from './server.ts'

const testError = defineErrors({
  TOO_POOR: { kind: 'insufficient', message: 'There is less.' },
  TOO_LATE: { kind: 'conflict', message: 'It is too late.' },
})

let server: Server
let logged: string[]
let slowRequests: number
afterEach(() => server.stop())

async function start(options: Partial<ServerOptions> = {}): Promise<Server> {
  logged = []
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  const newId = createIds(systemClock, systemRandom)
  const checkReady = () => Promise.resolve()
  server = await createServer({
    log,
    newId,
    limits: createMemoryLimits(systemClock),
    checkReady,
    proxies: 0,
    webhooks: {},
    requestsPerMinute: 1_000,
    ...options,
  })
  const body = Type.Object(
    {
      amount: Type.Union([Type.Number(), Type.String()]),
      note: Type.Optional(Type.String({ minLength: 2 })),
      times: Type.Optional(Type.Integer()),
    },
    { additionalProperties: false },
  )
  server.app.post('/echo', { schema: { body } }, (request) =>
    answer('Here it is.', {
      amount: exactNumber(digitsOf(request.body, 'amount') ?? '0'),
      note: request.body.note ?? 'none',
    }),
  )
  const querystring = Type.Object({
    page: Type.Integer({ minimum: 1, default: 1 }),
    search: Type.Optional(Type.String()),
  })
  server.app.get('/list', { schema: { querystring } }, (request) => answer('A page.', request.query))
  server.app.get('/poor', () => {
    throw testError('TOO_POOR', { param: 'amount', maxAmount: '1.50' })
  })
  server.app.get('/broken', () => {
    throw new Error('secret words of ours')
  })
  slowRequests = 0
  server.app.get('/slow', async () => {
    slowRequests++
    await sleep(300)
    return answer('At last.', {})
  })
  server.app.delete('/thing', () => answer('Gone.', {}))
  return server
}

const post = async (payload: string, headers: Record<string, string> = {}) => {
  const reply = await server.app.inject({
    method: 'POST',
    url: '/echo',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  })
  return { status: reply.statusCode, text: reply.body, json: reply.json<Failure>(), headers: reply.headers }
}
const get = async (url: string) => {
  const reply = await server.app.inject(url)
  return { status: reply.statusCode, json: reply.json<Failure>(), headers: reply.headers }
}
type Failure = {
  code: number
  status: string
  message: string
  data: unknown
  error: { type: string; code: string; param: string; requestId: string; doc: string; maxAmount?: string }
}

describe('a response', () => {
  test('has the envelope, a request id and every digit, sent and received', async () => {
    await start()
    for (const digits of ['0.1', '9007199254740993', '12345678901234567890.123456789012345678']) {
      const reply = await post(`{"amount":${digits}}`)
      expect(reply.text).toContain(`"amount":${digits},`)
      expect(reply.json).toMatchObject({ code: 200, status: 'success', message: 'Here it is.' })
      expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect((await post('{"amount":"0.10"}')).text).toContain('"amount":0.10,')
  })

  test('has security headers', async () => {
    await start()
    const { headers } = await post('{"amount":1}')
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    })
    expect(headers['strict-transport-security']).toBeDefined()
    expect(headers['x-powered-by']).toBeUndefined()
  })

  test('with an error has the envelope with code, kind, parameter and request id', async () => {
    await start()
    const reply = await get('/poor')
    expect(reply.status).toBe(402)
    expect(reply.json).toEqual({
      message: 'There is less.',
      code: 402,
      status: 'error',
      error: {
        type: 'insufficient',
        code: 'TOO_POOR',
        param: 'amount',
        requestId: reply.headers['x-request-id'],
        doc: '/docs/errors/too-poor',
        maxAmount: '1.50',
      },
    })
  })

  test('to an unexpected error is a 500 without its message, which the log has with the request id', async () => {
    await start()
    const reply = await get('/broken')
    expect(reply.json).toMatchObject({ code: 500, status: 'error', error: { code: 'INTERNAL' } })
    expect(JSON.stringify(reply.json)).not.toContain('secret words')
    const line = logged.find((text) => text.includes('secret words'))
    expect(line).toContain(reply.headers['x-request-id'])
  })
})

describe('a request', () => {
  test.each([
    ['{"amount":', 'BODY_MALFORMED'],
    ['{"amount":1,"amount":2}', 'BODY_MALFORMED'],
    ['{"amount":1,"__proto__":{}}', 'BODY_MALFORMED'],
    ['{}', 'FIELD_INVALID'],
    ['{"amount":[5]}', 'FIELD_INVALID'],
    ['{"amount":null}', 'FIELD_INVALID'],
    ['{"amount":1,"times":"5"}', 'FIELD_INVALID'],
    ['{"amount":1,"more":1}', 'FIELD_INVALID'],
    ['[]', 'FIELD_INVALID'],
    ['null', 'FIELD_INVALID'],
    [`{"amount":1,"note":"${'x'.repeat(70_000)}"}`, 'BODY_TOO_LARGE'],
  ])('400: %.40s', async (payload, code) => {
    await start()
    const reply = await post(payload)
    expect([reply.status, reply.json.status, reply.json.error.code]).toEqual([400, 'error', code])
  })

  test('with an invalid field gets an error that names it', async () => {
    await start()
    expect((await post('{}')).json.error.param).toBe('amount')
    expect((await post('{"amount":1,"times":1.5}')).json.error.param).toBe('times')
    expect((await post('{"amount":1,"colour":1}')).json.error.param).toBe('colour')
  })

  test('with an optional field sent as null or "" is treated as if the field were absent', async () => {
    await start()
    expect((await post('{"amount":1,"note":null}')).text).toContain('"note":"none"')
    expect((await post('{"amount":1,"note":""}')).text).toContain('"note":"none"')
    expect((await get('/list?page=&search=')).json.data).toEqual({ page: 1 })
  })

  test('may have numbers in its query, and is refused if they are not numbers', async () => {
    await start()
    expect((await get('/list?page=3')).json.data).toEqual({ page: 3 })
    expect((await get('/list?page=0')).status).toBe(400)
    expect((await get('/list?page=x')).status).toBe(400)
  })

  test('with another media type, or for an unknown path, gets an error in the envelope', async () => {
    await start()
    expect((await post('a=1', { 'content-type': 'text/plain' })).json.error.code).toBe('BODY_TYPE_UNKNOWN')
    const bad = await get('/%zz')
    expect([bad.status, bad.json.error.code, bad.headers['x-request-id']]).toEqual([
      404,
      'ROUTE_NOT_FOUND',
      bad.json.error.requestId,
    ])
    const nowhere = await get('/nowhere')
    expect([nowhere.status, nowhere.json.error.code]).toEqual([404, 'ROUTE_NOT_FOUND'])
  })

  test('may be a DELETE with a content type and no body', async () => {
    await start()
    const reply = await server.app.inject({
      method: 'DELETE',
      url: '/thing',
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.statusCode).toBe(200)
  })

  test('429: gets Retry-After over the limit; health checks are not limited', async () => {
    await start({ requestsPerMinute: 3 })
    const replies = [await get('/list'), await get('/list'), await get('/list'), await get('/list')]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(replies[3]!.json.error).toMatchObject({ code: 'RATE_LIMITED', type: 'too_many' })
    expect(Number(replies[3]!.headers['retry-after'])).toBeGreaterThan(0)
    expect(replies[0]!.headers['x-ratelimit-remaining']).toBe('2')
    expect((await server.app.inject('/health/live')).statusCode).toBe(200)
  })

  test('is counted by its own address: X-Forwarded-For is trusted only for the configured number of proxies', async () => {
    const from = (address: string) => server.app.inject({ url: '/list', headers: { 'x-forwarded-for': address } })
    await start({ requestsPerMinute: 1 })
    expect([(await from('1.1.1.1')).statusCode, (await from('2.2.2.2')).statusCode]).toEqual([200, 429])
    await server.stop()
    await start({ requestsPerMinute: 1, proxies: 1 })
    expect([(await from('1.1.1.1')).statusCode, (await from('2.2.2.2')).statusCode]).toEqual([200, 200])
    // Entries that the caller adds before the proxy's own do not count.
    expect((await from('9.9.9.9, 1.1.1.1')).statusCode).toBe(429)
  })

  test('is logged by route and status, never by its path', async () => {
    await start()
    await get('/list?search=ann%40example.com')
    expect(logged.join('')).toContain('"route":"/list"')
    expect(logged.join('')).not.toContain('example.com')
  })
})

test('readiness reports whether requests can be served; metrics have durations by route and are not public', async () => {
  let isReady = false
  await start({ checkReady: () => (isReady ? Promise.resolve() : Promise.reject(new Error('no database'))) })
  expect((await server.app.inject('/health/ready')).statusCode).toBe(503)
  isReady = true
  expect((await server.app.inject('/health/ready')).statusCode).toBe(200)
  await get('/list')
  expect((await server.app.inject('/metrics')).statusCode).toBe(404)
  expect(await server.metrics.read()).toContain(
    'scrip_http_request_seconds_count{method="GET",route="/list",status="200"} 1',
  )
})

test('stop completes the requests that have reached a handler and refuses new ones', async () => {
  await start()
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.app.server.address() as AddressInfo
  const request = (path: string) =>
    new Promise<number>((resolve, reject) => {
      send({ port, path }, (reply) => {
        reply.resume()
        reply.on('end', () => resolve(reply.statusCode ?? 0))
      })
        .on('error', reject)
        .end()
    })
  const underWay = Array.from({ length: 50 }, () => request('/slow'))
  // On a busy machine it takes a while until all have reached the handler.
  while (slowRequests < underWay.length) await sleep(1)
  const stopped = server.stop()
  expect(await Promise.all(underWay)).toEqual(Array.from({ length: 50 }, () => 200))
  await stopped
  await expect(request('/slow')).rejects.toThrow('ECONNREFUSED')
})
