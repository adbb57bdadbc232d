// Starts and stops Scrip's processes by name, as systemd does with its units, for the command that a runbook calls
// $SERVICE. Each start reads the file of settings again.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

export type Unit = {
  readonly command: 'api' | 'worker'
  readonly port: number
  readonly internalPort: number
  /** Files of settings that may be missing. A later one wins. */
  readonly envFiles: readonly string[]
}
export type Services = {
  /** The command for $SERVICE. */
  readonly command: string
  readonly stop: () => Promise<void>
}

/** `release` is a link to the folder whose code runs. */
export async function openServices(
  folder: string,
  release: string,
  units: Readonly<Record<string, Unit>>,
): Promise<Services> {
  const running = new Map<string, ChildProcess>()
  const start = (name: string): void => {
    const unit = units[name]
    if (unit === undefined) throw new Error(`There is no unit ${name}.`)
    if (running.has(name)) return
    const own = { PATH: process.env.PATH, PORT: String(unit.port), INTERNAL_PORT: String(unit.internalPort) }
    const log = openSync(join(folder, `${name}.log`), 'a')
    const child = spawn(process.execPath, [join(release, 'server/src/main.ts'), unit.command], {
      cwd: release,
      env: { ...readSettings(unit), ...own },
      stdio: ['ignore', log, log],
    })
    running.set(name, child)
    child.once('exit', () => running.delete(name))
  }
  const stop = async (name: string, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    const child = running.get(name)
    if (child === undefined) return
    const ended = new Promise((done) => child.once('exit', done))
    child.kill(signal)
    await ended
  }
  const act = async (verb: string, names: readonly string[]): Promise<void> => {
    if (verb !== 'start') await Promise.all(names.map((name) => stop(name)))
    if (verb !== 'stop') for (const name of names) start(name)
  }
  const server = createServer((request, response) => {
    const [verb = '', ...names] = decodeURIComponent((request.url ?? '').slice(1)).split(' ')
    void act(verb, names).then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready))
  const command = join(folder, 'service')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(command, `#!/bin/sh\nexec curl -fsS "${url}/$(echo "$*" | sed 's/ /%20/g')"\n`, { mode: 0o755 })
  process.once('exit', () => {
    for (const child of running.values()) child.kill('SIGKILL')
  })
  return {
    command,
    stop: async () => {
      for (const name of running.keys()) await stop(name, 'SIGKILL')
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function readSettings({ envFiles }: Unit): NodeJS.Dict<string> {
  const texts = envFiles.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
  return parseEnv(texts.join('\n'))
}
