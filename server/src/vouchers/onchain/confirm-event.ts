import type { RawReceipt } from '../../chain/block.ts'
import { chainError } from '../../chain/errors.ts'
import type { Rpc } from '../../chain/rpc.ts'
import { type VaultLog, vaultLogsOf } from '../../chain/vault-log.ts'
import type { VaultEvent } from './event-store.ts'

/** With two nodes, a log is booked only if both have it, in the same block. */
export async function confirmEvent(rpc: Rpc, event: VaultEvent): Promise<void> {
  const receipts = await rpc.callTwo<RawReceipt | null>('eth_getTransactionReceipt', [event.txHash])
  const isAgreed = receipts.every(
    (receipt) =>
      receipt !== null &&
      BigInt(receipt.blockNumber) === event.blockNumber &&
      vaultLogsOf([receipt], [event.vault]).some((log) => isSame(log, event)),
  )
  if (!isAgreed) throw chainError('CHAIN_DISAGREES', { txHash: event.txHash })
}

function isSame(log: VaultLog, event: VaultEvent): boolean {
  const fields = ['kind', 'codeHash', 'amount', 'fee', 'recipient', 'feeRecipient', 'refHash', 'nonce'] as const
  return fields.every((field) => log[field] === event[field])
}
