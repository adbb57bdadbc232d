import { sendReplacement } from './vouchers/lifecycle/replace.ts'
import { sendBatch } from './vouchers/batch/pay-batch.ts'
import { sendInvoice } from './billing/invoice/decide.ts'
import type { FinishTools } from './payments/outflow/finish.ts'
import { sendPayout } from './payments/payout/postings.ts'
import { sendPayoutBatch } from './payments/payout-batch/submit-payouts.ts'
import { sendRefund } from './billing/refund/deposit-postings.ts'
import { type IssueTools, sendVoucher } from './vouchers/voucher/issue.ts'

/** Sends each kind of outflow after its wait. */
export function createSenders(tools: IssueTools): FinishTools['senders'] {
  return {
    payout: (tx, outflow, _request, journalId) => sendPayout(tools, tx, outflow, journalId),
    payout_batch: (tx, outflow) => sendPayoutBatch(tx, outflow),
    voucher: (tx, outflow, request) => sendVoucher(tools, tx, outflow, request),
    batch: (tx, outflow, request) => sendBatch(tools, tx, outflow, request),
    replacement: (tx, outflow, request, journalId) => sendReplacement(tools, tx, outflow, request, journalId),
    invoice: (tx, outflow, request) => sendInvoice(tools, tx, outflow, request),
    refund: (tx, outflow, request, journalId) => sendRefund(tools, tx, outflow, request, journalId),
  }
}
