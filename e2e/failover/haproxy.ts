// HAProxy with the file of deploy/.
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Running, start, writeTemplate } from './processes.ts'

type Address = { readonly database: string; readonly api: string }
type Database = { readonly port: number; readonly restPort: number }

export type Haproxy = Running & {
  /** Sends no more requests to an API process, or sends them again, as `set server` in docs/operate/high-availability.md. */
  readonly setServer: (server: 'api1' | 'api2', state: 'drain' | 'ready') => Promise<void>
}

/** `path` is a folder of the unprivileged user. */
export function startHaproxy(
  path: string,
  bind: Address,
  databases: readonly Database[],
  apiPorts: readonly [number, number],
): Haproxy {
  const file = join(path, 'haproxy.cfg')
  const socket = join(path, 'haproxy.sock')
  const words: Record<string, string | number> = {
    ADMIN_SOCKET: socket,
    DATABASE_BIND: bind.database,
    API_BIND: bind.api,
    API1: `127.0.0.1:${apiPorts[0]}`,
    API2: `127.0.0.1:${apiPorts[1]}`,
  }
  for (const [i, { port, restPort }] of databases.entries()) {
    words[`DB${i + 1}`] = `127.0.0.1:${port}`
    words[`DB${i + 1}_REST_PORT`] = restPort
  }
  writeTemplate('haproxy.cfg', file, words)
  return {
    ...start(path, 'haproxy', '/usr/sbin/haproxy', ['-db', '-f', file]),
    setServer: (server, state) => command(socket, `set server api/${server} state ${state}`),
  }
}

/** HAProxy answers with an empty line, or with what is wrong. */
async function command(socket: string, line: string): Promise<void> {
  const reply = await new Promise<string>((resolve, reject) => {
    let text = ''
    const connection = connect(socket, () => connection.write(`${line}\n`)).setEncoding('utf8')
    connection.on('data', (chunk: string) => (text += chunk))
    connection.on('end', () => resolve(text.trim()))
    connection.on('error', reject)
  })
  if (reply !== '') throw new Error(`HAProxy refused "${line}": ${reply}`)
}
