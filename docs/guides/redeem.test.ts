import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../server/local/api-world.ts'
import { createTestDatabase } from '../../server/local/test-database.ts'

const page = readFileSync(join(import.meta.dirname, 'redeem.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map(([, language, name, text = '']) => ({
  language,
  name,
  text,
}))

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  await world.charge()
  await world.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => world.close())

/** All commands in one shell, as a reader would type them, with a mark after each block. */
async function runCommands(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-guide-'))
  for (const { name, text } of blocks.filter(({ language }) => language === 'js'))
    writeFileSync(join(folder, name ?? ''), text)
  const commands = blocks.filter(({ language, name }) => language === 'sh' && name !== 'skip')
  const { port } = world.app.server.address() as AddressInfo
  const shell = spawn('bash', ['-c', commands.map(({ text }) => `${text}\necho; echo @@@`).join('\n')], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      SCRIP: `http://127.0.0.1:${port}`,
      PUBLIC_KEY: world.ours.publicKey,
      SECRET_KEY: world.ours.secretKey,
    },
  })
  let said = ''
  shell.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await new Promise((resolve) => shell.once('exit', resolve))
  return said.split('@@@').map((part) => part.trim())
}

/** "…" stands for any text. */
function expected(value: unknown): unknown {
  if (value === '…') return expect.stringMatching(/./)
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== 'object' || value === null) return value
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, expected(one)])))
}

test('every command on the page answers what the page says', async () => {
  const answers = await runCommands()
  let compared = 0
  let place = -1
  for (const { language, name, text } of blocks) {
    if (language === 'sh' && name !== 'skip') place++
    if (language === 'json') expect(JSON.parse(answers[place] ?? ''), text).toEqual(expected(JSON.parse(text)))
    if (language === 'text') expect(answers[place]?.replaceAll('\r', '')).toBe(text.trim())
    if (language === 'json' || language === 'text') compared++
  }
  expect(compared).toBe(11)
})
