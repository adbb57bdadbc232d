import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { inTransaction } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { coin, toHex } from '../../chain/block.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { payAndReorganise } from './sandbox-reorg.ts'
import { type Deposit, moveExpiry } from './store.ts'

export const outcomes = ['exact', 'under', 'over', 'late', 'reorg'] as const
export type Outcome = (typeof outcomes)[number]

/** Pays a deposit from the unlocked account of a local test network. */
export async function payDeposit(
  { pool }: PostTools,
  rpc: Rpc,
  deposit: Deposit,
  outcome: Outcome,
  amount: bigint | undefined,
): Promise<string> {
  const { environmentId, id, networkId, address, token, unit, toDeposit } = deposit
  const shares = { exact: 2n, under: 1n, over: 3n, late: 2n, reorg: 2n }
  const units = (amount ?? (toDeposit * shares[outcome]) / 2n) / unit
  const [from] = await rpc.call<string[]>('eth_accounts', [])
  const latest = await rpc.call<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  if (outcome === 'late')
    // Let the deposit expire at the newest block: moving the network's clock would affect all deposits.
    await inTransaction(pool, async (tx) => {
      await actFor(tx, environmentId)
      await moveExpiry(tx, id, new Date(Number(latest.timestamp) * 1_000))
    })
  const call = { abi: erc20Abi, functionName: 'transfer', args: [address as Hex, units] } as const
  const payment =
    token === coin ? { from, to: address, value: toHex(units) } : { from, to: token, data: encodeFunctionData(call) }
  if (outcome === 'reorg') return payAndReorganise(pool, rpc, networkId, payment)
  return rpc.call<string>('eth_sendTransaction', [payment])
}
