// A real Redis on this machine, for development, tests and drills. Debian: apt-get install redis-server
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { findFreePort } from './postgres.ts'

export type LocalRedis = {
  readonly url: string
  /** It accepts connections, and does not respond. */
  readonly freeze: () => void
  readonly thaw: () => void
  readonly kill: () => Promise<void>
  /** Runs one command with redis-cli. */
  readonly command: (...words: string[]) => string
  /** Starts it again without its data. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** Starts Redis on a free port, which stays the same across restarts. It stores nothing on disk. */
export async function startRedis(): Promise<LocalRedis> {
  const port = await findFreePort()
  let server = await launch(port)
  const killOnExit = (): unknown => server.kill('SIGKILL')
  process.on('exit', killOnExit)

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    kill,
    command: (...words) => spawnSync('redis-cli', ['-p', String(port), ...words]).stdout.toString(),
    restart: async () => {
      await kill()
      server = await launch(port)
    },
    stop: async () => {
      process.off('exit', killOnExit)
      await kill()
    },
  }
}

async function launch(port: number): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    server.once('error', () => reject(new Error('redis-server is not installed. Debian: apt-get install redis-server')))
    server.once('exit', () => reject(new Error(`Redis did not start: ${output}`)))
    server.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000)
      if (output.includes('Ready to accept connections')) resolve()
    })
  })
  return server
}
