// A real Ethereum node whose clock is that of the walk, and the platform's jobs that read it when the drill says so.
import { prepareChain } from '../../server/local/chain.ts'
import { asRole } from '../../server/local/database.ts'
import { createPool } from '../../server/src/base/db.ts'
import { createLog } from '../../server/src/base/log.ts'
import { createOwnership } from '../../server/src/base/ownership.ts'
import { createRpc } from '../../server/src/chain/rpc.ts'
import { listDepositSweeps } from '../../server/src/deposit/settle.ts'
import type { World } from './world.ts'

const network = 'LOCAL'
const blocksUntilFinal = 4

export type Chain = Awaited<ReturnType<typeof openChain>>

export async function openChain({ tools, url: databaseUrl, owner }: World, url: string) {
  const rpc = createRpc([url], tools.clock)
  const ask = <T>(method: string, ...params: unknown[]): Promise<T> => rpc.ask<T>(method, params)
  await ask('evm_setAutomine', true)
  await prepareChain(tools.pool, url)
  await ask('evm_setAutomine', false)
  const ownership = createOwnership(databaseUrl)
  const chainPool = createPool(asRole(databaseUrl, 'scrip_chain'), 2)
  const log = createLog('error')
  const jobs = listDepositSweeps({ ...tools, chainPool, ownership, log, nodes: { [network]: [url] }, signers: [] })
  const run = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const job = jobs.find((each) => each.name === name)
      if (job === undefined) throw new Error(`There is no job “${name}”.`)
      while (await job.run()) continue
    }
  }
  /** The next block is made at the clock's time. */
  const mine = async (blocks: number): Promise<void> => {
    const seconds = Math.floor(tools.clock().getTime() / 1_000)
    const { timestamp } = await ask<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    if (seconds > Number(timestamp)) await ask('evm_setNextBlockTimestamp', seconds)
    await ask('anvil_mine', `0x${blocks.toString(16)}`)
  }
  const purses = await ask<string[]>('eth_accounts')
  const { rows } = await owner.query<{ id: string }>('select id from networks where abbreviation = $1', [network])
  await mine(blocksUntilFinal)
  await run(`blocks of ${network}`)

  return {
    networkId: rows[0]?.id ?? '',
    /** Pays all of them in one block. */
    async pay(payments: readonly { readonly to: string; readonly wei: bigint }[]): Promise<void> {
      for (const [i, { to, wei }] of payments.entries()) {
        const from = purses[i % purses.length]
        await ask('eth_sendTransaction', { from, to, value: `0x${wei.toString(16)}` })
      }
      await mine(1)
    },
    /** The platform sees what was paid, and compares it with the market of now. */
    see: () => run(`blocks of ${network}`, 'prices of seen deposits'),
    /** The network replaces its last block by one in which nothing is paid. */
    undoLastBlock: () => ask('anvil_reorg', 1, []),
    /** What was paid becomes final, and is credited. */
    async settle(): Promise<void> {
      await mine(blocksUntilFinal)
      await run(`blocks of ${network}`, 'deposits')
    },
    stop: async (): Promise<void> => {
      await chainPool.end()
      await ownership.close()
    },
  }
}
