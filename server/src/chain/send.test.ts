import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvil as chain } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepKey } from '../../local/parts/anvil.ts'
import { type ChainWorld, createChainWorld } from '../../local/test/chain-world.ts'
import { restoreAfterTest } from '../../local/test/restore.ts'
import { inTransaction } from '../base/db.ts'
import { createLog } from '../base/log.ts'
import { setNetworkActive } from '../catalogue/currency/store.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { createSendMonitor, type EndSend, signSend } from './send.ts'
import { listFrom, listUnsigned, queueSend } from './send-store.ts'
import { localSigner } from './sign.ts'
import { type Chain, findChain } from './store.ts'

const signer = localSigner(sweepKey)

let world: ChainWorld
let ours: Chain
let nodeUrl = ''
const ended: string[] = []
beforeAll(async () => {
  world = await createChainWorld((url) => {
    nodeUrl = url
    return [url]
  })
  await world.settle()
  await world.settle()
  const found = await findChain(world.pool, 'LOCAL')
  if (found === undefined) throw new Error('There is no network.')
  ours = found
})
afterAll(() => world.stop())

const toolsNow = () => ({
  pool: world.pool,
  clock: world.clock,
  log: createLog('silent'),
  signers: { sweep: [signer], payout: [], voucher: [] },
})
const rpcOf = (): Rpc => createRpc([nodeUrl], world.clock)
/** Broadcasts reach no node, and no node reports an error of its own. */
const deaf = (): Rpc => ({ ...rpcOf(), broadcast: () => Promise.resolve(['unreachable']) })
let recipients = 0
/** Queues a send to a new recipient, whose balance shows a double send. */
const queue = async (reference = `send-${recipients}`): Promise<{ to: Hex; isNew: boolean }> => {
  const to = `0x${(0x5c819_0000 + recipients++).toString(16).padStart(40, '0')}` as const
  const send = {
    id: world.newId(),
    networkId: ours.id,
    lane: 'sweep' as const,
    reference,
    to,
    data: '0x',
    value: 10n,
    askedAt: world.clock(),
  }
  return { to, isNew: await inTransaction(world.pool, (tx) => queueSend(tx, send)) }
}
const end: EndSend = (_, { reference }, { outcome }) => {
  ended.push(`${reference} ${outcome}`)
  return Promise.resolve()
}
const sign = async (rpc = rpcOf()): Promise<void> => {
  for (const send of await listUnsigned(world.pool, 'sweep', [signer.address], ['LOCAL'], [], 100, 1_000))
    await signSend(toolsNow(), rpc, ours, send, end)
}
const monitor = (rpc = rpcOf()): Promise<boolean> => createSendMonitor(toolsNow(), 'LOCAL', rpc, end)()
/** Mines and reads blocks, without running the jobs for sends. */
const makeFinal = async (): Promise<void> => {
  await world.ask('anvil_mine', '0x4')
  for (const { name, run } of world.jobs) if (name === 'blocks of LOCAL') while (await run()) continue
}
const held = (address: Hex): Promise<bigint> => world.client.getBalance({ address })
const outcomesOf = (reference: string): string[] =>
  ended.flatMap((text) => (text.startsWith(`${reference} `) ? [text.slice(reference.length + 1)] : []))

test('a reference that is queued twice is sent once', async () => {
  const first = await queue('once')
  const again = await queue('once')
  expect([first.isNew, again.isNew]).toEqual([true, false])
  await sign()
  await makeFinal()
  await monitor()
  await monitor()
  expect([await held(first.to), await held(again.to)]).toEqual([10n, 0n])
  expect(outcomesOf('once')).toEqual(['done'])
})

test('two workers that sign concurrently use consecutive nonces, each once', async () => {
  const sent = []
  for (let i = 0; i < 20; i++) sent.push(await queue())
  await Promise.all([sign(), sign()])
  await makeFinal()
  await Promise.all([1, 2, 3, 4].map(() => world.pool.query('select pg_sleep(0.1)')))
  await Promise.all([monitor(), monitor()])
  for (const { to } of sent) expect(await held(to)).toBe(10n)
  expect(new Set(ended).size).toBe(ended.length)
  const { rows } = await world.pool.query<{ nonce: bigint }>('select nonce from chain_sends order by nonce')
  expect(rows.map(({ nonce }) => Number(nonce))).toEqual(rows.map((_, i) => i))
})

