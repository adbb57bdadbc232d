// Secrets come from standard input or a file. As an argument or an environment variable, other users of the machine could
// read them from the list of processes or the history of the shell.
import { readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Hex } from 'viem'
import { isPrivateKey } from '../server/src/vouchers/code/claim.ts'

const lengthMax = 1_000

/** The first line of standard input. A terminal is prompted and shows nothing of what is typed. */
export async function readSecretLine(prompt: string): Promise<string> {
  if (process.stdin.isTTY) return promptFor(prompt)
  let text = ''
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.length > lengthMax || text.includes('\n')) break
  }
  return text.split('\n')[0]?.trim() ?? ''
}

async function promptFor(prompt: string): Promise<string> {
  process.stderr.write(prompt)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return (await terminal.question('')).trim()
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/** A private key in hexadecimal digits. As with SSH, a file that other users can read is refused. */
export function readKeyFile(path: string): Hex {
  const { mode } = statSync(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new Error(`Other users can read ${path}. Run: chmod 600 ${path}`)
  const [, digits = ''] = /^(?:0x)?([0-9a-f]{64})$/i.exec(readFileSync(path, 'utf8').trim()) ?? []
  if (digits === '' || !isPrivateKey(`0x${digits}`))
    throw new Error(`${path} has no private key. Create one with: openssl rand -hex 32 > ${path}`)
  return `0x${digits.toLowerCase()}`
}
