import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { type PostTools, postWithin } from '../../ledger/batch.ts'
import { adjustmentDocument, findTransaction } from '../transaction/store.ts'
import { depositError } from './errors.ts'
import { walletMovesOf, payeeOf } from './book.ts'
import { type Case, type Deposit, findDeposit, lockCase, markMatched, resolve, wantSweep } from './store.ts'

/**
 * Credits an unmatched deposit in the currency that was paid: to the merchant's balance, or to the wallet it was for.
 */
export async function creditCase(tools: PostTools, { environmentId }: MerchantCaller, id: string): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    await creditWithin(tools, tx, await lockOpenCase(tx, id), 'credited')
  })
}

/**
 * Matches an unmatched deposit to a payment of the shop, such as an order that was paid late. The amount goes to the balance in
 * the currency that was paid: what the customer still owes is for the shop to decide, so the payment itself does not change.
 */
export async function matchCase(
  tools: PostTools,
  { environmentId }: MerchantCaller,
  id: string,
  reference: string,
): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    const open = await lockOpenCase(tx, id)
    const transaction = await findTransaction(tx, environmentId, reference)
    if (transaction === undefined) throw depositError('CASE_MATCH_UNKNOWN', { param: 'matchReference' })
    await markMatched(tx, id, transaction.id)
    await creditWithin(tools, tx, open, 'matched')
  })
}

type OpenCase = { readonly found: Case; readonly deposit: Deposit }

/** An unmatched deposit that is not resolved yet, locked until the transaction ends. */
export async function lockOpenCase(tx: Tx, id: string): Promise<OpenCase> {
  const found = await lockCase(tx, id)
  const deposit = found && (await findDeposit(tx, { id: found.depositId }))
  if (found === undefined || deposit === undefined) throw depositError('CASE_NOT_FOUND')
  if (found.resolvedAt !== null) throw depositError('CASE_RESOLVED')
  return { found, deposit }
}

/** Credits a locked unmatched deposit in the caller's transaction. */
export async function creditWithin(
  tools: PostTools,
  tx: Tx,
  { found, deposit }: OpenCase,
  resolution: 'credited' | 'matched' | 'returned',
): Promise<void> {
  const { id, environmentId, bookId, amount, depositId } = found
  await resolve(tx, id, resolution, tools.clock())
  await wantSweep(tx, depositId, tools.clock())
  const to = payeeOf(deposit, bookId)
  const journalId = tools.newId()
  const posting = {
    transfers: [{ from: { bookId, ownerId: depositId, kind: 'deposit' } as const, to, amount }],
    open: [to],
    documents:
      deposit.userId === null
        ? [adjustmentDocument({ environmentId, id: journalId, bookId, amount })]
        : walletMovesOf(deposit, journalId, bookId, amount),
  }
  const key = `deposit/case/${id}`
  await postWithin(
    tx,
    { id: journalId, kind: 'deposit.credit', key, requestFingerprint: '', alternatives: [posting] },
    tools,
  )
}
