// Runs the commands of a guide as a reader would type them, and holds every answer against what the guide says.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ApiWorld } from './api-world.ts'

type Block = { readonly language: string; readonly name: string; readonly text: string }

/** Answers with how many answers were compared. The API has to be listening. */
export async function followGuide(world: ApiWorld, path: string): Promise<number> {
  const page = readFileSync(path, 'utf8')
  const blocks = [...page.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map(
    ([, language = '', name = '', text = '']) => ({ language, name, text }),
  )
  const answers = await runCommands(world, blocks)
  let compared = 0
  let place = -1
  for (const { language, name, text } of blocks) {
    if (language === 'sh' && name !== 'skip') place++
    if (language === 'json') expect(JSON.parse(answers[place] ?? ''), text).toEqual(expected(JSON.parse(text)))
    if (language === 'text') expect(answers[place]?.replaceAll('\r', '')).toBe(text.trim())
    if (language === 'json' || language === 'text') compared++
  }
  return compared
}

/** All commands in one shell, with a mark after each block. */
async function runCommands(world: ApiWorld, blocks: readonly Block[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-guide-'))
  // As if the reader had installed what the page names.
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
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
