// A merchant with a million payments, inserted directly because the API would take an hour: for benchmarks and tests of
// query plans. Without journals, or with journals of the same times that issue and redeem its vouchers.
import type { Db } from '../../src/base/db.ts'
import { createPool } from '../../src/base/db.ts'

/** The characters of codes. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** A unique ID for a time and a number. */
export const idAt = (ms: string, n: string): string =>
  `(lpad(to_hex((${ms})::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(${n}), 12, '0'))::uuid`
const tail = (n: string): string =>
  `(select string_agg(substr('${alphabet}', 1 + (hashint8(${n}) >> (5 * i) & 31), 1), '') from generate_series(1, 4) i)`

export type ManyPayments = {
  readonly total: number
  readonly environmentId: string
  /** The staff members who made them. */
  readonly members: readonly string[]
  /** The users who got payment requests. */
  readonly people: readonly string[]
  /** The time of the last payment. The first is three months earlier. */
  readonly until: Date
  /** Whether the vouchers are issued and redeemed in the ledger. */
  readonly hasJournals?: boolean
}

const rowsAtOnce = 10_000
const spanMs = 90 * 86_400_000

/** Nine of ten are redemptions. A few have rare types, statuses, currencies and amounts. Every fourth has a voucher. */
export async function makeManyPayments(ownerUrl: string, many: ManyPayments): Promise<void> {
  const owner = createPool(ownerUrl, 1)
  const { total, environmentId, members, people, until } = many
  await owner.query(
    `insert into ledger_books (mode, currency) values ('test', 'USD'), ('test', 'EUR') on conflict do nothing`,
  )
  const book = async (currency: string): Promise<number> => {
    const found = await owner.query<{ id: number }>(
      `select id from ledger_books where mode = 'test' and currency = $1`,
      [currency],
    )
    return found.rows[0]?.id ?? 0
  }
  const [usd, eur] = [await book('USD'), await book('EUR')]
  const ms = `${until.getTime() - spanMs} + n::bigint * ${spanMs} / ${total}`
  const id = idAt(ms, 'n')
  // In parts: events are published up to the oldest open transaction, of other tests too.
  for (let first = 1; first <= total; first += rowsAtOnce)
    await owner.query(
      `insert into transactions (environment_id, id, reference, type, status, book_id, amount, charged, charge_type, metadata,
        created_at, user_id, member_id, code_tail, settled_by)
      select $1, ${id}, 'order-' || n, type, case when n % 100 = 91 then 'FAILED' else 'COMPLETED' end,
        case when n % 100000 = 77 then ${eur} else ${usd} end, amount, amount + 10, 'FIXED', '', to_timestamp((${ms}) / 1000.0),
        case when type in ('PAYMENT_REQUEST', 'PAYOUT') then ($3::uuid[])[1 + n % ${people.length}] end,
        case when n % 5 > 0 then ($2::uuid[])[1 + n % ${members.length}] end,
        case type when 'VOUCHER_REDEMPTION' then ${tail('n')} end,
        case when type = 'PAYMENT_REQUEST' and n % 100 <> 91 then ${idAt(`${ms} + 60000`, `n + ${total}`)} end
      from (
        select n, case when n % 10000 = 3 then 'PAYOUT' when n % 100 in (90, 91) then 'PAYMENT_REQUEST' when n % 100 < 90 then
            'VOUCHER_REDEMPTION' when n % 100 < 96 then 'VOUCHER_PURCHASE' when n % 100 < 99 then 'REFUND'
            else 'WALLET_DEPOSIT' end as type,
          case when n % 50000 = 9 then 1234567 else 100 + (n * 7919) % 900 * 5 end as amount
        from generate_series($4::bigint, $5::bigint) n
      ) made`,
      [environmentId, members, people, first, Math.min(first + rowsAtOnce - 1, total)],
    )
  await makeVouchers(owner, many, id, usd)
  if (many.hasJournals === true) await makeJournals(owner, many, ms, usd)
  await owner.query(
    `insert into ledger_outbox (journal_id, event_id, environment_id, object_id, sequence, type, payload, created_at)
      select ${id}, ${id}, $1, ${id}, 1, 'voucher.redeemed', '{}', $2 from generate_series(1, ${total}, 10) n`,
    [environmentId, until],
  )
  await owner.query('vacuum analyze')
  await owner.end()
}

