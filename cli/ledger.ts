import { type Command, InvalidArgumentError } from 'commander'
import { createPool } from '../server/src/base/db.ts'
import { archiveParts } from '../server/src/ledger/archive.ts'
import {
  acknowledgeDifference,
  describeDifference,
  findRunningCheck,
  listOpenDifferences,
  readVerification,
} from '../server/src/ledger/check.ts'
import { verifyLedger } from '../server/src/ledger/verify.ts'
import { print, run } from './tools.ts'

/** The checks of the ledger, and its archive. */
export function addLedgerCommands(scrip: Command): void {
  const ledger = scrip.command('ledger').description('the double-entry ledger')
  ledger
    .command('verify')
    .description('compares every balance with its transfers and holds; reads the whole ledger, archive included')
    .action(verify)
  ledger
    .command('checks')
    .description('shows when the worker last checked the ledger, how far it is, and the open differences')
    .action(showChecks)
  ledger
    .command('acknowledge <number> <note>')
    .description('closes a difference, with what you found out about it')
    .action(acknowledge)
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

function showChecks(): Promise<void> {
  return run(async ({ pool, clock }) => {
    const { recentAgeS, fullAgeS, failures } = await readVerification(pool, clock())
    print(`Recent journals: ${describeAge(recentAgeS)}`)
    print(`The whole ledger: ${describeAge(fullAgeS)}`)
    const running = await findRunningCheck(pool)
    if (running !== undefined) {
      const { kind, startedAt, journals, accounts, addedUpTo, isComparing } = running
      const stage = isComparing ? `compared ${accounts} accounts` : `read up to ${addedUpTo.toISOString()}`
      print(`A ${kind} check runs since ${startedAt.toISOString()}: ${journals} journals, ${stage}.`)
    }
    if (failures > 0) print(`Steps that failed and were tried again: ${failures}.`)
    const open = await listOpenDifferences(pool)
    for (const difference of open)
      print(`${difference.id}  ${difference.foundAt.toISOString()}  ${describeDifference(difference)}`)
    print(open.length === 0 ? 'No difference is open.' : `${open.length} differences are open.`)
    if (open.length > 0) process.exitCode = 1
  })
}

function describeAge(ageS: number | undefined): string {
  return ageS === undefined ? 'not checked yet.' : `checked ${Math.round(ageS / 60)} minutes ago.`
}

function acknowledge(number: string, note: string): Promise<void> {
  return run(async ({ pool, clock }) => {
    if (!/^\d{1,9}$/.test(number) || !(await acknowledgeDifference(pool, Number(number), note, clock())))
      throw new Error(`No difference ${number} is open.`)
    print(`Difference ${number} is acknowledged.`)
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
