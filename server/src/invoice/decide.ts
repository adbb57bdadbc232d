import { inTransaction, type Tx } from '../base/db.ts'
import { actFor, withEnvironment } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import { formatMoney } from '../base/money.ts'
import { dueBy, sweepDue } from '../base/sweep.ts'
import { findCurrency } from '../currency/store.ts'
import { postWithin } from '../ledger/batch.ts'
import type { Mode } from '../ledger/book.ts'
import type { Journal } from '../ledger/journal.ts'
import { tell } from '../ledger/store.ts'
import { postMail } from '../mail/outbox.ts'
import { findOwner } from '../merchant/store.ts'
import { issueJournal, type IssueTools } from '../voucher/issue.ts'
import { invoiceError } from './errors.ts'
import { invoiceEvent } from './events.ts'
import { invoiceMail, type Told } from './mails.ts'
import { decide, findInvoice, type Invoice, lockInvoice, markPaid } from './store.ts'

export type DecideTools = IssueTools
export type Merchant = { readonly merchantId: string; readonly environmentId: string; readonly mode: Mode }

/** Approves it, and pays it if the balance covers it. If not it waits, approved. */
export async function approveInvoice(
  tools: DecideTools,
  merchant: Merchant,
  id: string,
  onChain: boolean,
): Promise<void> {
  await decideOnce(tools, merchant, id, async (tx, invoice, journal) => {
    const at = tools.clock()
    await decide(tx, merchant.environmentId, id, { status: 'Approved', onChain, reason: '' }, at)
    const money = await dataOf(tx, invoice)
    await tell(tx, [invoiceEvent('invoice.approved', aboutOf(merchant, invoice, 2), money)], tools)
    await mail(tools, tx, merchant, invoice, { what: 'approved', money })
    await pay(tools, tx, merchant, invoice, journal).catch((error: unknown) => {
      if (!isShort(error)) throw error
    })
  })
}

export async function rejectInvoice(tools: DecideTools, merchant: Merchant, id: string, reason: string): Promise<void> {
  await decideOnce(tools, merchant, id, async (tx, invoice) => {
    await decide(tx, merchant.environmentId, id, { status: 'Rejected', onChain: false, reason }, tools.clock())
    const data = { ...(await dataOf(tx, invoice)), reason }
    await tell(tx, [invoiceEvent('invoice.rejected', aboutOf(merchant, invoice, 2), data)], tools)
    await mail(tools, tx, merchant, invoice, { what: 'rejected', money: data, reason })
  })
}

/** One that was approved and not covered then. */
export async function payInvoice(tools: DecideTools, merchant: Merchant, id: string): Promise<void> {
  await withInvoice(tools, merchant, id, async (tx, invoice, journal) => {
    if (invoice.status !== 'Approved' || invoice.paidAt !== null) throw invoiceError('INVOICE_NOT_PAYABLE')
    await pay(tools, tx, merchant, invoice, journal).catch((error: unknown) => {
      throw isShort(error) ? invoiceError('INVOICE_BALANCE_TOO_LOW', {}, error) : error
    })
  })
}

function decideOnce(
  tools: DecideTools,
  merchant: Merchant,
  id: string,
  work: (tx: Tx, invoice: Invoice, journal: Journal) => Promise<void>,
): Promise<void> {
  return withInvoice(tools, merchant, id, async (tx, invoice, journal) => {
    if (invoice.status !== 'Pending') throw invoiceError('INVOICE_DECIDED', { status: invoice.status })
    await work(tx, invoice, journal)
  })
}

/** Under the lock of the invoice, with the voucher that would pay it: made before, since it reads on connections of its own. */
async function withInvoice(
  tools: DecideTools,
  merchant: Merchant,
  id: string,
  work: (tx: Tx, invoice: Invoice, journal: Journal) => Promise<void>,
): Promise<void> {
  const { pool } = tools
  const { environmentId } = merchant
  const found = await withEnvironment(pool, environmentId, (tx) => findInvoice(tx, environmentId, id))
  if (found === undefined) throw invoiceError('INVOICE_NOT_FOUND')
  const journal = await voucherFor(tools, merchant, found)
  await inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    const invoice = await lockInvoice(tx, environmentId, id)
    if (invoice !== undefined) await work(tx, invoice, journal)
  })
}

/** A voucher for the whole of it, by mail to who submitted it. Its reference is the invoice's id, so there is never another. */
async function voucherFor(
  tools: DecideTools,
  merchant: Merchant,
  { id, total, currency, email }: Invoice,
): Promise<Journal> {
  const amount = { minor: total, currency: await findCurrency(tools.pool, currency, 'any') }
  const ask = {
    amount: formatMoney(amount),
    currency,
    reference: `invoice-${id}`,
    type: 'INVOICE_PAYMENT',
    paidFrom: 'balance',
    recipient: { kind: 'email', name: email },
    gift: {},
  } as const
  return issueJournal(tools, merchant, ask, amount, { key: `invoice/${id}/pay`, asked: '' })
}

async function pay(tools: DecideTools, tx: Tx, merchant: Merchant, invoice: Invoice, journal: Journal): Promise<void> {
  const { id: voucherId } = journal
  const [posting] = journal.alternatives
  const data = { ...(await dataOf(tx, invoice)), voucherId }
  const events = [...(posting.events ?? []), invoiceEvent('invoice.paid', aboutOf(merchant, invoice, 3), data)]
  await postWithin(tx, { ...journal, kind: 'invoice.pay', alternatives: [{ ...posting, events }] }, tools)
  await markPaid(tx, merchant.environmentId, invoice.id, voucherId, tools.clock())
}

async function mail(tools: DecideTools, tx: Tx, merchant: Merchant, invoice: Invoice, told: Told): Promise<void> {
  for (const letter of await invoiceMail(tx, tools, merchant, invoice, told)) await postMail(tx, letter)
}

function isShort(error: unknown): boolean {
  return hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING')
}

const atOnce = 50

/** Pays what was approved and is covered by now, oldest approval first, where the merchant wants it. */
export function createPayInvoices(tools: DecideTools): () => Promise<boolean> {
  return sweepDue(tools.clock, atOnce, dueBy(tools.pool, 'due_invoices'), async ({ environmentId, id }) => {
    await payInvoice(tools, await findOwner(tools.pool, environmentId), id).catch((error: unknown) => {
      // Paid meanwhile, or the money is gone again.
      if (!hasCode(error, 'INVOICE_NOT_PAYABLE', 'INVOICE_BALANCE_TOO_LOW')) throw error
    })
  })
}

function aboutOf({ environmentId }: Merchant, { id }: Invoice, sequence: number) {
  return { environmentId, about: { id, sequence } }
}

async function dataOf(tx: Tx, { id, number, total, currency: code }: Invoice) {
  const currency = await findCurrency(tx, code, 'any')
  return { invoiceId: id, invoiceNumber: number, amount: formatMoney({ minor: total, currency }), currency: code }
}
