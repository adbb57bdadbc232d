import { inTransaction } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { formatMoney } from '../base/money.ts'
import { findCurrency, listNetworks } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import type { PostTools } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import { tell } from '../ledger/store.ts'
import { findShop, readProfile } from '../merchant/store.ts'
import { readDay, yearIn } from './dates.ts'
import { invoiceError } from './errors.ts'
import { invoiceEvent } from './events.ts'
import { mailInvoice } from './mails.ts'
import { type AskedLine, readLine, totalOf } from './lines.ts'
import { countPending, insertInvoice, listInvoiceCurrencies, takeNumber } from './store.ts'

export type Submission = {
  readonly merchantCode: string
  readonly currency: string
  readonly network: string | undefined
  readonly invoiceDate: string
  readonly dueDate: string
  readonly email: string
  readonly fullName: string
  readonly items: readonly AskedLine[]
}

const networkByDefault = 'BSC'
// Of one address, and of all: more would bury who has to decide.
const pendingOwnMax = 20
const pendingMax = 10_000

/** Takes an invoice for a merchant to decide upon. Totals are ours, computed exactly. */
export async function submitInvoice(tools: PostTools, caller: MerchantCaller, ask: Submission): Promise<string> {
  const { pool, clock, newId } = tools
  const { environmentId, mode } = caller
  const { code } = await readProfile(pool, caller.merchantId)
  if (ask.merchantCode.toUpperCase() !== code) throw invoiceError('INVOICE_MERCHANT_FOREIGN', { param: 'merchantCode' })
  const currency = await findCurrency(pool, ask.currency)
  const lines = ask.items.map((item) => readLine(item, currency))
  const total = totalOf(lines)
  if (total === 0n) throw invoiceError('INVOICE_EMPTY', { param: 'invoiceItems' })
  const { network = networkByDefault } = ask
  if (ask.network !== undefined && !(await listNetworks(pool)).some(({ abbreviation }) => abbreviation === network))
    throw invoiceError('INVOICE_NETWORK_UNKNOWN', { param: 'blockchainNetworkAbbreviation' })
  const { timeZone } = await findShop(pool, environmentId)
  const [invoiceDate, dueDate] = [readDay(ask.invoiceDate, timeZone), readDay(ask.dueDate, timeZone)]
  if (invoiceDate === undefined) throw invoiceError('INVOICE_DATE_INVALID', { param: 'invoiceDate' })
  if (dueDate === undefined || dueDate < invoiceDate) throw invoiceError('INVOICE_DATE_INVALID', { param: 'dueDate' })
  const bookId = await ensureBook(pool, mode, currency.code)
  const email = ask.email.toLowerCase()
  return inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    if (!(await listInvoiceCurrencies(tx, environmentId)).includes(currency.code))
      throw invoiceError('INVOICE_CURRENCY_REFUSED', { param: 'currencyAbbreviation' })
    // Its row is locked from here on: one submission after the other, so that the count holds.
    const number = await takeNumber(tx, environmentId, yearIn(clock(), timeZone))
    const { own, all } = await countPending(tx, environmentId, email)
    if (own >= pendingOwnMax || all >= pendingMax) throw invoiceError('INVOICES_TOO_MANY')
    const id = newId()
    const { fullName } = ask
    const invoice = {
      id,
      number,
      email,
      fullName,
      bookId,
      total,
      network,
      invoiceDate,
      dueDate,
      createdAt: timeOfId(id),
    }
    await insertInvoice(
      tx,
      environmentId,
      invoice,
      lines.map((line) => ({ ...line, id: newId() })),
    )
    const told = {
      invoiceId: id,
      invoiceNumber: number,
      amount: formatMoney({ minor: total, currency }),
      currency: currency.code,
    }
    await tell(tx, [invoiceEvent('invoice.submitted', { environmentId, about: { id, sequence: 1 } }, told)], tools)
    for (const what of ['submitted', 'received'] as const)
      await mailInvoice(tx, newId, caller, invoice, { what, money: told })
    return id
  })
}
