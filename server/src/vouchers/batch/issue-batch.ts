import { inTransaction, type Tx, violates } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { createRest } from '../../base/jobs.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { Account } from '../../ledger/account.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { adjustmentDocument } from '../../payments/transaction/store.ts'
import { readCode } from '../code/code.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { mintVoucher } from '../voucher/mint.ts'
import { rulesOf } from '../voucher/rules.ts'
import { findVault, type Vault } from '../voucher/vault.ts'
import { batchEvent } from './events.ts'
import { openRows, type ImportedRow } from './import-rows.ts'
import { type Batch, claimBatch, type ClaimedBatch, findIssuedNumbers, finishBatch, recordProgress } from './store.ts'
import { findTakenCodes } from './taken-codes.ts'

// Vouchers per claim: about a second of work, so that no transaction stays open for long.
const claimMax = 1_000
// The claim key of an onchain voucher takes 25 ms, and PostgreSQL ends a transaction that is idle for 30 s.
const onchainClaimMax = 200
// Vouchers posted together: more would delay concurrent redemptions.
const atOnce = 100

/**
 * Continues an unfinished batch and returns whether there was one. Each voucher is a journal with its own key, so
 * workers can crash and run concurrently without issuing a voucher twice.
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
      // For example, if a key is missing from the key ring.
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
  const now = missing.slice(0, batch.onchainNetworkId === null ? claimMax : onchainClaimMax)
  const refused = rows === undefined ? [] : await findRefused(tools, batch, rows, now)
  const wanted = now.filter((number) => !refused.includes(number))
  for (let first = 0; first < wanted.length; first += atOnce) {
    const some = wanted.slice(first, first + atOnce)
    const outcomes = await Promise.all(some.map((number) => issueOne(tools, batch, number, rows?.[number - 1])))
    refused.push(...some.filter((_, i) => outcomes[i] === 'refused'))
  }
  const isLast = missing.length === now.length
  // Before this transaction writes anything: from then on it has an id, and events of others wait for its commit.
  if (isLast) await refundRefused(tools, batch, [...batch.refusedRows, ...refused], rows)
  await recordProgress(tx, batch, refused, tools.clock())
  if (!isLast) return
  await finishBatch(tx, batch, tools.clock())
  const { environmentId, id: batchId, reference } = batch
  // The last event of a batch.
  const to = { environmentId, about: { id: batchId, sequence: 3 } }
  await publishEvents(tx, [batchEvent('voucher_batch.ready', to, { batchId, reference })], tools)
}

/** Rows whose code another import of the same merchant has used since this file was checked. */
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

async function issueOne(
  tools: IssueTools,
  batch: Batch,
  number: number,
  row: ImportedRow | undefined,
): Promise<'issued' | 'refused'> {
  const { environmentId, bookId, id: batchId, onlyAt, expiredTo, onchainNetworkId, isInactive } = batch
  const vault = onchainNetworkId === null ? undefined : await findBatchVault(tools, batch, onchainNetworkId)
  const amount = row?.amount ?? batch.amount ?? 0n
  const { id, account, documents } = await mintVoucher(tools, {
    environmentId,
    bookId,
    amount,
    wasPaidFor: true,
    onlyAt,
    expiredTo,
    expiresAt: row?.expiresAt ?? batch.expiresAt,
    lockPin: row?.pin,
    batch: { id: batchId, number },
    vault,
    isStore: isInactive,
    isInactive,
    rules: rulesOf(batch),
    ...(row !== undefined && { importedCode: row.code }),
  })
  const transfers = isInactive ? [] : [{ from: accountOf(batch), to: account, amount }]
  const key = `voucher.batch/${batchId}/${number}`
  try {
    const alternatives = [{ transfers, open: [account], documents }] as const
    // A card moves nothing before it is sold.
    const kind = isInactive ? 'claim.voucher_card' : 'voucher.issue'
    await tools.ledger.post({ id, kind, key, requestFingerprint: '', alternatives })
    return 'issued'
  } catch (error) {
    // Another import used the code after the check.
    if (row !== undefined && violates(error, 'vouchers_code')) return 'refused'
    throw error
  }
}

async function findBatchVault({ pool }: IssueTools, { mode, currency }: Batch, networkId: string): Promise<Vault> {
  return findVault(pool, mode, await findCurrency(pool, currency, 'any'), networkId, 'network')
}

/** Returns the amount paid for refused rows to the balance. */
async function refundRefused(
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
  await ledger.post({
    id,
    kind: 'voucher.batch_rest',
    key,
    requestFingerprint: '',
    alternatives: [{ transfers, documents }],
  })
}

function accountOf({ bookId, id: ownerId }: Batch): Account {
  return { bookId, ownerId, kind: 'batch' }
}

function numbersUpTo(size: number): number[] {
  return Array.from({ length: size }, (_, i) => i + 1)
}
