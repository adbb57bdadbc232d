import type { Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { formatMoney, parseMoney } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import type { Account } from '../../ledger/account.ts'
import { ensureBook } from '../../ledger/book.ts'
import { findExpiredTo } from '../../identity/merchant/store.ts'
import {
  type OutflowInput,
  type PreparedOutflow,
  type RequestedOutflow,
  requestOutflow,
  type Sent,
  type UnsentOutflow,
} from '../../payments/outflow/request.ts'
import { findOutflow, type Outflow } from '../../payments/outflow/store.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { readExpiry } from '../voucher/expiry.ts'
import { findIssueVault, type Issue, type Issuer, type IssueTools, readPlaces } from '../voucher/issue.ts'
import { printRules, readRules, type RulesInput } from '../voucher/read-rules.ts'
import { type VoucherRules, writeRules } from '../voucher/rules.ts'
import { batchError } from './errors.ts'
import { batchEvent } from './events.ts'
import { type Batch, batchDocument, findBatch } from './store.ts'

/** `amount` is the amount of each voucher. */
export type BatchInput = Pick<Issue, 'amount' | 'currency' | 'reference' | 'onlyAt' | 'expires' | 'onchain'> & {
  readonly size: number
  readonly rules?: RulesInput | undefined
}

export type PaidBatch =
  | { readonly batch: Batch; readonly replayed: boolean }
  | {
      readonly pending: UnsentOutflow
      readonly amount: { readonly minor: bigint; readonly currency: CatalogueCurrency }
    }

/** Pays for all vouchers of a batch in one commit that also creates the batch. A worker issues the vouchers. */
export async function createBatch(tools: IssueTools, issuer: Issuer, input: BatchInput): Promise<PaidBatch> {
  const { size, amount: text, onlyAt: places = [], expires, reference } = input
  const currency = await findCurrency(tools.pool, input.currency, 'any')
  const { minor } = parseMoney(text, currency)
  const requestFingerprint = JSON.stringify([
    'voucher.batch',
    currency.code,
    String(minor),
    size,
    [...places].sort(),
    expires ?? '',
    ...(input.onchain === undefined ? [] : ['onchain', input.onchain.network ?? '']),
    ...printRules(input.rules),
  ])
  return payBatchOnce(tools, issuer, { reference, requestFingerprint }, async () => {
    pickCurrency([currency], currency.code)
    const amount = parseAmount(text, currency)
    refuseDust(amount, currency)
    const onlyAt = await readPlaces(tools.pool, places, issuer.mode)
    const wantedExpiry = await readExpiry(tools, issuer, expires)
    const { vault, expiresAt } = await findIssueVault(tools, tools.pool, issuer.mode, input, wantedExpiry)
    const isOnchain = vault !== undefined
    const rules = await readRules(tools, issuer, input.rules, { currency, expiresAt, isOnchain })
    const bookId = await ensureBook(tools.pool, issuer.mode, currency.code)
    const total = amount.minor * BigInt(size)
    const terms = { bookId, size, amount: amount.minor, total, onlyAt, expiresAt, rows: undefined, rules }
    return { ...terms, currency, onchainNetworkId: vault?.networkId ?? null }
  })
}

export type BatchTerms = Pick<Batch, 'bookId' | 'size' | 'amount' | 'total' | 'onlyAt' | 'onchainNetworkId'> & {
  readonly currency: CatalogueCurrency
  readonly expiresAt: Date | undefined
  readonly rules: VoucherRules | null
  /** The rows of an import, before sealing. */
  readonly rows: string | undefined
}

/**
 * Pays for the batch that `read` describes, once per reference. This is an outflow and may wait for approval.
 */
export async function payBatchOnce(
  tools: IssueTools,
  issuer: Issuer,
  { reference, requestFingerprint }: { reference: string; requestFingerprint: string },
  read: () => Promise<BatchTerms>,
): Promise<PaidBatch> {
  const { environmentId } = issuer
  const identity = { key: referenceKey(environmentId, reference), requestFingerprint }
  const prepare = async (): Promise<PreparedOutflow> => {
    const { currency, ...terms } = await read()
    const { bookId, total } = terms
    const request: BatchRequest = { ...terms, reference, currency: currency.code }
    const outflow: OutflowInput = {
      kind: 'batch',
      reference,
      bookId,
      amount: total,
      currency,
      recipient: '',
      from: { bookId, ownerId: environmentId, kind: 'merchant' },
      transaction: { type: 'VOUCHER_PURCHASE' },
      request,
    }
    return { input: outflow, send: (tx, id) => batchPosting(tools, tx, environmentId, request, id) }
  }
  try {
    return await toOutcome(tools, environmentId, await requestOutflow(tools, issuer, identity, prepare))
  } catch (error) {
    throw toApiError(error, 'referenceId', (cause) => batchError('BATCH_BALANCE_TOO_LOW', {}, cause))
  }
}

async function toOutcome(tools: IssueTools, environmentId: string, requested: RequestedOutflow): Promise<PaidBatch> {
  const { id, replayed } = requested
  if (requested.status !== 'done') {
    const outflow = await withEnvironment(tools.pool, environmentId, (tx) => findOutflow(tx, environmentId, { id }))
    if (outflow === undefined) throw new Error('A waiting batch is missing.')
    const currency = await findCurrency(tools.pool, outflow.currency, 'any')
    return { pending: requested, amount: { minor: outflow.amount, currency } }
  }
  const batch = await withEnvironment(tools.pool, environmentId, (tx) => findBatch(tx, environmentId, id))
  if (batch === undefined) throw new Error('A paid batch is missing.')
  return { batch, replayed }
}

/** The stored request of a waiting batch. Rows of an import contain codes. */
type BatchRequest = Omit<BatchTerms, 'currency' | 'rules'> & {
  readonly rules?: VoucherRules | null
  readonly reference: string
  readonly currency: string
}

/** The posting of an approved batch. Its id is the outflow's. */
export async function sendBatch(tools: IssueTools, tx: Tx, outflow: Outflow, request: object): Promise<Sent> {
  return batchPosting(tools, tx, outflow.environmentId, request as BatchRequest, outflow.id)
}

async function batchPosting(
  { keyRing, random }: IssueTools,
  tx: Tx,
  environmentId: string,
  { currency: code, rows, reference, rules, ...terms }: BatchRequest,
  id: string,
): Promise<Sent> {
  const currency = await findCurrency(tx, code, 'any')
  const { bookId, size, total } = terms
  const at = timeOfId(id)
  const sealed = rows === undefined ? undefined : keyRing.seal(id, rows, random)
  const account: Account = { bookId, ownerId: id, kind: 'batch' }
  const from: Account = { bookId, ownerId: environmentId, kind: 'merchant' }
  const documents = [
    batchDocument({
      ...terms,
      environmentId,
      id,
      reference,
      expiredTo: await findExpiredTo(tx, environmentId),
      keyId: sealed?.keyId,
      rowsSealed: sealed?.sealed,
      createdAt: at,
      // Customers already hold imported cards.
      exportedAt: rows === undefined ? null : at,
      isInactive: false,
      // A batch that has waited since the previous release has none.
      rules: writeRules(rules ?? null),
    }),
  ]
  const money = { total: formatMoney({ minor: total, currency }), currency: currency.code }
  // Sequence 1 is the event of an outflow that waited.
  const to = { environmentId, about: { id, sequence: 2 } }
  const events = [batchEvent('voucher_batch.paid', to, { batchId: id, reference, size, ...money })]
  return { transfers: [{ from, to: account, amount: total }], open: [account], documents, events }
}
