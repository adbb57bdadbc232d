// Receives webhooks as a shop would: verifies each with the standard's own library, and records when it arrived.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { Webhook } from 'standardwebhooks'
import type { Book, Count, ReceiverInput, Repeat, Temper } from './receiver.ts'

// As over a network, so that a killed worker leaves requests behind whose responses it never reads.
const responseMsMax = 20

type Endpoint = {
  temper: Temper
  webhook: Webhook | undefined
  readonly firstMs: Map<string, number>
  /** When each event was last accepted. */
  readonly taken: Map<string, number>
  /** Requests that get no response before the endpoint is repaired. */
  readonly held: (() => void)[]
  readonly repeats: Repeat[]
  refused: number
  badSignatures: number
}

const endpoints = (workerData as readonly Temper[]).map(
  (temper): Endpoint => ({
    temper,
    webhook: undefined,
    firstMs: new Map(),
    taken: new Map(),
    held: [],
    repeats: [],
    refused: 0,
    badSignatures: 0,
  }),
)

const server = createServer((request, reply) => void receive(request, reply))
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
parentPort?.on('message', (message: ReceiverInput) => parentPort?.postMessage(respond(message)))

function respond(message: ReceiverInput): Count[] | Book[] | null {
  switch (message.ask) {
    case 'know':
      for (const [i, secret] of message.secrets.entries()) {
        const endpoint = endpoints[i]
        if (endpoint !== undefined) endpoint.webhook = new Webhook(secret)
      }
      return null
    case 'count':
      return endpoints.map(({ firstMs, taken, refused, held }) => ({
        arrived: firstMs.size,
        taken: taken.size,
        refused,
        held: held.length,
      }))
    case 'repair':
      for (const endpoint of endpoints) {
        endpoint.temper = 'healthy'
        for (const release of endpoint.held.splice(0)) release()
      }
      return null
    case 'read books':
      return endpoints.map(({ firstMs, taken, repeats, badSignatures }) => ({
        firstMs,
        taken: new Set(taken.keys()),
        repeats,
        badSignatures,
      }))
  }
}

async function receive(request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const body = await readBody(request).catch(() => undefined)
  // The sender was killed before it had sent everything.
  if (body === undefined) return
  const arrivedMs = Date.now()
  const endpoint = endpoints[Number(request.url?.slice(1))]
  if (endpoint === undefined) return void reply.writeHead(404).end()
  const id = verify(endpoint, request, body)
  if (id === undefined) {
    endpoint.badSignatures++
    return void reply.writeHead(401).end()
  }
  if (!endpoint.firstMs.has(id)) endpoint.firstMs.set(id, arrivedMs)
  const accept = (): void => acceptEvent(endpoint, id, request, reply)
  if (endpoint.temper === 'hangs') endpoint.held.push(accept)
  else if (endpoint.temper === 'fails half' && Math.random() < 0.5) {
    endpoint.refused++
    reply.writeHead(500).end()
  } else setTimeout(accept, Math.random() * responseMsMax)
}

/** Returns the ID of the event, or undefined if the signature is wrong. */
function verify({ webhook }: Endpoint, { headers }: IncomingMessage, body: string): string | undefined {
  try {
    const event = webhook?.verify(body, headers as Record<string, string>) as { id: string } | undefined
    return event?.id === headers['webhook-id'] ? event?.id : undefined
  } catch {
    return undefined
  }
}

function acceptEvent(endpoint: Endpoint, id: string, request: IncomingMessage, reply: ServerResponse): void {
  // The sender is gone: the event does not count as accepted, and another worker sends it again.
  if (request.socket.destroyed) return
  const beforeMs = endpoint.taken.get(id)
  const nowMs = Date.now()
  if (beforeMs !== undefined) endpoint.repeats.push({ beforeMs, againMs: nowMs })
  endpoint.taken.set(id, nowMs)
  reply.writeHead(204).end()
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
