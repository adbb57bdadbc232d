import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, createWalletClient, http, parseEther, publicActions, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { anvil as chain } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployVault } from '../contracts/deploy-vault.ts'
import { anvilKey, type LocalChain, startAnvil, sweepKey } from '../server/local/parts/anvil.ts'
import { testTokenAbi, testTokenCode } from '../server/local/parts/test-token.gen.ts'
import { systemRandom } from '../server/src/base/random.ts'
import { voucherVaultAbi as abi } from '../server/src/chain/voucher-vault.gen.ts'
import { claimKeyOf } from '../server/src/vouchers/code/claim.ts'
import { makeCode, showCode } from '../server/src/vouchers/code/code.ts'

const folder = mkdtempSync(join(tmpdir(), 'scrip-holder-'))
const writeKey = (name: string, text: string, mode = 0o600): string => {
  writeFileSync(join(folder, name), text, { mode })
  return join(folder, name)
}
const gasKeyFile = writeKey('gas', `${sweepKey.slice(2)}\n`)

let node: LocalChain
let vault: Address
let tokenVault: Address
let token: Address
const connect = (url: string) =>
  createWalletClient({
    account: privateKeyToAccount(anvilKey),
    chain,
    transport: http(url),
    pollingInterval: 20,
  }).extend(publicActions)
let client: ReturnType<typeof connect>

beforeAll(async () => {
  node = await startAnvil()
  client = connect(node.url)
  const terms = { owner: client.account.address, operator: zeroAddress }
  vault = (await deployVault(client, { asset: zeroAddress, ...terms })).address
  const bytecode = testTokenCode.TestToken
  const hash = await client.deployContract({ abi: testTokenAbi, bytecode, args: ['Tether USD', 'USDT', 6] })
  token = (await client.waitForTransactionReceipt({ hash })).contractAddress!
  const call = { address: token, abi: testTokenAbi } as const
  await mined(client.writeContract({ ...call, functionName: 'mint', args: [client.account.address, 1_000_000_000n] }))
  tokenVault = (await deployVault(client, { asset: token, ...terms })).address
  await mined(client.writeContract({ ...call, functionName: 'approve', args: [tokenVault, 1_000_000_000n] }))
})
afterAll(() => node.stop())

async function mined(hash: Promise<`0x${string}`>): Promise<void> {
  await client.waitForTransactionReceipt({ hash: await hash })
}

const newWallet = (): Address => privateKeyToAddress(generatePrivateKey())

type Terms = { value?: bigint; inVault?: Address; isLocked?: boolean; lifeSeconds?: number }

/** Creates a voucher in a vault and returns its code. */
async function createVoucher({ value = parseEther('0.05'), inVault = vault, ...terms }: Terms = {}): Promise<string> {
  const code = makeCode(systemRandom)
  const claimKey = privateKeyToAddress(await claimKeyOf(code, { chainId: chain.id, vault: inVault }))
  const { timestamp } = await client.getBlock()
  const args = [
    claimKey,
    value,
    Number(timestamp) + (terms.lifeSeconds ?? 86_400),
    terms.isLocked ?? false,
    true,
  ] as const
  const call = { address: inVault, abi, functionName: 'createVoucher', args } as const
  await mined(client.writeContract({ ...call, value: inVault === vault ? value : 0n }))
  return showCode(code)
}

type Given = { rpc?: string; inVault?: Address; gasKey?: string; input?: string }

/** Runs the command as a holder does, with an empty environment. Returns what it prints, which never has a secret. */
async function redeem(code: string, to: Address, args: string[] = [], given: Given = {}): Promise<string> {
  const { rpc = node.url, inVault = vault, gasKey = gasKeyFile, input = code } = given
  const places = ['--rpc', rpc, '--vault', inVault, '--to', to, '--gas-key-file', gasKey]
  const words = [join(import.meta.dirname, 'main.ts'), 'voucher', 'redeem-onchain', ...places, ...args]
  const child = spawn(process.execPath, words, { env: { NODE_ENV: 'production' }, cwd: folder })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdin.end(`${input}\n`)
  const exit = await new Promise((resolve) => child.once('close', resolve))
  const claimKey = (await claimKeyOf(code, { chainId: chain.id, vault: inVault })).slice(2)
  const secrets = [code, code.replaceAll('-', ''), claimKey, sweepKey.slice(2)]
  for (const secret of secrets) expect([...child.spawnargs, output].join(' ')).not.toContain(secret)
  return `${output.trim()}${exit === 0 ? '' : ' (failed)'}`
}

test('a holder redeems a voucher in parts with its code, a node and the vault, without a server', async () => {
  const code = await createVoucher()
  const to = newWallet()
  const output = await redeem(code, to, ['--amount', '0.02'])
  expect(output).toMatch(/^Sent in transaction 0x[0-9a-f]{64}\n/)
  expect(output).toContain(`Paid 0.020000000000000000 coin to ${to}. Left on the voucher: 0.030000000000000000 coin`)
  expect(await client.getBalance({ address: to })).toBe(parseEther('0.02'))
  // As it is typed: in lower case and without dashes.
  const typed = code.toLowerCase().replaceAll('-', '')
  expect(await redeem(code, to, [], { input: typed })).toContain('Left on the voucher: 0.000000000000000000 coin')
  expect(await client.getBalance({ address: to })).toBe(parseEther('0.05'))
  expect(await redeem(code, to)).toBe('This voucher is empty. (failed)')
}, 60_000)

