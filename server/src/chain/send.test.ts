import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvil as chain } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepKey } from '../../local/anvil.ts'
import { type ChainWorld, createChainWorld } from '../../local/chain-world.ts'
import { inTransaction } from '../base/db.ts'
import { createLog } from '../base/log.ts'
import { setNetworkActive } from '../currency/store.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { createSeeThrough, signSend } from './send.ts'
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

const toolsNow = () => ({ pool: world.pool, clock: world.clock, log: createLog('silent'), signers: [signer] })
const rpcOf = (): Rpc => createRpc([nodeUrl], world.clock)
/** Nobody hears what is told, and nobody says so. */
const deaf = (): Rpc => ({ ...rpcOf(), tellAll: () => Promise.resolve(['unreachable']) })
let recipients = 0
/** A send to somebody new, so that one that is done twice shows in his balance. */
const queue = async (reference = `send-${recipients}`): Promise<{ to: Hex; isNew: boolean }> => {
  const to = `0x${(0x5c819_0000 + recipients++).toString(16).padStart(40, '0')}` as const
  const send = { id: world.newId(), networkId: ours.id, reference, to, data: '0x', value: 10n, askedAt: world.clock() }
  return { to, isNew: await inTransaction(world.pool, (tx) => queueSend(tx, send)) }
}
const sign = async (rpc = rpcOf()): Promise<void> => {
  for (const send of await listUnsigned(world.pool, ['LOCAL'], [], 100, 1_000))
    await signSend(toolsNow(), signer, rpc, ours, send)
}
const seeThrough = (rpc = rpcOf()): Promise<boolean> =>
  createSeeThrough(toolsNow(), 'LOCAL', rpc, (_, { reference }, { outcome }) => {
    ended.push(`${reference} ${outcome}`)
    return Promise.resolve()
  })()
/** Makes blocks and reads them, without the worker's own sends. */
const makeFinal = async (): Promise<void> => {
  await world.ask('anvil_mine', '0x4')
  for (const { name, run } of world.sweeps) if (name === 'blocks of LOCAL') while (await run()) continue
}
const held = (address: Hex): Promise<bigint> => world.client.getBalance({ address })
const outcomesOf = (reference: string): string[] =>
  ended.flatMap((text) => (text.startsWith(`${reference} `) ? [text.slice(reference.length + 1)] : []))

test('the same reference is sent once, whoever asks', async () => {
  const first = await queue('once')
  const again = await queue('once')
  expect([first.isNew, again.isNew]).toEqual([true, false])
  await sign()
  await makeFinal()
  await seeThrough()
  await seeThrough()
  expect([await held(first.to), await held(again.to)]).toEqual([10n, 0n])
  expect(outcomesOf('once')).toEqual(['done'])
})

test('two workers that sign at once leave no gap between nonces and use none twice', async () => {
  const sent = []
  for (let i = 0; i < 20; i++) sent.push(await queue())
  await Promise.all([sign(), sign()])
  await makeFinal()
  await Promise.all([1, 2, 3, 4].map(() => world.pool.query('select pg_sleep(0.1)')))
  await Promise.all([seeThrough(), seeThrough()])
  for (const { to } of sent) expect(await held(to)).toBe(10n)
  expect(new Set(ended).size).toBe(ended.length)
  const { rows } = await world.pool.query<{ nonce: bigint }>('select nonce from chain_sends order by nonce')
  expect(rows.map(({ nonce }) => Number(nonce))).toEqual(rows.map((_, i) => i))
})

test('what was signed and never told is told by whoever comes next: the same bytes', async () => {
  const { to } = await queue('untold')
  await sign(deaf())
  await makeFinal()
  expect(await held(to)).toBe(0n)
  await seeThrough()
  await makeFinal()
  await seeThrough()
  expect(await held(to)).toBe(10n)
  expect(outcomesOf('untold')).toEqual(['done'])
  const { rows } = await world.pool.query(
    `select from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'untold'`,
  )
  expect(rows).toHaveLength(1)
})

