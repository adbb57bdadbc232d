import { systemClock } from './base/clock.ts'
import type { Job } from './base/jobs.ts'
import { createExpireVoucherHolds } from './vouchers/hold/jobs.ts'
import { createExpireVouchers } from './vouchers/lifecycle/expire.ts'
import { createSendGifts } from './vouchers/sale/gift.ts'
import { createIssueBatch } from './vouchers/batch/issue-batch.ts'
import { type DepositTools, listDepositJobs } from './payments/deposit/settle.ts'
import { createEndSend } from './end-send.ts'
import { createDeliver, type DeliverTools } from './messaging/event/deliver.ts'
import { forgetEvents } from './messaging/event/store.ts'
import { fanOutEvents } from './messaging/event/webhook-store.ts'
import { createSendMails, forgetMails, type MailTools } from './mail/send-mails.ts'
import { forgetUploads } from './billing/invoice/attachment-store.ts'
import { createPayInvoices } from './billing/invoice/decide.ts'
import { createCheckLedger, type LedgerCheckTools } from './ledger/check.ts'
import { expireHolds } from './ledger/expire-holds.ts'
import { addParts } from './ledger/parts.ts'
import { listOnchainJobs, type OnchainTools } from './vouchers/onchain/jobs.ts'
import { forgetSignIns } from './identity/user/store.ts'
import { type AnswerTools, createExpirePayments } from './payments/request/answer-payment.ts'
import { extendReports } from './reporting/accounting/jobs.ts'
import { createSendPushes, type PushTools } from './messaging/push/send-pushes.ts'
import { createFinishOutflows } from './payments/outflow/finish.ts'
import { keepRequestLog } from './reporting/request-log/store.ts'
import { createPayRows } from './payments/payout-batch/pay-row.ts'
import { createSenders } from './senders.ts'
import type { IssueTools } from './vouchers/voucher/issue.ts'
import { forgetUsedQuotes } from './vouchers/redeem/quote-store.ts'

const holdsAtOnce = 500
const eventsAtOnce = 1_000
const filesAtOnce = 100
const requestsAtOnce = 1_000

export type WorkerTools = IssueTools &
  DeliverTools &
  MailTools &
  AnswerTools &
  Omit<DepositTools, 'endSend'> &
  OnchainTools &
  PushTools &
  LedgerCheckTools

/** All background jobs. Any number of workers may run them concurrently: each item is processed once. */
export function listJobs(tools: WorkerTools): Job[] {
  const { pool, ledger, clock, newId, log } = tools
  const deliver = createDeliver(tools)
  return [
    // Staff watch the progress of a batch.
    { name: 'voucher batches', everyMs: 500, run: createIssueBatch(tools) },
    // As they do of a payout file.
    { name: 'payout files', everyMs: 500, run: createPayRows(tools) },
    // A delivery waits for both of these jobs.
    {
      name: 'webhook fan-out',
      everyMs: 200,
      run: async () => (await fanOutEvents(pool, clock(), eventsAtOnce)) === eventsAtOnce,
    },
    { name: 'webhook deliveries', everyMs: 200, ...deliver },
    // Users wait for emails, whose transport takes longer than this interval.
    { name: 'mails', everyMs: 1_000, ...createSendMails(tools) },
    // A payer may be standing at a till.
    { name: 'pushes', everyMs: 500, ...createSendPushes(tools) },
    // Captures check expiry themselves; this job publishes the event.
    { name: 'expired voucher holds', everyMs: 2_000, run: createExpireVoucherHolds(tools) },
    { name: 'gifts', everyMs: 5_000, run: createSendGifts(tools) },
    { name: 'expired vouchers', everyMs: 10_000, run: createExpireVouchers(tools) },
    // Requests check expiry themselves; this job publishes the event.
    { name: 'unanswered payments', everyMs: 2_000, run: createExpirePayments(tools) },
    {
      name: 'waiting outflows',
      everyMs: 5_000,
      run: createFinishOutflows({ ...tools, senders: createSenders(tools) }),
    },
    { name: 'unpaid invoices', everyMs: 5_000, run: createPayInvoices(tools) },
    ...listDepositJobs({ ...tools, endSend: createEndSend(tools) }),
    ...listOnchainJobs(tools),
    {
      name: 'ended quotes',
      everyMs: 60_000,
      run: async () => (await forgetUsedQuotes(pool, clock(), eventsAtOnce)) > 0,
    },
    { name: 'unsent files', everyMs: 60_000, run: async () => (await forgetUploads(pool, clock(), filesAtOnce)) > 0 },
    { name: 'old mails', everyMs: 60_000, run: async () => (await forgetMails(pool, clock(), eventsAtOnce)) > 0 },
    { name: 'old events', everyMs: 60_000, run: async () => (await forgetEvents(pool, clock(), eventsAtOnce)) > 0 },
    {
      name: 'old sign-ins',
      everyMs: 60_000,
      // The sign-in library uses the system clock for sessions.
      run: () => forgetSignIns(pool, systemClock()).then(() => false),
    },
    {
      name: 'request log',
      everyMs: 600_000,
      run: () => keepRequestLog(pool, clock(), requestsAtOnce),
    },
    // Reports read newer journals from the ledger.
    { name: 'reports', everyMs: 60_000, run: () => extendReports(pool, clock) },
    createCheckLedger(tools),
    // Asks once an hour whether the next quarters have their parts.
    { name: 'parts of tables', everyMs: 3_600_000, run: () => addParts(pool, clock(), log) },
    {
      name: 'dead holds',
      everyMs: 5_000,
      run: async () => (await expireHolds(pool, ledger, clock, newId, holdsAtOnce)) === holdsAtOnce,
    },
  ]
}
