import type { Tx } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { formatMoney, parseMoney } from '../base/money.ts'
import { parseAmount, refuseDust } from '../currency/amount.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../currency/store.ts'
import type { Account } from '../ledger/account.ts'
import { ensureBook } from '../ledger/book.ts'
import { findPosted } from '../ledger/store.ts'
import { findExpiredTo } from '../merchant/store.ts'
import { type OutflowAsk, readStatus, type RequestedOutflow, requestOutflow, type Sent } from '../outflow/request.ts'
import { findOutflow, type Outflow } from '../outflow/store.ts'
import { referenceKey, retell } from '../transaction/reference.ts'
import { readExpiry } from '../voucher/expiry.ts'
import { type Issue, type Issuer, type IssueTools, readPlaces } from '../voucher/issue.ts'
import { batchError } from './errors.ts'
import { batchEvent } from './events.ts'
import { type Batch, batchDocument, findBatch } from './store.ts'

/** The amount is that of each. */
export type BatchAsk = Pick<Issue, 'amount' | 'currency' | 'reference' | 'onlyAt' | 'expires'> & {
  readonly size: number
}

export type PaidBatch =
  | { readonly batch: Batch; readonly replayed: boolean }
  | {
      readonly pending: RequestedOutflow
      readonly amount: { readonly minor: bigint; readonly currency: CatalogueCurrency }
    }

/** Takes the money for so many vouchers at once, in one commit with the order to make them. A worker makes them. */
export async function createBatch(tools: IssueTools, issuer: Issuer, ask: BatchAsk): Promise<PaidBatch> {
  const { size, amount: text, onlyAt: places = [], expires, reference } = ask
  const currency = await findCurrency(tools.pool, ask.currency, 'any')
  const { minor } = parseMoney(text, currency)
  const asked = JSON.stringify(['voucher.batch', currency.code, String(minor), size, [...places].sort(), expires ?? ''])
  return once(tools, issuer, { reference, asked }, async () => {
    pickCurrency([currency], currency.code)
    const amount = parseAmount(text, currency)
    refuseDust(amount, currency)
    const onlyAt = await readPlaces(tools.pool, places, issuer.mode)
    const expiresAt = await readExpiry(tools, issuer, expires)
    const bookId = await ensureBook(tools.pool, issuer.mode, currency.code)
    const total = amount.minor * BigInt(size)
    return { currency, bookId, size, amount: amount.minor, total, onlyAt, expiresAt, rows: undefined }
  })
}

export type BatchTerms = Pick<Batch, 'bookId' | 'size' | 'amount' | 'total' | 'onlyAt'> & {
  readonly currency: CatalogueCurrency
  readonly expiresAt: Date | undefined
  /** Of an import, to be sealed. */
  readonly rows: string | undefined
}

/** Pays for the batch that `read` describes, unless its reference did before. It is an outflow: it may have to wait. */
export async function once(
  tools: IssueTools,
  issuer: Issuer,
  { reference, asked }: { reference: string; asked: string },
  read: () => Promise<BatchTerms>,
): Promise<PaidBatch> {
  const { environmentId } = issuer
  const key = referenceKey(environmentId, reference)
  try {
    const known = await findPosted(tools.pool, key, asked)
    if (known !== undefined) {
      const status = await withEnvironment(tools.pool, environmentId, (tx) =>
        readStatus(tx, environmentId, known.journalId),
      )
      return await toOutcome(tools, environmentId, { ...status, replayed: true })
    }
    const { currency, ...terms } = await read()
    const { bookId, total } = terms
    const request: BatchRequest = { ...terms, reference, currency: currency.code }
    const outflow: OutflowAsk = {
      ...{ kind: 'batch', reference, bookId, amount: total, currency, recipient: '' },
      from: { bookId, ownerId: environmentId, kind: 'merchant' },
      transaction: { type: 'VOUCHER_PURCHASE' },
      request,
    }
    const send = (tx: Tx, id: string): Promise<Sent> => batchPosting(tools, tx, environmentId, request, id)
    return await toOutcome(tools, environmentId, await requestOutflow(tools, issuer, { key, asked }, outflow, send))
  } catch (error) {
    throw retell(error, 'referenceId', (cause) => batchError('BATCH_BALANCE_TOO_LOW', {}, cause))
  }
}

async function toOutcome(tools: IssueTools, environmentId: string, requested: RequestedOutflow): Promise<PaidBatch> {
  const { id, status, replayed } = requested
  if (status !== 'done') {
    const outflow = await withEnvironment(tools.pool, environmentId, (tx) => findOutflow(tx, environmentId, { id }))
    if (outflow === undefined) throw new Error('A batch waits and is not there.')
    const currency = await findCurrency(tools.pool, outflow.currency, 'any')
    return { pending: requested, amount: { minor: outflow.amount, currency } }
  }
  const batch = await withEnvironment(tools.pool, environmentId, (tx) => findBatch(tx, environmentId, id))
  if (batch === undefined) throw new Error('A batch was paid for and is not there.')
  return { batch, replayed }
}

/** What a batch is made of, while it waits. Rows of an import carry codes. */
type BatchRequest = Omit<BatchTerms, 'currency'> & { readonly reference: string; readonly currency: string }

/** A batch that waited is paid for. Its id is the outflow's. */
export async function sendBatch(tools: IssueTools, tx: Tx, outflow: Outflow, request: object): Promise<Sent> {
  return batchPosting(tools, tx, outflow.environmentId, request as BatchRequest, outflow.id)
}

async function batchPosting(
  { keyRing, random }: IssueTools,
  tx: Tx,
  environmentId: string,
  { currency: code, rows, reference, ...terms }: BatchRequest,
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
      // Cards of another system are in people's hands already.
      exportedAt: rows === undefined ? null : at,
    }),
  ]
  const money = { total: formatMoney({ minor: total, currency }), currency: currency.code }
  // A batch that waited has the events of its outflow before.
  const to = { environmentId, about: { id, sequence: 2 } }
  const events = [batchEvent('voucher_batch.paid', to, { batchId: id, reference, size, ...money })]
  return { transfers: [{ from, to: account, amount: total }], open: [account], documents, events }
}
