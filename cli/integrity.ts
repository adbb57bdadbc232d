import type { Command } from 'commander'
import { createPool } from '../server/src/base/db.ts'
import { verifyLedger } from '../server/src/ledger/verify.ts'
import { checkKeyRing } from '../server/src/voucher/check-key-ring.ts'
import { print, run } from './tools.ts'

/** Checks of the ledger and of the key ring. */
export function addIntegrityCommands(scrip: Command): void {
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
  scrip
    .command('key-ring')
    .description('the keys that encrypt voucher codes and webhook secrets')
    .command('check')
    .description('lists the keys in use and whether KEY_RING has them; reads every voucher')
    .action(() =>
      run(async ({ config, pool }) => {
        const uses = await checkKeyRing(pool, config.keyRing)
        if (uses.length === 0) print('Nothing is encrypted yet.')
        for (const { keyId, what, rows, verdict } of uses) print(`Key ${keyId}: ${rows} ${what}, ${verdict}.`)
        if (uses.some(({ verdict }) => verdict !== 'opens')) process.exitCode = 1
      }),
    )
}
