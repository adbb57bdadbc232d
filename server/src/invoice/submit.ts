import { dbError, inTransaction } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { formatMoney } from '../base/money.ts'
import { findCurrency, listNetworks } from '../currency/store.ts'
import { postWithin } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import { findPosted } from '../ledger/store.ts'
import { findShop, readProfile } from '../merchant/store.ts'
import { hasCode } from '../base/errors.ts'
import { transactionError } from '../transaction/errors.ts'
import { readDay, yearIn } from './dates.ts'
import type { Owner } from '../http/caller.ts'
import type { DecideTools } from './decide.ts'
import { invoiceError } from './errors.ts'
import { invoiceEvent } from './events.ts'
import { invoiceMail } from './mails.ts'
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
  /** What the caller calls this submission: sent twice, it is one invoice. */
  readonly key?: string | undefined
}

const networkByDefault = 'BSC'
// Of one address, and of all: more would bury who has to decide.
const pendingOwnMax = 20
const pendingMax = 10_000

/** Takes an invoice for a merchant to decide upon, and answers its id. Totals are ours, computed exactly. */
export async function submitInvoice(tools: DecideTools, caller: Owner, ask: Submission): Promise<string> {
  const { key = tools.newId(), ...rest } = ask
  const claim = { key: `invoice/${caller.environmentId}/submit/${key}`, asked: JSON.stringify(rest) }
  try {
    const known = await findPosted(tools.pool, claim.key, claim.asked)
    return known?.journalId ?? (await takeInvoice(tools, caller, ask, claim))
  } catch (error) {
    if (!hasCode(error, 'LEDGER_KEY_CONFLICT')) throw error
    throw transactionError('REFERENCE_TAKEN', { param: 'Idempotency-Key' }, error)
  }
}

async function takeInvoice(
  tools: DecideTools,
  caller: Owner,
  ask: Submission,
  claim: { readonly key: string; readonly asked: string },
): Promise<string> {
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
    const known = await findPosted(tx, claim.key, claim.asked)
    if (known !== undefined) return known.journalId
    if (!(await listInvoiceCurrencies(tx, environmentId)).includes(currency.code))
      throw invoiceError('INVOICE_CURRENCY_REFUSED', { param: 'currencyAbbreviation' })
    // Its row is locked from here on: one submission after the other, so that the count holds.
    const number = await takeNumber(tx, environmentId, yearIn(clock(), timeZone))
    const { own, all } = await countPending(tx, environmentId, email)
    if (own >= pendingOwnMax || all >= pendingMax) throw invoiceError('INVOICES_TOO_MANY')
    const id = newId()
    const { fullName } = ask
    const createdAt = timeOfId(id)
    const invoice = { id, number, email, fullName, bookId, total, network, invoiceDate, dueDate, createdAt }
    const items = lines.map((line) => ({ ...line, id: newId() }))
    await insertInvoice(tx, environmentId, invoice, items)
    const amount = formatMoney({ minor: total, currency })
    const told = { invoiceId: id, invoiceNumber: number, amount, currency: currency.code }
    const events = [invoiceEvent('invoice.submitted', { environmentId, about: { id, sequence: 1 } }, told)]
    const documents = [
      ...(await invoiceMail(tx, tools, caller, invoice, { what: 'submitted', money: told })),
      ...(await invoiceMail(tx, tools, caller, invoice, { what: 'received', money: told })),
    ]
    const alternatives = [{ transfers: [], documents, events }] as const
    const posted = await postWithin(tx, { id, kind: 'claim.invoice', ...claim, alternatives }, tools)
    // Sent twice at once, the second gives everything back and answers with the first.
    if (posted.replayed) throw dbError('TRANSACTION_AGAIN')
    return id
  })
}
