import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFreePort } from '../local/parts/postgres.ts'
import { createTestDatabase } from '../local/test/test-database.ts'

function run(command: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), command], {
    env: { PATH: process.env.PATH, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return { child, output: () => output, ended: once(child, 'exit') as Promise<[number | null]> }
}

test('the API starts, responds, and exits with 0 on SIGTERM', async () => {
  const { url } = await createTestDatabase()
  const internalPort = await findFreePort()
  const { child, output, ended } = run('api', {
    DATABASE_URL: url,
    KEY_PEPPER: 'ab'.repeat(32),
    KEY_RING: `1:${'cd'.repeat(32)}`,
    PORT: '0',
    INTERNAL_PORT: String(internalPort),
    DRAIN_SECONDS: '0',
  })
  await expect.poll(output, { timeout: 60_000 }).toContain('Server listening at')
  const address = /Server listening at (http:\S+?)"/.exec(output())?.[1] ?? ''
  const ready = await fetch(`${address}/health/ready`)
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }])
  expect((await fetch(`${address}/nowhere`)).status).toBe(404)
  for (const path of ['/metrics', '/health']) expect((await fetch(`${address}${path}`)).status).toBe(404)
  const internal = `http://127.0.0.1:${internalPort}`
  expect(await (await fetch(`${internal}/metrics`)).text()).toContain('route="/health/ready",status="200"')
  const health = (await (await fetch(`${internal}/health`)).json()) as object
  expect(health).toEqual({ status: 'ready', database: 'reachable', limits: 'memory', networks: [] })
  child.kill('SIGTERM')
  expect((await ended)[0]).toBe(0)
  expect(output()).toContain('Stopped.')
})

test('on SIGTERM under load, every request that reached a handler gets its response', async () => {
  const { url } = await createTestDatabase()
  const { child, output, ended } = run('api', {
    DATABASE_URL: url,
    KEY_PEPPER: 'ab'.repeat(32),
    KEY_RING: `1:${'cd'.repeat(32)}`,
    PORT: '0',
    REQUESTS_PER_MINUTE: '1000000',
    DRAIN_SECONDS: '0',
  })
  await expect.poll(output, { timeout: 60_000 }).toContain('Server listening at')
  const address = /Server listening at (http:\S+?)"/.exec(output())?.[1] ?? ''
  const agent = new Agent({ keepAlive: true, maxSockets: 40 })
  let answers = 0
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      get(`${address}/health/ready`, { agent }, (reply) =>
        reply.resume().on('end', () => resolve(reply.statusCode ?? 0)),
      ).on('error', reject)
    })
  const caller = async (): Promise<void> => {
    for (;;) {
      const status = await ask().catch(() => 0)
      if (status !== 200) return
      answers++
    }
  }
  const calling = Promise.all(Array.from({ length: 40 }, caller))
  await expect.poll(() => answers, { timeout: 10_000 }).toBeGreaterThan(1_000)
  child.kill('SIGTERM')
  await calling
  expect((await ended)[0]).toBe(0)
  // Compares the requests that the server logged with the responses that clients received.
  const handled = output().match(/"route":"\/health\/ready","status":200/g)?.length
  expect(answers).toBe(handled)
})

test('the API does not start as the owner of the tables, who bypasses row-level security', async () => {
  const { ownerUrl } = await createTestDatabase()
  const { output, ended } = run('api', {
    DATABASE_URL: ownerUrl,
    KEY_PEPPER: 'ab'.repeat(32),
    KEY_RING: `1:${'cd'.repeat(32)}`,
    PORT: '0',
  })
  expect((await ended)[0]).toBe(1)
  expect(output()).toContain('Connect as scrip_server')
})

test('an invalid setting is reported without a stack trace, and the API does not start', async () => {
  const { output, ended } = run('api', { PORT: 'x' })
  expect((await ended)[0]).toBe(1)
  expect(output()).toMatch(/DATABASE_URL is missing[^]*PORT must be a whole number/)
  expect(output()).not.toContain('    at ')
})
