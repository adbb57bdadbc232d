import { hash } from 'node:crypto'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import { ensureBook } from '../../ledger/book.ts'
import { readAvailable } from '../../ledger/store.ts'
import type { Issuer, IssueTools } from '../voucher/issue.ts'
import { printRules, readRules, type RulesInput } from '../voucher/read-rules.ts'
import { batchError } from './errors.ts'
import { packRows } from './import-rows.ts'
import { payBatchOnce, type PaidBatch } from './pay-batch.ts'
import { readRows, type RowFault } from './read-rows.ts'

export type ImportInput = {
  /** The file. Its first line names the columns: code, balance and optionally pin and expires. */
  readonly csv: string
  readonly currency: string
  readonly reference: string
  /** Of each of the vouchers. */
  readonly rules: RulesInput | undefined
  /** From a trial of the same file. Without it, the file is only checked. */
  readonly confirmation?: string | undefined
}

export type Tried = {
  readonly size: number
  readonly total: bigint
  readonly currency: CatalogueCurrency
  readonly faults: readonly RowFault[]
  /** True if the balance covers the total. */
  readonly isCovered: boolean
  readonly confirmation: string
}

export type Imported = { readonly tried: Tried } | { readonly paid: PaidBatch }

/**
 * Imports codes and balances of another system. Without a confirmation the file is only checked. With the
 * confirmation of that trial, all of its rows are imported, or none.
 */
export async function importVouchers(tools: IssueTools, issuer: Issuer, input: ImportInput): Promise<Imported> {
  const currency = await findCurrency(tools.pool, input.currency, 'any')
  const confirmation = hash(
    'sha256',
    JSON.stringify([issuer.environmentId, currency.code, input.csv, ...printRules(input.rules)]),
    'hex',
  )
  if (input.confirmation === undefined) return { tried: await tryImport(tools, issuer, input, currency, confirmation) }
  if (input.confirmation !== confirmation) throw batchError('IMPORT_UNCONFIRMED', { param: 'confirmation' })
  const requestFingerprint = JSON.stringify(['voucher.import', confirmation])
  const paid = await payBatchOnce(tools, issuer, { reference: input.reference, requestFingerprint }, async () => {
    pickCurrency([currency], currency.code)
    const { rows, faults, total } = await readRows(tools, issuer, input.csv, currency)
    if (faults.length > 0) throw batchError('IMPORT_ROWS_BAD', { faults })
    const bookId = await ensureBook(tools.pool, issuer.mode, currency.code)
    // Imported codes may be short enough to guess, so they can be redeemed only at their own merchant.
    const onlyAt = [issuer.environmentId]
    const terms = { currency, expiresAt: undefined, isOnchain: false }
    const each = { amount: null, expiresAt: undefined, onchainNetworkId: null, rows: packRows(rows) }
    const restricted = await readRules(tools, issuer, input.rules, terms)
    return { currency, bookId, size: rows.length, total, onlyAt, ...each, rules: restricted }
  })
  return { paid }
}

async function tryImport(
  tools: IssueTools,
  issuer: Issuer,
  { csv }: ImportInput,
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
