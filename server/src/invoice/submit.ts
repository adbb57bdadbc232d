import { dbError, inTransaction } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { formatMoney } from '../base/money.ts'
import { findCurrency, listNetworks } from '../currency/store.ts'
import { postWithin } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import { findPosted } from '../ledger/store.ts'
import { findShop, readProfile } from '../merchant/store.ts'
import { readDay, yearIn } from './dates.ts'
import type { Owner } from '../http/caller.ts'
import { refuseTakenKey } from '../http/idempotency.ts'
import type { DecideTools } from './decide.ts'
import { invoiceError } from './errors.ts'
import { invoiceEvent } from './events.ts'
import { invoiceMail } from './mails.ts'
import { type LineInput, readLine, readTotal } from './lines.ts'
import { countPending, insertInvoice, listInvoiceCurrencies, takeNumber } from './store.ts'

export type Submission = {
  readonly merchantCode: string
  readonly currency: string
  readonly network: string | undefined
  readonly invoiceDate: string
  readonly dueDate: string
  readonly email: string
  readonly fullName: string
  readonly items: readonly LineInput[]
  /** The idempotency key: a submission sent twice creates one invoice. */
  readonly key?: string | undefined
}

export type Submitted = { readonly id: string; readonly replayed: boolean }

const defaultNetwork = 'BSC'
// Pending-invoice limits, per submitter and in total.
const pendingOwnMax = 20
const pendingMax = 10_000

/** Stores an invoice for the merchant to decide on. The server computes the totals. */
export async function submitInvoice(tools: DecideTools, caller: Owner, input: Submission): Promise<Submitted> {
  const { key = tools.newId(), ...rest } = input
  const claim = { key: `invoice/${caller.environmentId}/submit/${key}`, requestFingerprint: JSON.stringify(rest) }
  const known = await findPosted(tools.pool, claim.key, claim.requestFingerprint).catch(refuseTakenKey)
  if (known !== undefined) return { id: known.journalId, replayed: true }
  return createInvoice(tools, caller, input, claim).catch(refuseTakenKey)
}

async function createInvoice(
  tools: DecideTools,
  caller: Owner,
  input: Submission,
  claim: { readonly key: string; readonly requestFingerprint: string },
): Promise<Submitted> {
  const { pool, clock, newId } = tools
  const { environmentId, mode } = caller
  const { code } = await readProfile(pool, caller.merchantId)
  if (input.merchantCode.toUpperCase() !== code)
    throw invoiceError('INVOICE_MERCHANT_FOREIGN', { param: 'merchantCode' })
  const currency = await findCurrency(pool, input.currency, 'offered', 'currencyAbbreviation')
  const lines = input.items.map((item, i) => readLine(item, currency, `invoiceItems.${i}`))
  const total = readTotal(lines, currency)
  if (total === 0n) throw invoiceError('INVOICE_EMPTY', { param: 'invoiceItems' })
  const { network = defaultNetwork } = input
  if (input.network !== undefined && !(await listNetworks(pool)).some(({ abbreviation }) => abbreviation === network))
    throw invoiceError('INVOICE_NETWORK_UNKNOWN', { param: 'blockchainNetworkAbbreviation' })
  const { timeZone } = await findShop(pool, environmentId)
  const [invoiceDate, dueDate] = [readDay(input.invoiceDate, timeZone), readDay(input.dueDate, timeZone)]
  if (invoiceDate === undefined) throw invoiceError('INVOICE_DATE_INVALID', { param: 'invoiceDate' })
  if (dueDate === undefined || dueDate < invoiceDate) throw invoiceError('INVOICE_DATE_INVALID', { param: 'dueDate' })
  const bookId = await ensureBook(pool, mode, currency.code)
  const email = input.email.toLowerCase()
  return inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    const known = await findPosted(tx, claim.key, claim.requestFingerprint)
    if (known !== undefined) return { id: known.journalId, replayed: true }
    if (!(await listInvoiceCurrencies(tx, environmentId)).includes(currency.code))
      throw invoiceError('INVOICE_CURRENCY_REFUSED', { param: 'currencyAbbreviation' })
    // This locks the year's counter until commit, so submissions run one after another and the pending count is exact.
    const number = await takeNumber(tx, environmentId, yearIn(clock(), timeZone))
    const { own, all } = await countPending(tx, environmentId, email)
    if (own >= pendingOwnMax || all >= pendingMax) throw invoiceError('INVOICES_TOO_MANY')
    const id = newId()
    const { fullName } = input
    const createdAt = timeOfId(id)
    const invoice = { id, number, email, fullName, bookId, total, network, invoiceDate, dueDate, createdAt }
    const items = lines.map((line) => ({ ...line, id: newId() }))
    await insertInvoice(tx, environmentId, invoice, items)
    const amount = formatMoney({ minor: total, currency })
    const data = { invoiceId: id, invoiceNumber: number, amount, currency: currency.code }
    const events = [invoiceEvent('invoice.submitted', { environmentId, about: { id, sequence: 1 } }, data)]
    const documents = [
      ...(await invoiceMail(tx, tools, caller, invoice, { what: 'submitted', money: data })),
      ...(await invoiceMail(tx, tools, caller, invoice, { what: 'received', money: data })),
    ]
    const alternatives = [{ transfers: [], documents, events }] as const
    const posted = await postWithin(tx, { id, kind: 'claim.invoice', ...claim, alternatives }, tools)
    // Of two concurrent submissions the second rolls back and returns the first.
    if (posted.replayed) throw dbError('TRANSACTION_AGAIN')
    return { id, replayed: false }
  })
}
