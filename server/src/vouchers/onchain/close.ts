import { encodeFunctionData } from 'viem'
import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { processDue } from '../../base/jobs.ts'
import { isRefused, queueSend, withdrawSend } from '../../chain/send-store.ts'
import { voucherVaultAbi } from '../../chain/voucher-vault.gen.ts'
import { lockOnchain, type OnchainVoucher } from '../voucher/onchain-store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { findCreateSend, listToClose, markClosing, saveFinal, setOnchain, withdrawClosing } from './voucher-store.ts'

const atOnce = 50

/**
 * Closes vouchers that have expired or that their issuer wants off the network. An empty one has nothing to return, and neither has one
 * that expired before its creation: the vault would refuse that for ever.
 */
export function createCloseVouchers(tools: PostTools): () => Promise<boolean> {
  return processDue(
    tools.clock,
    atOnce,
    (_, resting, limit) => listToClose(tools.pool, resting, limit),
    ({ id }) => closeVoucher(tools, id),
  )
}

async function closeVoucher({ pool, clock, newId }: PostTools, voucherId: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const onchain = await lockOnchain(tx, voucherId)
    if (onchain?.state === 'creating') {
      const sendId = await findCreateSend(tx, voucherId)
      if (sendId !== undefined) await withdrawSend(tx, sendId, clock())
      if (sendId !== undefined && !(await isRefused(tx, sendId))) return
      return takeOffchain(tx, onchain)
    }
    if (onchain?.state !== 'open' || onchain.codeHash === null || onchain.creator === null) return
    if (onchain.balance === 0n) {
      await withdrawClosing(tx, voucherId, clock())
      return takeOffchain(tx, onchain)
    }
    const { networkId, vault, creator } = onchain
    const id = newId()
    const data = encodeFunctionData({ abi: voucherVaultAbi, functionName: 'close', args: [onchain.codeHash] })
    const send = { id, networkId, reference: `close/${id}`, to: vault, data, value: 0n, askedAt: clock() }
    await queueSend(tx, { ...send, lane: 'voucher', from: creator })
    await markClosing(tx, voucherId, id)
  })
}

/** Its vault holds nothing for it. */
async function takeOffchain(tx: Tx, { voucherId, environmentId, nonce }: OnchainVoucher): Promise<void> {
  await actFor(tx, environmentId)
  await saveFinal(tx, voucherId, { state: 'closed', balance: 0n, nonce })
  await setOnchain(tx, environmentId, voucherId, false)
}
