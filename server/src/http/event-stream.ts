import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createCaps } from '../base/caps.ts'
import { httpError } from './errors.ts'
import { networkOf } from './limit.ts'

// Between words: shorter than what proxies take for silence.
export const heartbeatMs = 15_000
// Then its reader opens it anew, and shows who he is again.
const streamMsMax = 10 * 60_000
/**
 * Each stream is a connection that stays. How many there may be at once in this process: of an audience, from one address, of one user or
 * key, and about one object. Each audience has its own, so that no voucher's holder takes a shop's.
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
  /** Who listens: a user or a key. A visitor whom nobody knows is the address. */
  readonly listenerId?: string
  /** What it is about. */
  readonly objectId: string
}

export type Word = { readonly id?: string; readonly event: string; readonly data: string }

/**
 * Answers with server-sent events for as long as the reader listens, ten minutes at most. The source is told by the signal when the reader
 * is gone; it is asked for more only as fast as the reader reads. A word of null says that we are still here.
 */
export function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  audience: Audience,
  source: (signal: AbortSignal) => AsyncGenerator<Word | null>,
) {
  const giveBack = takePlace(networkOf(request.ip), audience)
  const ended = new AbortController()
  const stream = Readable.from(write(source(ended.signal)), { objectMode: false })
  const limit = setTimeout(() => {
    ended.abort()
    // One that does not read is not waited for.
    setTimeout(() => stream.destroy(), 1_000).unref()
  }, streamMsMax)
  // The stream itself closes only when its source does, and that waits for the signal.
  reply.raw.on('close', () => ended.abort())
  stream.on('close', () => {
    giveBack()
    clearTimeout(limit)
    ended.abort()
  })
  return (
    reply
      .type('text/event-stream; charset=utf-8')
      // Its connection ends with it: a server that stops would wait for it to be idle for a minute.
      .header('Connection', 'close')
      // A proxy that gathers answers would hold it back.
      .header('X-Accel-Buffering', 'no')
      .send(stream)
  )
}

function takePlace(address: string, { name, listenerId = address, objectId }: Audience): () => void {
  const { all, address: addressMax, listener, object } = capsOf[name]
  const giveBack = caps.take([
    { name, max: all },
    { name: `${name}/address/${address}`, max: addressMax },
    { name: `${name}/listener/${listenerId}`, max: listener },
    { name: `${name}/object/${objectId}`, max: object },
  ])
  if (giveBack === undefined) throw httpError('RATE_LIMITED', { retryAfterSeconds })
  return giveBack
}

async function* write(words: AsyncGenerator<Word | null>): AsyncGenerator<string> {
  yield 'retry: 2000\n\n'
  for await (const word of words) {
    if (word === null) yield ': still here\n\n'
    else yield `${word.id === undefined ? '' : `id: ${word.id}\n`}event: ${word.event}\ndata: ${word.data}\n\n`
  }
}
