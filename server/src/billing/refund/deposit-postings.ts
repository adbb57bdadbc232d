import type { Tx } from '../../base/db.ts'
import { formatMoney } from '../../base/money.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { lockDeposit } from '../../payments/deposit/store.ts'
import type { Owner } from '../../http/caller.ts'
import type { Account } from '../../ledger/account.ts'
import type { Document } from '../../ledger/document.ts'
import type { Posting } from '../../ledger/journal.ts'
import { findShop } from '../../identity/merchant/store.ts'
import { requesterOf } from '../../payments/outflow/finish.ts'
import type { Sent } from '../../payments/outflow/request.ts'
import type { Outflow } from '../../payments/outflow/store.ts'
import { adjustmentDocument, recordRefund } from '../../payments/transaction/store.ts'
import { userError } from '../../identity/user/errors.ts'
import { findUsers } from '../../identity/user/store.ts'
import { type IssueTools, voucherPosting } from '../../vouchers/voucher/issue.ts'
import { walletAccount, walletMove } from '../../payments/wallet/store.ts'
import { refundError } from './errors.ts'
import { refundEvent } from './events.ts'
import { type DepositRefund, findDepositRefund } from './store.ts'

/**
 * The posting of a refund after its wait. Refused if the user was deactivated or the deposit was reversed since; it is then canceled
 * by staff or at expiry.
 */
export async function sendRefund(
  tools: IssueTools,
  tx: Tx,
  outflow: Outflow,
  request: object,
  journalId: string,
): Promise<Sent> {
  const refund = await findDepositRefund(tx, outflow.environmentId, outflow.id)
  if (refund === undefined) throw new Error('A waiting refund is missing.')
  const { userId } = refund
  if (userId !== null && (await findUsers(tx, [userId])).get(userId)?.isActive !== true)
    throw userError('USER_NOT_FOUND')
  const { email = '' } = request as { email?: string }
  return payRefund(tools, tx, await requesterOf(tx, outflow), refund, { journalId, sequence: 3, email })
}

type Paying = {
  readonly journalId: string
  /** Of its event. */
  readonly sequence: number
  /** Where the link of a voucher is sent to, if anywhere. */
  readonly email: string
}

/** The posting that pays a refund from the merchant's balance. Counts it on the refunded deposit. */
export async function payRefund(
  tools: IssueTools,
  tx: Tx,
  merchant: Owner,
  refund: DepositRefund,
  { journalId, sequence, email }: Paying,
): Promise<Sent> {
  const { environmentId, id, depositId, caseId, amount, reference, depositReference } = refund
  if (caseId === null) {
    const deposit = await lockDeposit(tx, depositId)
    if (deposit?.status !== 'COMPLETED') throw refundError('REFUND_IMPOSSIBLE')
    await recordRefund(tx, environmentId, depositId, amount, tools.clock())
  }
  const paid =
    refund.voucherId === null
      ? await payAccount(tx, refund, journalId)
      : await payVoucher(tools, tx, merchant, refund, { id: refund.voucherId, email })
  const currency = await findCurrency(tx, refund.currency, 'any')
  const money = { amount: formatMoney({ minor: amount, currency }), currency: currency.code }
  const named = { transactionId: id, reference, refundOf: depositReference }
  const data = { ...named, ...money, type: 'REFUND', metadata: refund.note, userId: refund.userId } as const
  const event = refundEvent('refund.completed', { environmentId, about: { id, sequence } }, data)
  return { ...paid, events: [...(paid.events ?? []), event] }
}

/** A new voucher. It never expires, and its holder may have it paid to an address. */
async function payVoucher(
  tools: IssueTools,
  tx: Tx,
  merchant: Owner,
  { amount: minor, currency: code, reference }: DepositRefund,
  { id, email }: { readonly id: string; readonly email: string },
): Promise<Sent> {
  const amount = { minor, currency: await findCurrency(tx, code, 'any') }
  const delivery = email === '' ? {} : { recipient: { kind: 'email', name: email } as const, gift: {} }
  const issue = { amount: formatMoney(amount), currency: code, reference, paidFrom: 'balance', ...delivery } as const
  return voucherPosting(tools, tx, merchant, issue, amount, id)
}

async function payAccount(tx: Tx, refund: DepositRefund, journalId: string): Promise<Posting> {
  const { bookId, environmentId, amount } = refund
  const to = recipientAccount(refund)
  return {
    transfers: [{ from: { bookId, ownerId: environmentId, kind: 'merchant' }, to, amount }],
    open: [to],
    documents: [await recipientDocument(tx, refund, journalId)],
  }
}

function recipientAccount({ userId, toEnvironmentId, bookId }: DepositRefund): Account {
  if (userId !== null) return walletAccount(userId, bookId)
  if (toEnvironmentId === null) throw new Error('A refund has no recipient.')
  return { bookId, ownerId: toEnvironmentId, kind: 'merchant' }
}

/** What the recipient sees of the refund: an entry in the wallet history, or a transaction. */
async function recipientDocument(tx: Tx, refund: DepositRefund, id: string): Promise<Document> {
  const { environmentId, userId, toEnvironmentId, bookId, amount, note } = refund
  const { name: withName } = await findShop(tx, environmentId)
  if (userId !== null) return walletMove({ userId, id, bookId, kind: 'refunded', amount, withName, note })
  return adjustmentDocument({ environmentId: toEnvironmentId ?? '', id, bookId, amount, metadata: withName })
}
