// The API as a process of its own, which can be killed, and connections to ask it on, for drills.
import { type ChildProcess, spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from './postgres.ts'

export type ApiProcess = Awaited<ReturnType<typeof startApi>>
export type Answer = { readonly status: number; readonly body: string }
export type Line = ReturnType<typeof openLine>
export type Lines = [Line, ...Line[]]

const script = join(import.meta.dirname, '../src/main.ts')
const startTimeoutMs = 30_000

/** Starts it on a free port, which it keeps through all its lives. `all` has a worker in it. */
export async function startApi(settings: Record<string, string>, command: 'api' | 'all' = 'api') {
  const port = await findFreePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const env: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    PUBLIC_URL: baseUrl,
    ...settings,
    PORT: String(port),
  }
  let said = ''
  let child = launch()
  process.once('exit', () => child.kill('SIGKILL'))
  await ready()

  function launch(): ChildProcess {
    const launched = spawn(process.execPath, [script, command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [launched.stdout, launched.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    return launched
  }
  async function ready(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    for (;;) {
      const status = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
        (reply) => reply.status,
        () => 0,
      )
      if (status === 200) return
      if (hasEnded(child) || Date.now() > deadline) throw new Error(`The API did not start: ${said}`)
      await sleep(20)
    }
  }
  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (hasEnded(child)) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  return {
    port,
    baseUrl,
    /** Everything that it logged in all its lives. */
    said: () => said,
    stop: () => end('SIGTERM'),
    /** Stops it as an operator would, and starts it with other settings. */
    restart: async (changed: Record<string, string>) => {
      await end('SIGTERM')
      Object.assign(env, changed)
      child = launch()
      await ready()
    },
    /** Kills it without warning, and starts it again. */
    crash: async () => {
      await end('SIGKILL')
      child = launch()
      await ready()
    },
  }
}

/**
 * A connection that is kept open, with one request under way at a time. If it breaks, its request fails as `cut off`, or as
 * `refused` if nobody took it, and the next one opens it anew. Much cheaper than fetch, so that asking leaves the machine to
 * who is asked.
 */
function openLine({ port }: ApiProcess) {
  let socket: Socket | undefined
  let received = ''
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined

  function open(): Socket {
    // One character for each byte, because Content-Length counts bytes.
    const opened = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
    let wasTaken = false
    opened.on('connect', () => (wasTaken = true))
    opened.on('data', (text: string) => {
      received += text
      const answer = readAnswer(received)
      if (answer === undefined) return
      received = ''
      waiting?.resolve(answer)
    })
    opened.on('error', () => undefined)
    opened.on('close', () => {
      socket = undefined
      received = ''
      waiting?.reject(new Error(wasTaken ? 'cut off' : 'refused'))
    })
    return opened
  }
  return {
    ask: (request: string): Promise<Answer> =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket ??= open()
        socket.write(request)
      }),
    close: () => socket?.destroy(),
  }
}

/** Opens connections, to the processes in turn, and closes them after the work. */
export async function withLines<T>(apis: ApiProcess[], count: number, work: (lines: Lines) => Promise<T>): Promise<T> {
  const lines = Array.from({ length: Math.ceil(count / apis.length) }, () => apis.map(openLine)).flat()
  try {
    return await work(lines.slice(0, count) as Lines)
  } finally {
    for (const line of lines) line.close()
  }
}

/** Does something so many times, with each of these one after the other. */
export async function inTurn<T>(each: T[], count: number, work: (one: T, index: number) => Promise<unknown>) {
  let next = 0
  const run = async (one: T): Promise<void> => {
    while (next < count) await work(one, next++)
  }
  await Promise.all(each.map(run))
}

/** The answer, once all of it is there. */
function readAnswer(received: string): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1]
  if (length === undefined) throw new Error('An answer does not say how long it is.')
  const body = received.slice(headEnd + 4)
  return body.length < Number(length) ? undefined : { status: Number(received.slice(9, 12)), body }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
