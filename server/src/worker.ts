import type { Sweep } from './base/sweep.ts'
import { createExpireVouchers } from './aftercare/expire.ts'
import { createIssueBatch } from './batch/issue-batch.ts'
import { type DepositTools, listDepositSweeps } from './deposit/settle.ts'
import { createDeliver, type DeliverTools } from './event/deliver.ts'
import { forgetEvents } from './event/store.ts'
import { fanOutEvents } from './event/webhook-store.ts'
import { createSendMails, forgetMails, type MailTools } from './mail/send-mails.ts'
import { createPayInvoices } from './invoice/decide.ts'
import { expireHolds } from './ledger/expire-holds.ts'
import { forgetSignIns } from './user/store.ts'
import { type AnswerTools, createExpirePayments } from './payment/answer-payment.ts'
import { createSendPushes, type PushTools } from './push/send-pushes.ts'
import { createFinishOutflows } from './outflow/finish.ts'
import { createSenders } from './senders.ts'
import type { IssueTools } from './voucher/issue.ts'
import { forgetUsedQuotes } from './voucher/quote-store.ts'

const holdsAtOnce = 500
const eventsAtOnce = 1_000

/** Everything that is done without anybody asking. Any number of workers may run: each piece is done once. */
export function listSweeps(
  tools: IssueTools & DeliverTools & MailTools & AnswerTools & DepositTools & PushTools,
): Sweep[] {
  const { pool, ledger, clock, newId } = tools
  const deliver = createDeliver(tools)
  return [
    // Somebody looks at its progress.
    { name: 'voucher batches', everyMs: 500, run: createIssueBatch(tools) },
    // Whoever is told waits for both.
    {
      name: 'webhook fan-out',
      everyMs: 200,
      run: async () => (await fanOutEvents(pool, clock(), eventsAtOnce)) === eventsAtOnce,
    },
    { name: 'webhook deliveries', everyMs: 200, ...deliver },
    // Somebody waits for it, and a mail takes longer than this on its way.
    { name: 'mails', everyMs: 1_000, ...createSendMails(tools) },
    // Somebody stands at a till.
    { name: 'pushes', everyMs: 500, ...createSendPushes(tools) },
    { name: 'expired vouchers', everyMs: 10_000, run: createExpireVouchers(tools) },
    // It is asked by the clock whether one is over; this is for who is told.
    { name: 'unanswered payments', everyMs: 2_000, run: createExpirePayments(tools) },
    {
      name: 'waiting outflows',
      everyMs: 5_000,
      run: createFinishOutflows({ ...tools, senders: createSenders(tools) }),
    },
    { name: 'unpaid invoices', everyMs: 5_000, run: createPayInvoices(tools) },
    ...listDepositSweeps(tools),
    {
      name: 'ended quotes',
      everyMs: 60_000,
      run: async () => (await forgetUsedQuotes(pool, clock(), eventsAtOnce)) > 0,
    },
    { name: 'old mails', everyMs: 60_000, run: async () => (await forgetMails(pool, clock(), eventsAtOnce)) > 0 },
    { name: 'old events', everyMs: 60_000, run: async () => (await forgetEvents(pool, clock(), eventsAtOnce)) > 0 },
    {
      name: 'old sign-ins',
      everyMs: 60_000,
      run: () => forgetSignIns(pool, clock()).then(() => false),
    },
    {
      name: 'dead holds',
      everyMs: 5_000,
      run: async () => (await expireHolds(pool, ledger, clock, newId, holdsAtOnce)) === holdsAtOnce,
    },
  ]
}
