// Merchants, funded vouchers and redemption-like journals: three transfers, a transaction, a redemption, an event. Both
// `post` and one SQL function called by pgbench can write the same rows.
import { atDatabase } from '../server/local/parts/database.ts'
import { connect } from '../server/src/base/db.ts'
import type { NewId } from '../server/src/base/id.ts'
import { sql } from '../server/src/base/sql.ts'
import { defineTable } from '../server/src/base/table.ts'
import type { Account } from '../server/src/ledger/account.ts'
import { documentOf } from '../server/src/ledger/document.ts'
import type { Journal } from '../server/src/ledger/journal.ts'

export const merchants = 1_000

/** Numbered IDs, so that pgbench can name an account without a look-up. Merchants and vouchers have different prefixes. */
const numberedId = (prefix: string, n: number): string => `${prefix}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const merchantPrefix = '01900000'
const voucherPrefix = '01910000'

const transactionDocument = documentOf(
  defineTable('bench_transactions', {
    merchantId: sql.uuid,
    id: sql.uuid,
    reference: sql.text,
    type: sql.text,
    status: sql.text,
    amount: sql.numeric,
    charged: sql.numeric,
    bookId: sql.smallint,
    createdAt: sql.timestamptz,
  }),
)
const redemptionDocument = documentOf(
  defineTable('bench_redemptions', {
    voucherId: sql.uuid,
    id: sql.uuid,
    merchantId: sql.uuid,
    amount: sql.numeric,
    createdAt: sql.timestamptz,
  }),
)

export function redemptionJournal(newId: NewId, merchant: number, voucher: number, at: Date): Journal {
  const id = newId()
  const merchantId = numberedId(merchantPrefix, merchant)
  const voucherId = numberedId(voucherPrefix, voucher)
  const account = (kind: Account['kind'], ownerId: string): Account => ({ bookId: 1, ownerId, kind })
  const from = account('voucher', voucherId)
  const reference = `order-${id}`
  return {
    id,
    kind: 'voucher.redeem',
    key: `${merchantId}/${reference}`,
    requestFingerprint: `${voucherId} 100`,
    alternatives: [
      {
        transfers: [
          { from, to: account('merchant', merchantId), amount: 100n },
          { from, to: account('fee', merchantId), amount: 2n },
          { from, to: account('rounding', merchantId), amount: 1n },
        ],
        documents: [
          transactionDocument({
            merchantId,
            id,
            reference,
            type: 'VOUCHER_REDEMPTION',
            status: 'COMPLETED',
            amount: 100n,
            charged: 103n,
            bookId: 1,
            createdAt: at,
          }),
          redemptionDocument({ voucherId, id, merchantId, amount: 100n, createdAt: at }),
        ],
        events: [
          {
            type: 'voucher.redeemed',
            environmentId: merchantId,
            about: { bookId: 1, ownerId: voucherId, kind: 'voucher' },
            data: { merchant: merchantId, reference, amount: '1.00', currency: 'USD' },
          },
        ],
      },
    ],
  }
}

const idSql = (prefix: string, n: string) => `('${prefix}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

/** The same journal as one function, as a good engineer would write it to post one payment per transaction. */
const bareFunction = `
create function bench_redeem(merchant bigint, voucher bigint) returns uuid language plpgsql as $$
declare
  merchant_id uuid := ('${merchantPrefix}-0000-7000-8000-' || lpad(to_hex(merchant), 12, '0'))::uuid;
  voucher_id  uuid := ('${voucherPrefix}-0000-7000-8000-' || lpad(to_hex(voucher), 12, '0'))::uuid;
  journal     uuid := encode(substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
    || substring(uuid_send(gen_random_uuid()) from 7), 'hex')::uuid;
  reference   text := 'order-' || journal;
  key         uuid := substr(encode(sha256(convert_to(merchant_id || '/' || reference, 'UTF8')), 'hex'), 1, 32)::uuid;
  fingerprint       uuid := substr(encode(sha256(convert_to(voucher_id || ' 100', 'UTF8')), 'hex'), 1, 32)::uuid;
  at          timestamptz := clock_timestamp();
  known       uuid;
  available   numeric;
  next_sequence        bigint;
begin
  perform from ledger_accounts a
    where a.book_id = 1 and (a.owner_id, a.kind) in
      ((merchant_id, 'fee'), (merchant_id, 'merchant'), (merchant_id, 'rounding'), (voucher_id, 'voucher'))
    order by a.book_id, a.owner_id, a.kind for no key update;
  select journal_id into known from ledger_keys where key_hash = key;
  if found then return known; end if;
  select balance - held into available from ledger_accounts a
    where a.book_id = 1 and a.owner_id = voucher_id and a.kind = 'voucher';
  if available < 103 then raise 'insufficient'; end if;
  insert into ledger_journals values (journal, key, fingerprint, 'voucher.redeem', 0, at);
  insert into ledger_transfers values
    (journal, 0, 1, 'voucher', 'merchant', voucher_id, merchant_id, 100),
    (journal, 1, 1, 'voucher', 'fee', voucher_id, merchant_id, 2),
    (journal, 2, 1, 'voucher', 'rounding', voucher_id, merchant_id, 1);
  insert into bench_transactions values
    (merchant_id, journal, reference, 'VOUCHER_REDEMPTION', 'COMPLETED', 100, 103, 1, at);
  insert into bench_redemptions values (voucher_id, journal, merchant_id, 100, at);
  select version into next_sequence from ledger_accounts a where a.book_id = 1 and a.owner_id = voucher_id and a.kind = 'voucher';
  insert into ledger_outbox (journal_id, event_id, environment_id, object_id, sequence, type, payload, created_at)
    values (journal, gen_random_uuid(), merchant_id, voucher_id, next_sequence, 'voucher.redeemed', json_build_object('merchant', merchant_id, 'reference', reference, 'amount', '1.00', 'currency', 'USD'), at);
  return journal;
end $$`

export async function createRedemptionWorld(ownerUrl: string, vouchers: number): Promise<void> {
  const owner = await connect(ownerUrl)
  try {
    for (const statement of [
      `create table bench_transactions (
        merchant_id uuid, id uuid, reference text not null, type text not null, status text not null,
        amount numeric(78, 0) not null, charged numeric(78, 0) not null, book_id smallint not null,
        created_at timestamptz not null, primary key (merchant_id, id))`,
      `create table bench_redemptions (
        voucher_id uuid, id uuid, merchant_id uuid not null, amount numeric(78, 0) not null,
        created_at timestamptz not null, primary key (voucher_id, id))`,
      `grant select, insert on bench_transactions, bench_redemptions to scrip_server`,
      bareFunction,
      `insert into ledger_books (mode, currency) values ('test', 'USD')`,
      `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
        select 1, ${idSql(merchantPrefix, 'n')}, kind::ledger_account_kind, kind = 'treasury'
        from generate_series(1, ${merchants}) n, unnest(array['merchant', 'fee', 'rounding', 'treasury']) kind`,
      `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
        select 1, ${idSql(voucherPrefix, 'n')}, 'voucher', false from generate_series(1, ${vouchers}) n`,
      `begin`,
      `insert into ledger_journals
        select ${idSql(voucherPrefix, 'n')}, gen_random_uuid(), gen_random_uuid(), 'voucher.issue', 0, '2026-01-01'
        from generate_series(1, ${vouchers}) n`,
      `insert into ledger_transfers
        select ${idSql(voucherPrefix, 'n')}, 0, 1, 'treasury', 'voucher',
          ${idSql(merchantPrefix, `1 + n % ${merchants}`)}, ${idSql(voucherPrefix, 'n')}, 1000000000
        from generate_series(1, ${vouchers}) n`,
      `commit`,
      `vacuum analyze`,
    ])
      await owner.query(statement)
  } finally {
    await owner.end()
  }
}

const pastDays = 700

/** An id in the last two years, for a number up to `total`. */
function pastId(total: number): string {
  const ms = `(${Date.now() - (pastDays + 1) * 86_400_000} + n::bigint * ${pastDays * 86_400_000} / ${total})`
  return `(lpad(to_hex(${ms}), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`
}

/**
 * Adds vouchers up to a number, with two transfers each. Runs as a superuser and without triggers, so that millions are
 * loaded in minutes. It sets the balances that the triggers would have set.
 */
export async function growRedemptionWorld(
  adminUrl: string,
  ownerUrl: string,
  from: number,
  to: number,
  onProgress: (done: number) => void,
): Promise<void> {
  const admin = await connect(atDatabase(adminUrl, new URL(ownerUrl).pathname.slice(1)))
  const step = 250_000
  try {
    await admin.query(`set session_replication_role = 'replica'; set synchronous_commit = off`)
    for (let first = from + 1; first <= to; first += step) {
      const series = `generate_series(${first}, ${Math.min(to, first + step - 1)}) n`
      const [voucher, treasury] = [idSql(voucherPrefix, 'n'), idSql(merchantPrefix, `1 + n % ${merchants}`)]
      await admin.query(`insert into ledger_accounts (book_id, owner_id, kind, may_go_negative, balance)
        select 1, ${voucher}, 'voucher', false, 1000000000 from ${series}`)
      const [journal, key] = [pastId(to), `md5(n::text)::uuid`]
      await admin.query(`insert into ledger_journals
        select ${journal}, ${key}, ${key}, 'voucher.issue', 0, '2026-01-01' from ${series}`)
      await admin.query(`insert into ledger_keys select ${key}, ${journal} from ${series}`)
      await admin.query(`insert into ledger_transfers
        select ${journal}, part, 1, 'treasury', 'voucher', ${treasury}, ${voucher}, 500000000 from ${series}, generate_series(0, 1) part`)
      onProgress(Math.min(to, first + step - 1))
    }
    await admin.query(`update ledger_accounts a set balance = -moved from (
      select from_owner, sum(amount) as moved from ledger_transfers where from_kind = 'treasury' group by from_owner) t
      where a.owner_id = t.from_owner and a.kind = 'treasury'`)
    await admin.query('vacuum analyze')
    await admin.query('checkpoint')
  } finally {
    await admin.end()
  }
}
