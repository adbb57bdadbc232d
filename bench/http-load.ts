// Load over real HTTP: wrk in a closed loop, and our own open loop, which wrk does not offer.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const hasWrk = spawnSync('wrk', ['--version']).error === undefined

export type HttpLoad = { perSecond: number; p50Ms: number; p99Ms: number; requests: number; failed: number }

/** A raw request. Its body has a placeholder for a unique reference. */
export type RequestText = { readonly head: string; readonly body: string }

const referenceDigits = 24

export function requestText(host: string, headers: Record<string, string>, body: string): RequestText {
  // Every reference has the same length, so that Content-Length is known in advance.
  const filled = body.replace('REFERENCE', 'x'.repeat(referenceDigits))
  const lines = Object.entries({ Host: host, ...headers, 'Content-Length': String(Buffer.byteLength(filled)) })
  const head = `POST /merchant-integrations/redeem-voucher HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`
  return { head, body }
}

/** wrk sends the requests in turn, each with a new reference. Each thread starts at another place. */
export async function wrkLoad(
  port: number,
  requests: readonly RequestText[],
  connections: number,
  seconds: number,
): Promise<HttpLoad> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-wrk-'))
  const script = join(folder, 'redeem.lua')
  const data = join(folder, 'requests.txt')
  writeFileSync(data, requests.map(({ head, body }) => `${head}${body}`.replaceAll('\r\n', '\u0001')).join('\n'))
  writeFileSync(
    script,
    `local requests, place, count = {}, 0, 0
local run = '${Date.now().toString(36).padStart(10, '0')}'
local threads = 0
function setup(thread) threads = threads + 1; thread:set('number', threads) end
function init()
  for line in io.lines('${data}') do
    local before, after = line:gsub('\\1', '\\r\\n'):match('^(.-)REFERENCE(.*)$')
    requests[#requests + 1] = { before, after }
  end
  place = math.floor(#requests / 2) * (number - 1)
end
function request()
  place = place % #requests + 1
  count = count + 1
  local one = requests[place]
  return one[1] .. string.format('%s-%d-%0${referenceDigits - 13}d', run, number, count) .. one[2]
end
`,
  )
  const args = [
    '-t2',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '--timeout',
    '15s',
    '-s',
    script,
    `http://127.0.0.1:${port}`,
  ]
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await new Promise((resolve) => child.once('exit', resolve))
  const of = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? ''
  return {
    perSecond: Number(of(/Requests\/sec:\s+([\d.]+)/)),
    p50Ms: milliseconds(of(/50%\s+(\S+)/)),
    p99Ms: milliseconds(of(/99%\s+(\S+)/)),
    requests: Number(of(/(\d+) requests in/)),
    failed: Number(of(/Non-2xx or 3xx responses: (\d+)/) || '0') + (/Socket errors/.test(output) ? 1 : 0),
  }
}

function milliseconds(text: string): number {
  const [, number, unit] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? []
  return Number(number) * (unit === 'us' ? 0.001 : unit === 's' ? 1_000 : 1)
}

// Time to fill caches and compile code, in the client and in the server.
const warmUpMs = 3_000
const socketCount = 128

/** Sends at a fixed rate, however slow the responses are. A time counts from when a request was due, not from when it was sent. */
export async function openLoad(
  port: number,
  requests: readonly RequestText[],
  perSecond: number,
  seconds: number,
): Promise<HttpLoad> {
  const total = Math.floor(perSecond * (seconds + warmUpMs / 1_000))
  const run = Date.now().toString(36).padStart(10, '0')
  const timesMs: number[] = []
  let failed = 0
  let finished = 0
  const { promise: isDone, resolve: done } = Promise.withResolvers<undefined>()
  const startMs = performance.now()

  const sender = openSender(port, (dueMs, isGood, hasResponse) => {
    if (hasResponse && dueMs > startMs + warmUpMs) timesMs.push(performance.now() - dueMs)
    if (!isGood) failed++
    if (++finished === total) done(undefined)
  })
  let sent = 0
  const timer = setInterval(() => {
    const until = Math.min(total, 1 + Math.floor(((performance.now() - startMs) / 1_000) * perSecond))
    for (; sent < until; sent++) {
      const request = requests[sent % requests.length]
      const reference = `${run}-9-${String(sent).padStart(referenceDigits - 13, '0')}`
      const text = `${request?.head}${request?.body.replace('REFERENCE', reference)}`
      sender.send({ dueMs: startMs + (sent / perSecond) * 1_000, text })
    }
  }, 1)
  await isDone
  clearInterval(timer)
  const elapsedMs = performance.now() - startMs
  sender.close()
  timesMs.sort((a, b) => a - b)
  const at = (share: number): number => timesMs[Math.floor(timesMs.length * share)] ?? 0
  return { perSecond: (finished / elapsedMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99), requests: finished, failed }
}

type DueRequest = { readonly dueMs: number; readonly text: string }
type OnFinished = (dueMs: number, isGood: boolean, hasResponse: boolean) => void
type Sender = { readonly send: (request: DueRequest) => void; readonly close: () => void }

/** Sends each request on an idle connection, or queues it until one is idle. */
function openSender(port: number, onFinished: OnFinished): Sender {
  const idle: Socket[] = []
  const queue: DueRequest[] = []
  const dueMsOf = new Map<Socket, number>()

  const sendNext = (socket: Socket): void => {
    const next = queue.shift()
    if (next === undefined) {
      idle.push(socket)
      return
    }
    dueMsOf.set(socket, next.dueMs)
    socket.write(next.text)
  }
  const sockets = Array.from({ length: socketCount }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    // Each response fits into one packet.
    socket.on('data', (chunk) => {
      const dueMs = dueMsOf.get(socket)
      // The server sends 408 before it closes a connection that was never used.
      if (dueMs === undefined) return
      dueMsOf.delete(socket)
      onFinished(dueMs, chunk.toString('latin1', 9, 12).startsWith('200'), true)
      sendNext(socket)
    })
    // The server closes connections that are idle for long. A request in progress on one has failed.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const place = idle.indexOf(socket)
      if (place !== -1) idle.splice(place, 1)
      const dueMs = dueMsOf.get(socket)
      if (dueMsOf.delete(socket)) onFinished(dueMs ?? 0, false, false)
    })
    idle.push(socket)
    return socket
  })
  return {
    send: (request) => {
      queue.push(request)
      // The one that was idle longest, so that none is idle for so long that the server closes it.
      const socket = idle.shift()
      if (socket !== undefined) sendNext(socket)
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}
