import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { httpError } from './errors.ts'

// Between words: shorter than what proxies take for silence.
export const heartbeatMs = 15_000
// Then its reader opens it anew, and shows who he is again.
const streamMsMax = 10 * 60_000
// In this process. Each is a connection that stays.
const streamsMax = 2_000
let streams = 0

export type Word = { readonly id?: string; readonly event: string; readonly data: string }

/**
 * Answers with server-sent events for as long as the reader listens, ten minutes at most. The source is told by the signal when the reader
 * is gone; it is asked for more only as fast as the reader reads. A word of null says that we are still here.
 */
export function sendStream(reply: FastifyReply, source: (signal: AbortSignal) => AsyncGenerator<Word | null>) {
  if (streams >= streamsMax) throw httpError('RATE_LIMITED', { retryAfterSeconds: 30 })
  streams++
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
    streams--
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

async function* write(words: AsyncGenerator<Word | null>): AsyncGenerator<string> {
  yield 'retry: 2000\n\n'
  for await (const word of words) {
    if (word === null) yield ': still here\n\n'
    else yield `${word.id === undefined ? '' : `id: ${word.id}\n`}event: ${word.event}\ndata: ${word.data}\n\n`
  }
}
