// Runs the operator's command in a process of its own, as the operator does.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

const main = resolve(import.meta.dirname, '../../../cli/main.ts')

/** The output of `scrip` with these words, settings and input. It ends with "(failed)" if the exit code is not 0. */
export async function runScrip(
  settings: Record<string, string>,
  words: readonly string[],
  input = '',
): Promise<string> {
  const child = spawn(process.execPath, [main, ...words], { env: { PATH: process.env.PATH, ...settings } })
  child.stdin.end(input)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise((done) => child.once('close', done))
  return `${output.trim()}${code === 0 ? '' : ' (failed)'}`
}
