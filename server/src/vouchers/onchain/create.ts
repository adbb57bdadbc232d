import { encodeFunctionData, type Hex } from 'viem'
import { inTransaction } from '../../base/db.ts'
import { coin } from '../../chain/block.ts'
import { codeHashOf } from '../code/claim.ts'
import { queueSend } from '../../chain/send-store.ts'
import type { Signers } from '../../chain/send.ts'
import { voucherVaultAbi } from '../../chain/voucher-vault.gen.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { findUnsentGroup, lockUnsent, markCreating } from './voucher-store.ts'

export type CreateTools = PostTools & { readonly signers: Signers }

// A hundred vouchers take 5 million units of gas, a third of what a transaction may use on any network.
const atOnce = 100

/** Queues the creation of vouchers that wait for it: those with the same vault and terms together. */
export function createPlanVouchers(tools: CreateTools, networks: readonly string[]): () => Promise<boolean> {
  return async () => {
    const creator = tools.signers.voucher[0]?.address
    const group = creator === undefined ? undefined : await findUnsentGroup(tools.pool, networks, tools.clock())
    if (creator === undefined || group === undefined) return false
    const { pool, clock, newId } = tools
    const { networkId, vault, token, isLocked, expiresAt } = group
    return inTransaction(pool, async (tx) => {
      const waiting = await lockUnsent(tx, group, atOnce)
      if (waiting.length === 0) return false
      const sendId = newId()
      const total = waiting.reduce((sum, { value }) => sum + value, 0n)
      const expiry = Math.floor(expiresAt.getTime() / 1_000)
      const data = encodeFunctionData({
        abi: voucherVaultAbi,
        functionName: 'createVouchers',
        args: [
          waiting.map(({ claimKey }) => claimKey),
          waiting.map(({ value }) => value),
          expiry,
          isLocked,
          // So that a lost voucher can be blocked and replaced.
          true,
        ],
      })
      const value = token === coin ? total : 0n
      const send = { id: sendId, networkId, reference: `create/${sendId}`, to: vault, data, value, askedAt: clock() }
      await queueSend(tx, { ...send, lane: 'voucher', from: creator })
      for (const { voucherId, claimKey } of waiting) {
        const codeHash = codeHashOf(creator as Hex, claimKey)
        await markCreating(tx, voucherId, { creator, codeHash, sendId })
      }
      // Others may wait with other terms.
      return true
    })
  }
}