test('nobody is told of what is not kept yet, and nothing is signed while as many as may be are under way', async () => {
  await queue('kept')
  let kept: number | null = null
  const tellAll = async (_: string, [raw]: readonly unknown[]): Promise<string[]> => {
    kept = (await world.pool.query('select from chain_signed where raw = $1', [raw])).rowCount
    return ['']
  }
  await sign({ ...rpcOf(), tellAll })
  expect(kept).toBe(1)
  await queue('after')
  expect(await listUnsigned(world.pool, ['LOCAL'], [], 100, 1)).toEqual([])
  // However long nobody hears it: what is enough at the price of the moment stays as it is.
  for (let i = 0; i < 3; i++) {
    await world.pass(20)
    await seeThrough(deaf())
  }
  await sign()
  await seeThrough()
  await makeFinal()
  await seeThrough()
  expect([...outcomesOf('kept'), ...outcomesOf('after')]).toEqual(['done', 'done'])
  const { rows } = await world.pool.query(
    `select from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'kept'`,
  )
  expect(rows).toHaveLength(1)
})

test('where two nodes do not say the same, nothing ends, and the lower price is paid', async () => {
  /** A second node, which says something else. */
  const withOther = (lied: string, lie: (told: unknown) => unknown): Rpc => ({
    ...rpcOf(),
    askTwo: async <T>(method: string, params: readonly unknown[]) => {
      const [told] = await rpcOf().askTwo<T>(method, params)
      return [told, method === lied ? lie(told) : told] as T[]
    },
  })
  await queue('doubted')
  await sign(withOther('eth_maxPriorityFeePerGas', (tip) => `0x${(BigInt(tip as string) * 1_000n).toString(16)}`))
  const { rows } = await world.pool.query<{ tip: bigint }>(
    `select v.max_tip as tip from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'doubted'`,
  )
  expect(rows[0]?.tip).toBe(BigInt(await world.ask<string>('eth_maxPriorityFeePerGas')))
  await makeFinal()
  const dear = withOther('eth_getTransactionReceipt', (told) => told && { ...told, gasUsed: '0x1' })
  await expect(seeThrough(dear)).rejects.toMatchObject({ code: 'CHAIN_DISAGREES' })
  await seeThrough(withOther('eth_getTransactionCount', () => '0x0'))
  expect(outcomesOf('doubted')).toEqual([])
  await seeThrough()
  expect(outcomesOf('doubted')).toEqual(['done'])
})

test('what waits for a network that is not offered any more holds back no other', async () => {
  const { to } = await queue('resting')
  await setNetworkActive(world.pool, 'LOCAL', false)
  expect(await listUnsigned(world.pool, ['LOCAL'], [], 100, 1_000)).toEqual([])
  await setNetworkActive(world.pool, 'LOCAL', true)
  await sign()
  await makeFinal()
  await seeThrough()
  expect(await held(to)).toBe(10n)
})

test('where gas became dearer a version that pays more takes its place, at the same nonce, and one of them is done', async () => {
  await world.ask('evm_setAutomine', false)
  const { to } = await queue('dear')
  await sign()
  // Ten times the price of before: nobody would mine it now.
  const { maxFeePerGas } = await world.client.estimateFeesPerGas()
  await world.ask('anvil_setNextBlockBaseFeePerGas', `0x${(maxFeePerGas * 10n).toString(16)}`)
  await makeFinal()
  await seeThrough()
  expect(await held(to)).toBe(0n)
  await world.pass(20)
  await seeThrough()
  await makeFinal()
  await seeThrough()
  await world.ask('evm_setAutomine', true)
  expect(await held(to)).toBe(10n)
  expect(outcomesOf('dear')).toEqual(['done'])
  const { rows } = await world.pool.query(
    `select from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'dear'`,
  )
  expect(rows).toHaveLength(2)
})

