import { withEnvironment } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { formatMoney, parseMoney } from '../base/money.ts'
import { parseAmount, refuseDust } from '../currency/amount.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../currency/store.ts'
import type { Account } from '../ledger/account.ts'
import { ensureBook } from '../ledger/book.ts'
import type { Journal, Posted } from '../ledger/journal.ts'
import { findPosted } from '../ledger/store.ts'
import { findExpiredTo } from '../merchant/store.ts'
import { referenceKey, retell } from '../transaction/reference.ts'
import { freeTransaction } from '../transaction/store.ts'
import { readExpiry } from '../voucher/expiry.ts'
import { type Issue, type Issuer, type IssueTools, readPlaces } from '../voucher/issue.ts'
import { batchError } from './errors.ts'
import { batchEvent } from './events.ts'
import { type Batch, batchDocument, findBatch } from './store.ts'

/** The amount is that of each. */
export type BatchAsk = Pick<Issue, 'amount' | 'currency' | 'reference' | 'onlyAt' | 'expires'> & {
  readonly size: number
}

export type PaidBatch = { readonly batch: Batch; readonly replayed: boolean }

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

/** Pays for the batch that `read` describes, unless its reference did before. */
export async function once(
  tools: IssueTools,
  issuer: Issuer,
  { reference, asked }: { reference: string; asked: string },
  read: () => Promise<BatchTerms>,
): Promise<PaidBatch> {
  const key = referenceKey(issuer.environmentId, reference)
  try {
    const known = await findPosted(tools.pool, key, asked)
    const posted = known ?? (await pay(tools, issuer, reference, { key, asked }, await read()))
    const batch = await withEnvironment(tools.pool, issuer.environmentId, (tx) =>
      findBatch(tx, issuer.environmentId, posted.journalId),
    )
    if (batch === undefined) throw new Error('A batch was paid for and is not there.')
    return { batch, replayed: posted.replayed }
  } catch (error) {
    throw retell(error, 'referenceId', (cause) => batchError('BATCH_BALANCE_TOO_LOW', {}, cause))
  }
}

async function pay(
  { pool, ledger, newId, keyRing, random }: IssueTools,
  { environmentId, memberId }: Issuer,
  reference: string,
  { key, asked }: Pick<Journal, 'key' | 'asked'>,
  { currency, rows, ...terms }: BatchTerms,
): Promise<Posted> {
  const { bookId, size, total } = terms
  const id = newId()
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
      expiredTo: await findExpiredTo(pool, environmentId),
      keyId: sealed?.keyId,
      rowsSealed: sealed?.sealed,
      createdAt: at,
      // Cards of another system are in people's hands already.
      exportedAt: rows === undefined ? null : at,
    }),
    freeTransaction('VOUCHER_PURCHASE', reference, { environmentId, id, bookId, amount: total, memberId }),
  ]
  const money = { total: formatMoney({ minor: total, currency }), currency: currency.code }
  const to = { environmentId, about: { id, sequence: 1 } }
  const events = [batchEvent('voucher_batch.paid', to, { batchId: id, reference, size, ...money })]
  const transfers = [{ from, to: account, amount: total }]
  const alternatives = [{ transfers, open: [account], documents, events }] as const
  return ledger.post({ id, kind: 'voucher.batch', key, asked, alternatives })
}
