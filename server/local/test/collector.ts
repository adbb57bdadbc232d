// Receives spans as a collector does: OTLP over HTTP in JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly attributes: Readonly<Record<string, unknown>>
  /** Of the process that sent it. */
  readonly resource: Readonly<Record<string, unknown>>
  readonly status: { readonly code?: number; readonly message?: string }
  readonly startMs: number
  readonly endMs: number
}

export type Collector = {
  readonly url: string
  readonly spans: () => readonly ReceivedSpan[]
  /** Everything that was received, with the headers. */
  readonly bytes: () => string
  readonly close: () => Promise<void>
}

type Value = { readonly arrayValue?: { readonly values: readonly Value[] } } & Readonly<Record<string, unknown>>
type Fields = readonly { readonly key: string; readonly value: Value }[]
type WireSpan = Omit<ReceivedSpan, 'attributes' | 'resource' | 'startMs' | 'endMs' | 'links'> & {
  readonly attributes?: Fields
  readonly links?: ReceivedSpan['links']
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}
type Body = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Fields }
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  let bytes = ''
  const server = createServer((request, reply) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString()
      bytes += JSON.stringify(request.headers) + text
      spans.push(...readSpans(JSON.parse(text) as Body))
      reply.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    bytes: () => bytes,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function readSpans({ resourceSpans }: Body): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        links: span.links ?? [],
        attributes: toRecord(span.attributes ?? []),
        resource: toRecord(resource.attributes),
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
      })),
    ),
  )
}

function toRecord(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ key, value }) => [key, toValue(value)]))
}

function toValue(value: Value): unknown {
  return value.arrayValue === undefined ? Object.values(value)[0] : value.arrayValue.values.map(toValue)
}
