import { dueBy, processDue } from '../../base/jobs.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { expireDue } from './end-hold.ts'

const dueAtOnce = 100

/** Marks holds whose time is over and publishes their events. Captures check the time themselves. */
export function createExpireVoucherHolds(tools: PostTools): () => Promise<boolean> {
  const { pool, clock } = tools
  return processDue(clock, dueAtOnce, dueBy(pool, 'due_voucher_holds'), ({ environmentId, id }) =>
    expireDue(tools, environmentId, id),
  )
}
