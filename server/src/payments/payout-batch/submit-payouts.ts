import { hash } from 'node:crypto'
import type { Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { type NewId, timeOfId } from '../../base/id.ts'
import { formatMoney } from '../../base/money.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { Account } from '../../ledger/account.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Document } from '../../ledger/document.ts'
import { readAvailable } from '../../ledger/store.ts'
import { forecastOutflow, readLimits } from '../outflow/preview.ts'
import {
  type OutflowInput,
  type OutflowTools,
  type PreparedOutflow,
  requestOutflow,
  type Sent,
  type UnsentOutflow,
} from '../outflow/request.ts'
import type { Outflow } from '../outflow/store.ts'
import type { OutflowForecast } from '../outflow/wire.ts'
import { referenceKey, toApiError } from '../transaction/reference.ts'
import { type CheckedRow, checkRows, type CountLookup } from './check-rows.ts'
import { payoutBatchError } from './errors.ts'
import { payoutBatchEvent } from './events.ts'
import { batchDocument, findBatch, findSameFile, type PayoutBatch, rowDocument } from './store.ts'

export type PayoutFile = {
  /** The file. Its first line names the columns: recipient, amount and optionally currency, reference and note. */
  readonly csv: string
  /** What all rows are paid in. */
  readonly currency: string
  readonly reference: string
  /** From a check of the same file. Without it, the file is only checked. */
  readonly confirmation?: string | undefined
}

export type FileCheck = {
  readonly rows: readonly CheckedRow[]
  /** Of the accepted rows. */
  readonly total: bigint
  readonly currency: CatalogueCurrency
  readonly isCovered: boolean
  readonly outflow: OutflowForecast
  readonly waitHours: number
  readonly sameFile: string | undefined
  /** Empty if no row is accepted. */
  readonly confirmation: string
}

export type SubmittedFile =
  | { readonly check: FileCheck }
  | { readonly batch: PayoutBatch; readonly replayed: boolean }
  | { readonly pending: UnsentOutflow; readonly batch: PayoutBatch; readonly currency: CatalogueCurrency }

/**
 * Pays the rows of a file. Without a confirmation the file is only checked. With the confirmation of that check, its
 * accepted rows are paid as one outflow, so that the rules see their total and not the rows.
 */
export async function submitPayouts(
  tools: OutflowTools,
  caller: MerchantCaller,
  file: PayoutFile,
  countLookup: CountLookup,
): Promise<SubmittedFile> {
  const { environmentId } = caller
  const currency = await findCurrency(tools.pool, file.currency, 'any')
  if (file.confirmation === undefined) return { check: await checkFile(tools, caller, file, currency, countLookup) }
  const identity = {
    key: referenceKey(environmentId, file.reference),
    requestFingerprint: JSON.stringify(['payout.batch', currency.code, digestOf(file.csv), file.confirmation]),
  }
  try {
    const requested = await requestOutflow(tools, caller, identity, () =>
      prepareFile(tools, caller, file, currency, countLookup),
    )
    const batch = await withEnvironment(tools.pool, environmentId, (tx) => findBatch(tx, environmentId, requested.id))
    if (batch === undefined) throw new Error('A submitted payout file is missing.')
    if (requested.status === 'done') return { batch, replayed: requested.replayed }
    return { pending: requested, batch, currency }
  } catch (error) {
    throw toApiError(error, 'referenceId', (cause) => payoutBatchError('PAYOUT_BATCH_BALANCE_TOO_LOW', {}, cause))
  }
}

async function checkFile(
  tools: OutflowTools,
  caller: MerchantCaller,
  { csv }: Pick<PayoutFile, 'csv'>,
  currency: CatalogueCurrency,
  countLookup: CountLookup,
): Promise<FileCheck> {
  const { pool, clock } = tools
  const { environmentId, mode } = caller
  pickCurrency([currency], currency.code, 'offered', 'currency')
  const limits = await withEnvironment(pool, environmentId, (tx) => readLimits(tools, tx, environmentId, currency))
  const rows = await checkRows(pool, caller, csv, currency, limits, countLookup)
  const accepted = rows.filter(isAccepted)
  const total = accepted.reduce((sum, { amount }) => sum + amount, 0n)
  const bookId = await ensureBook(pool, mode, currency.code)
  const balance = { bookId, ownerId: environmentId, kind: 'merchant' } as const
  const isKnownRecipient = accepted.every(({ user }) => user.isKnown)
  const digest = digestOf(csv)
  return {
    rows,
    total,
    currency,
    isCovered: (await readAvailable(pool, balance, clock())) >= total,
    outflow: forecastOutflow(limits, { amount: total, currency, isKnownRecipient }),
    waitHours: isKnownRecipient ? 0 : limits.rules.newRecipientHours,
    sameFile: await withEnvironment(pool, environmentId, (tx) => findSameFile(tx, environmentId, digest)),
    confirmation: accepted.length === 0 ? '' : confirmationOf(caller, currency, csv, rows),
  }
}

