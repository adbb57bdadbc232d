import { inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import { formatMoney } from '../base/money.ts'
import { dueBy, sweepDue } from '../base/sweep.ts'
import { findCurrency } from '../currency/store.ts'
import type { Owner } from '../http/caller.ts'
import { tell } from '../ledger/store.ts'
import { postMail } from '../mail/outbox.ts'
import { findOwner } from '../merchant/store.ts'
import { requesterOf } from '../outflow/finish.ts'
import { type OutflowAsk, type OutflowStatus, requestLocked, type Sent } from '../outflow/request.ts'
import { findOutflow, lockShop, type Outflow } from '../outflow/store.ts'
import { referenceKey } from '../transaction/reference.ts'
import { type IssueTools, voucherPosting } from '../voucher/issue.ts'
import { invoiceError } from './errors.ts'
import { invoiceEvent } from './events.ts'
import { invoiceMail, type Told } from './mails.ts'
import { decide, hasPaidTo, type Invoice, lockInvoice, markPaid } from './store.ts'

export type DecideTools = IssueTools

/**
 * Approves it, and pays it if the balance covers it and nothing has to wait. If not, it stays approved: the payment waits as an outflow,
 * or for money.
 */
export async function approveInvoice(tools: DecideTools, merchant: Owner, id: string, onChain: boolean): Promise<void> {
  await decideOnce(tools, merchant, id, async (tx, invoice) => {
    const at = tools.clock()
    await decide(tx, merchant.environmentId, id, { status: 'Approved', onChain, reason: '' }, at)
    const money = await dataOf(tx, invoice)
    await tell(tx, [invoiceEvent('invoice.approved', aboutOf(merchant, invoice, 2), money)], tools)
    await mail(tools, tx, merchant, invoice, { what: 'approved', money })
    await pay(tools, tx, merchant, invoice).catch((error: unknown) => {
      if (!isShort(error)) throw error
    })
  })
}

export async function rejectInvoice(tools: DecideTools, merchant: Owner, id: string, reason: string): Promise<void> {
  await decideOnce(tools, merchant, id, async (tx, invoice) => {
    await decide(tx, merchant.environmentId, id, { status: 'Rejected', onChain: false, reason }, tools.clock())
    const data = { ...(await dataOf(tx, invoice)), reason }
    await tell(tx, [invoiceEvent('invoice.rejected', aboutOf(merchant, invoice, 2), data)], tools)
    await mail(tools, tx, merchant, invoice, { what: 'rejected', money: data, reason })
  })
}

/** One that was approved and could not be paid then. It may have to wait for approval as an outflow. */
export async function payInvoice(tools: DecideTools, merchant: Owner, id: string): Promise<OutflowStatus> {
  return withInvoice(tools, merchant, id, async (tx, invoice) => {
    if (invoice.status !== 'Approved' || invoice.paidAt !== null) throw invoiceError('INVOICE_NOT_PAYABLE')
    return pay(tools, tx, merchant, invoice).catch((error: unknown) => {
      throw hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING')
        ? invoiceError('INVOICE_BALANCE_TOO_LOW', {}, error)
        : error
    })
  })
}

function decideOnce(
  tools: DecideTools,
  merchant: Owner,
  id: string,
  work: (tx: Tx, invoice: Invoice) => Promise<void>,
): Promise<void> {
  return withInvoice(tools, merchant, id, async (tx, invoice) => {
    if (invoice.status !== 'Pending') throw invoiceError('INVOICE_DECIDED', { status: invoice.status })
    await work(tx, invoice)
  })
}

/** Under the lock of the invoice, and of its shop's outflows before it: everybody takes them in this order. */
async function withInvoice<T>(
  tools: DecideTools,
  merchant: Owner,
  id: string,
  work: (tx: Tx, invoice: Invoice) => Promise<T>,
): Promise<T> {
  const { environmentId } = merchant
  return inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    await lockShop(tx, environmentId)
    const invoice = await lockInvoice(tx, environmentId, id)
    if (invoice === undefined) throw invoiceError('INVOICE_NOT_FOUND')
    return work(tx, invoice)
  })
}

