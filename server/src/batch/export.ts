import { withEnvironment } from '../base/environment.ts'
import { formatMoney } from '../base/money.ts'
import { type CatalogueCurrency, findCurrency } from '../currency/store.ts'
import { showCode } from '../voucher/code.ts'
import { lastDayOf } from '../voucher/expiry.ts'
import { readProfile } from '../merchant/store.ts'
import type { Issuer, IssueTools } from '../voucher/issue.ts'
import { batchError } from './errors.ts'
import type { SheetFacts } from '../print/draw-sheet.ts'
import { type Batch, findBatch, listBatchVouchers, markExported } from './store.ts'

export type ExportTools = Pick<IssueTools, 'pool' | 'clock' | 'keyRing'> & { readonly publicUrl: string }

/** A voucher as it is handed over. */
type HandedOver = {
  readonly number: number
  readonly code: string
  /** With the decimals of its currency. */
  readonly amount: string
  readonly expiresAt: Date | null
  /** The last day of it; empty if there is none. */
  readonly lastDay: string
  /** The holder's page. What comes after # stays in the browser. */
  readonly link: string
}

type Export = {
  readonly batch: Batch
  readonly currency: CatalogueCurrency
  readonly issuer: { readonly name: string; readonly code: string }
  readonly vouchers: readonly HandedOver[]
}

/** The vouchers of a batch with their codes. That they have left is committed before anybody sees one. */
export async function exportBatch(
  tools: ExportTools,
  { merchantId, environmentId }: Pick<Issuer, 'merchantId' | 'environmentId'>,
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
  const { code: merchantCode, tradingName, companyName, timeZone } = await readProfile(tools.pool, merchantId)
  // A code of another system is known by its merchant's.
  const prefix = `${tools.publicUrl}/v#${batch.amount === null ? `${merchantCode}.` : ''}`
  const vouchers = rows.map((row) => {
    const code = showCode(tools.keyRing.open(row.id, row))
    const { number, expiresAt } = row
    const lastDay = expiresAt === null ? '' : lastDayOf(expiresAt, timeZone)
    const amount = formatMoney({ minor: row.amount, currency })
    return { number, code, amount, expiresAt, lastDay, link: `${prefix}${code.replaceAll(' ', '')}` }
  })
  return { batch, currency, issuer: { name: tradingName || companyName, code: merchantCode }, vouchers }
}

/** What a print sheet shows. */
export function toSheetFacts({ vouchers, currency, issuer, batch }: Export): SheetFacts {
  return {
    issuer,
    currency: currency.code,
    isTest: batch.mode === 'test',
    tickets: vouchers.map(({ number, code, amount, lastDay, link }) => ({ number, code, amount, lastDay, link })),
  }
}

/** For a spreadsheet, or for whoever prints the cards. */
export function toCsv({ vouchers, currency }: Export): string {
  // No cell needs a quote: codes are letters, digits, dashes and spaces.
  const lines = vouchers.map(({ number, code, amount, expiresAt, link }) =>
    [number, code, amount, currency.code, expiresAt?.toISOString() ?? '', link].join(','),
  )
  return ['number,code,amount,currency,expires,link', ...lines, ''].join('\r\n')
}
