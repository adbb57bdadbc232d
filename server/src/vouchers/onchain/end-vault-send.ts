import type { Tx } from '../../base/db.ts'
import type { Ending, Send } from '../../chain/send-store.ts'
import type { BatchTools } from '../../ledger/batch.ts'
import type { Posting } from '../../ledger/journal.ts'
import { failRedemption, lockRedemption } from './end-redemption.ts'
import { releaseSend } from './voucher-store.ts'

/**
 * Finishes a call of a vault. Its success is booked from the logs of the vault, which also tell what holders do there. A creation or a
 * closing is tried again. A redemption that was refused has failed. One that was broadcast has not, even if it reverted: anybody may relay
 * its signature until its deadline, and our transaction reverts if somebody was faster. It ends with a log of the vault or when it is
 * overdue. The platform bears the gas.
 */
export async function endVaultSend(
  tools: BatchTools,
  tx: Tx,
  { id }: Send,
  { outcome }: Ending,
  journalId: string,
): Promise<Posting | undefined> {
  if (outcome === 'done') return undefined
  const sent = await lockRedemption(tx, id)
  if (sent === undefined) {
    await releaseSend(tx, id)
    return undefined
  }
  return outcome === 'refused' ? failRedemption(tools, tx, sent, { txHash: null, spentWei: 0n, journalId }) : undefined
}