/** A voucher for the whole of it, emailed to the submitter. An invoice has one payment under way at most. */
async function pay(tools: DecideTools, tx: Tx, merchant: Owner, invoice: Invoice): Promise<OutflowStatus> {
  const { environmentId } = merchant
  const { id: invoiceId, total, currency: code, email, bookId } = invoice
  const reference = await nextReference(tx, environmentId, invoiceId)
  if (reference === undefined) throw invoiceError('INVOICE_PAYMENT_WAITING')
  const currency = await findCurrency(tx, code, 'any')
  const outflow: OutflowAsk = {
    ...{ kind: 'invoice', reference, bookId, amount: total, currency, recipient: email },
    from: { bookId, ownerId: environmentId, kind: 'merchant' },
    isKnownRecipient: await hasPaidTo(tx, environmentId, email),
    transaction: { type: 'INVOICE_PAYMENT' },
    request: { invoiceId },
  }
  const shop = await lockShop(tx, environmentId)
  const identity = { key: referenceKey(environmentId, reference), asked: '' }
  const { id, status } = await requestLocked(tools, tx, merchant, shop, identity, outflow, (_, voucherId) =>
    payingPosting(tools, tx, merchant, invoice, voucherId),
  )
  if (status === 'done') await markPaid(tx, environmentId, invoiceId, id, tools.clock())
  return status
}

/** The reference of an invoice's payment. One that was cancelled gets another number; one that waits has none to give. */
async function nextReference(tx: Tx, environmentId: string, invoiceId: string): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const reference = attempt === 1 ? `invoice-${invoiceId}` : `invoice-${invoiceId}-${attempt}`
    const known = await findOutflow(tx, environmentId, { reference })
    if (known === undefined) return reference
    if (known.outcome !== 'cancelled') return undefined
  }
}

/** An invoice whose payment waited is paid. The voucher has the outflow's id. */
export async function sendInvoice(tools: DecideTools, tx: Tx, outflow: Outflow, request: object): Promise<Sent> {
  const { invoiceId } = request as { invoiceId: string }
  const { environmentId, id } = outflow
  const invoice = await lockInvoice(tx, environmentId, invoiceId)
  if (invoice?.status !== 'Approved' || invoice.paidAt !== null) throw invoiceError('INVOICE_NOT_PAYABLE')
  await markPaid(tx, environmentId, invoiceId, id, tools.clock())
  return payingPosting(tools, tx, await requesterOf(tx, outflow), invoice, id)
}

async function payingPosting(tools: DecideTools, tx: Tx, merchant: Owner, invoice: Invoice, id: string): Promise<Sent> {
  const { total, currency, email } = invoice
  const amount = { minor: total, currency: await findCurrency(tx, currency, 'any') }
  const issue = {
    amount: formatMoney(amount),
    currency,
    reference: `invoice-${invoice.id}`,
    paidFrom: 'balance',
    recipient: { kind: 'email', name: email },
    gift: {},
  } as const
  const posting = await voucherPosting(tools, tx, merchant, issue, amount, id)
  const data = { ...(await dataOf(tx, invoice)), voucherId: id }
  const events = [...(posting.events ?? []), invoiceEvent('invoice.paid', aboutOf(merchant, invoice, 3), data)]
  return { ...posting, events }
}

async function mail(tools: DecideTools, tx: Tx, merchant: Owner, invoice: Invoice, told: Told): Promise<void> {
  for (const letter of await invoiceMail(tx, tools, merchant, invoice, told)) await postMail(tx, letter)
}

/** What leaves an approved invoice unpaid for now. */
function isShort(error: unknown): boolean {
  return hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING', 'OUTFLOW_ABOVE_DAILY')
}

const atOnce = 50

/** Pays what was approved and is covered by now, oldest approval first, where the merchant wants it. */
export function createPayInvoices(tools: DecideTools): () => Promise<boolean> {
  return sweepDue(tools.clock, atOnce, dueBy(tools.pool, 'due_invoices'), async ({ environmentId, id }) => {
    await payInvoice(tools, await findOwner(tools.pool, environmentId), id).catch((error: unknown) => {
      // Paid or waiting meanwhile, or the money is gone again, or the day's limit is used up.
      const isLater = hasCode(error, 'INVOICE_PAYMENT_WAITING', 'OUTFLOW_ABOVE_DAILY')
      if (!isLater && !hasCode(error, 'INVOICE_NOT_PAYABLE', 'INVOICE_BALANCE_TOO_LOW')) throw error
    })
  })
}

function aboutOf({ environmentId }: Owner, { id }: Invoice, sequence: number) {
  return { environmentId, about: { id, sequence } }
}

async function dataOf(tx: Tx, { id, number, total, currency: code }: Invoice) {
  const currency = await findCurrency(tx, code, 'any')
  return { invoiceId: id, invoiceNumber: number, amount: formatMoney({ minor: total, currency }), currency: code }
}
