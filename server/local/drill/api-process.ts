// API processes that drills can kill, and connections to send requests on.
import { type ChildProcess, spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../parts/postgres.ts'

export type ApiProcess = {
  readonly port: number
  readonly baseUrl: string
  readonly internalUrl: string
  /** Everything that it logged, across restarts. */
  readonly logs: () => string
  readonly stop: () => Promise<void>
  /** Stops it as an operator would, and starts it with changed settings, or from the folder of another release. */
  readonly restart: (changed: Record<string, string>, sources?: string) => Promise<void>
  /** Kills it without warning, and starts it again. */
  readonly crash: () => Promise<void>
}
type Listener = Pick<ApiProcess, 'port'>
export type HttpResponse = { readonly status: number; readonly body: string }
export type Connection = ReturnType<typeof openConnection>
export type Connections = [Connection, ...Connection[]]

const ownSources = join(import.meta.dirname, '../../..')
// On a machine that runs other tests too, a start may take a minute.
const startTimeoutMs = 120_000

/**
 * Starts the API on a free port, which stays the same across restarts. `all` runs a worker too, `worker` only that. `sources` is the
 * folder of another release.
 */
export async function startApi(
  settings: Record<string, string>,
  command: 'api' | 'worker' | 'all' = 'api',
  sources = ownSources,
): Promise<ApiProcess> {
  const [port, internalPort] = [Number(settings.PORT ?? (await findFreePort())), await findFreePort()]
  const baseUrl = `http://127.0.0.1:${port}`
  const internalUrl = `http://127.0.0.1:${internalPort}`
  const healthUrl = command === 'worker' ? `${internalUrl}/health` : `${baseUrl}/health/ready`
  const env: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    PUBLIC_URL: baseUrl,
    // No load balancer: drills restart without waiting for one.
    DRAIN_SECONDS: '0',
    ...settings,
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
  }
  let logs = ''
  let script = scriptOf(sources)
  let child = launch()
  process.once('exit', () => child.kill('SIGKILL'))
  await untilReady(healthUrl, child, () => logs)

  function launch(): ChildProcess {
    const launched = spawn(process.execPath, [script, command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [launched.stdout, launched.stderr])
      stream.on('data', (chunk: Buffer) => (logs += chunk.toString()))
    return launched
  }
  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (hasEnded(child)) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  async function relaunch(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await end(signal)
    child = launch()
    await untilReady(healthUrl, child, () => logs)
  }
  return {
    port,
    baseUrl,
    internalUrl,
    logs: () => logs,
    stop: () => end('SIGTERM'),
    restart: (changed, newer) => {
      Object.assign(env, changed)
      if (newer !== undefined) script = scriptOf(newer)
      return relaunch('SIGTERM')
    },
    crash: () => relaunch('SIGKILL'),
  }
}

async function untilReady(healthUrl: string, child: ChildProcess, logs: () => string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    const status = await fetch(healthUrl).then(
      (reply) => reply.status,
      () => 0,
    )
    if (status === 200) return
    if (hasEnded(child) || Date.now() > deadline)
      throw new Error(
        `The API did not start (${child.exitCode ?? child.signalCode ?? 'in time'}): ${logs().slice(-5_000)}`,
      )
    await sleep(20)
  }
}

/**
 * A persistent connection with one request at a time. If it breaks, its request fails as `cut off`, or as `refused` if the
 * connection was not accepted, and the next request reconnects. Much cheaper than fetch, which leaves more CPU time to the
 * API.
 */
function openConnection({ port }: Listener) {
  let socket: Socket | undefined
  let received = ''
  let waiting: { resolve: (response: HttpResponse) => void; reject: (error: Error) => void } | undefined

  function open(): Socket {
    // One character for each byte, because Content-Length counts bytes.
    const opened = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
    let isConnected = false
    opened.on('connect', () => (isConnected = true))
    opened.on('data', (text: string) => {
      received += text
      const response = readResponse(received)
      if (response === undefined) return
      // As HTTP clients do: the server is about to close this connection.
      if (/\r\nconnection: close\r\n/i.test(received)) leave(opened)
      received = ''
      waiting?.resolve(response)
    })
    opened.on('error', () => undefined)
    opened.on('close', () => {
      if (socket !== opened) return
      socket = undefined
      received = ''
      waiting?.reject(new Error(isConnected ? 'cut off' : 'refused'))
    })
    return opened
  }
  function leave(closing: Socket): void {
    socket = undefined
    closing.end()
  }
  return {
    send: (request: string): Promise<HttpResponse> =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket ??= open()
        socket.write(request)
      }),
    close: () => socket?.destroy(),
  }
}

/** Opens connections, to the processes in turn, and closes them after the work. */
export async function withConnections<T>(
  apis: readonly Listener[],
  count: number,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  const connections = Array.from({ length: Math.ceil(count / apis.length) }, () => apis.map(openConnection)).flat()
  try {
    return await work(connections.slice(0, count) as Connections)
  } finally {
    for (const connection of connections) connection.close()
  }
}

/** Runs `work` so many times. Each of `each` takes the next index as soon as it is free. */
export async function distribute<T>(
  each: T[],
  count: number,
  work: (one: T, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const run = async (one: T): Promise<void> => {
    while (next < count) await work(one, next++)
  }
  await Promise.all(each.map(run))
}

/** The response, or undefined until it is complete. */
function readResponse(received: string): HttpResponse | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1]
  if (length === undefined) throw new Error('A response has no Content-Length.')
  const body = received.slice(headEnd + 4)
  return body.length < Number(length) ? undefined : { status: Number(received.slice(9, 12)), body }
}

function scriptOf(sources: string): string {
  return join(sources, 'server/src/main.ts')
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
