import { hash } from 'node:crypto'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../currency/store.ts'
import { ensureBook } from '../ledger/book.ts'
import { readAvailable } from '../ledger/store.ts'
import type { Issuer, IssueTools } from '../voucher/issue.ts'
import { batchError } from './errors.ts'
import { packRows } from './import-rows.ts'
import { once, type PaidBatch } from './pay-batch.ts'
import { readRows, type RowFault } from './read-rows.ts'

export type ImportAsk = {
  /** The file: code and balance, and maybe pin and expires, named in its first line. */
  readonly csv: string
  readonly currency: string
  readonly reference: string
  /** What a trial of the same file gave. Without it, this is a trial. */
  readonly confirmation?: string | undefined
}

export type Tried = {
  readonly size: number
  readonly total: bigint
  readonly currency: CatalogueCurrency
  readonly faults: readonly RowFault[]
  /** The balance is enough for all of it. */
  readonly isCovered: boolean
  readonly confirmation: string
}

export type Imported = { readonly tried: Tried } | { readonly paid: PaidBatch }

/**
 * Brings codes and balances of another system along. The first time a file is only tried; sent again with the confirmation that
 * the trial gave, it is imported, or nothing of it.
 */
export async function importVouchers(tools: IssueTools, issuer: Issuer, ask: ImportAsk): Promise<Imported> {
  const currency = await findCurrency(tools.pool, ask.currency, 'any')
  const confirmation = hash('sha256', JSON.stringify([issuer.environmentId, currency.code, ask.csv]), 'hex')
  if (ask.confirmation === undefined) return { tried: await tryImport(tools, issuer, ask, currency, confirmation) }
  if (ask.confirmation !== confirmation) throw batchError('IMPORT_UNCONFIRMED', { param: 'confirmation' })
  const asked = JSON.stringify(['voucher.import', confirmation])
  const paid = await once(tools, issuer, { reference: ask.reference, asked }, async () => {
    pickCurrency([currency], currency.code)
    const { rows, faults, total } = await readRows(tools, issuer, ask.csv, currency)
    if (faults.length > 0) throw batchError('IMPORT_ROWS_BAD', { faults })
    const bookId = await ensureBook(tools.pool, issuer.mode, currency.code)
    // Shorter codes than ours can be guessed, so they are worth something at their own merchant only.
    const onlyAt = [issuer.environmentId]
    const each = { amount: null, expiresAt: undefined, rows: packRows(rows) }
    return { currency, bookId, size: rows.length, total, onlyAt, ...each }
  })
  return { paid }
}

async function tryImport(
  tools: IssueTools,
  issuer: Issuer,
  { csv }: ImportAsk,
  currency: CatalogueCurrency,
  confirmation: string,
): Promise<Tried> {
  pickCurrency([currency], currency.code)
  const { rows, faults, total } = await readRows(tools, issuer, csv, currency)
  const bookId = await ensureBook(tools.pool, issuer.mode, currency.code)
  const balance = { bookId, ownerId: issuer.environmentId, kind: 'merchant' } as const
  const isCovered = (await readAvailable(tools.pool, balance, tools.clock())) >= total
  return { size: rows.length, total, currency, faults, isCovered, confirmation: faults.length > 0 ? '' : confirmation }
}
