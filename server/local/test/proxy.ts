// A TCP proxy in front of PostgreSQL that fails on demand.
import { connect, createServer, type Socket } from 'node:net'

type Fault = {
  /** The fault occurs at the first message to the server that contains this. */
  readonly at: string
  /** `lose_answer`: the server gets the message, but its response and the connection are lost. `freeze`: nothing passes any more. */
  readonly kind: 'lose_answer' | 'freeze'
  /** Runs after the response was lost, before the connection breaks. */
  readonly then?: () => Promise<unknown>
}

type FaultyProxy = {
  readonly url: string
  readonly arm: (fault: Fault) => void
  readonly faults: () => number
  readonly close: () => void
}

export async function startProxy(targetUrl: string): Promise<FaultyProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let armed: Fault | undefined
  let faults = 0

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let fault: Fault | undefined
    client.on('data', (bytes) => {
      if (armed !== undefined && bytes.includes(armed.at)) {
        fault = armed
        armed = undefined
        faults++
      }
      if (fault?.kind !== 'freeze') upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (fault === undefined) client.write(bytes)
      else if (fault.kind === 'lose_answer') void (fault.then?.() ?? Promise.resolve()).finally(() => client.destroy())
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    client.on('close', () => fault?.kind !== 'freeze' && upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(targetUrl)
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' ? address?.port : '')

  return {
    url: url.href,
    arm: (fault) => {
      armed = fault
    },
    faults: () => faults,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
