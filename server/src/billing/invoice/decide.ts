import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { hasCode } from '../../base/errors.ts'
import { formatMoney } from '../../base/money.ts'
import { dueBy, processDue } from '../../base/jobs.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { Owner } from '../../http/caller.ts'
import type { Event } from '../../ledger/event.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { postMail } from '../../mail/outbox.ts'
import { findOwner } from '../../identity/merchant/store.ts'
import { requesterOf } from '../../payments/outflow/finish.ts'
import { type OutflowInput, type RequestedOutflow, requestLocked, type Sent } from '../../payments/outflow/request.ts'
import { findOutflow, lockShop, type Outflow } from '../../payments/outflow/store.ts'
import { referenceKey } from '../../payments/transaction/reference.ts'
import { type IssueTools, voucherPosting } from '../../vouchers/voucher/issue.ts'
import { findVault, refuseForVault } from '../../vouchers/voucher/vault.ts'
import { invoiceError } from './errors.ts'
import { invoiceEvent } from './events.ts'
import { invoiceMail, type InvoiceNotice } from './mails.ts'
import { paymentReferenceOf } from './payment-reference.ts'
import { decide, hasPaidTo, type Invoice, lockInvoice, markPaid } from './store.ts'

export type DecideTools = IssueTools

/**
 * Approves the invoice, and pays it if the balance covers it and no approval is needed. Otherwise it stays approved, and its payment
 * waits as an outflow or for a sufficient balance.
 */
export async function approveInvoice(tools: DecideTools, merchant: Owner, id: string, onChain: boolean): Promise<void> {
  await decideOnce(tools, merchant, id, async (tx, pending) => {
    const at = tools.clock()
    const invoice = { ...pending, onChain }
    // Refused before the decision, so that it can still be approved offchain.
    if (onChain) await refuseOffchainOnly(tx, merchant, invoice)
    await decide(tx, merchant.environmentId, id, { status: 'Approved', onChain, reason: '', by: merchant.memberId }, at)
    const money = await dataOf(tx, invoice)
    await publishEvents(tx, [invoiceEvent('invoice.approved', aboutOf(merchant, invoice, 2), money)], tools)
    await mail(tools, tx, merchant, invoice, { what: 'approved', money })
    await pay(tools, tx, merchant, invoice).catch((error: unknown) => {
      if (!isPaymentDelayed(error)) throw error
    })
  })
}

async function refuseOffchainOnly(tx: Tx, { mode }: Owner, { currency, network, total }: Invoice): Promise<void> {
  const vault = await findVault(tx, mode, await findCurrency(tx, currency, 'any'), network, 'onChain')
  await refuseForVault(tx, vault, total)
}

export async function rejectInvoice(tools: DecideTools, merchant: Owner, id: string, reason: string): Promise<void> {
  await decideOnce(tools, merchant, id, async (tx, invoice) => {
    const decision = { status: 'Rejected', onChain: false, reason, by: merchant.memberId } as const
    await decide(tx, merchant.environmentId, id, decision, tools.clock())
    const data = { ...(await dataOf(tx, invoice)), reason }
    await publishEvents(tx, [invoiceEvent('invoice.rejected', aboutOf(merchant, invoice, 2), data)], tools)
    await mail(tools, tx, merchant, invoice, { what: 'rejected', money: data, reason })
  })
}

