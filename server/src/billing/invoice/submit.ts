import type { Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { type Currency, formatMoney, parseMoney } from '../../base/money.ts'
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
import { attachUploads } from './attachment-store.ts'
import { cleanAddress, cleanLine } from './clean-text.ts'
import { checkSize, type Line, type LineInput, netOf, readLine } from './lines.ts'
import { countPending, hasNumber, insertInvoice, listInvoiceCurrencies, takeNumber } from './store.ts'
import { readTax, readTotal, type Tax, type TaxInput } from './taxes.ts'

export type Submission = {
  readonly merchantCode: string
  readonly currency: string
  readonly network: string | undefined
  readonly invoiceDate: string
  readonly dueDate: string
  readonly email: string
  readonly fullName: string
  readonly items: readonly LineInput[]
  readonly taxes?: readonly TaxInput[] | undefined
  /** What the sender expects to be paid. */
  readonly totalAmount?: string | undefined
  /** The sender's own number of the invoice. */
  readonly senderNumber?: string | undefined
  readonly senderAddress?: string | undefined
  /** The ids of uploaded files. */
  readonly attachments?: readonly string[] | undefined
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
type Draft = Sums & {
  readonly email: string
  readonly fullName: string
  readonly senderNumber: string
  readonly senderAddress: string
  readonly attachments: readonly string[]
  readonly bookId: number
  readonly network: string
  readonly invoiceDate: Date
  readonly dueDate: Date
  readonly currency: CatalogueCurrency
  readonly timeZone: string
}

type Sums = { readonly lines: readonly Line[]; readonly taxes: readonly Tax[]; readonly total: bigint }

/** Without characters that would turn the direction of the rate after it. */
function readTaxName(text: string, i: number): string {
  const name = cleanLine(text)
  if (name === '') throw invoiceError('INVOICE_TAX_INVALID', { param: `taxes.${i}.name` })
  return name
}

/** Computes the lines, the taxes and the total. Refuses another total than the sender expects. */
function readSums({ items, taxes: rates = [], totalAmount }: Submission, currency: Currency): Sums {
  const lines = items.map((item, i) => readLine(item, currency, `invoiceItems.${i}`))
  const net = checkSize(netOf(lines), currency, 'invoiceItems')
  const taxes = rates.map(({ name, rate }, i) => readTax({ name: readTaxName(name, i), rate }, net, `taxes.${i}`))
  const total = readTotal(net, taxes, currency)
  if (total === 0n) throw invoiceError('INVOICE_EMPTY', { param: 'invoiceItems' })
  if (totalAmount !== undefined && parseMoney(totalAmount, currency, 'totalAmount').minor !== total)
    throw invoiceError('INVOICE_TOTAL_DIFFERS', { param: 'totalAmount' })
  return { lines, taxes, total }
}

/** Checks a submission, and computes its totals. */
async function readSubmission({ pool }: DecideTools, caller: Owner, input: Submission): Promise<Draft> {
  const { environmentId, mode } = caller
  const { code } = await readProfile(pool, caller.merchantId)
  if (input.merchantCode.toUpperCase() !== code)
    throw invoiceError('INVOICE_MERCHANT_FOREIGN', { param: 'merchantCode' })
  const currency = await findCurrency(pool, input.currency, 'offered', 'currencyAbbreviation')
  const sums = readSums(input, currency)
  const { network = defaultNetwork } = input
  if (input.network !== undefined && !(await listNetworks(pool)).some(({ abbreviation }) => abbreviation === network))
    throw invoiceError('INVOICE_NETWORK_UNKNOWN', { param: 'blockchainNetworkAbbreviation' })
  const { timeZone } = await findShop(pool, environmentId)
  const [invoiceDate, dueDate] = [readDay(input.invoiceDate, timeZone), readDay(input.dueDate, timeZone)]
  if (invoiceDate === undefined) throw invoiceError('INVOICE_DATE_INVALID', { param: 'invoiceDate' })
  if (dueDate === undefined || dueDate < invoiceDate) throw invoiceError('INVOICE_DATE_INVALID', { param: 'dueDate' })
  const bookId = await ensureBook(pool, mode, currency.code)
  const { fullName, attachments = [] } = input
  const sender = {
    email: input.email.toLowerCase(),
    fullName,
    senderNumber: cleanLine(input.senderNumber ?? ''),
    senderAddress: cleanAddress(input.senderAddress ?? ''),
  }
  return { ...sender, ...sums, attachments, bookId, network, invoiceDate, dueDate, currency, timeZone }
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
  const { lines, taxes, attachments, currency, timeZone, ...facts } = draft
  const { email, senderNumber, total } = facts
  if (!(await listInvoiceCurrencies(tx, environmentId)).includes(currency.code))
    throw invoiceError('INVOICE_CURRENCY_REFUSED', { param: 'currencyAbbreviation' })
  // This locks the year's counter until commit, so submissions run one after another and the pending count is exact.
  const number = await takeNumber(tx, environmentId, yearIn(clock(), timeZone))
  const { own, all } = await countPending(tx, environmentId, email)
  if (own >= pendingOwnMax || all >= pendingMax) throw invoiceError('INVOICES_TOO_MANY')
  const id = newId()
  // Before the number is compared: a submission that fails for its files must not say whether another one has this number.
  if (!(await attachUploads(tx, environmentId, id, attachments)))
    throw invoiceError('INVOICE_FILE_GONE', { param: 'attachments' })
  if (senderNumber !== '' && (await hasNumber(tx, environmentId, email, senderNumber)))
    throw invoiceError('INVOICE_NUMBER_TAKEN', { param: 'senderNumber' })
  const invoice = { ...facts, id, number, createdAt: timeOfId(id) }
  const items = lines.map((line) => ({ ...line, id: newId() }))
  await insertInvoice(tx, environmentId, invoice, items, taxes)
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
