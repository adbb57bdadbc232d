import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Cap, createCaps } from '../base/caps.ts'
import { httpError } from './errors.ts'
import { networkOf } from './limit.ts'

// Shorter than the idle time-outs of common proxies.
export const heartbeatMs = 15_000
// After this time the client reconnects and authenticates again.
const streamMsMax = 10 * 60_000
/**
 * The most concurrent streams in this process: per audience, per address, per user or key, and per object. Each audience has its own
 * limits, so that voucher holders cannot use up the streams of merchants.
 */
const capsOf = {
  holder: { all: 500, address: 20, listener: 20, object: 5 },
  wallet: { all: 1_000, address: 50, listener: 10, object: 10 },
  dashboard: { all: 500, address: 50, listener: 10, object: 100 },
  merchant: { all: 500, address: 100, listener: 20, object: 20 },
} as const
const caps = createCaps()
const retryAfterSeconds = 30

export type Audience = {
  readonly name: keyof typeof capsOf
  /** The user or key that listens. Anonymous visitors are counted by their address. */
  readonly listenerId?: string
  /** The object that the stream is about. */
  readonly objectId: string
}

export type StreamEvent = { readonly id?: string; readonly event: string; readonly data: string }

/**
 * Sends server-sent events until the client disconnects, for ten minutes at most. The signal tells the source that the client is gone.
 * The source is read only as fast as the client reads; null sends a heartbeat.
 */
export function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  audience: Audience,
  source: (signal: AbortSignal) => AsyncGenerator<StreamEvent | null>,
): FastifyReply {
  const release = takeSlot(networkOf(request.ip), audience)
  const ended = new AbortController()
  const stream = Readable.from(write(source(ended.signal)), { objectMode: false })
  const limit = setTimeout(() => {
    ended.abort()
    // Do not wait for a client that has stopped reading.
    setTimeout(() => stream.destroy(), 1_000).unref()
  }, streamMsMax)
  // The stream closes only when its source ends, and the source waits for the signal.
  reply.raw.on('close', () => ended.abort())
  stream.on('close', () => {
    release()
    clearTimeout(limit)
    ended.abort()
  })
  return (
    reply
      .type('text/event-stream; charset=utf-8')
      // Close the connection with the stream: otherwise a stopping server waits a minute for it to become idle.
      .header('Connection', 'close')
      // Keep proxies from buffering the stream.
      .header('X-Accel-Buffering', 'no')
      .send(stream)
  )
}

/** Refuses before work that only a stream needs if there is no slot for the stream. */
export function refuseIfFull(request: FastifyRequest, name: Audience['name']): void {
  if (!caps.hasRoom(capsFor(name, networkOf(request.ip)))) throw httpError('RATE_LIMITED', { retryAfterSeconds })
}

function capsFor(name: Audience['name'], address: string): Cap[] {
  return [
    { name, max: capsOf[name].all },
    { name: `${name}/address/${address}`, max: capsOf[name].address },
  ]
}

function takeSlot(address: string, { name, listenerId = address, objectId }: Audience): () => void {
  const { listener, object } = capsOf[name]
  const release = caps.take([
    ...capsFor(name, address),
    { name: `${name}/listener/${listenerId}`, max: listener },
    { name: `${name}/object/${objectId}`, max: object },
  ])
  if (release === undefined) throw httpError('RATE_LIMITED', { retryAfterSeconds })
  return release
}

async function* write(events: AsyncGenerator<StreamEvent | null>): AsyncGenerator<string> {
  yield 'retry: 2000\n\n'
  for await (const event of events) {
    if (event === null) yield ': still here\n\n'
    else yield `${event.id === undefined ? '' : `id: ${event.id}\n`}event: ${event.event}\ndata: ${event.data}\n\n`
  }
}
