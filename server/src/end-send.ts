import type { Tx } from './base/db.ts'
import type { EndSend } from './chain/send.ts'
import type { Ending, Send } from './chain/send-store.ts'
import { gasPosting } from './catalogue/charge/gas.ts'
import type { BookTools } from './payments/deposit/book.ts'
import { endSweep } from './payments/deposit/sweep.ts'
import type { Posting } from './ledger/journal.ts'
import { endPayout } from './vouchers/onchain/end-payout.ts'
import { endVaultSend } from './vouchers/onchain/end-vault-send.ts'
import { postWithEvents } from './vouchers/onchain/post.ts'
import { mergePostings } from './vouchers/onchain/postings.ts'

/** Finishes a send by its purpose. Its exact gas is posted in the same journal. */
export function createEndSend(tools: BookTools): EndSend {
  return async (tx, send, ending) => {
    const id = tools.newId()
    const own = await endByLane(tools, tx, send, ending, id)
    const gas = await gasPosting(tx, send, ending)
    const posting = mergePostings(own, gas)
    if (posting.transfers.length === 0) return
    await postWithEvents(tools, tx, { id, kind: 'send.end', key: `gas/${send.id}` }, posting)
  }
}

async function endByLane(
  tools: BookTools,
  tx: Tx,
  send: Send,
  ending: Ending,
  journalId: string,
): Promise<Posting | undefined> {
  if (send.lane === 'payout') return endPayout(tools, tx, send, ending, journalId)
  if (send.lane === 'voucher') return endVaultSend(tools, tx, send, ending, journalId)
  await endSweep(tools, tx, send, ending)
  return undefined
}
