// pgbench from Debian's postgresql packages, over TCP like every other client here.
import { spawn, spawnSync } from 'node:child_process'

export const hasPgbench = spawnSync('pgbench', ['--version']).status === 0

export async function pgbench(url: string, ...args: string[]): Promise<string> {
  const child = spawn('pgbench', [...args, url], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`pgbench failed: ${err}`)
  return out
}

/** Transactions per second with eight clients and prepared statements. */
export async function pgbenchRate(url: string, seconds: number, ...args: string[]): Promise<number> {
  const output = await pgbench(url, '-n', '-M', 'prepared', '-c', '8', '-T', String(seconds), ...args)
  return Number(/tps = ([\d.]+)/.exec(output)?.[1])
}