test('a send that was signed but never broadcast is broadcast later with the same signature', async () => {
  const { to } = await queue('untold')
  await sign(deaf())
  await makeFinal()
  expect(await held(to)).toBe(0n)
  await monitor()
  await makeFinal()
  await monitor()
  expect(await held(to)).toBe(10n)
  expect(outcomesOf('untold')).toEqual(['done'])
  const { rows } = await world.pool.query(
    `select from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'untold'`,
  )
  expect(rows).toHaveLength(1)
})

test('a send is stored before it is broadcast, and no send is due while too many are unfinished', async () => {
  await queue('stored')
  let stored: number | null = null
  const broadcast = async (_: string, [raw]: readonly unknown[]): Promise<string[]> => {
    stored = (await world.pool.query('select from chain_signed where raw = $1', [raw])).rowCount
    return ['']
  }
  await sign({ ...rpcOf(), broadcast })
  expect(stored).toBe(1)
  await queue('after')
  expect(await listUnsigned(world.pool, 'sweep', [signer.address], ['LOCAL'], [], 100, 1)).toEqual([])
  // A version whose fee is high enough is not replaced, however long no node accepts it.
  for (let i = 0; i < 3; i++) {
    await world.pass(20)
    await monitor(deaf())
  }
  await sign()
  await monitor()
  await makeFinal()
  await monitor()
  expect([...outcomesOf('stored'), ...outcomesOf('after')]).toEqual(['done', 'done'])
  const { rows } = await world.pool.query(
    `select from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'stored'`,
  )
  expect(rows).toHaveLength(1)
})

test('a send does not finish while two nodes disagree, and pays the lower of two tips', async () => {
  /** A second node that lies about one method. */
  const withLiar = (lied: string, lie: (result: unknown) => unknown): Rpc => ({
    ...rpcOf(),
    callTwo: async <T>(method: string, params: readonly unknown[]) => {
      const [result] = await rpcOf().callTwo<T>(method, params)
      return [result, method === lied ? lie(result) : result] as T[]
    },
  })
  await queue('doubted')
  await sign(withLiar('eth_maxPriorityFeePerGas', (tip) => `0x${(BigInt(tip as string) * 1_000n).toString(16)}`))
  const { rows } = await world.pool.query<{ tip: bigint }>(
    `select v.max_tip as tip from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'doubted'`,
  )
  expect(rows[0]?.tip).toBe(BigInt(await world.ask<string>('eth_maxPriorityFeePerGas')))
  await makeFinal()
  const wrongGas = withLiar('eth_getTransactionReceipt', (receipt) => receipt && { ...receipt, gasUsed: '0x1' })
  await expect(monitor(wrongGas)).rejects.toMatchObject({ errors: [{ code: 'CHAIN_DISAGREES' }] })
  await monitor(withLiar('eth_getTransactionCount', () => '0x0'))
  expect(outcomesOf('doubted')).toEqual([])
  await monitor()
  expect(outcomesOf('doubted')).toEqual(['done'])
})

test('sends of an inactive network wait until it is active again', async () => {
  const { to } = await queue('resting')
  restoreAfterTest(() => setNetworkActive(world.pool, 'LOCAL', true))
  await setNetworkActive(world.pool, 'LOCAL', false)
  expect(await listUnsigned(world.pool, 'sweep', [signer.address], ['LOCAL'], [], 100, 1_000)).toEqual([])
  await setNetworkActive(world.pool, 'LOCAL', true)
  await sign()
  await makeFinal()
  await monitor()
  expect(await held(to)).toBe(10n)
})

test('when gas prices rise, a version with a higher fee replaces the first, and the send is done once', async () => {
  await world.ask('evm_setAutomine', false)
  const { to } = await queue('dear')
  await sign()
  // Ten times the price, at which the first version cannot be mined.
  const { maxFeePerGas } = await world.client.estimateFeesPerGas()
  await world.ask('anvil_setNextBlockBaseFeePerGas', `0x${(maxFeePerGas * 10n).toString(16)}`)
  await makeFinal()
  await monitor()
  expect(await held(to)).toBe(0n)
  await world.pass(20)
  await monitor()
  await makeFinal()
  await monitor()
  await world.ask('evm_setAutomine', true)
  expect(await held(to)).toBe(10n)
  expect(outcomesOf('dear')).toEqual(['done'])
  const { rows } = await world.pool.query(
    `select from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'dear'`,
  )
  expect(rows).toHaveLength(2)
})

