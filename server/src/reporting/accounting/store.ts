import type { Tx } from '../../base/db.ts'
import { oneOf } from '../../base/column-type.ts'
import { execute, list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { firstIdAt } from '../../payments/transaction/store.ts'
import { type ReportAccount, reportAccounts } from './accounts.ts'
import type { Period } from './period.ts'

const reportProgress = defineTable('report_progress', {
  environmentId: sql.uuid,
  timeZone: sql.text,
  belowId: sql.uuid,
})

/** Lower than every id. */
const lowestId = '00000000-0000-0000-0000-000000000000'

/**
 * Journals below this id are in the read model, and nothing is added to it until the transaction ends. The others are read from the
 * ledger: those of the last hour, or all of them when the merchant has just moved to another time zone.
 */
async function lockProgress(tx: Tx, environmentId: string, timeZone: string): Promise<string> {
  const below = await selectValue(tx)`
    select ${reportProgress.types.belowId`below_id`} from report_progress
      where environment_id = ${environmentId} and time_zone = ${timeZone} for share`
  return below ?? lowestId
}

const movementColumns = list({
  account: oneOf(reportAccounts)`m.account`,
  ...ledgerBooks.columns('b', 'currency'),
  /** Whether it is from before the period. */
  isBefore: sql.boolean`m.is_before`,
  journalKind: sql.text`m.journal_kind`,
  /** The kind of the ledger account on the other side. */
  otherKind: sql.text`m.other_kind`,
  /** Of vouchers: the month in which they were issued, as 2026-11. */
  month: sql.text`coalesce(to_char(m.issue_month, 'YYYY-MM'), '')`,
  valueIn: sql.numeric`sum(m.value_in)`,
  valueOut: sql.numeric`sum(m.value_out)`,
})
export type Movement = RowOf<typeof movementColumns>

/** What moved on accounts of the environment, in a period and before it. */
export async function sumMovements(
  tx: Tx,
  environmentId: string,
  { from, until, timeZone, fromId, belowId }: Period,
  accounts: readonly ReportAccount[],
): Promise<Movement[]> {
  const settledBelow = await lockProgress(tx, environmentId, timeZone)
  return select(tx)`
    select ${movementColumns} from (
        select day < ${from}::date as is_before, account, book_id, journal_kind, other_kind, issue_month, value_in, value_out
          from account_days
          where environment_id = ${environmentId} and account = any(${accounts}::text[]) and day <= ${until}::date
            and ${settledBelow > lowestId}::boolean
        union all
        select journal_id < ${fromId}, account, book_id, journal_kind, other_kind, issue_month(voucher_id, ${timeZone}),
            value_in, value_out
          from own_entries(${settledBelow}, ${belowId}) where account = any(${accounts}::text[])
      ) m join ledger_books b on b.id = m.book_id
      group by m.account, b.currency, m.is_before, m.journal_kind, m.other_kind, m.issue_month
      order by b.currency, m.account, m.journal_kind, m.other_kind, m.issue_month`
}

const dayColumns = list({
  day: sql.text`day::text`,
  starts: sql.timestamptz`start_of_day(day, time_zone)`,
  timeZone: sql.text`time_zone`,
})

type AccountOfBook = { readonly account: ReportAccount; readonly bookId: number }

/** What had come onto an account and not left it again, before an id of a point in time. */
export async function sumBefore(
  tx: Tx,
  { environmentId, merchantId }: { readonly environmentId: string; readonly merchantId: string },
  { account, bookId }: AccountOfBook,
  at: Date,
  belowId: string,
): Promise<bigint> {
  const found = await selectOne(tx)`
    select ${dayColumns} from (select time_zone, day_at(${at}, time_zone) as day from merchants where id = ${merchantId}) today`
  if (found === undefined) throw new Error('A merchant with a caller is missing.')
  const { day, starts, timeZone } = found
  const settledBelow = await lockProgress(tx, environmentId, timeZone)
  const isSettled = settledBelow > lowestId
  const total = await selectValue(tx)`
    select ${sql.numeric`coalesce(sum(value_in - value_out), 0)`} from (
        select value_in, value_out from account_days
          where environment_id = ${environmentId} and account = ${account} and book_id = ${bookId} and day < ${day}::date
            and ${isSettled}::boolean
        union all
        select value_in, value_out from account_entries
          where environment_id = ${environmentId} and account = ${account} and book_id = ${bookId}
            and journal_id >= ${firstIdAt(starts)} and journal_id < ${lower(settledBelow, belowId)}
        union all
        select value_in, value_out from own_entries(${settledBelow}, ${belowId})
          where account = ${account} and book_id = ${bookId}
      ) moved`
  return total ?? 0n
}

/** Ids are compared as text: both are lower case. */
function lower(a: string, b: string): string {
  return a < b ? a : b
}

function higher(a: string, b: string): string {
  return a > b ? a : b
}

const entryColumns = list({
  journalId: sql.uuid`l.journal_id`,
  account: oneOf(reportAccounts)`l.account`,
  ...ledgerBooks.columns('b', 'currency'),
  valueIn: sql.numeric`l.value_in`,
  valueOut: sql.numeric`l.value_out`,
  kind: sql.text`j.kind`,
  /** The reference of the merchant's transaction, or empty. */
  reference: sql.text`coalesce(made.reference, settled.reference, '')`,
  /** Its type. */
  type: sql.text`coalesce(made.type, settled.type, '')`,
})
export type Entry = RowOf<typeof entryColumns>

/** Entries of accounts in a period, oldest first, after a journal. */
export async function listEntries(
  tx: Tx,
  environmentId: string,
  { timeZone, fromId, belowId }: Period,
  accounts: readonly AccountOfBook[],
  after: string,
  limit: number,
): Promise<Entry[]> {
  const settledBelow = await lockProgress(tx, environmentId, timeZone)
  const names = accounts.map(({ account }) => account)
  const books = accounts.map(({ bookId }) => bookId)
  return select(tx)`
    select ${entryColumns} from (
        select journal_id, account, book_id, value_in, value_out from (
          select e.* from unnest(${names}::text[], ${books}::smallint[]) wanted (account, book_id)
            cross join lateral (
              select journal_id, account, book_id, value_in, value_out from account_entries
                where environment_id = ${environmentId} and account = wanted.account and book_id = wanted.book_id
                  and journal_id >= ${fromId} and journal_id > ${after} and journal_id < ${lower(settledBelow, belowId)}
                order by journal_id limit ${limit}
            ) e
          union all
          select e.journal_id, e.account, e.book_id, sum(e.value_in), sum(e.value_out)
            from own_entries(${higher(higher(settledBelow, fromId), after)}, ${belowId}) e
            join unnest(${names}::text[], ${books}::smallint[]) wanted (account, book_id) using (account, book_id)
            where e.journal_id > ${after} group by e.journal_id, e.account, e.book_id
        ) listed order by journal_id, account, book_id limit ${limit}
      ) l
      join ledger_books b on b.id = l.book_id
      cross join lateral (select kind from all_journals where id = l.journal_id limit 1) j
      left join lateral (
        select reference, type from all_transactions where environment_id = ${environmentId} and id = l.journal_id limit 1) made on true
      left join lateral (
        select reference, type from all_transactions where environment_id = ${environmentId} and settled_by = l.journal_id limit 1
      ) settled on made.reference is null
      order by l.journal_id, l.account, b.currency`
}

const valueColumns = list({
  ...ledgerBooks.columns('b', 'currency'),
  isStore: sql.boolean`v.is_store`,
  value: sql.numeric`v.value`,
})

/** What a voucher of the environment had before an id. */
export async function findVoucherValue(
  tx: Tx,
  voucherId: string,
  belowId: string,
): Promise<RowOf<typeof valueColumns> | undefined> {
  return selectOne(tx)`
    select ${valueColumns} from voucher_value_before(${voucherId}, ${belowId}) v join ledger_books b on b.id = v.book_id`
}

const accountNumbers = defineTable('account_numbers', {
  merchantId: sql.uuid,
  account: oneOf(reportAccounts),
  number: sql.text,
})
const numberColumns = list(accountNumbers.columns('', 'account', 'number'))
export type AccountNumber = RowOf<typeof numberColumns>

export async function listNumbers(tx: Tx, merchantId: string): Promise<AccountNumber[]> {
  return select(tx)`select ${numberColumns} from account_numbers where merchant_id = ${merchantId}`
}

/** An empty number removes it. */
export async function saveNumbers(tx: Tx, merchantId: string, numbers: readonly AccountNumber[]): Promise<void> {
  const set = numbers.filter(({ number }) => number !== '')
  const removed = numbers.filter(({ number }) => number === '').map(({ account }) => account)
  await execute(tx)`
    delete from account_numbers where merchant_id = ${merchantId} and account = any(${removed}::text[])`
  await execute(tx)`
    insert into account_numbers (merchant_id, account, number)
      select ${merchantId}, * from unnest(${set.map(({ account }) => account)}::text[], ${set.map(({ number }) => number)}::text[])
      on conflict (merchant_id, account) do update set number = excluded.number`
}
