// A thread of attackers. Each sends one and a half times what the API allows one visitor, so that a third is refused. Of
// what the API limits for all visitors together, they try to take everything. The numbers are the API's limits.
import { Agent, request as send } from 'node:http'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Shop, Targets } from './world.ts'

export type Kind = 'pdf' | 'stream' | 'print' | 'public_key'
export type Tally = Record<Kind, { sent: number; served: number; refused: number }> & { readonly errors: string[] }

// Real attackers have machines of their own. Here they only get the CPU time that the platform leaves.
setPriority(constants.priority.PRIORITY_LOW)
const targets = workerData as Targets
const tally: Tally = {
  pdf: { sent: 0, served: 0, refused: 0 },
  stream: { sent: 0, served: 0, refused: 0 },
  print: { sent: 0, served: 0, refused: 0 },
  public_key: { sent: 0, served: 0, refused: 0 },
  errors: [],
}
const agent = new Agent({ keepAlive: true, maxSockets: 2_000 })
let isOver = false
let turn = 0

const pdfVisitors = 10
const pdfsAMinute = 20
const streamAddresses = 30
const streamsPerAddress = 20
const keyVisitors = 3
const visitorRequestsAMinute = 600
const greed = 1.5

parentPort?.on('message', () => (isOver = true))
await Promise.all([
  ...Array.from({ length: pdfVisitors }, (_, n) => pace(60_000 / pdfsAMinute / greed, () => requestPdf(`20.0.0.${n}`))),
  ...Array.from({ length: streamAddresses }, (_, n) => takeStreams(`20.0.1.${n}`)),
  ...targets.batches.map(({ shop, id }, n) => printRepeatedly(shop, id, `20.0.2.${n}`)),
  ...Array.from({ length: keyVisitors }, (_, n) =>
    pace(60_000 / visitorRequestsAMinute / greed, () => useKey(n, `20.0.3.${n}`)),
  ),
])
agent.destroy()
parentPort?.postMessage(tally)

/** Starts work at this pace, whether or not earlier work has ended. Work in progress at the end is cut off. */
async function pace(everyMs: number, work: () => Promise<void>): Promise<void> {
  // Spread the starts over time.
  await sleep(Math.random() * everyMs)
  while (!isOver) {
    void work()
    await sleep(everyMs)
  }
}

function next<T>(from: readonly T[]): T {
  return from[turn++ % from.length] as T
}

function requestPdf(address: string): Promise<void> {
  return sendRequest('pdf', address, 'POST', '/invoice/pdf', { token: next(targets.invoiceTokens) })
}

/** Requests a print sheet every second, although a shop may print one at a time. */
async function printRepeatedly(shop: Shop, id: string, address: string): Promise<void> {
  const path = `/merchant-integrations-server/voucher-batches/${id}/vouchers.pdf`
  await pace(1_000, () => sendRequest('print', address, 'GET', path, undefined, shop))
}

/** Requests that need only the public key from a shop's page. Their references are those that the shop may use next. */
function useKey(n: number, address: string): Promise<void> {
  const shop = targets.shops[n % targets.shops.length] as Shop
  const visitor = { ...shop, secretKey: '' }
  const voucherCode = next(targets.codes)
  const payment = { amount: 1, currency: 'USD', user_identifier: targets.username, reference_id: `order-${turn}` }
  const [path, body] = next([
    ['verify-voucher', { voucherCode }],
    ['fetch-voucher-redemption-charges', { voucherCode, amount: 1 }],
    ['redeem-voucher', { voucherCode, amount: 0.01, referenceId: `order-${turn}` }],
    ['payment-request', payment],
  ] as const)
  return sendRequest('public_key', address, 'POST', `/merchant-integrations/${path}`, body, visitor)
}

/** Half as many streams again as an address may open, each on a connection of its own, held for a while and reopened. */
async function takeStreams(address: string): Promise<void> {
  await Promise.all(
    Array.from({ length: streamsPerAddress * greed }, async () => {
      await sleep(Math.random() * 3_000)
      while (!isOver) {
        await listen(address)
        await pause(10_000)
      }
    }),
  )
}

function listen(address: string): Promise<void> {
  tally.stream.sent++
  return new Promise((resolve) => {
    const text = JSON.stringify({ code: next(targets.codes) })
    const headers = { 'Content-Type': 'application/json', 'Content-Length': text.length, 'X-Forwarded-For': address }
    const outgoing = send(
      `${targets.baseUrl}/holder/voucher/live`,
      { method: 'POST', headers, agent: false },
      (reply) => {
        note('stream', reply.statusCode ?? 0)
        reply.resume()
        reply.on('close', resolve)
        if (reply.statusCode === 200) void pause(20_000 + Math.random() * 40_000).then(() => outgoing.destroy())
      },
    )
    outgoing.on('error', () => resolve())
    outgoing.end(text)
  })
}

/** Waits for so long, or until the attack is over. */
async function pause(ms: number): Promise<void> {
  const untilMs = performance.now() + ms
  while (!isOver && performance.now() < untilMs) await sleep(200)
}

async function sendRequest(
  kind: Kind,
  address: string,
  method: 'GET' | 'POST',
  path: string,
  body: object | undefined,
  shop?: Shop,
): Promise<void> {
  tally[kind].sent++
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = {
    'X-Forwarded-For': address,
    ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    ...(shop && { Authorization: `Bearer ${shop.publicKey}` }),
    ...(shop?.secretKey && { 'X-API-Private-Key': shop.secretKey }),
  }
  await new Promise<void>((resolve) => {
    const outgoing = send(`${targets.baseUrl}${path}`, { method, headers, agent }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => {
        note(kind, reply.statusCode ?? 0, Buffer.concat(chunks))
        resolve()
      })
    })
    outgoing.on('error', (error) => {
      if (!isOver) tally.errors.push(`${kind}: ${error.message}`)
      resolve()
    })
    outgoing.end(text)
  })
}

/** A 4xx counts as served, because the server did the work. A document that met its deadline was refused late. */
function note(kind: Kind, status: number, body?: Buffer): void {
  if (status === 429 || body?.includes('PRINT_TOO_SLOW')) tally[kind].refused++
  else if (status >= 200 && status < 500) tally[kind].served++
  else tally.errors.push(`${kind}: ${status} ${body?.toString('utf8', 0, 200) ?? ''}`)
}
