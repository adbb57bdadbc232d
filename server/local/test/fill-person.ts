// What the flows of a test do not write about a person, written straight into the tables.
import pg from 'pg'
import type { Pool } from '../../src/base/db.ts'
import type { NewId } from '../../src/base/id.ts'

type FilledPerson = {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly username: string
  readonly environmentId: string
  readonly merchantId: string
  readonly voucherId: string
  readonly moveId: string
}

const account = [
  `update user_sessions set ip_address = :email, user_agent = :name, token = token || :name where user_id = :userId`,
  `update user_logins set password = password || :email where user_id = :userId`,
  `update users set avatar = 'https://x.example/' || :email, external_id = :email, phone = '+2348055512345' where id = :userId`,
  `insert into user_passkeys (id, user_id, name, public_key, credential_id, counter, device_type, backed_up, aaguid, created_at)
    values (:id, :userId, :name, :email, :email, 1, 'singleDevice', false, :email, :at)`,
  `insert into user_two_factors (id, user_id, secret, backup_codes, verified) values (:id, :userId, :email, :email, true)`,
  `insert into user_links (digest, realm, purpose, email, content, expires_at)
    values (convert_to(:id, 'utf8'), 'test', 'reset', :email, :json, :later)`,
  `insert into user_challenges (id, identifier, value, expires_at, created_at, updated_at)
    values (:id, :email, :json, :later, :at, :at)`,
  `insert into push_subscriptions (id, user_id, endpoint, p256dh, auth, created_at)
    values (:id, :userId, 'https://push.example/' || :email, :email, :email, :at)`,
  `insert into pushes (subscription_id, about_id, user_id, payload, expires_at, next_attempt_at)
    select id, :id, :userId, :json, :later, :later from push_subscriptions where user_id = :userId`,
  `update wallet_moves set note = :say where id = :moveId`,
  `insert into acts (id, user_id, operation, object, address, created_at) values (:id, :userId, 'POST /x', :email, :email, :at)`,
]

const messages = [
  `insert into mails (id, environment_id, about_id, recipient, language, kind, content, status, said, created_at)
    values (:id, :environmentId, :id, 'else@example.com', 'en', 'receipt', :json, 'sent', :say, :at)`,
  `insert into ledger_outbox (type, payload, created_at, event_id, environment_id, object_id, sequence)
    values ('test.event', :payload, :at, :id, :environmentId, :id, 1)`,
  `insert into webhook_attempts (environment_id, endpoint_id, event_id, number, at, duration_ms, failure, excerpt)
    values (:environmentId, :id, :id, 1, :at, 1, '', :say)`,
  `insert into request_log (environment_id, id, key_id, method, route, status, error_code, duration_ms, address, reference, request_body,
      response_body, created_at)
    values (:environmentId, :id, :id, 'POST', '/x', 200, '', 1, :email, :email, :json, :json, :at)`,
]

const payments = [
  `insert into payment_requests (environment_id, id, user_id, note, expires_at, ended_at)
    values (:environmentId, :id, :userId, :say, :at, :at)`,
  // Only the note matters here, not the deposit.
  `alter table deposit_refunds drop constraint if exists deposit_refunds_deposit_id_fkey`,
  `insert into deposit_refunds (environment_id, id, deposit_id, user_id, note, created_at)
    values (:environmentId, :id, :id, :userId, :say, :at)`,
  `insert into outflows (environment_id, id, kind, reference, book_id, amount, home_amount, hour, recipient, needs_approval, held_until,
      request, ended_at, outcome, created_at)
    select :environmentId, :id, 'voucher', :id, id, 5, 5, :at, :email, false, :at, :base64, :at, 'done', :at from ledger_books limit 1`,
  `insert into payout_rows (environment_id, batch_id, number, id, line, recipient, name, user_id, amount, reference, note, status, fault)
    values (:environmentId, :id, 1, :id, 2, :email, :name, :userId, 5, 'row', :say, 'refused', 'USER_NOT_FOUND')`,
  `update merchants set contact_email = :email where id = :merchantId`,
  `insert into locations (id, merchant_id, name, created_at) values (:environmentId, :merchantId, 'Till', :at)`,
  `insert into registers (id, location_id, name, created_at) values (:environmentId, :environmentId, 'Till', :at)`,
  `insert into shifts (environment_id, id, register_id, book_id, opening_float, opened_by, opened_at, note)
    select :environmentId, :id, :environmentId, id, 0, :userId, :at, :say from ledger_books limit 1`,
]

const vouchers = [
  `update vouchers set rules = :rules where id = :voucherId`,
  `insert into voucher_batches (environment_id, id, reference, book_id, size, amount, total, only_at, created_at, finished_at, rules,
      expired_to)
    select :environmentId, :id, :id, id, 1, 5, 5, '{}', :at, :at, :namedRules, 'payer' from ledger_books limit 1`,
  `insert into voucher_gifts (environment_id, voucher_id, email, sender, message, send_at, sent_at)
    values (:environmentId, :voucherId, :email, :name, :say, :at, :at)`,
  `insert into voucher_sales (environment_id, id, kind, reference, voucher_id, book_id, value, price, tender, tender_reference, reason,
      seller_id, home_value, created_at)
    select :environmentId, :id, 'sale', :id, :voucherId, id, 5, 5, 'card', :say, :say, :id, 5, :at from ledger_books limit 1`,
  `insert into voucher_moves (voucher_id, id, environment_id, kind, amount, reason, created_at)
    values (:voucherId, :id, :environmentId, 'cancel', 5, :say, :at)`,
]

const invoices = [
  `insert into invoices (environment_id, id, number, status, email, full_name, book_id, total, network, invoice_date, due_date, reason,
      decided_at, created_at, sender_number, sender_address)
    select :environmentId, :userId, :id, 'Rejected', :email, :name, id, 5, '', :at, :at, :name, :at, :at, left(:email, 40), :name
      from ledger_books limit 1`,
  `insert into invoice_items (environment_id, invoice_id, id, position, description, quantity, unit_price, total)
    values (:environmentId, :userId, :id, 1, :name, 1, 5, 5)`,
  `insert into invoice_attachments (environment_id, id, invoice_id, name, kind, size, content, created_at)
    values (:environmentId, :id, :userId, :name, 'pdf', 10, convert_to('%PDF ' || :email, 'utf8'), :at)`,
]

/** Puts the person's email address, name or username into each column that may have one. */
export async function fillPerson(owner: Pool, newId: NewId, person: FilledPerson): Promise<void> {
  const { userId, email, name, username } = person
  const user = { id: userId, username, email }
  const texts = {
    ...person,
    say: `Ask <${email}>`,
    json: JSON.stringify({ name, email }),
    base64: Buffer.from(JSON.stringify({ name, email })).toString('base64'),
    payload: JSON.stringify({ user, list: [email], note: `"${name}"\n${email}`, asked: `by\n${email}` }),
    rules: JSON.stringify({ user: { id: userId, identifier: email } }),
    namedRules: JSON.stringify({ user: { id: userId, identifier: username } }),
    at: '2026-05-01T00:00:00Z',
    later: '2099-01-01T00:00:00Z',
  }
  for (const statement of [...account, ...messages, ...payments, ...vouchers, ...invoices]) {
    const all: Readonly<Record<string, string>> = { ...texts, id: newId() }
    await owner.query(statement.replaceAll(/(?<!:):(\w+)/g, (_, key: string) => pg.escapeLiteral(all[key] ?? '')))
  }
}