test('a send with too low a tip gets a version with a higher one', async () => {
  await world.ask('anvil_setNextBlockBaseFeePerGas', `0x${(10n ** 11n).toString(16)}`)
  await makeFinal()
  const { to } = await queue('tip')
  const stingy = {
    ...deaf(),
    callTwo: async <T>(method: string, params: readonly unknown[]) =>
      method === 'eth_maxPriorityFeePerGas' ? (['0x0'] as T[]) : rpcOf().callTwo<T>(method, params),
  }
  await sign(stingy)
  await world.pass(20)
  await monitor()
  await makeFinal()
  await monitor()
  expect(await held(to)).toBe(10n)
  const { rows } = await world.pool.query<{ tip: bigint }>(
    `select v.max_tip as tip from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'tip' order by 1`,
  )
  expect(rows.map(({ tip }) => tip > 0n)).toEqual([false, true])
})

test('a finished send that a reorganisation removes is broadcast again', async () => {
  const { to } = await queue('undone')
  await sign()
  await makeFinal()
  await monitor()
  expect(outcomesOf('undone')).toEqual(['done'])
  await world.ask('anvil_reorg', 6, [])
  expect(await held(to)).toBe(0n)
  await world.pass(20)
  await makeFinal()
  await monitor()
  await makeFinal()
  expect(await held(to)).toBe(10n)
  expect(outcomesOf('undone')).toEqual(['done'])
})

test('sends to broadcast again are listed in pages, unfinished ones first', async () => {
  await queue('waits')
  await sign(deaf())
  const some = await listFrom(world.pool, ours.id, signer.address, 0n, 5)
  expect(some.map(({ nonce, endedAt }) => endedAt === null || Number(nonce))).toEqual([true, 0, 1, 2, 3])
  await monitor()
})

test('a transaction that no node accepts is logged, also if nodes return no JSON-RPC error', async () => {
  const busy = createServer((_, reply) => {
    reply.statusCode = 429
    reply.end('{"message":"slow down"}')
  })
  await new Promise<void>((ready) => void busy.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  for (const broadcast of [createRpc([url], world.clock).broadcast, () => Promise.resolve(['unknown account'])]) {
    await queue()
    for (const send of await listUnsigned(world.pool, 'sweep', [signer.address], ['LOCAL'], [], 1, 1_000))
      await signSend({ ...toolsNow(), log }, { ...rpcOf(), broadcast }, ours, send, end)
  }
  busy.close()
  expect(lines.filter((line) => line.includes('no node accepts the transaction'))).toHaveLength(2)
  await monitor()
})

test('a send whose nonce another transaction used is displaced after an hour, and the next send goes on', async () => {
  const account = privateKeyToAccount(sweepKey)
  const stranger = createWalletClient({ account, chain, transport: http(nodeUrl) }).extend(publicActions)
  const { to } = await queue('displaced')
  await sign(deaf())
  // The hour starts when the receipt is first missed: nodes may have the block before its receipts.
  await world.pass(3_700)
  await stranger.sendTransaction({ to: world.treasury, value: 1n })
  await makeFinal()
  await monitor()
  expect(outcomesOf('displaced')).toEqual([])
  await world.pass(3_700)
  const next = await queue('next')
  await sign()
  await makeFinal()
  await monitor()
  expect(await held(to)).toBe(0n)
  expect(outcomesOf('displaced')).toEqual(['displaced'])
  expect(await held(next.to)).toBe(10n)
  expect(outcomesOf('next')).toEqual(['done'])
})

test('a send that the network reverts finishes as reverted', async () => {
  const to = world.token
  const data = '0xdeadbeef'
  const send = {
    id: world.newId(),
    networkId: ours.id,
    lane: 'sweep' as const,
    reference: 'reverts',
    to,
    data,
    value: 0n,
  }
  await inTransaction(world.pool, (tx) => queueSend(tx, { ...send, askedAt: world.clock() }))
  // The gas estimate would refuse it; the state may change after the estimate.
  const blind = {
    ...rpcOf(),
    estimateTwo: () => Promise.resolve([100_000n]),
  }
  await sign(blind)
  await makeFinal()
  await monitor()
  expect(outcomesOf('reverts')).toEqual(['reverted'])
})
