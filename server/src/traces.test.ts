import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '../local/parts/postgres.ts'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { type Collector, type ReceivedSpan, startCollector } from '../local/test/collector.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { systemClock } from './base/clock.ts'
import { startJobs } from './base/jobs.ts'
import { createLog } from './base/log.ts'

const pin = '7373'
const endpoints = '/webhook-endpoints'
const reference = 'order-8842-of-ada'

let collector: Collector
let world: ApiWorld
let address: string
beforeAll(async () => {
  collector = await startCollector()
  world = await createTracedWorld(collector.url)
  address = await world.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await world.close()
  await collector.close()
})

async function createTracedWorld(endpoint: string, settings: Record<string, string> = {}): Promise<ApiWorld> {
  const { url } = await createTestDatabase()
  return createApiWorld(url, systemClock, {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collector%20key',
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...settings,
  })
}

const newTraceId = (): string => crypto.randomUUID().replaceAll('-', '')
const callerSpanId = '00f067aa0ba902b7'
const traceparent = (traceId: string, flags = '01'): string => `00-${traceId}-${callerSpanId}-${flags}`

function redeem(body: object, more: Record<string, string> = {}): Promise<Response> {
  return fetch(`${address}/merchant-integrations/redeem-voucher`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ours.publicKey}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  })
}

async function startReceiver(): Promise<{ url: string; count: () => number; close: () => Promise<void> }> {
  let count = 0
  const server = createServer((request, reply) => {
    count++
    request.resume()
    reply.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    count: () => count,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const spansOf = (traceId: string): readonly ReceivedSpan[] =>
  collector.spans().filter((span) => span.traceId === traceId)
const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.filter((span) => span.name === name)
  expect(found, name).toHaveLength(1)
  return found[0] as ReceivedSpan
}

test('a redemption is one trace with its stages, linked with its batch, and its log line has the id', async () => {
  await world.fund(100)
  const code = await world.voucher('20.00', { lockPin: pin })
  const traceId = newTraceId()
  const body = { voucherCode: code, amount: 5, lockPin: pin, referenceId: reference }
  const reply = await redeem(body, { traceparent: traceparent(traceId) })
  const { data } = (await reply.json()) as { data: { transactionId: string } }
  expect(reply.status).toBe(200)
  const route = 'POST /merchant-integrations/redeem-voucher'
  await expect.poll(() => spansOf(traceId).map(({ name }) => name), { timeout: 10_000 }).toContain(route)

  const spans = spansOf(traceId)
  const root = named(spans, route)
  expect(root).toMatchObject({ parentSpanId: callerSpanId, kind: 2 })
  expect(root.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/merchant-integrations/redeem-voucher',
    'http.response.status_code': 200,
    'scrip.request.id': reply.headers.get('x-request-id'),
  })
  expect(root.resource).toMatchObject({ 'service.name': 'scrip', 'host.name': hostname(), 'scrip.process': 'all' })
  const stages = ['redeem.read', 'redeem.check', 'redeem.price', 'ledger.post'].map((name) => named(spans, name))
  for (const stage of stages) expect(stage.parentSpanId).toBe(root.spanId)
  // A start is exact to the millisecond.
  for (const [i, stage] of stages.entries())
    expect(stage.startMs).toBeGreaterThan((stages[i - 1]?.endMs ?? root.startMs) - 2)
  const [read, , , post] = stages as [ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan]
  expect(
    spans.filter(({ parentSpanId, attributes }) => parentSpanId === read.spanId && attributes['db.system.name']).length,
  ).toBeGreaterThan(2)
  expect(named(spans, 'ledger.wait').parentSpanId).toBe(post.spanId)
  expect(post.attributes).toEqual({ 'scrip.journal.id': data.transactionId, 'scrip.journal.kind': 'voucher.redeem' })

  const [link] = post.links
  const batchTrace = spansOf(link?.traceId ?? '')
  const batch = named(batchTrace, 'ledger.batch')
  expect(batch.spanId).toBe(link?.spanId)
  expect(batch.attributes['scrip.batch.journals']).toBe(1)
  expect(batch.links).toMatchObject([{ traceId, spanId: post.spanId }])
  const round = named(batchTrace, 'round')
  expect(round.parentSpanId).toBe(batch.spanId)
  expect(round.attributes['scrip.statements']).toContain('ledger_settings')

  const line = world
    .logged()
    .split('\n')
    .find((each) => each.includes(traceId))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    msg: 'answered',
    requestId: reply.headers.get('x-request-id'),
    merchant: world.ours.merchantId,
    traceId,
  })
})

