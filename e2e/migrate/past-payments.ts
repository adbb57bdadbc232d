// A database with years of payments, inserted directly. Its ledger is sound.
import { atDatabase } from '../../server/local/parts/database.ts'
import { connect } from '../../server/src/base/db.ts'

const environment = '00000000-0000-7000-8000-0000000000e1'
const voucher = '00000000-0000-7000-8000-0000000000f1'
const rowsAtOnce = 100_000
const [amount, fee] = [100, 10]

/** Inserts payments of the last two years as a superuser and without triggers, and sets the balances that the triggers would have set. */
export async function insertPastPayments(adminUrl: string, database: string, total: number): Promise<void> {
  const admin = await connect(atDatabase(adminUrl, database))
  const spanMs = 2 * 365 * 86_400_000
  const startMs = Date.now() - spanMs - 86_400_000
  const ms = `(${startMs} + n * ${spanMs}::bigint / ${total})`
  const id = `(lpad(to_hex(${ms}), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`
  const key = `encode(substring(sha256(convert_to('reference/${environment}/past-' || n, 'UTF8')) for 16), 'hex')::uuid`
  try {
    await admin.query(`set session_replication_role = 'replica'; set synchronous_commit = off`)
    await admin.query(`insert into ledger_books (mode, currency) values ('test', 'USD') on conflict do nothing`)
    const { rows } = await admin.query<{ id: number }>(
      `select id from ledger_books where mode = 'test' and currency = 'USD'`,
    )
    const book = rows[0]?.id ?? 0
    for (let first = 1; first <= total; first += rowsAtOnce) {
      const last = Math.min(total, first + rowsAtOnce - 1)
      const series = `generate_series(${first}::bigint, ${last}::bigint) n`
      const at = `to_timestamp(${ms} / 1000.0)`
      await admin.query(
        `insert into ledger_journals select ${id}, ${key}, ${key}, 'voucher.redeem', 0, ${at} from ${series}`,
      )
      await admin.query(`insert into ledger_transfers select ${id}, position, ${book}, 'voucher', kind::ledger_account_kind,
          '${voucher}', '${environment}', part
        from ${series}, (values (0, 'merchant', ${amount}), (1, 'fee', ${fee})) parts (position, kind, part)`)
      await admin.query(`insert into redemptions (voucher_id, id, environment_id, amount, charge, charged_to, created_at)
        select '${voucher}', ${id}, '${environment}', ${amount}, ${fee}, 'voucher', ${at} from ${series}`)
      await admin.query(`insert into transactions (environment_id, id, reference, type, status, book_id, amount, charged, charge_type,
          metadata, created_at, code_tail)
        select '${environment}', ${id}, 'past-' || n, 'VOUCHER_REDEMPTION', 'COMPLETED', ${book}, ${amount}, ${amount + fee}, 'FIXED',
          '', ${at}, 'PAST' from ${series}`)
      if (last % 1_000_000 === 0) console.log(`  ${last} payments inserted`)
    }
    const issue = '00000000-0000-7000-8000-000000000001'
    await admin.query(
      `insert into ledger_journals values ('${issue}', '${issue}', '${issue}', 'voucher.issue', 0, '2024-01-01')`,
    )
    await admin.query(`insert into ledger_transfers values
      ('${issue}', 0, ${book}, 'treasury', 'voucher', '${environment}', '${voucher}', ${total * (amount + fee)})`)
    await admin.query(`insert into ledger_accounts (book_id, owner_id, kind, may_go_negative, balance) values
      (${book}, '${voucher}', 'voucher', false, 0), (${book}, '${environment}', 'merchant', false, ${total * amount}),
      (${book}, '${environment}', 'fee', false, ${total * fee}), (${book}, '${environment}', 'treasury', true, ${-total * (amount + fee)})`)
    await admin.query('vacuum analyze')
    await admin.query('checkpoint')
  } finally {
    await admin.end()
  }
}
