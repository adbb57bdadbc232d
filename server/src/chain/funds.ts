import { decodeFunctionData, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import type { Db } from '../base/db.ts'
import { coin } from './block.ts'
import { chainError } from './errors.ts'
import { lowest, type Rpc } from './rpc.ts'
import { listUnmined, type Send, type Unmined } from './send-store.ts'

/** What a sender holds of the asset of a send, and how many of its transactions that includes. */
type Funds = { readonly asset: string; readonly balance: bigint; readonly count: bigint }
type Spent = { readonly asset: string; readonly amount: bigint }

/**
 * Reads what the sender holds of the asset that a send pays. Undefined for sweeps, which pay nothing. The lower of two nodes. The count is
 * read first: a transaction that is mined in between counts twice, which delays a payment but never lets one through.
 */
export async function readFunds(rpc: Rpc, sender: string, send: Send): Promise<Funds | undefined> {
  if (send.lane === 'sweep') return undefined
  const { asset } = spentBy(send)
  const count = lowest((await rpc.callTwo<string>('eth_getTransactionCount', [sender, 'latest'])).map(BigInt))
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [sender as Hex] })
  const balances =
    asset === coin
      ? await rpc.callTwo<string>('eth_getBalance', [sender, 'latest'])
      : await rpc.callTwo<string>('eth_call', [{ to: asset, data }, 'latest'])
  return { asset, count, balance: lowest(balances.map(BigInt)) }
}

/**
 * Refuses a send that the sender cannot pay together with those that are not mined yet. A token would revert it, and the redemption would
 * fail for our lack of funds; coin would block all later transactions of the sender. It is tried again until the operator funds the key.
 */
export async function refuseUnfunded(db: Db, sender: string, send: Send, funds: Funds | undefined): Promise<void> {
  if (funds === undefined) return
  const unmined = await listUnmined(db, send.networkId, sender, funds.count)
  const needed = [send, ...unmined]
    .map(spentBy)
    .reduce((sum, { asset, amount }) => (asset === funds.asset ? sum + amount : sum), 0n)
  if (needed > funds.balance) throw chainError('CHAIN_UNFUNDED', { send: send.id, sender })
}

function spentBy({ to, data, value }: Unmined): Spent {
  if (value > 0n || data === '0x') return { asset: coin, amount: value }
  const transfer = decodeTransfer(data)
  return transfer === undefined ? { asset: coin, amount: 0n } : { asset: to, amount: transfer }
}

function decodeTransfer(data: string): bigint | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: data as Hex })
    return functionName === 'transfer' ? args[1] : undefined
  } catch {
    return undefined
  }
}
