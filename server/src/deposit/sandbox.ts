import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { inTransaction } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { coin, toHex } from '../chain/block.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { PostTools } from '../ledger/batch.ts'
import { type Deposit, moveExpiry } from './store.ts'

export const outcomes = ['exact', 'under', 'over', 'late', 'reorg'] as const
export type Outcome = (typeof outcomes)[number]

/** Pays a deposit out of the purse of a local network, which lends it to everybody. */
export async function payDeposit(
  { pool }: PostTools,
  rpc: Rpc,
  deposit: Deposit,
  outcome: Outcome,
  amount: bigint | undefined,
): Promise<string> {
  const { environmentId, id, address, token, unit, toDeposit } = deposit
  const shares = { exact: 2n, under: 1n, over: 3n, late: 2n, reorg: 2n }
  const units = (amount ?? (toDeposit * shares[outcome]) / 2n) / unit
  const [from] = await rpc.ask<string[]>('eth_accounts', [])
  const latest = await rpc.ask<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  if (outcome === 'late')
    // Its time was over when the newest block was made. Moving the clock of the network would move it for all.
    await inTransaction(pool, async (tx) => {
      await actFor(tx, environmentId)
      await moveExpiry(tx, id, new Date(Number(latest.timestamp) * 1_000))
    })
  const call = { abi: erc20Abi, functionName: 'transfer', args: [address as Hex, units] } as const
  const payment =
    token === coin ? { from, to: address, value: toHex(units) } : { from, to: token, data: encodeFunctionData(call) }
  const hash = await rpc.ask<string>('eth_sendTransaction', [payment])
  if (outcome === 'reorg') {
    while ((await rpc.ask<object | null>('eth_getTransactionReceipt', [hash])) === null) await sleep(100)
    await rpc.ask('anvil_reorg', [1, []])
  }
  return hash
}
