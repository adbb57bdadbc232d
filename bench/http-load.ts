// Load over real HTTP: wrk in a closed loop, and an open loop of our own, which wrk does not have.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const hasWrk = spawnSync('wrk', ['--version']).error === undefined

export type HttpLoad = { perSecond: number; p50Ms: number; p99Ms: number; failed: number }

/** Whole requests with the place of a unique reference in them. */
export type RequestText = { readonly head: string; readonly body: string }

const referenceDigits = 24

export function requestText(host: string, headers: Record<string, string>, body: string): RequestText {
  // The reference is as long as its place-holder will be, so that the length is known.
  const filled = body.replace('REFERENCE', 'x'.repeat(referenceDigits))
  const lines = Object.entries({ Host: host, ...headers, 'Content-Length': String(Buffer.byteLength(filled)) })
  const head = `POST /merchant-integrations/redeem-voucher HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`
  return { head, body }
}

/** wrk sends each of these in turn, from a place of its own for each thread, with a new reference each time. */
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
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await new Promise((resolve) => child.once('exit', resolve))
  const of = (pattern: RegExp): string => pattern.exec(said)?.[1] ?? ''
  return {
    perSecond: Number(of(/Requests\/sec:\s+([\d.]+)/)),
    p50Ms: milliseconds(of(/50%\s+(\S+)/)),
    p99Ms: milliseconds(of(/99%\s+(\S+)/)),
    failed: Number(of(/Non-2xx or 3xx responses: (\d+)/) || '0') + (/Socket errors/.test(said) ? 1 : 0),
  }
}

function milliseconds(text: string): number {
  const [, number, unit] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? []
  return Number(number) * (unit === 'us' ? 0.001 : unit === 's' ? 1_000 : 1)
}

// Until caches are filled and code is compiled, here and there.
const warmUpMs = 3_000

/** Sends at a fixed rate, whatever the answers do. A wait counts from when a request was due, not from when it was sent. */
export async function openLoad(
  port: number,
  requests: readonly RequestText[],
  perSecond: number,
  seconds: number,
): Promise<HttpLoad> {
  const idle: Socket[] = []
  const due: { atMs: number; text: string }[] = []
  const timesMs: number[] = []
  let failed = 0
  let answered = 0
  const total = Math.floor(perSecond * (seconds + warmUpMs / 1_000))
  const run = Date.now().toString(36).padStart(10, '0')
  const underWay = new Map<Socket, number>()
  const { promise: isDone, resolve: done } = Promise.withResolvers<undefined>()

  const send = (socket: Socket): void => {
    const next = due.shift()
    if (next === undefined) {
      idle.push(socket)
      return
    }
    underWay.set(socket, next.atMs)
    socket.write(next.text)
  }
  const sockets = Array.from({ length: 128 }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    // An answer of ours fits into one packet.
    socket.on('data', (chunk) => {
      const dueMs = underWay.get(socket) ?? 0
      if (dueMs > startMs + warmUpMs) timesMs.push(performance.now() - dueMs)
      if (!chunk.toString('latin1', 9, 12).startsWith('200')) failed++
      if (++answered === total) done(undefined)
      send(socket)
    })
    idle.push(socket)
    return socket
  })
  const startMs = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const until = Math.min(total, Math.floor(((performance.now() - startMs) / 1_000) * perSecond))
    for (; sent < until; sent++) {
      const request = requests[sent % requests.length]
      const reference = `${run}-9-${String(sent).padStart(referenceDigits - 13, '0')}`
      const text = `${request?.head}${request?.body.replace('REFERENCE', reference)}`
      due.push({ atMs: startMs + (sent / perSecond) * 1_000, text })
      const socket = idle.pop()
      if (socket !== undefined) send(socket)
    }
  }, 1)
  await isDone
  clearInterval(timer)
  const elapsedMs = performance.now() - startMs
  for (const socket of sockets) socket.destroy()
  timesMs.sort((a, b) => a - b)
  const at = (share: number): number => timesMs[Math.floor(timesMs.length * share)] ?? 0
  return { perSecond: (answered / elapsedMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99), failed }
}
