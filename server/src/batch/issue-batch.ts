import { inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import type { Account } from '../ledger/account.ts'
import { tell } from '../ledger/store.ts'
import { type ExpiredTo, findExpiredTo } from '../merchant/store.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { mintVoucher } from '../voucher/mint.ts'
import { openRows, type ImportedRow } from './import-rows.ts'
import { type Batch, claimBatch, findIssuedNumbers, finishBatch, noteRefused } from './store.ts'

// What one claim makes: a second of work, so that no transaction stays open for long and no batch keeps others waiting.
const claimMax = 1_000

// How long one that failed, for instance for want of a key of the ring, lets others go first.
const restMs = 60_000

/**
 * Goes on with a batch that is not finished, and says whether there was one. Each voucher is a journal with a key of its own,
 * so it does not matter how often, or by how many workers, this is begun and broken off.
 */
export function createIssueBatch(tools: IssueTools): () => Promise<boolean> {
  const restingUntilMs = new Map<string, number>()
  return async () => {
    const nowMs = tools.clock().getTime()
    for (const [id, untilMs] of restingUntilMs) if (untilMs <= nowMs) restingUntilMs.delete(id)
    let claimed: Batch | undefined
    try {
      return await inTransaction(tools.pool, async (tx) => {
        claimed = await claimBatch(tx, [...restingUntilMs.keys()])
        if (claimed !== undefined) await issueClaimed(tools, tx, claimed)
        return claimed !== undefined
      })
    } catch (error) {
      if (claimed !== undefined) restingUntilMs.set(claimed.id, nowMs + restMs)
      throw error
    }
  }
}

async function issueClaimed(tools: IssueTools, tx: Tx, batch: Batch): Promise<void> {
  await actFor(tx, batch.environmentId)
  const expiredTo = await findExpiredTo(tx, batch.environmentId)
  const rows = openRows(tools.keyRing, batch)
  const done = new Set([...(await findIssuedNumbers(tx, batch.id)), ...batch.refusedRows])
  const missing = numbersUpTo(batch.size).filter((number) => !done.has(number))
  const now = missing.slice(0, claimMax)
  const outcomes = await Promise.all(
    now.map((number) => issueOne(tools, batch, number, { row: rows?.[number - 1], expiredTo })),
  )
  const refused = now.filter((_, i) => outcomes[i] === 'refused')
  if (refused.length > 0) await noteRefused(tx, batch, refused)
  if (missing.length > now.length) return
  await giveBack(tools, batch, [...batch.refusedRows, ...refused], rows)
  await finishBatch(tx, batch, tools.clock())
  const { environmentId, id: batchId, reference } = batch
  await tell(tx, [{ type: 'voucher_batch.ready', payload: { environmentId, batchId, reference } }], tools.clock())
}

async function issueOne(
  tools: IssueTools,
  batch: Batch,
  number: number,
  { row, expiredTo }: { row: ImportedRow | undefined; expiredTo: ExpiredTo },
): Promise<'issued' | 'refused'> {
  const { environmentId, bookId, id: batchId, onlyAt } = batch
  const amount = row?.amount ?? batch.amount ?? 0n
  const { id, account, documents } = mintVoucher(tools, {
    environmentId,
    bookId,
    amount,
    wasPaidFor: true,
    onlyAt,
    expiredTo,
    expiresAt: row?.expiresAt ?? batch.expiresAt ?? undefined,
    lockPin: row?.pin,
    batch: { id: batchId, number },
    ...(row !== undefined && { importedCode: row.code }),
  })
  const transfers = [{ from: accountOf(batch), to: account, amount }]
  const key = `voucher.batch/${batchId}/${number}`
  try {
    const alternatives = [{ transfers, open: [account], documents }] as const
    await tools.ledger.post({ id, kind: 'voucher.issue', key, asked: '', alternatives })
    return 'issued'
  } catch (error) {
    // Another import of the same merchant has brought the same code along since this one was looked at.
    const isTaken = row !== undefined && hasCode(error, '23505') && constraintOf(error) === 'vouchers_code'
    if (isTaken) return 'refused'
    throw error
  }
}

/** What was paid for rows that did not become vouchers. */
async function giveBack(
  { ledger, newId }: IssueTools,
  batch: Batch,
  refused: readonly number[],
  rows: readonly ImportedRow[] | undefined,
): Promise<void> {
  const amount = refused.reduce((sum, number) => sum + (rows?.[number - 1]?.amount ?? 0n), 0n)
  if (amount === 0n) return
  const to: Account = { bookId: batch.bookId, ownerId: batch.environmentId, kind: 'merchant' }
  const transfers = [{ from: accountOf(batch), to, amount }]
  const key = `voucher.batch/${batch.id}/rest`
  await ledger.post({ id: newId(), kind: 'voucher.batch_rest', key, asked: '', alternatives: [{ transfers }] })
}

function accountOf({ bookId, id: ownerId }: Batch): Account {
  return { bookId, ownerId, kind: 'batch' }
}

function numbersUpTo(size: number): number[] {
  return Array.from({ length: size }, (_, i) => i + 1)
}

function constraintOf(error: unknown): string | undefined {
  return (error as { constraint?: string }).constraint
}
