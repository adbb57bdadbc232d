import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { startJobs } from '../base/jobs.ts'
import { createLog } from '../base/log.ts'
import { createRpc } from './rpc.ts'

async function startNode(port: number): Promise<Server> {
  const server = createServer((_, reply) => reply.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' })))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function stopNode(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

test('a node that is away is two lines, also if a job fails because of it, and its URL is in none', async () => {
  const written: string[] = []
  const log = createLog('info', { write: (line: string) => void written.push(line) })
  const lines = (): { msg: string }[] => written.map((line) => JSON.parse(line) as { msg: string })
  let server = await startNode(0)
  const { port } = server.address() as AddressInfo
  const rpc = createRpc([`http://127.0.0.1:${port}/s3cret`], systemClock, { log, network: 'BSC' })
  const run = async (): Promise<boolean> => {
    await rpc.callTwo('eth_blockNumber', [])
    return false
  }
  const runner = startJobs([{ name: 'blocks', everyMs: 50, run }], log)
  await sleep(200)
  expect(lines()).toEqual([])
  await stopNode(server)
  await sleep(1_000)
  expect(lines().map(({ msg }) => msg)).toEqual(['Node 1 of BSC does not respond.'])
  server = await startNode(port)
  await expect.poll(() => lines().length, { timeout: 10_000 }).toBe(2)
  expect(lines()[1]?.msg).toMatch(/^Node 1 of BSC is back after \d s, \d+ failures\.$/)
  expect(written.join('')).not.toContain('s3cret')
  await runner.stop()
  await stopNode(server)
})
