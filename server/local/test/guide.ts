// Runs the commands of a guide as a reader would type them, and compares each output with the guide.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ApiWorld } from './api-world.ts'

type Block = { readonly language: string; readonly name: string; readonly text: string }

/** Returns the number of compared outputs. The API must be listening. */
export async function followGuide(world: ApiWorld, path: string): Promise<number> {
  const page = readFileSync(path, 'utf8')
  const blocks = [...page.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map(
    ([, language = '', name = '', text = '']) => ({ language, name, text }),
  )
  const outputs = await runCommands(world, blocks)
  let compared = 0
  let block = -1
  for (const { language, name, text } of blocks) {
    if (language === 'sh' && name !== 'skip') block++
    if (language === 'json') expect(JSON.parse(outputs[block] ?? ''), text).toEqual(expected(JSON.parse(text)))
    if (language === 'text') expect(outputs[block]?.replaceAll('\r', '')).toBe(text.trim())
    if (language === 'json' || language === 'text') compared++
  }
  return compared
}

/** Runs all commands in one shell, with a separator after each block. */
async function runCommands(world: ApiWorld, blocks: readonly Block[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-guide-'))
  // As if the reader had installed the packages that the guide names.
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'))
  for (const { name, text } of blocks.filter(({ language }) => ['js', 'csv'].includes(language)))
    writeFileSync(join(folder, name), text)
  const commands = blocks.filter(({ language, name }) => language === 'sh' && name !== 'skip')
  const { port } = world.app.server.address() as AddressInfo
  const shell = spawn('bash', ['-c', commands.map(({ text }) => `${text}\necho; echo @@@`).join('\n')], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      SCRIP: `http://127.0.0.1:${port}`,
      PUBLIC_KEY: world.ours.publicKey,
      SECRET_KEY: world.ours.secretKey,
      MERCHANT: world.ours.code,
    },
  })
  let output = ''
  shell.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await new Promise((resolve) => shell.once('exit', resolve))
  return output.split('@@@').map((part) => part.trim())
}

/** "…" stands for any text. */
function expected(value: unknown): unknown {
  if (value === '…') return expect.stringMatching(/./)
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== 'object' || value === null) return value
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, expected(one)])))
}
