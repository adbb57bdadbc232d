import type { Command } from 'commander'
import { withEnvironment } from '../server/src/base/environment.ts'
import { formatMoney } from '../server/src/base/money.ts'
import { findCurrency } from '../server/src/catalogue/currency/store.ts'
import { approveAsOperator } from '../server/src/payments/outflow/finish.ts'
import { readCursor } from '../server/src/http/pages.ts'
import { listWaiting } from '../server/src/payments/outflow/store.ts'
import { createSenders } from '../server/src/senders.ts'
import { createKeyRing } from '../server/src/vouchers/code/key-ring.ts'
import { type ModeOption, modeOf, print, run, withLedger } from './tools.ts'

/** Pending outflows, and their approval for shops without two approvers. */
export function addOutflowCommands(scrip: Command): void {
  const outflow = scrip.command('outflow').description('pending outflows from a merchant’s balance')
  outflow
    .command('list <code>')
    .description('lists the pending outflows of a merchant')
    .option('--test', 'in test mode')
    .action((code: string, options: ModeOption) =>
      run(async ({ pool, environment }) => {
        const { environmentId } = await environment(code, modeOf(options))
        const pending = await withEnvironment(pool, environmentId, (tx) =>
          listWaiting(tx, environmentId, readCursor(undefined), 100),
        )
        if (pending.length === 0) print('No outflow is pending.')
        for (const { reference, kind, amount, currency, recipient, approvals, heldUntil } of pending) {
          const money = formatMoney({ minor: amount, currency: await findCurrency(pool, currency, 'any') })
          const until = heldUntil.toISOString()
          print(`${reference}  ${kind}  ${money} ${currency}  ${recipient}  ${approvals} approvals  until ${until}`)
        }
      }),
    )
  outflow
    .command('approve <code> <reference>')
    .description('approves an outflow of a shop that has fewer than two approvers')
    .option('--test', 'in test mode')
    .action((code: string, reference: string, options: ModeOption) =>
      run((tools) =>
        withLedger(tools, async (ledger) => {
          const { environmentId } = await tools.environment(code, modeOf(options))
          const issueTools = { ...tools, ledger, keyRing: createKeyRing(tools.config.keyRing) }
          const finish = { ...issueTools, senders: createSenders(issueTools) }
          const outcome = await approveAsOperator(finish, environmentId, { reference })
          print(
            outcome === 'sent' ? 'Approved. The money has left.' : 'Approved. It leaves when its waiting time is over.',
          )
        }),
      ),
    )
}
