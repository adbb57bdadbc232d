import { type Command, InvalidArgumentError } from 'commander'
import { createPool } from '../server/src/base/db.ts'
import { archiveParts } from '../server/src/ledger/archive.ts'
import { verifyLedger } from '../server/src/ledger/verify.ts'
import { print, run } from './tools.ts'

/** The check of the ledger, and its archive. */
export function addLedgerCommands(scrip: Command): void {
  const ledger = scrip.command('ledger').description('the double-entry ledger')
  ledger
    .command('verify')
    .description('compares every balance with its transfers and holds; reads the whole ledger, archive included')
    .action(verify)
  ledger
    .command('archive')
    .description('moves the quarters before a date to the archive, which reports and checks still read')
    .option('--before <date>', 'the first day that stays; by default ARCHIVE_AFTER_MONTHS ago', readDay)
    .action(({ before }: { before?: Date }) => archive(before))
}

function verify(): Promise<void> {
  return run(async ({ config }) => {
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
  })
}

function archive(before: Date | undefined): Promise<void> {
  return run(async ({ config, clock }) => {
    const latest = monthsBefore(clock(), config.archiveAfterMonths ?? 12)
    if (before === undefined && config.archiveAfterMonths === undefined)
      throw new Error('Name the first day that stays with --before, or set ARCHIVE_AFTER_MONTHS.')
    if (before !== undefined && before > latest)
      throw new Error(`Payments after ${latest.toISOString().slice(0, 10)} may still be refunded. Name an earlier day.`)
    const archived = await archiveParts(config.ownerDatabaseUrl, before ?? latest, { clock, report: print })
    if (archived.length === 0) print('No quarter has ended before that day.')
  })
}

function monthsBefore(at: Date, months: number): Date {
  const earlier = new Date(at)
  earlier.setUTCMonth(earlier.getUTCMonth() - months)
  return earlier
}

function readDay(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(day.getTime()))
    throw new InvalidArgumentError('Write a day such as 2027-01-01.')
  return day
}
