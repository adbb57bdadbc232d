// The whole platform with a network of its own: the API, a worker that can be killed, and a node that can undo blocks.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { payoutKey, startAnvil, sweepKey, voucherKey } from '../../server/local/parts/anvil.ts'
import { mineEverySecond, type PreparedChain, prepareChain } from '../../server/local/parts/chain.ts'
import { startWorker, type WorkerProcess } from '../voucher-lifecycle/worker-process.ts'
import { type Stack, startStack } from './stack.ts'

export type ChainStack = {
  readonly stack: Stack
  readonly client: PreparedChain['client']
  readonly treasury: Hex
  /** Calls the node. */
  readonly ask: <T>(method: string, ...params: unknown[]) => Promise<T>
  /** Kills the worker without warning. Nothing is worked on until `startAgain`. */
  readonly killWorker: () => Promise<void>
  readonly startAgain: () => void
  /** Undoes the block of a transaction and all after it. The node forgets their transactions. Returns the number of blocks. */
  readonly undo: (hash: Hex) => Promise<number>
  /** Everything that the API, PostgreSQL and all workers logged. */
  readonly logs: () => string
  readonly stop: () => Promise<void>
}

/** Blocks on top of a block until it is final: two epochs. A reorganisation of fewer is nothing unusual. */
export const finalDepth = 8
const nodeArgs = ['--slots-in-an-epoch', '4']

export async function startChainStack(more: Record<string, string> = {}): Promise<ChainStack> {
  const node = await startAnvil(nodeArgs)
  const stack = await startStack({ CHAIN_NODES: `LOCAL=${node.url}`, ...more }, '', 'api')
  const { client, treasury } = await prepareChain(stack.pool, node.url)
  await mineEverySecond(client)
  const keys = { SWEEP_KEY: sweepKey, PAYOUT_KEY: payoutKey, VOUCHER_KEY: voucherKey }
  const workers: WorkerProcess[] = []
  const startAgain = (): void => void workers.push(startWorker({ ...stack.settings, ...keys }))
  startAgain()
  const ask = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const request = client.request as (call: { method: string; params: unknown[] }) => Promise<T>
    return request({ method, params })
  }
  return {
    stack,
    client,
    treasury,
    ask,
    killWorker: async () => workers.at(-1)?.kill(),
    startAgain,
    undo: async (hash) => {
      const { blockNumber } = await client.getTransactionReceipt({ hash })
      const depth = Number((await client.getBlockNumber({ cacheTime: 0 })) - blockNumber) + 1
      await ask('anvil_reorg', depth, [])
      return depth
    },
    logs: () => stack.logs() + workers.map((worker) => worker.logs()).join(''),
    stop: async () => {
      await workers.at(-1)?.stop()
      await stack.stop()
      await node.stop()
    },
  }
}

/** Tries again until it returns something. A network takes its time. */
export async function eventually<T>(look: () => Promise<T | undefined | null | false>, timeoutMs = 90_000): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found
    if (Date.now() > deadline) throw new Error(`Nothing was found within ${timeoutMs / 1_000} seconds.`)
    await sleep(100)
  }
}
