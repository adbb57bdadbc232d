// An Ethereum node that follows the clock of the walk, and the platform's jobs that read it when the drill says so.
import { prepareChain } from '../../server/local/parts/chain.ts'
import { asRole } from '../../server/local/parts/database.ts'
import { createPool } from '../../server/src/base/db.ts'
import { createLog } from '../../server/src/base/log.ts'
import { createLeases } from '../../server/src/base/lease.ts'
import { createRpc } from '../../server/src/chain/rpc.ts'
import { listDepositJobs } from '../../server/src/payments/deposit/settle.ts'
import { createEndSend } from '../../server/src/end-send.ts'
import type { World } from './world.ts'

const network = 'LOCAL'
const blocksUntilFinal = 4

export type Chain = {
  readonly networkId: string
  /** Pays all of them in one block. */
  readonly pay: (payments: readonly { readonly to: string; readonly wei: bigint }[]) => Promise<void>
  /** The platform reads new blocks and compares the prices of new payments with the current market. */
  readonly see: () => Promise<void>
  /** The network replaces its last block by an empty one. */
  readonly undoLastBlock: () => Promise<unknown>
  /** Payments become final and are credited. */
  readonly settle: () => Promise<void>
  readonly stop: () => Promise<void>
}

export async function openChain({ tools, url: databaseUrl, owner }: World, url: string): Promise<Chain> {
  const rpc = createRpc([url], tools.clock)
  const call = <T>(method: string, ...params: unknown[]): Promise<T> => rpc.call<T>(method, params)
  await call('evm_setAutomine', true)
  await prepareChain(tools.pool, url)
  await call('evm_setAutomine', false)
  const leases = createLeases(databaseUrl)
  const chainPool = createPool(asRole(databaseUrl, 'scrip_chain'), 2)
  const log = createLog('error')
  const jobs = listDepositJobs({
    ...tools,
    chainPool,
    leases,
    log,
    endSend: createEndSend({ ...tools, log }),
    nodes: { [network]: [url] },
    signers: { sweep: [], payout: [], voucher: [] },
  })
  const run = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const job = jobs.find((each) => each.name === name)
      if (job === undefined) throw new Error(`There is no job “${name}”.`)
      while (await job.run()) continue
    }
  }
  /** Mines blocks at the clock's time. */
  const mine = async (blocks: number): Promise<void> => {
    const seconds = Math.floor(tools.clock().getTime() / 1_000)
    const { timestamp } = await call<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    if (seconds > Number(timestamp)) await call('evm_setNextBlockTimestamp', seconds)
    await call('anvil_mine', `0x${blocks.toString(16)}`)
  }
  const accounts = await call<string[]>('eth_accounts')
  const { rows } = await owner.query<{ id: string }>('select id from networks where abbreviation = $1', [network])
  await mine(blocksUntilFinal)
  await run(`blocks of ${network}`)

  return {
    networkId: rows[0]?.id ?? '',
    async pay(payments) {
      for (const [i, { to, wei }] of payments.entries()) {
        const from = accounts[i % accounts.length]
        await call('eth_sendTransaction', { from, to, value: `0x${wei.toString(16)}` })
      }
      await mine(1)
    },
    see: () => run(`blocks of ${network}`, 'prices of seen deposits'),
    undoLastBlock: () => call('anvil_reorg', 1, []),
    async settle() {
      await mine(blocksUntilFinal)
      await run(`blocks of ${network}`, 'deposits')
    },
    stop: async () => {
      await chainPool.end()
      await leases.close()
    },
  }
}
