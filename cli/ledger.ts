import type { Command } from 'commander'
import { createPool } from '../server/src/base/db.ts'
import { verifyLedger } from '../server/src/ledger/verify.ts'
import { print, run } from './tools.ts'

/** The check of the ledger. */
export function addLedgerCommands(scrip: Command): void {
  scrip
    .command('ledger')
    .description('the double-entry ledger')
    .command('verify')
    .description('compares every balance with its transfers and holds; reads the whole ledger')
    .action(() =>
      run(async ({ config }) => {
        // Row-level security hides no rows from the owner of the tables.
        const pool = createPool(config.ownerDatabaseUrl)
        try {
          const faults = await verifyLedger(pool)
          for (const fault of faults) print(fault)
          print(faults.length === 0 ? 'The ledger is sound.' : `The ledger has ${faults.length} faults.`)
          if (faults.length > 0) process.exitCode = 1
        } finally {
          await pool.end()
        }
      }),
    )
}