test('a token is paid in its decimals, and never rounded', async () => {
  const code = await createVoucher({ inVault: tokenVault, value: 25_000_000n })
  const to = newWallet()
  expect(await redeem(code, to, ['--amount', '0.0000001'], { inVault: tokenVault })).toContain('more decimals')
  expect(await redeem(code, to, ['--amount', '25.000001'], { inVault: tokenVault })).toBe(
    'The voucher holds 25.000000 USDT, which is less. (failed)',
  )
  expect(await redeem(code, to, ['--amount', '0'], { inVault: tokenVault })).toContain('greater than zero')
  expect(await redeem(code, to, ['--amount', '10.5'], { inVault: tokenVault })).toContain(
    `Paid 10.500000 USDT to ${to}. Left on the voucher: 14.500000 USDT`,
  )
  const read = { address: token, abi: testTokenAbi, functionName: 'balanceOf', args: [to] } as const
  expect(await client.readContract(read)).toBe(10_500_000n)
}, 60_000)

test('the creator is found among others, also with a node that limits searches, or is given', async () => {
  const code = await createVoucher()
  const other = createWalletClient({ account: privateKeyToAccount(sweepKey), chain, transport: http(node.url) })
  const { timestamp } = await client.getBlock()
  const args = [newWallet(), 1n, Number(timestamp) + 86_400, false, false] as const
  await mined(other.writeContract({ address: vault, abi, functionName: 'createVoucher', args, value: 1n }))
  await client.request({ method: 'anvil_mine' as never, params: ['0x40'] as never })
  const limited = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const call = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string; params?: Range[] }
      const [range] = call.params ?? []
      const isWide = call.method === 'eth_getLogs' && Number(range?.toBlock) - Number(range?.fromBlock) > 20
      const error = { jsonrpc: '2.0', id: call.id, error: { code: -32_000, message: 'block range too wide' } }
      const reply = isWide
        ? Promise.resolve(JSON.stringify(error))
        : fetch(node.url, { method: 'POST', body: JSON.stringify(call), headers }).then((one) => one.text())
      void reply.then((text) => response.setHeader('content-type', 'application/json').end(text))
    })
  })
  await new Promise<void>((resolve) => limited.listen(0, '127.0.0.1', resolve))
  const rpc = `http://127.0.0.1:${(limited.address() as AddressInfo).port}`
  try {
    expect(await redeem(code, newWallet(), ['--amount', '0.01'], { rpc })).toContain('Paid 0.01')
  } finally {
    limited.close()
  }
  const by = ['--creator', client.account.address]
  expect(await redeem(code, newWallet(), ['--amount', '0.01', ...by])).toContain('Paid 0.01')
  expect(await redeem(code, newWallet(), ['--creator', newWallet()])).toContain('has no voucher with this code')
}, 60_000)
type Range = { fromBlock?: string; toBlock?: string }
const headers = { 'content-type': 'application/json' }

test('a voucher that cannot be redeemed is explained', async () => {
  const to = newWallet()
  expect(await redeem(await createVoucher({ isLocked: true }), to)).toContain('This voucher has a PIN. Only Scrip')
  expect(await redeem(showCode(makeCode(systemRandom)), to)).toBe(
    'This vault on chain 31337 has no voucher with this code. Check the code, the vault and the network. (failed)',
  )
  expect(await redeem(await createVoucher(), to, [], { input: 'ABCD-EFGH' })).toContain('not a valid voucher code')
  expect(await redeem(await createVoucher(), to, [], { input: '' })).toContain('not a valid voucher code')
  const code = await createVoucher({ lifeSeconds: 100 })
  await client.request({ method: 'evm_increaseTime' as never, params: [200] as never })
  await client.request({ method: 'anvil_mine' as never, params: ['0x1'] as never })
  expect(await redeem(code, to)).toMatch(/^This voucher expired on 20\S+Z\. \(failed\)$/)
  expect(await client.getBalance({ address: to })).toBe(0n)
}, 60_000)

test('a wrong network, vault or gas key is explained', async () => {
  const code = await createVoucher()
  const to = newWallet()
  const elsewhere = newWallet()
  expect(await redeem(code, to, [], { inVault: elsewhere })).toBe(
    `There is no contract at ${elsewhere} on chain 31337. Check the network and the vault. (failed)`,
  )
  expect(await redeem(code, to, [], { inVault: token })).toContain('is not a voucher vault')
  expect(await redeem(code, `${to}0` as Address)).toContain('--to is not an address')
  expect(await redeem(code, to, [], { rpc: 'http://127.0.0.1:1/key' })).toBe(
    'The network cannot be used: HTTP request failed. (failed)',
  )
  const poor = writeKey('poor', generatePrivateKey())
  expect(await redeem(code, to, [], { gasKey: poor })).toContain('The gas key has too little coin')
  expect(await redeem(code, to, [], { gasKey: writeKey('open', sweepKey, 0o644) })).toContain('chmod 600')
  expect(await redeem(code, to, [], { gasKey: writeKey('empty', '') })).toContain('has no private key')
  expect(await client.getBalance({ address: to })).toBe(0n)
}, 60_000)
