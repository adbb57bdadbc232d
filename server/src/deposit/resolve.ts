import { inTransaction } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import { adjustmentDocument } from '../transaction/store.ts'
import { depositError } from './errors.ts'
import { movesOf, payeeOf } from './book.ts'
import { findDeposit, lockCase, resolve, wantSweep } from './store.ts'

/** The merchant takes what came in, as it is: onto its balance in the currency that was paid, or into the wallet that it was for. */
export async function creditCase(tools: PostTools, { environmentId }: MerchantCaller, id: string): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    const found = await lockCase(tx, id)
    const deposit = found && (await findDeposit(tx, { id: found.depositId }))
    if (found === undefined || deposit === undefined) throw depositError('CASE_NOT_FOUND')
    if (found.resolvedAt !== null) throw depositError('CASE_RESOLVED')
    await resolve(tx, id, 'credited', tools.clock())
    const { bookId, amount, depositId } = found
    await wantSweep(tx, depositId, tools.clock())
    const to = payeeOf(deposit, bookId)
    const journal = tools.newId()
    const posting = {
      transfers: [{ from: { bookId, ownerId: depositId, kind: 'deposit' } as const, to, amount }],
      open: [to],
      documents:
        deposit.userId === null
          ? [adjustmentDocument({ environmentId, id: journal, bookId, amount })]
          : movesOf(deposit, journal, bookId, amount),
    }
    const key = `deposit/case/${id}`
    await postWithin(tx, { id: journal, kind: 'deposit.credit', key, asked: '', alternatives: [posting] }, tools)
  })
}
