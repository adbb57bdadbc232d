// The rehearsal of a difference in the ledger: the owner of the tables raises a balance past the triggers.
import { readFileSync } from 'node:fs'
import type { Installation } from './installation.ts'
import type { Rehearsal } from './rehearsals.ts'

export async function changesBalance({ sh, env, startLoad, untilReady }: Installation): Promise<Rehearsal> {
  const load = startLoad()
  await load.untilAcknowledged(20)
  const until = (condition: string): Promise<void> =>
    sh(`for try in $(seq 600); do
      [ "$(psql "$OWNER_DATABASE_URL" -Atc "select ${condition}")" != t ] || exit 0; sleep 0.1
    done; exit 1`)
  await until('exists (select from ledger_checks where finished_at is not null)')
  await sh(`psql "$OWNER_DATABASE_URL" -c "begin; alter table ledger_accounts disable trigger ledger_accounts_posted;
    update ledger_accounts set balance = balance + 777 where kind = 'merchant' and balance > 0;
    alter table ledger_accounts enable trigger ledger_accounts_posted; commit"`)
  // A week has passed.
  await sh(
    `psql "$OWNER_DATABASE_URL" -c "update ledger_checks set started_at = started_at - interval '8 days' where finished_at is not null"`,
  )
  await until('exists (select from ledger_differences where alerted_at is not null)')
  return {
    finish: async () => {
      await untilReady()
      await load.untilAcknowledged(20)
      await load.stop()
      const log = readFileSync(env.WORKER_LOG ?? '', 'utf8')
      const wrong = log.includes('The ledger has a difference: account')
        ? []
        : ['the worker did not log the difference']
      return [...wrong, ...load.refused.slice(0, 5)]
    },
  }
}