test('one that was signed with less of a tip than anybody takes gets one that is enough', async () => {
  await world.ask('anvil_setNextBlockBaseFeePerGas', `0x${(10n ** 11n).toString(16)}`)
  await makeFinal()
  const { to } = await queue('tip')
  const stingy = {
    ...deaf(),
    askTwo: async <T>(method: string, params: readonly unknown[]) =>
      method === 'eth_maxPriorityFeePerGas' ? (['0x0'] as T[]) : rpcOf().askTwo<T>(method, params),
  }
  await sign(stingy)
  await world.pass(20)
  await seeThrough()
  await makeFinal()
  await seeThrough()
  expect(await held(to)).toBe(10n)
  const { rows } = await world.pool.query<{ tip: bigint }>(
    `select v.max_tip as tip from chain_signed v join chain_sends s on s.id = v.send_id where s.reference = 'tip' order by 1`,
  )
  expect(rows.map(({ tip }) => tip > 0n)).toEqual([false, true])
})

test('what a reorganisation takes away is told again, also if it had ended', async () => {
  const { to } = await queue('undone')
  await sign()
  await makeFinal()
  await seeThrough()
  expect(outcomesOf('undone')).toEqual(['done'])
  await world.ask('anvil_reorg', 6, [])
  expect(await held(to)).toBe(0n)
  await world.pass(20)
  await makeFinal()
  await seeThrough()
  await makeFinal()
  expect(await held(to)).toBe(10n)
  expect(outcomesOf('undone')).toEqual(['done'])
})

test('a node that knows of none of our transactions is told some of them at a time, what waits first', async () => {
  await queue('waits')
  await sign(deaf())
  const some = await listFrom(world.pool, ours.id, signer.address, 0n, 5)
  expect(some.map(({ nonce, endedAt }) => endedAt === null || Number(nonce))).toEqual([true, 0, 1, 2, 3])
  await seeThrough()
})

test('a transaction that no node takes is told, also where none says no in so many words', async () => {
  const busy = createServer((_, reply) => {
    reply.statusCode = 429
    reply.end('{"message":"slow down"}')
  })
  await new Promise<void>((ready) => void busy.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  for (const tellAll of [createRpc([url], world.clock).tellAll, () => Promise.resolve(['unknown account'])]) {
    await queue()
    for (const send of await listUnsigned(world.pool, ['LOCAL'], [], 1, 1_000))
      await signSend({ ...toolsNow(), log }, signer, { ...rpcOf(), tellAll }, ours, send)
  }
  busy.close()
  expect(lines.filter((line) => line.includes('no node takes a transaction of ours'))).toHaveLength(2)
  await seeThrough()
})

test('a nonce that somebody else has used is told, after an hour, and holds nothing back', async () => {
  const account = privateKeyToAccount(sweepKey)
  const stranger = createWalletClient({ account, chain, transport: http(nodeUrl) }).extend(publicActions)
  const { to } = await queue('displaced')
  await sign(deaf())
  // However long ago it was signed: nodes may have the block, and not yet its receipts.
  await world.pass(3_700)
  await stranger.sendTransaction({ to: world.treasury, value: 1n })
  await makeFinal()
  await seeThrough()
  expect(outcomesOf('displaced')).toEqual([])
  await world.pass(3_700)
  const next = await queue('next')
  await sign()
  await makeFinal()
  await seeThrough()
  expect(await held(to)).toBe(0n)
  expect(outcomesOf('displaced')).toEqual(['displaced'])
  expect(await held(next.to)).toBe(10n)
  expect(outcomesOf('next')).toEqual(['done'])
})

test('one that the network reverts has ended too, and cost gas', async () => {
  const to = world.token
  const data = '0xdeadbeef'
  const send = { id: world.newId(), networkId: ours.id, reference: 'reverts', to, data, value: 0n }
  await inTransaction(world.pool, (tx) => queueSend(tx, { ...send, askedAt: world.clock() }))
  // An estimate would have refused it; a network may change its mind after that.
  const blind = {
    ...rpcOf(),
    ask: async <T>(method: string, params: readonly unknown[]) =>
      method === 'eth_estimateGas' ? ('0x186a0' as T) : rpcOf().ask<T>(method, params),
  }
  await sign(blind)
  await makeFinal()
  await seeThrough()
  expect(outcomesOf('reverts')).toEqual(['reverted'])
})