test('requests that share a batch are linked with the same one', async () => {
  await world.fund(100)
  const codes = await Promise.all(Array.from({ length: 60 }, () => world.voucher('1.00')))
  const ids = codes.map(newTraceId)
  const replies = await Promise.all(
    codes.map((voucherCode, i) =>
      // Every second request is not sampled.
      redeem({ voucherCode, amount: 1 }, { traceparent: traceparent(ids[i] ?? '', i % 2 ? '00' : '01') }),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual(codes.map(() => 200))
  const sampled = ids.filter((_, i) => i % 2 === 0)
  await expect
    .poll(() => sampled.filter((id) => spansOf(id).some(({ name }) => name.startsWith('POST'))).length, {
      timeout: 10_000,
    })
    .toBe(sampled.length)
  for (const id of ids.filter((_, i) => i % 2 === 1)) expect(spansOf(id)).toEqual([])
  let shared = 0
  for (const id of sampled) {
    const post = named(spansOf(id), 'ledger.post')
    const [link] = post.links
    const batch = named(spansOf(link?.traceId ?? ''), 'ledger.batch')
    expect(batch.links.map(({ spanId }) => spanId)).toContain(post.spanId)
    shared = Math.max(shared, batch.links.length)
    // What a request reads and posts is in its trace once, whoever shared the connection.
    expect(spansOf(id).filter(({ name }) => name === 'ledger.wait')).toHaveLength(1)
    for (const span of spansOf(id))
      expect(span.startMs).toBeGreaterThanOrEqual(named(spansOf(id), 'redeem.read').startMs - 1_000)
  }
  expect(shared).toBeGreaterThan(1)
})

test('a webhook delivery and a job are traces, and the delivery has the id of the payment', async () => {
  const receiver = await startReceiver()
  const jobs = startJobs(world.jobs, createLog('silent'))
  try {
    await world.fund(100)
    await world.post(endpoints, { url: receiver.url, eventTypes: ['voucher.redeemed'] })
    const code = await world.voucher('20.00')
    const reply = await redeem({ voucherCode: code, amount: 5 })
    const { data } = (await reply.json()) as { data: { transactionId: string } }
    await expect.poll(receiver.count, { timeout: 10_000 }).toBe(1)
    const find = (): ReceivedSpan | undefined =>
      collector.spans().find(({ attributes }) => attributes['scrip.transaction.id'] === data.transactionId)
    await expect.poll(() => find()?.name, { timeout: 10_000 }).toBe('webhook delivery')
    expect(find()?.attributes).toMatchObject({
      'scrip.event.type': 'voucher.redeemed',
      'http.response.status_code': 204,
    })
    const payment = collector.spans().find(({ attributes }) => attributes['scrip.journal.id'] === data.transactionId)
    expect(payment?.name).toBe('ledger.post')
    const job = collector.spans().find(({ name }) => name === 'job webhook fan-out')
    expect(spansOf(job?.traceId ?? '').filter(({ parentSpanId }) => parentSpanId === job?.spanId)).not.toEqual([])
    expect(collector.bytes().includes(receiver.url)).toBe(false)
  } finally {
    await jobs.stop()
    await receiver.close()
  }
})

test('no exported byte has a code, a PIN, a key, a reference, a query or a value', async () => {
  await world.fund(100)
  const code = await world.voucher('20.00', { lockPin: pin })
  const bodies = [
    { voucherCode: code, amount: 5, lockPin: '1111' },
    { voucherCode: code, amount: 5, lockPin: pin, referenceId: 'order-of-grace', metaData: 'gift of ada' },
    { voucherCode: 'WRONG-CODE-1234', amount: 5 },
  ]
  const ids: string[] = []
  for (const body of bodies) {
    ids.push(newTraceId())
    await redeem(body, { traceparent: traceparent(ids.at(-1) ?? '') })
  }
  ids.push(newTraceId())
  const headers = { traceparent: traceparent(ids.at(-1) ?? ''), authorization: `Bearer ${world.ours.publicKey}` }
  await fetch(`${address}/merchant-integrations/customers/ada@example.com?search=grace@example.com`, { headers })
  for (const id of ids) await expect.poll(() => spansOf(id).length, { timeout: 10_000 }).toBeGreaterThan(0)
  await sleep(200)
  const secrets = [
    code,
    code.replaceAll('-', ''),
    'WRONG-CODE',
    reference,
    'order-of-grace',
    'gift of ada',
    'ada@',
    'grace@',
  ]
  const keys = [world.ours.publicKey, world.ours.secretKey, world.pepper, world.keyRing.slice(2)]
  const bytes = collector.bytes().toLowerCase()
  for (const secret of [...secrets, ...keys]) expect(bytes.includes(secret.toLowerCase()), secret).toBe(false)
  // Four digits are in ids and times too.
  const texts = JSON.stringify(collector.spans().map(({ name, attributes, status }) => [name, attributes, status]))
  expect(texts.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')).not.toMatch(new RegExp(`${pin}|1111`))
  // What was sent has arrived, so that the search means something.
  expect(bytes.includes('"api-key":"collector key"')).toBe(true)
  expect(bytes.includes('redeem.check')).toBe(true)
})

test('a collector that is away, or that never responds, delays no redemption and is two lines of the log', async () => {
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '500'
  const port = await findFreePort()
  const silent = createServer(() => undefined)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  for (const url of [`http://127.0.0.1:${port}`, `http://127.0.0.1:${(silent.address() as AddressInfo).port}`]) {
    const away = await createTracedWorld(url, { OTEL_TRACES_SAMPLER: 'always_on', OTEL_BSP_MAX_QUEUE_SIZE: '100' })
    await away.fund(100)
    const code = await away.voucher('90.00')
    for (let i = 0; i < 60; i++) {
      const startMs = performance.now()
      expect((await away.redeem({ voucherCode: code, amount: 1 })).status).toBe(200)
      expect(performance.now() - startMs).toBeLessThan(1_000)
      await sleep(40)
    }
    const lines = (): string[] =>
      away
        .logged()
        .split('\n')
        .filter((line) => line.includes('The trace collector'))
    await expect.poll(lines, { timeout: 10_000 }).toHaveLength(1)
    expect(lines()[0]).toMatch(/"level":40.*takes no spans/)
    await away.close()
  }
  silent.closeAllConnections()
  silent.close()
}, 60_000)