type AcceptedRow = CheckedRow & {
  readonly amount: bigint
  readonly user: NonNullable<CheckedRow['user']>
  readonly fault: undefined
}

export function isAccepted(row: CheckedRow): row is AcceptedRow {
  return row.fault === undefined && row.amount !== undefined && row.user !== undefined
}

function digestOf(csv: string): string {
  return hash('sha256', csv, 'hex')
}

/** Changes with the file and with whom and what the check accepted, so that exactly what was shown is paid. */
function confirmationOf(
  { environmentId }: MerchantCaller,
  currency: CatalogueCurrency,
  csv: string,
  rows: readonly CheckedRow[],
): string {
  const found = rows.map(({ user, amount, fault }) => [user?.id ?? '', String(amount ?? ''), fault ?? ''])
  return hash('sha256', JSON.stringify([environmentId, currency.code, csv, found]), 'hex')
}

async function prepareFile(
  tools: OutflowTools,
  caller: MerchantCaller,
  file: PayoutFile,
  currency: CatalogueCurrency,
  countLookup: CountLookup,
): Promise<PreparedOutflow> {
  const { environmentId, memberId } = caller
  const { rows, total, confirmation } = await checkFile(tools, caller, file, currency, countLookup)
  const accepted = rows.filter(isAccepted)
  if (accepted.length === 0) throw payoutBatchError('PAYOUT_FILE_ALL_BAD', { param: 'csv' })
  if (confirmation !== file.confirmation) throw payoutBatchError('PAYOUT_FILE_CHANGED', { param: 'confirmation' })
  const bookId = await ensureBook(tools.pool, caller.mode, currency.code)
  const batch = { environmentId, bookId, total, reference: file.reference }
  const input: OutflowInput = {
    kind: 'payout_batch',
    reference: file.reference,
    bookId,
    amount: total,
    currency,
    recipient: nameRecipients(accepted),
    from: { bookId, ownerId: environmentId, kind: 'merchant' },
    // One new recipient delays the file: otherwise a file would be a way around the wait.
    isKnownRecipient: accepted.every(({ user }) => user.isKnown),
    documents: (id) => [
      batchDocument({
        ...batch,
        id,
        fileDigest: digestOf(file.csv),
        size: rows.length,
        requestedBy: memberId,
        createdAt: timeOfId(id),
        refused: rows.length - accepted.length,
      }),
      ...rows.map((row) => documentOfRow(tools.newId, environmentId, id, row)),
    ],
    request: {},
  }
  return { input, send: (_tx, id) => Promise.resolve(batchPosting({ ...batch, id, size: accepted.length }, currency)) }
}

/** For the approver: how many people get it, and who is first. */
function nameRecipients(accepted: readonly AcceptedRow[]): string {
  const names = new Map(accepted.map(({ user }) => [user.id, user.name]))
  const [first = ''] = names.values()
  return names.size === 1 ? first : `${first} +${names.size - 1}`
}

function documentOfRow(newId: NewId, environmentId: string, batchId: string, row: CheckedRow): Document {
  const { number, line, recipient, note, amount, user, fault } = row
  return rowDocument({
    ...{ environmentId, batchId, number, line, recipient, note, amount },
    id: newId(),
    name: user?.name ?? '',
    userId: user?.id,
    reference: row.reference === '' ? `${batchId}-${number}` : row.reference,
    status: fault === undefined ? 'waiting' : 'refused',
    fault,
  })
}

type PaidFile = Pick<PayoutBatch, 'environmentId' | 'id' | 'bookId' | 'reference' | 'total' | 'size'>

/** The posting of an approved file. */
export async function sendPayoutBatch(tx: Tx, { environmentId, id }: Outflow): Promise<Sent> {
  const batch = await findBatch(tx, environmentId, id)
  if (batch === undefined) throw payoutBatchError('PAYOUT_BATCH_NOT_FOUND')
  const size = batch.size - batch.refused
  return batchPosting({ ...batch, size }, await findCurrency(tx, batch.currency, 'any'))
}

/** Moves the total to the account of the batch, from which its rows are paid. */
function batchPosting(
  { environmentId, id, bookId, reference, total, size }: PaidFile,
  currency: CatalogueCurrency,
): Sent {
  const from: Account = { bookId, ownerId: environmentId, kind: 'merchant' }
  const to = accountOf({ id, bookId })
  const money = { total: formatMoney({ minor: total, currency }), currency: currency.code }
  // Sequence 1 is the event of an outflow that waited.
  const about = { environmentId, about: { id, sequence: 2 } }
  const events = [payoutBatchEvent('payout_batch.paid', about, { batchId: id, reference, size, ...money })]
  return { transfers: [{ from, to, amount: total }], open: [to], events }
}

export function accountOf({ id, bookId }: Pick<PayoutBatch, 'id' | 'bookId'>): Account {
  return { bookId, ownerId: id, kind: 'batch' }
}
