import type { Db } from '../../base/db.ts'
import { formatMoney } from '../../base/money.ts'
import { writeAmount } from '../../base/write-amount.ts'
import { writeInZone } from '../../base/zone.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { formatDay, imprintOf, type Language, words } from '../../mail/words.ts'
import { findOwner, findShop } from '../../identity/merchant/store.ts'
import type { InvoiceFacts } from '../../print/draw-invoice.ts'
import { splitAddress } from './clean-text.ts'
import { netOf } from './lines.ts'
import type { Invoice } from './store.ts'

/** Reads the texts of a printed invoice, in the merchant's language, with dates in its time zone. */
export async function readInvoiceFacts(db: Db, environmentId: string, invoice: Invoice): Promise<InvoiceFacts> {
  const shop = await findShop(db, environmentId)
  const { timeZone, language } = shop
  const { mode } = await findOwner(db, environmentId)
  const currency = await findCurrency(db, invoice.currency, 'any')
  const say = words[language].invoice
  const money = (minor: bigint): string =>
    writeAmount(language, { amount: formatMoney({ minor, currency }), currency: currency.code })
  const day = (at: Date): string => formatDay(language, writeInZone(at, timeZone).slice(0, 10))
  const status = invoice.paidAt === null ? invoice.status : 'Paid'
  const at = invoice.paidAt ?? invoice.decidedAt
  const taxes = invoice.taxes.map(({ name, rate, amount }) => [`${name} (${rate}\u00a0%)`, money(amount)] as const)
  return {
    number: invoice.number,
    labels: labelsIn(language),
    state: [say.states[status], ...(at === null ? [] : [day(at)])].join(', '),
    testMark: mode === 'test' ? words[language].test : undefined,
    from: [invoice.fullName, ...splitAddress(invoice.senderAddress), invoice.email],
    to: [shop.name, ...imprintOf(language, shop)],
    accent: shop.accent,
    logoVersion: shop.logoVersion,
    date: day(invoice.invoiceDate),
    due: day(invoice.dueDate),
    senderNumber: invoice.senderNumber,
    items: invoice.items.map((item) => ({
      description: item.description,
      quantity: item.quantity,
      unitPrice: money(item.unitPrice),
      total: money(item.total),
    })),
    sums: invoice.taxes.length === 0 ? [] : [[say.net, money(netOf(invoice.items))], ...taxes],
    total: money(invoice.total),
  }
}

function labelsIn(language: Language): InvoiceFacts['labels'] {
  const { number, from, to, date, due, senderNumber, description, quantity, unitPrice, total } = words[language].invoice
  return { number, from, to, date, due, senderNumber, description, quantity, unitPrice, total }
}
