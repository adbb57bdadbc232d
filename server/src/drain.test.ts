import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { findFreePort } from '../local/parts/postgres.ts'
import { createTestDatabase } from '../local/test/test-database.ts'

const node = [process.execPath, join(import.meta.dirname, 'main.ts'), 'api'] as const
const started: ChildProcess[] = []
afterEach(() => {
  // A process group each: npm starts another process.
  for (const { pid = 0, exitCode, signalCode } of started.splice(0))
    if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
})

async function start([command, ...args]: readonly [string, ...string[]], drainSeconds: number) {
  const { url } = await createTestDatabase()
  const port = await findFreePort()
  const child = spawn(command, args, {
    cwd: resolve(import.meta.dirname, '../..'),
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: url,
      KEY_PEPPER: 'ab'.repeat(32),
      KEY_RING: `1:${'cd'.repeat(32)}`,
      PORT: String(port),
      DRAIN_SECONDS: String(drainSeconds),
    },
  })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const statusOf = (path: string): Promise<number> =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      (reply) => reply.status,
      () => 0,
    )
  await expect.poll(() => statusOf('/health/ready'), { timeout: 60_000 }).toBe(200)
  return {
    child,
    output: () => output,
    statusOf,
    ended: once(child, 'exit') as Promise<[number | null, string | null]>,
  }
}

type Started = Awaited<ReturnType<typeof start>>

async function expectToDrain({ child, output, statusOf, ended }: Started): Promise<void> {
  const startMs = performance.now()
  child.kill('SIGTERM')
  await expect.poll(() => statusOf('/health/ready')).toBe(503)
  // Requests are still served.
  expect([await statusOf('/health/live'), await statusOf('/nowhere')]).toEqual([200, 404])
  expect(await ended).toEqual([0, null])
  expect(performance.now() - startMs).toBeGreaterThan(1_900)
  expect(output()).toContain('Stopped.')
  expect(await statusOf('/health/live')).toBe(0)
}

test('on SIGTERM, readiness ends and requests are served until the drain is over', { timeout: 90_000 }, async () => {
  await expectToDrain(await start(node, 2))
})

test('a SIGTERM to `npm start` drains the server, and npm exits with 0', { timeout: 90_000 }, async () => {
  await expectToDrain(await start(['npm', 'start'], 2))
})

test('a second signal ends the process at once', { timeout: 90_000 }, async () => {
  const { child, statusOf, ended } = await start(node, 60)
  child.kill('SIGTERM')
  await expect.poll(() => statusOf('/health/ready')).toBe(503)
  await sleep(600)
  child.kill('SIGTERM')
  expect(await ended).toEqual([1, null])
})
