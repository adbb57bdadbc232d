import { inTransaction, type Tx, violates } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { createRest } from '../base/sweep.ts'
import type { Account } from '../ledger/account.ts'
import { tell } from '../ledger/store.ts'
import { adjustmentDocument } from '../transaction/store.ts'
import { readCode } from '../voucher/code.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { mintVoucher } from '../voucher/mint.ts'
import { batchEvent } from './events.ts'
import { openRows, type ImportedRow } from './import-rows.ts'
import { type Batch, claimBatch, type ClaimedBatch, findIssuedNumbers, finishBatch, noteWork } from './store.ts'
import { findTakenCodes } from './taken-codes.ts'

// What one claim makes: a second of work, so that no transaction stays open for long.
const claimMax = 1_000
// What is posted at once: more would keep redemptions waiting that arrive meanwhile.
const atOnce = 100

/**
 * Goes on with a batch that is not finished, and says whether there was one. Each voucher is a journal with a key of its own,
 * so it does not matter how often, or by how many workers, this is begun and broken off.
 */
export function createIssueBatch(tools: IssueTools): () => Promise<boolean> {
  const rest = createRest(tools.clock)
  return async () => {
    let claimed: ClaimedBatch | undefined
    try {
      return await inTransaction(tools.pool, async (tx) => {
        claimed = await claimBatch(tx, rest.ids())
        if (claimed === undefined) return false
        await issueClaimed(tools, tx, claimed)
        rest.end(claimed.id)
        return true
      })
    } catch (error) {
      // For instance for want of a key of the ring.
      if (claimed !== undefined) rest.add(claimed.id)
      throw error
    }
  }
}

async function issueClaimed(tools: IssueTools, tx: Tx, batch: ClaimedBatch): Promise<void> {
  await actFor(tx, batch.environmentId)
  const rows = openRows(tools.keyRing, batch)
  const done = new Set([...(await findIssuedNumbers(tx, batch.id)), ...batch.refusedRows])
  const missing = numbersUpTo(batch.size).filter((number) => !done.has(number))
  const now = missing.slice(0, claimMax)
  const refused = rows === undefined ? [] : await findRefused(tools, batch, rows, now)
  const wanted = now.filter((number) => !refused.includes(number))
  for (let first = 0; first < wanted.length; first += atOnce) {
    const some = wanted.slice(first, first + atOnce)
    const outcomes = await Promise.all(some.map((number) => issueOne(tools, batch, number, rows?.[number - 1])))
    refused.push(...some.filter((_, i) => outcomes[i] === 'refused'))
  }
  const isLast = missing.length === now.length
  // Before anything is written here: until then this transaction has no number, and holds nobody's events back.
  if (isLast) await giveBack(tools, batch, [...batch.refusedRows, ...refused], rows)
  await noteWork(tx, batch, refused, tools.clock())
  if (!isLast) return
  await finishBatch(tx, batch, tools.clock())
  const { environmentId, id: batchId, reference } = batch
  // The last thing that happens to a batch.
  const to = { environmentId, about: { id: batchId, sequence: 3 } }
  await tell(tx, [batchEvent('voucher_batch.ready', to, { batchId, reference })], tools)
}

/** Rows whose code another import of the same merchant has brought along since this one was looked at. */
async function findRefused(
  tools: IssueTools,
  { environmentId }: Batch,
  rows: readonly ImportedRow[],
  numbers: readonly number[],
): Promise<number[]> {
  const codeOf = (number: number): string => readCode(rows[number - 1]?.code ?? '').symbols
  const taken = await findTakenCodes(tools, environmentId, numbers.map(codeOf))
  return numbers.filter((number) => taken.has(codeOf(number)))
}

async function issueOne(tools: IssueTools, batch: Batch, number: number, row: ImportedRow | undefined) {
  const { environmentId, bookId, id: batchId, onlyAt, expiredTo } = batch
  const amount = row?.amount ?? batch.amount ?? 0n
  const { id, account, documents } = mintVoucher(tools, {
    environmentId,
    bookId,
    amount,
    wasPaidFor: true,
    onlyAt,
    expiredTo,
    expiresAt: row?.expiresAt ?? batch.expiresAt,
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
    // Taken after it was looked for.
    if (row !== undefined && violates(error, 'vouchers_code')) return 'refused'
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
  const { environmentId, bookId } = batch
  const to: Account = { bookId, ownerId: environmentId, kind: 'merchant' }
  const transfers = [{ from: accountOf(batch), to, amount }]
  const id = newId()
  const documents = [adjustmentDocument({ environmentId, id, bookId, amount, metadata: batch.reference })]
  const key = `voucher.batch/${batch.id}/rest`
  await ledger.post({ id, kind: 'voucher.batch_rest', key, asked: '', alternatives: [{ transfers, documents }] })
}

function accountOf({ bookId, id: ownerId }: Batch): Account {
  return { bookId, ownerId, kind: 'batch' }
}

function numbersUpTo(size: number): number[] {
  return Array.from({ length: size }, (_, i) => i + 1)
}
