// What else a merchant with a million payments has: requests in the log, the audit log, payouts and payout files, payment requests,
// deposits with unmatched ones, and outflows that waited. Inserted directly, like the payments that they belong to.
import { createPool } from '../../src/base/db.ts'
import { idAt, type ManyPayments } from './many-payments.ts'

type Many = Pick<ManyPayments, 'total' | 'environmentId' | 'members' | 'people' | 'until'>
type Insert = (text: string, ...values: unknown[]) => Promise<unknown>

const logDays = 7
const dayMs = 86_400_000
const rowsPerFile = 1_000

/** As many logged requests and acts as payments, and a hundredth of them deposits, of which a tenth are unmatched. */
export async function makeManyRecords(ownerUrl: string, many: Many): Promise<void> {
  const owner = createPool(ownerUrl, 1)
  const insert: Insert = (text, ...values) => owner.query(text, values)
  await logRequests(insert, many)
  await noteActs(insert, many)
  await detailPayments(insert, many)
  await fileCases(insert, many)
  await payFiles(insert, many)
  await owner.query('vacuum analyze')
  await owner.end()
}

/** Over the days that the log keeps. One of a hundred was refused, one of ten thousand failed. */
async function logRequests(insert: Insert, { total, environmentId, until }: Many): Promise<void> {
  for (let day = logDays; day >= 0; day--)
    await insert('select keep_request_log($1, 0, 0)', new Date(until.getTime() - day * dayMs))
  const ms = `${until.getTime() - logDays * dayMs} + n::bigint * ${logDays * dayMs} / ${total}`
  await insert(
    `insert into request_log (environment_id, id, key_id, method, route, status, error_code, duration_ms, address, reference,
        request_body, response_body, created_at)
      select $1, ${idAt(ms, 'n')}, (select id from merchant_keys where environment_id = $1 limit 1), 'POST',
        case when n % 1000 = 7 then '/merchant-integrations-server/refund-voucher' else '/merchant-integrations-server/redeem-voucher' end,
        case when n % 10000 = 5 then 500 when n % 100 = 1 then 422 else 200 end,
        case when n % 100 = 1 then 'INSUFFICIENT_BALANCE' else '' end, n % 90, '192.0.2.1', 'order-' || n, '{"amount":1}', '{}',
        to_timestamp((${ms}) / 1000.0)
      from generate_series(1, ${total}) n`,
    environmentId,
  )
}

/** By staff and a key in turns, and one of a thousand about the team. */
async function noteActs(insert: Insert, { total, environmentId, members, until }: Many): Promise<void> {
  const ms = `${until.getTime() - 60 * dayMs} + n::bigint * ${60 * dayMs} / ${total}`
  await insert(
    `insert into acts (id, user_id, merchant_id, mode, operation, object, address, status, created_at, key_id)
      select ${idAt(ms, 'n')}, case when n % 2 = 0 then ($2::uuid[])[1 + n % ${members.length}] end,
        (select merchant_id from merchant_environments where id = $1), 'test',
        case when n % 1000 = 4 then 'POST /merchant/members' else 'POST /merchant-integrations-server/refund-voucher' end,
        'order-' || n, '192.0.2.1', 200, to_timestamp((${ms}) / 1000.0),
        case when n % 2 = 1 then (select id from merchant_keys where environment_id = $1 limit 1) end
      from generate_series(1, ${total}) n`,
    environmentId,
    members,
  )
}

/** Payment requests, payouts and deposits of the transactions. A tenth of the requests went out by link. */
async function detailPayments(insert: Insert, { environmentId, people }: Many): Promise<void> {
  await insert(
    `insert into payment_requests (environment_id, id, user_id, note, expires_at, ended_at)
      select environment_id, id, case when hashtext(reference) % 10 <> 0 then user_id end, 'Table 4',
        created_at + interval '1 hour', created_at from transactions where environment_id = $1 and type = 'PAYMENT_REQUEST'`,
    environmentId,
  )
  await insert(
    `insert into payouts (environment_id, id, user_id, to_book_id, network, created_at)
      select environment_id, id, ($2::uuid[])[1], book_id, '', created_at from transactions where environment_id = $1 and type = 'PAYOUT'`,
    environmentId,
    people,
  )
  await insert(
    `insert into networks (abbreviation, name, chain_id, explorer_url, rpc_url, mode)
      values ('MANY', 'Many', 4242, 'https://scan.example', 'https://rpc.example', 'test')`,
  )
  await insert(
    `insert into deposits (environment_id, id, network_id, address, token, unit, pay_book_id, to_deposit, charge, rate_numerator,
        rate_denominator, tolerance, expires_at, ended_at)
      select environment_id, id, (select id from networks where abbreviation = 'MANY'), '', '', 1, book_id, amount, 0, 1, 1, 0,
        created_at, created_at from transactions where environment_id = $1 and type = 'WALLET_DEPOSIT'`,
    environmentId,
  )
}

/** Every tenth deposit is unmatched, and one of a hundred of those is open. So is one outflow of a hundred. */
async function fileCases(insert: Insert, { environmentId, until }: Many): Promise<void> {
  await insert(
    `insert into deposit_cases (environment_id, id, deposit_id, kind, book_id, amount, opened_at, resolved_at, resolution)
      select environment_id, id, id, 'late', book_id, amount, created_at, case when n % 1000 > 0 then created_at end,
        case when n % 1000 > 0 then 'returned' else '' end
      from (select row_number() over (order by id) as n, * from transactions where environment_id = $1 and type = 'WALLET_DEPOSIT') t
      where n % 10 = 0`,
    environmentId,
  )
  await insert(
    `insert into outflows (environment_id, id, kind, reference, book_id, amount, home_amount, hour, recipient, needs_approval,
        held_until, request, ended_at, outcome, created_at)
      select environment_id, id, 'payout', reference, book_id, amount, amount, date_trunc('hour', created_at), 'Ada', true, $2, '',
        case when n % 100 > 0 then created_at end, case when n % 100 > 0 then 'done' end, created_at
      from (select row_number() over (order by id) as n, * from transactions where environment_id = $1 and type = 'WALLET_DEPOSIT') t`,
    environmentId,
    until,
  )
}

/** Every payout is a file of a thousand rows. One row of a hundred was refused. */
async function payFiles(insert: Insert, { environmentId, people }: Many): Promise<void> {
  await insert(
    `insert into payout_batches (environment_id, id, reference, book_id, file_digest, size, total, created_at, paid, refused, finished_at)
      select environment_id, id, reference, book_id, reference, ${rowsPerFile}, amount, created_at, 0, 0, created_at
      from transactions where environment_id = $1 and type = 'PAYOUT'`,
    environmentId,
  )
  await insert(
    `insert into payout_rows (environment_id, batch_id, number, id, line, recipient, name, user_id, amount, reference, note, status,
        fault, ended_at)
      select w.environment_id, w.id, n, gen_random_uuid(), n, 'ada', 'Ada', ($2::uuid[])[1], 100, w.reference || '-' || n, '',
        case when n % 100 = 0 then 'refused' else 'paid' end, case when n % 100 = 0 then 'RECIPIENT_UNKNOWN' end, w.created_at
      from payout_batches w, generate_series(1, ${rowsPerFile}) n where w.environment_id = $1`,
    environmentId,
    people,
  )
}
