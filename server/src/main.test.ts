import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../local/test-database.ts'

function run(command: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), command], {
    env: { PATH: process.env.PATH, ...env },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return { child, said: () => said, ended: once(child, 'exit') as Promise<[number | null]> }
}

test('the API starts, answers, and on SIGTERM answers what is under way and leaves with 0', async () => {
  const { url } = await createTestDatabase()
  const { child, said, ended } = run('api', {
    DATABASE_URL: url,
    KEY_PEPPER: 'ab'.repeat(32),
    KEY_RING: `1:${'cd'.repeat(32)}`,
    PORT: '0',
  })
  await expect.poll(said, { timeout: 10_000 }).toContain('Server listening at')
  const address = /Server listening at (http:\S+?)"/.exec(said())?.[1] ?? ''
  expect((await fetch(`${address}/health/ready`)).status).toBe(200)
  expect((await fetch(`${address}/nowhere`)).status).toBe(404)
  child.kill('SIGTERM')
  expect((await ended)[0]).toBe(0)
  expect(said()).toContain('Stopped.')
})

test('kill -TERM under load: every request that reached a handler is answered', async () => {
  const { url } = await createTestDatabase()
  const { child, said, ended } = run('api', {
    DATABASE_URL: url,
    KEY_PEPPER: 'ab'.repeat(32),
    KEY_RING: `1:${'cd'.repeat(32)}`,
    PORT: '0',
    REQUESTS_PER_MINUTE: '1000000',
  })
  await expect.poll(said, { timeout: 10_000 }).toContain('Server listening at')
  const address = /Server listening at (http:\S+?)"/.exec(said())?.[1] ?? ''
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
  // The server's own count of what it handled, against what the callers hold in their hands.
  const handled = said().match(/"route":"\/health\/ready","status":200/g)?.length
  expect(answers).toBe(handled)
})

test('the API does not start as the owner of the tables, for whom environments are not kept apart', async () => {
  const { ownerUrl } = await createTestDatabase()
  const { said, ended } = run('api', {
    DATABASE_URL: ownerUrl,
    KEY_PEPPER: 'ab'.repeat(32),
    KEY_RING: `1:${'cd'.repeat(32)}`,
    PORT: '0',
  })
  expect((await ended)[0]).toBe(1)
  expect(said()).toContain('Connect as scrip_server')
})

test('a wrong setting is told in words, and nothing starts', async () => {
  const { said, ended } = run('api', { PORT: 'x' })
  expect((await ended)[0]).toBe(1)
  expect(said()).toMatch(/DATABASE_URL is missing[^]*PORT is a whole number/)
  expect(said()).not.toContain('    at ')
})
