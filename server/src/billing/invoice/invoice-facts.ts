import type { Db } from '../../base/db.ts'
import { formatMoney } from '../../base/money.ts'
import { writeAmount } from '../../base/write-amount.ts'
import { writeInZone } from '../../base/zone.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { formatDay, words } from '../../mail/words.ts'
import { findOwner, findShop } from '../../identity/merchant/store.ts'
import type { InvoiceFacts } from '../../print/draw-invoice.ts'
import type { Invoice } from './store.ts'

/** Reads the texts of a printed invoice, in the merchant's language, with dates in its time zone. */
export async function readInvoiceFacts(db: Db, environmentId: string, invoice: Invoice): Promise<InvoiceFacts> {
  const { name, timeZone, language } = await findShop(db, environmentId)
  const { mode } = await findOwner(db, environmentId)
  const currency = await findCurrency(db, invoice.currency, 'any')
  const {
    number: numberLabel,
    from,
    to,
    date,
    due,
    description,
    quantity,
    unitPrice,
    total,
    states,
  } = words[language].invoice
  const money = (minor: bigint): string =>
    writeAmount(language, { amount: formatMoney({ minor, currency }), currency: currency.code })
  const day = (at: Date): string => formatDay(language, writeInZone(at, timeZone).slice(0, 10))
  const status = invoice.paidAt === null ? invoice.status : 'Paid'
  const at = invoice.paidAt ?? invoice.decidedAt
  return {
    number: invoice.number,
    labels: { number: numberLabel, from, to, date, due, description, quantity, unitPrice, total },
    state: [states[status], ...(at === null ? [] : [day(at)])].join(', '),
    testMark: mode === 'test' ? words[language].test : undefined,
    from: [invoice.fullName, invoice.email],
    to: name,
    date: day(invoice.invoiceDate),
    due: day(invoice.dueDate),
    items: invoice.items.map((item) => ({
      description: item.description,
      quantity: item.quantity,
      unitPrice: money(item.unitPrice),
      total: money(item.total),
    })),
    total: money(invoice.total),
  }
}
