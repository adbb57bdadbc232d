import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction, type Pool, type Tx } from '../../base/db.ts'
import { execute, selectValue, sql } from '../../base/sql.ts'
import { toHex } from '../../chain/block.ts'
import { chainError } from '../../chain/errors.ts'
import type { Rpc } from '../../chain/rpc.ts'

// A worker reads a new block within half a second.
const seenWithinMs = 3_000
const pollMs = 50

type LocalTransaction = { readonly hash: string; readonly nonce: string; readonly from: string }
type LocalBlock = { readonly number: string; readonly transactions: readonly LocalTransaction[] }

/**
 * Pays in a new block of a local test network, and replaces this block by one without the payment. All other transactions of the
 * block are in the new one, in the same order. Mining is paused meanwhile, so that no further block is lost.
 */
export async function payAndReorganise(pool: Pool, rpc: Rpc, networkId: string, payment: object): Promise<string> {
  return inTransaction(pool, async (tx) => {
    // Each request takes some seconds, more than other transactions wait for a lock.
    await execute(tx)`set local lock_timeout = '20s'`
    await execute(tx)`select pg_advisory_xact_lock(hashtextextended(${`sandbox reorganisation ${networkId}`}, 0))`
    const resume = await pauseMining(rpc)
    try {
      const hash = await rpc.call<string>('eth_sendTransaction', [payment])
      await rpc.call('anvil_mine', [toHex(1n)])
      await waitUntilSeen(tx, networkId, hash)
      await replaceNewestBlock(rpc, hash)
      return hash
    } finally {
      await resume()
    }
  })
}

/** Returns the function that restores mining as it was. */
async function pauseMining(rpc: Rpc): Promise<() => Promise<void>> {
  const isAutomatic = await rpc.call<boolean>('anvil_getAutomine', [])
  const everySeconds = await rpc.call<number | null>('anvil_getIntervalMining', [])
  await rpc.call('evm_setAutomine', [false])
  return async () => {
    if (everySeconds !== null) await rpc.call('evm_setIntervalMining', [everySeconds])
    if (!isAutomatic) return
    await rpc.call('evm_setAutomine', [true])
    // The node mines automatically only when a transaction arrives. Those that arrived during the pause would wait for the next one.
    const { pending } = await rpc.call<{ pending: string }>('txpool_status', [])
    if (BigInt(pending) > 0n) await rpc.call('anvil_mine', [toHex(1n)])
  }
}

/** Waits for the worker, so that integrators see the deposit PROCESSING. Without a worker the payment disappears unseen. */
async function waitUntilSeen(tx: Tx, networkId: string, hash: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < seenWithinMs; waitedMs += pollMs) {
    const isSeen = await selectValue(tx)`
      select ${sql.boolean`exists (
        select from chain_payments where network_id = ${networkId} and tx_hash = ${hash} and priced_at is not null)`}`
    if (isSeen === true) return
    await sleep(pollMs)
  }
}

async function replaceNewestBlock(rpc: Rpc, hash: string): Promise<void> {
  const { transactions } = await rpc.call<LocalBlock>('eth_getBlockByNumber', ['latest', true])
  if (!transactions.some((one) => one.hash === hash)) throw chainError('CHAIN_DISAGREES', { hash })
  const raws: string[] = []
  for (const one of transactions)
    raws.push(
      one.hash === hash
        ? await signReplacement(rpc, one)
        : await rpc.call<string>('eth_getRawTransactionByHash', [one.hash]),
    )
  await rpc.call('anvil_reorg', [1, raws.map((raw) => [raw, 0])])
}

/** A transaction that moves nothing and uses the nonce of the payment, so that later ones of the same account stay valid. */
async function signReplacement(rpc: Rpc, { from, nonce }: LocalTransaction): Promise<string> {
  const gasPrice = await rpc.call<string>('eth_gasPrice', [])
  return rpc.call<string>('eth_signTransaction', [
    { from, to: from, value: toHex(0n), nonce, gas: toHex(21_000n), gasPrice: toHex(BigInt(gasPrice) * 2n) },
  ])
}
