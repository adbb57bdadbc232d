import { withEnvironment } from '../../base/environment.ts'
import { mapInTurns } from '../../base/in-turns.ts'
import { formatMoney } from '../../base/money.ts'
import { writeInZone } from '../../base/zone.ts'
import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import { showCode } from '../code/code.ts'
import { lastDayOf } from '../voucher/expiry.ts'
import { imprintOf } from '../../mail/words.ts'
import { findLogoOf } from '../../identity/merchant/brand-store.ts'
import { findShop, type Shop } from '../../identity/merchant/store.ts'
import type { Issuer, IssueTools } from '../voucher/issue.ts'
import { batchError } from './errors.ts'
import type { SheetFacts } from '../../print/draw-sheet.ts'
import { type Batch, findBatch, isImport, listBatchVouchers, markExported } from './store.ts'

export type ExportTools = Pick<IssueTools, 'pool' | 'clock' | 'keyRing'> & { readonly publicUrl: string }

/** An exported voucher with its code. */
type ExportedVoucher = {
  readonly number: number
  readonly code: string
  /** Formatted with the decimals of its currency; empty for a card without a printed amount. */
  readonly amount: string
  /** With the offset of the merchant's time zone; empty if it does not expire. */
  readonly expires: string
  /** The last day of validity; empty if it does not expire. */
  readonly lastDay: string
  /** The holder page. Browsers do not send the part after # to the server. */
  readonly link: string
  /** Where an onchain voucher is; empty for others. */
  readonly network: string
  readonly vault: string
}

type Export = {
  readonly batch: Batch
  readonly currency: CatalogueCurrency
  readonly issuer: Shop
  readonly vouchers: readonly ExportedVoucher[]
}

/** The vouchers of a batch with their codes. Commits that they were exported before it returns any. */
export async function exportBatch(
  tools: ExportTools,
  { environmentId }: Pick<Issuer, 'environmentId'>,
  batchId: string,
): Promise<Export> {
  const { batch, rows } = await withEnvironment(tools.pool, environmentId, async (tx) => {
    const found = await findBatch(tx, environmentId, batchId)
    if (found === undefined) throw batchError('BATCH_NOT_FOUND')
    if (found.finishedAt === null) throw batchError('BATCH_NOT_READY')
    await markExported(tx, found, tools.clock())
    return { batch: found, rows: await listBatchVouchers(tx, batchId) }
  })
  const currency = await findCurrency(tools.pool, batch.currency, 'any')
  const issuer = await findShop(tools.pool, environmentId)
  const { code: merchantCode, timeZone } = issuer
  // Imported codes are unique per merchant only, so the link names the merchant.
  const prefix = `${tools.publicUrl}/v#${isImport(batch) ? `${merchantCode}.` : ''}`
  const vouchers = await mapInTurns(rows, (row) => {
    const code = showCode(tools.keyRing.open(row.id, row))
    const { number, expiresAt } = row
    const lastDay = expiresAt === null ? '' : lastDayOf(expiresAt, timeZone)
    const expires = expiresAt === null ? '' : writeInZone(expiresAt, timeZone)
    const amount = row.amount === 0n ? '' : formatMoney({ minor: row.amount, currency })
    const place = { network: row.network ?? '', vault: row.vault ?? '' }
    return { number, code, amount, expires, lastDay, link: `${prefix}${code.replaceAll(' ', '')}`, ...place }
  })
  return { batch, currency, issuer, vouchers }
}

export async function readSheetFacts(
  { pool }: ExportTools,
  environmentId: string,
  { vouchers, currency, issuer, batch }: Export,
): Promise<SheetFacts> {
  const { name, code, accent, logoVersion } = issuer
  const imprint = imprintOf(issuer.language, issuer)
  const logo = logoVersion === '' ? undefined : await findLogoOf(pool, environmentId)
  return {
    issuer: { name, code, accent, imprint, logo },
    currency: currency.code,
    isTest: batch.mode === 'test',
    tickets: vouchers.map(({ number, code, amount, lastDay, link, network, vault }) => ({
      number,
      code,
      amount,
      lastDay,
      link,
      network,
      vault,
    })),
  }
}

/** CSV for spreadsheets and card printers. A batch of onchain vouchers has two more columns. */
export function toCsv({ vouchers, currency, batch }: Export): string {
  const isOnchain = batch.onchainNetworkId !== null
  // No other cell needs quotes: codes are letters, digits, dashes and spaces.
  const lines = vouchers.map(({ number, code, amount, expires, link, network, vault }) =>
    [number, code, amount, currency.code, expires, link, ...(isOnchain ? [quoted(network), vault] : [])].join(','),
  )
  return [`number,code,amount,currency,expires,link${isOnchain ? ',network,vault' : ''}`, ...lines, ''].join('\r\n')
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
