import type { Tx } from '../../base/db.ts'
import { coin, transferOf } from '../../chain/block.ts'
import type { Ending, Send } from '../../chain/send-store.ts'
import type { BatchTools } from '../../ledger/batch.ts'
import type { Posting } from '../../ledger/journal.ts'
import { completeRedemption, failRedemption, lockRedemption } from './end-redemption.ts'
import type { SentRedemption } from './redemption-store.ts'

/** Completes or fails the redemption that a payout was for. Returns what is to be posted. */
export async function endPayout(
  tools: BatchTools,
  tx: Tx,
  send: Send,
  { outcome, txHash, fee, logs }: Ending,
  journalId: string,
): Promise<Posting | undefined> {
  const sent = await lockRedemption(tx, send.id)
  if (sent === undefined) return undefined
  return outcome === 'done' && hasArrived(sent, logs)
    ? completeRedemption(tools, tx, sent, { txHash, isTreasury: false, journalId })
    : failRedemption(tools, tx, sent, { txHash, spentWei: fee, journalId })
}

/** Some tokens report a transfer that they refused as a success. Only the log of the transfer proves it. */
function hasArrived({ token, recipient, units }: SentRedemption, logs: Ending['logs']): boolean {
  if (token === coin) return true
  return logs.some((log) => {
    const transfer = transferOf(log)
    return transfer?.token === token && transfer.to === recipient && transfer.amount === units
  })
}