async function makeVouchers(
  owner: Db,
  { total, environmentId, until }: ManyPayments,
  id: string,
  bookId: number,
): Promise<void> {
  await owner.query(
    `insert into vouchers (environment_id, id, book_id, amount, was_paid_for, recipient_kind, recipient, only_at, key_id,
        code_hash, code_sealed, created_at, code_tail)
      select $1, ${id}, ${bookId}, 5000, true, case when n % 40 = 0 then 'email' else 'nobody' end,
        case when n % 40 = 0 then 'gift-' || n || '@example.com' else '' end, '{}', 1, gen_random_uuid(), '', $2, ${tail('n')}
      from generate_series(4, ${total}, 4) n`,
    [environmentId, until],
  )
  await owner.query(
    `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative, state)
      select ${bookId}, ${id}, 'voucher', false,
        case when n % 20000 = 0 then 'no_debit' else 'open' end::ledger_account_state from generate_series(4, ${total}, 4) n`,
  )
  await owner.query(
    `insert into voucher_pins (voucher_id, key_id, digest, wrong_in_all)
      select ${id}, 1, sha256('x'), case when n % 20000 = 8000 then 10 else 0 end from generate_series(4, ${total}, 40) n`,
  )
}

/** Each voucher is issued and then redeemed three times, with a fee. */
async function makeJournals(
  owner: Db,
  { total, environmentId, until }: ManyPayments,
  ms: string,
  bookId: number,
): Promise<void> {
  const id = idAt(ms, 'n')
  const voucher = `(select ${id} from (select r.n - r.n % 4 as n) v)`
  await owner.query(
    `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
      select ${bookId}, $1, kind::ledger_account_kind, kind = 'treasury' from unnest(array['treasury', 'merchant', 'fee']) kind
      on conflict do nothing`,
    [environmentId],
  )
  // Reports begin the day before the merchant was created.
  await owner.query(
    `update merchants set created_at = $2 where id = (select merchant_id from merchant_environments where id = $1)`,
    [environmentId, new Date(until.getTime() - spanMs)],
  )
  for (let first = 4; first <= total; first += rowsAtOnce)
    await owner.query(
      `with made as (
        insert into ledger_journals (id, key_hash, fingerprint, kind, alternative, posted_at)
          select ${id}, gen_random_uuid(), gen_random_uuid(),
            case when n % 4 = 0 then 'voucher.issue' else 'voucher.redeem' end, 0, $4 from generate_series($2::bigint, $3::bigint) n
      )
      insert into ledger_transfers (journal_id, position, book_id, from_kind, from_owner, to_kind, to_owner, amount)
        select ${idAt(ms, 'n')}, 0, ${bookId}, 'treasury'::ledger_account_kind, $1::uuid, 'voucher'::ledger_account_kind, ${id}, 2000000
          from generate_series($2::bigint, $3::bigint) n where n % 4 = 0
        union all
        select ${idAt(ms, 'n')}, part, ${bookId}, 'voucher', ${voucher}, case part when 0 then 'merchant' else 'fee' end::ledger_account_kind,
            $1::uuid, case part when 0 then 100 + (n * 7919) % 900 * 5 else 10 end
          from generate_series($2::bigint, $3::bigint) r (n), generate_series(0, 1) part
          -- A blocked voucher is not redeemed.
          where n % 4 > 0 and (n - n % 4) % 20000 > 0`,
      [environmentId, first, Math.min(first + rowsAtOnce - 1, total), until],
    )
  await owner.query('vacuum analyze ledger_journals, ledger_transfers, ledger_accounts')
}