/** Pays an approved invoice. The payment is an outflow and may have to wait. */
export async function payInvoice(tools: DecideTools, merchant: Owner, id: string): Promise<RequestedOutflow> {
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

/** Locks the shop's outflows, then the invoice: always in this order, to avoid deadlocks. */
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

/** Issues a voucher for the total and emails it to the submitter. An invoice has at most one pending payment. */
async function pay(tools: DecideTools, tx: Tx, merchant: Owner, invoice: Invoice): Promise<RequestedOutflow> {
  const { environmentId } = merchant
  const { id: invoiceId, total, currency: code, email, bookId } = invoice
  const reference = await nextReference(tx, environmentId, invoiceId)
  if (reference === undefined) throw invoiceError('INVOICE_PAYMENT_WAITING')
  const currency = await findCurrency(tx, code, 'any')
  const outflow: OutflowInput = {
    ...{ kind: 'invoice', reference, bookId, amount: total, currency, recipient: email },
    from: { bookId, ownerId: environmentId, kind: 'merchant' },
    isKnownRecipient: await hasPaidTo(tx, environmentId, email),
    transaction: { type: 'INVOICE_PAYMENT' },
    request: { invoiceId },
  }
  const shop = await lockShop(tx, environmentId)
  const identity = { key: referenceKey(environmentId, reference), requestFingerprint: '' }
  const requested = await requestLocked(tools, tx, merchant, shop, identity, outflow, (_, voucherId) =>
    payingPosting(tools, tx, merchant, invoice, voucherId),
  )
  if (requested.status === 'done') await markPaid(tx, environmentId, invoiceId, requested.id, tools.clock())
  return requested
}

/** The reference of the next payment: numbered if earlier ones were cancelled, undefined if one is pending. */
async function nextReference(tx: Tx, environmentId: string, invoiceId: string): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const reference = paymentReferenceOf(invoiceId, attempt)
    const known = await findOutflow(tx, environmentId, { reference })
    if (known === undefined) return reference
    if (known.outcome !== 'cancelled') return undefined
  }
}

/** Pays the invoice of an approved outflow. The voucher has the outflow's id. */
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
    onchain: invoice.onChain ? { network: invoice.network } : undefined,
  } as const
  const posting = await voucherPosting(tools, tx, merchant, issue, amount, id)
  const data = { ...(await dataOf(tx, invoice)), voucherId: id }
  const events = [...(posting.events ?? []), invoiceEvent('invoice.paid', aboutOf(merchant, invoice, 3), data)]
  return { ...posting, events }
}

async function mail(
  tools: DecideTools,
  tx: Tx,
  merchant: Owner,
  invoice: Invoice,
  notice: InvoiceNotice,
): Promise<void> {
  for (const letter of await invoiceMail(tx, tools, merchant, invoice, notice)) await postMail(tx, letter)
}

/** Errors that leave an approved invoice unpaid for now. */
function isPaymentDelayed(error: unknown): boolean {
  return hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING', 'OUTFLOW_ABOVE_DAILY')
}

const atOnce = 50

/** Pays approved invoices that the balance now covers, oldest approval first, for merchants that enabled it. */
export function createPayInvoices(tools: DecideTools): () => Promise<boolean> {
  return processDue(tools.clock, atOnce, dueBy(tools.pool, 'due_invoices'), async ({ environmentId, id }) => {
    await payInvoice(tools, await findOwner(tools.pool, environmentId), id).catch((error: unknown) => {
      // Paid or pending by now, the balance is too low again, or the daily limit is used up.
      const isLater = hasCode(error, 'INVOICE_PAYMENT_WAITING', 'OUTFLOW_ABOVE_DAILY')
      if (!isLater && !hasCode(error, 'INVOICE_NOT_PAYABLE', 'INVOICE_BALANCE_TOO_LOW')) throw error
    })
  })
}

function aboutOf({ environmentId }: Owner, { id }: Invoice, sequence: number): Pick<Event, 'environmentId' | 'about'> {
  return { environmentId, about: { id, sequence } }
}

type InvoiceData = {
  readonly invoiceId: string
  readonly invoiceNumber: string
  readonly amount: string
  readonly currency: string
}

async function dataOf(tx: Tx, { id, number, total, currency: code }: Invoice): Promise<InvoiceData> {
  const currency = await findCurrency(tx, code, 'any')
  return { invoiceId: id, invoiceNumber: number, amount: formatMoney({ minor: total, currency }), currency: code }
}
