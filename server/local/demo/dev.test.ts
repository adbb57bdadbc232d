import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatLogLine } from './dev-log.ts'
import { findFreePort } from '../parts/postgres.ts'

type Run = { readonly child: ChildProcess; readonly output: () => string; readonly ended: Promise<number | null> }

let folder: string
let port: number
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scrip-dev-test-'))
  // As root, PostgreSQL runs as the user nobody, who must be able to enter it.
  chmodSync(folder, 0o755)
  port = await findFreePort()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function start(script: string, args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SCRIP_DEV_FOLDER: folder, PORT: String(port), ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, output: () => output, ended }
}

async function waitFor(run: Run, text: string): Promise<void> {
  // The demo data took 86 s, and once more than 140 s, on two cores with a load of 12 to 22.
  const deadline = Date.now() + 400_000
  while (!run.output().includes(text)) {
    if (run.child.exitCode !== null || Date.now() > deadline)
      throw new Error(`Did not print "${text}": ${run.output()}`)
    await sleep(50)
  }
}

/** PostgreSQL and the chain have the folder in their command, also when their parent has ended. */
function processesOfFolder(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
      } catch {
        return []
      }
    })
    .filter((command) => command.includes(folder))
}

/** The addresses that a test key gets answer: the node, and the explorer. */
async function expectLocalNetwork(headers: Record<string, string>): Promise<void> {
  const url = `http://127.0.0.1:${port}/merchant-integrations/fetch-supported-cryptonetworks`
  const { data } = (await (await fetch(url, { headers })).json()) as { data: Record<string, string>[] }
  expect(data.map(({ abbreviation }) => abbreviation)).toEqual(['LOCAL'])
  const { rpcUrl = '', blockExplorerUrl = '' } = data[0] ?? {}
  expect((await fetch(blockExplorerUrl)).status).toBe(200)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const reply = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect(await reply.json()).toMatchObject({ result: '0x7a69' })
}

test.each([1, 3, 6, 10])(
  'Ctrl-C %i s after the start stops everything',
  async (seconds) => {
    const run = start('dev.ts', [])
    await sleep(seconds * 1_000)
    run.child.kill('SIGINT')
    expect(await run.ended, run.output()).toBe(0)
    expect(processesOfFolder()).toEqual([])
    expect(readdirSync(folder)).not.toContain('dev.lock')
  },
  60_000,
)

test('a start that was stopped is repeated, is shown, refuses a second one, and serves the commands', async () => {
  const stopped = start('dev.ts', [])
  await waitFor(stopped, 'Creating two shops')
  stopped.child.kill('SIGINT')
  await stopped.ended
  // A process that was killed leaves its lock behind.
  writeFileSync(join(folder, 'dev.lock'), JSON.stringify({ pid: stopped.child.pid, address: 'http://gone' }))

  const run = start('dev.ts', [])
  await waitFor(run, 'Ctrl-C stops everything.')
  expect(run.output()).toMatch(/Starting PostgreSQL … \d+\.\d s\n/)
  expect(run.output()).toMatch(/Creating two shops with three months of sales … \d+\.\d s\n/)
  expect(run.output()).toMatch(/Voucher {6}\S+ {2}with 100\.00 USD/)

  const second = start('dev.ts', ['--fresh'])
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain(`process ${String(run.child.pid)}, http://127.0.0.1:${port}`)

  const [, body = ''] = /-d '(\{"voucherCode":.*,"referenceId":"[^"]+"\})'/.exec(run.output()) ?? []
  const [, key = ''] = /Public key {3}(\S+)/.exec(run.output()) ?? []
  // The pages get the public key for their samples, and nothing else.
  const site = await (await fetch(`http://127.0.0.1:${port}/site.json`)).json()
  expect(site).toEqual({ platformName: 'Scrip', demo: { publicKey: key, merchantCode: 'DEMOSHOP' } })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  await expectLocalNetwork(headers)
  const url = `http://127.0.0.1:${port}/merchant-integrations/redeem-voucher`
  const reply = await fetch(url, { method: 'POST', headers, body })
  expect(reply.status, await reply.text()).toBe(200)
  const requestId = reply.headers.get('x-request-id') ?? 'none'
  await waitFor(run, requestId)
  expect(run.output()).toMatch(
    new RegExp(`200 {2}POST {3}/merchant-integrations/redeem-voucher {2}\\d+ ms {2}${requestId}\n`),
  )

  const command = ['merchant', 'update', 'DEMOSHOP', '--description', 'From the command']
  const production = start('../../../cli/main.ts', command, { NODE_ENV: 'production' })
  expect(await production.ended).toBe(1)
  expect(production.output()).toContain('DATABASE_URL is missing')
  const scrip = start('../../../cli/main.ts', command)
  expect(await scrip.ended, scrip.output()).toBe(0)
  expect(scrip.output()).toContain('Merchant DEMOSHOP was updated.')

  run.child.kill('SIGINT')
  expect(await run.ended).toBe(0)
  expect(processesOfFolder()).toEqual([])

  const third = start('dev.ts', [])
  await waitFor(third, 'Ctrl-C stops everything.')
  expect(third.output()).toMatch(/Voucher {6}\S+ {2}with (89|90)\.\d\d USD/)
  third.child.kill('SIGINT')
  expect(await third.ended).toBe(0)
}, 600_000)

test('a line of the request log shows the route and not the voucher code in its path', () => {
  const logged = {
    level: 30,
    msg: 'answered',
    requestId: 'id-1',
    method: 'GET',
    route: '/v/:code',
    status: 200,
    elapsedMs: 3,
  }
  const line = formatLogLine(JSON.stringify(logged), new Date(2026, 0, 2, 3, 4, 5))
  expect(line).toBe('03:04:05  200  GET    /v/:code  3 ms  id-1\n')
  expect(formatLogLine('{"level":30,"msg":"a job ran"}', new Date())).toBeUndefined()
})
