import type { Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { formatMoney } from '../../base/money.ts'
import { type CatalogueCurrency, findCurrency, listNetworks } from '../../catalogue/currency/store.ts'
import { ensureBook } from '../../ledger/book.ts'
import { type Identity, once, postNew } from '../../ledger/once.ts'
import { findShop, readProfile } from '../../identity/merchant/store.ts'
import { readDay, yearIn } from './dates.ts'
import type { Owner } from '../../http/caller.ts'
import { refuseTakenKey } from '../../http/idempotency.ts'
import type { DecideTools } from './decide.ts'
import { invoiceError } from './errors.ts'
import { invoiceEvent } from './events.ts'
import { invoiceMail } from './mails.ts'
import { type Line, type LineInput, readLine, readTotal } from './lines.ts'
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
  const identity = { key: `invoice/${caller.environmentId}/submit/${key}`, requestFingerprint: JSON.stringify(rest) }
  return once(tools, identity, {
    retell: ({ journalId }) => ({ id: journalId, replayed: true }),
    prepare: async () => {
      const draft = await readSubmission(tools, caller, input)
      return {
        lock: (tx) => actFor(tx, caller.environmentId),
        post: (tx) => createInvoice(tools, tx, caller, identity, draft),
      }
    },
  }).catch(refuseTakenKey)
}

/** A submission after its checks. */
type Draft = {
  readonly email: string
  readonly fullName: string
  readonly bookId: number
  readonly lines: readonly Line[]
  readonly total: bigint
  readonly network: string
  readonly invoiceDate: Date
  readonly dueDate: Date
  readonly currency: CatalogueCurrency
  readonly timeZone: string
}

/** Checks a submission, and computes its totals. */
async function readSubmission({ pool }: DecideTools, caller: Owner, input: Submission): Promise<Draft> {
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
  const { fullName } = input
  const email = input.email.toLowerCase()
  return { email, fullName, bookId, lines, total, network, invoiceDate, dueDate, currency, timeZone }
}

async function createInvoice(
  tools: DecideTools,
  tx: Tx,
  caller: Owner,
  identity: Identity,
  draft: Draft,
): Promise<Submitted> {
  const { environmentId } = caller
  const { clock, newId } = tools
  const { email, fullName, bookId, lines, total, network, invoiceDate, dueDate, currency, timeZone } = draft
  if (!(await listInvoiceCurrencies(tx, environmentId)).includes(currency.code))
    throw invoiceError('INVOICE_CURRENCY_REFUSED', { param: 'currencyAbbreviation' })
  // This locks the year's counter until commit, so submissions run one after another and the pending count is exact.
  const number = await takeNumber(tx, environmentId, yearIn(clock(), timeZone))
  const { own, all } = await countPending(tx, environmentId, email)
  if (own >= pendingOwnMax || all >= pendingMax) throw invoiceError('INVOICES_TOO_MANY')
  const id = newId()
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
  await postNew(tx, { id, kind: 'claim.invoice', ...identity, alternatives }, tools)
  return { id, replayed: false }
}
