import { inTransaction } from '../../base/db.ts'
import { processDue } from '../../base/jobs.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { failRedemption, lockRedemption } from './end-redemption.ts'
import { postWithEvents } from './post.ts'
import { listOverdue } from './redemption-store.ts'

const atOnce = 100

/** Fails redemptions of onchain vouchers that can no longer be carried out: the vault refuses them after their deadline. */
export function createFailOverdue(tools: PostTools): () => Promise<boolean> {
  return processDue(
    tools.clock,
    atOnce,
    (_, resting, limit) => listOverdue(tools.pool, resting, limit),
    ({ id }) => failOverdue(tools, id),
  )
}

async function failOverdue(tools: PostTools, id: string): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    const sent = await lockRedemption(tx, id)
    if (sent === undefined) return
    const journalId = tools.newId()
    const posting = await failRedemption(tools, tx, sent, { txHash: null, spentWei: 0n, journalId })
    await postWithEvents(tools, tx, { id: journalId, kind: 'voucher.redeem_fail', key: `redeem/${id}/fail` }, posting)
  })
}
