import type { Command } from 'commander'
import { withEnvironment } from '../server/src/base/environment.ts'
import { formatMoney } from '../server/src/base/money.ts'
import { findCurrency } from '../server/src/currency/store.ts'
import { openLedger } from '../server/src/ledger/post.ts'
import { approveAsOperator } from '../server/src/outflow/finish.ts'
import { listWaiting } from '../server/src/outflow/store.ts'
import { createSenders } from '../server/src/senders.ts'
import { createKeyRing } from '../server/src/voucher/key-ring.ts'
import type { Run } from './main.ts'

type InMode = { test?: boolean }
const modeOf = ({ test }: InMode) => (test === true ? 'test' : 'live')

/** Value that waits to leave a shop that has nobody to approve it. */
export function addOutflowCommands(scrip: Command, run: Run): void {
  const outflow = scrip.command('outflow').description('value that waits to leave a merchant’s balance')
  outflow
    .command('list <code>')
    .description('lists the outflows of a merchant that wait')
    .option('--test', 'in test mode')
    .action((code: string, options: InMode) =>
      run(async ({ pool, environment }) => {
        const { environmentId } = await environment(code, modeOf(options))
        const waiting = await withEnvironment(pool, environmentId, (tx) => listWaiting(tx, environmentId))
        if (waiting.length === 0) console.log('No outflow is waiting.')
        for (const { reference, kind, amount, currency, recipient, approvals, heldUntil } of waiting) {
          const money = formatMoney({ minor: amount, currency: await findCurrency(pool, currency, 'any') })
          const until = heldUntil.toISOString()
          console.log(
            `${reference}  ${kind}  ${money} ${currency}  ${recipient}  ${approvals} approvals  until ${until}`,
          )
        }
      }),
    )
  outflow
    .command('approve <code> <reference>')
    .description('approves an outflow of a shop that has fewer than two approvers')
    .option('--test', 'in test mode')
    .action((code: string, reference: string, options: InMode) =>
      run(async (tools) => {
        const { environmentId } = await tools.environment(code, modeOf(options))
        const { config, clock, newId } = tools
        const ledger = openLedger({ url: config.operatorDatabaseUrl, clock, newId })
        try {
          const issueTools = { ...tools, ledger, keyRing: createKeyRing(config.keyRing) }
          const finish = { ...issueTools, senders: createSenders(issueTools) }
          const outcome = await approveAsOperator(finish, environmentId, { reference })
          console.log(
            outcome === 'sent' ? 'Approved. The money has left.' : 'Approved. It leaves when its wait is over.',
          )
        } finally {
          await ledger.close()
        }
      }),
    )
}
