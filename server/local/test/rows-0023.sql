-- Rows of an installation at 0023, for the test of the upgrade: a funded merchant, a voucher that was redeemed in part, a payout that
-- waits with its money held, a crypto deposit that was paid and booked, and a staff session.

insert into merchants (id, code, company_name, home_currency, time_zone, created_at) values
  ('00000000-0000-7000-8000-000000000001', 'ACME', 'Acme Ltd', 'USD', 'Africa/Lagos', '2026-01-02T00:00:00Z');
insert into merchant_environments (id, merchant_id, mode, new_recipient_hours, deposit_tolerance_ppm) values
  ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'live', 48, 0),
  ('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000001', 'test', null, 2500);
insert into merchant_keys (id, environment_id, kind, name, digest, shown, created_at) values
  ('00000000-0000-7000-8000-000000000021', '00000000-0000-7000-8000-000000000011', 'secret', 'server',
    sha256('key'), 'sk_live_…abcd', '2026-01-02T00:00:00Z');
insert into customers (environment_id, id, email, name, email_key, folded, grams, created_at) values
  ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000031', 'Ann@example.com', 'Ann', 'ann@example.com',
    'ann ann@example.com', '{1,2}', '2026-01-02T00:00:00Z');

insert into users (id, realm, email, username, surname, other_names, created_at, updated_at) values
  ('00000000-0000-7000-8000-000000000041', 'live', 'ann@example.com', 'ann', 'Ade', 'Ann', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z'),
  ('00000000-0000-7000-8000-000000000042', 'staff', 'owner@example.com', null, 'Obi', 'Ola', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z');
insert into merchant_members (merchant_id, user_id, role, created_at) values
  ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000042', 'owner', '2026-01-02T00:00:00Z');
insert into user_sessions (id, user_id, token, expires_at, created_at, updated_at) values
  ('00000000-0000-7000-8000-000000000051', '00000000-0000-7000-8000-000000000042', 'token', '2026-02-01T00:00:00Z',
    '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z');
insert into acts (id, user_id, merchant_id, mode, operation, object, address, status, created_at) values
  ('00000000-0000-7000-8000-000000000061', '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000001', 'live',
    'pay out', '', '127.0.0.1', 200, '2026-01-02T00:00:00Z');

-- The ledger. The platform's treasury is owned by …a0, and the network's by the network.
insert into ledger_books (mode, currency) values ('live', 'USD'), ('test', 'USD'), ('live', 'ETH');
insert into ledger_accounts (book_id, owner_id, kind, may_go_negative) values
  (1, '00000000-0000-7000-8000-0000000000a0', 'treasury', true),
  (2, '00000000-0000-7000-8000-0000000000a0', 'treasury', true),
  (1, '00000000-0000-7000-8000-0000000000a0', 'fee', false),
  (1, '00000000-0000-7000-8000-000000000011', 'merchant', false),
  (2, '00000000-0000-7000-8000-000000000012', 'merchant', false),
  (1, '00000000-0000-7000-8000-000000000101', 'voucher', false),
  (3, '00000000-0000-7000-8000-0000000000a1', 'treasury', true),
  (3, '00000000-0000-7000-8000-000000000103', 'deposit', false);
insert into ledger_journals (id, key_hash, fingerprint, kind, alternative, posted_at)
  select id, id, id, kind, 0, '2026-01-02T00:00:00Z' from (values
    ('00000000-0000-7000-8000-000000000100'::uuid, 'fund'), ('00000000-0000-7000-8000-000000000101', 'voucher.issue'),
    ('00000000-0000-7000-8000-000000000102', 'voucher.redeem'), ('00000000-0000-7000-8000-000000000103', 'deposit.book'),
    ('00000000-0000-7000-8000-000000000104', 'payout.hold'), ('00000000-0000-7000-8000-000000000105', 'sandbox.fund')
  ) as posted (id, kind);
insert into ledger_transfers (journal_id, position, book_id, from_kind, to_kind, from_owner, to_owner, amount) values
  ('00000000-0000-7000-8000-000000000100', 0, 1, 'treasury', 'merchant',
    '00000000-0000-7000-8000-0000000000a0', '00000000-0000-7000-8000-000000000011', 100000),
  ('00000000-0000-7000-8000-000000000101', 0, 1, 'merchant', 'voucher',
    '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000101', 5000),
  ('00000000-0000-7000-8000-000000000102', 0, 1, 'voucher', 'merchant',
    '00000000-0000-7000-8000-000000000101', '00000000-0000-7000-8000-000000000011', 2000),
  ('00000000-0000-7000-8000-000000000102', 1, 1, 'voucher', 'fee',
    '00000000-0000-7000-8000-000000000101', '00000000-0000-7000-8000-0000000000a0', 30),
  ('00000000-0000-7000-8000-000000000103', 0, 3, 'treasury', 'deposit',
    '00000000-0000-7000-8000-0000000000a1', '00000000-0000-7000-8000-000000000103', 2000000000000000000),
  ('00000000-0000-7000-8000-000000000105', 0, 2, 'treasury', 'merchant',
    '00000000-0000-7000-8000-0000000000a0', '00000000-0000-7000-8000-000000000012', 700);
insert into ledger_holds (id, book_id, owner_id, kind, expires_at) values
  ('00000000-0000-7000-8000-000000000104', 1, '00000000-0000-7000-8000-000000000011', 'merchant', '2026-03-01T00:00:00Z');
insert into ledger_hold_moves (journal_id, position, hold_id, act, amount) values
  ('00000000-0000-7000-8000-000000000104', 0, '00000000-0000-7000-8000-000000000104', 'reserve', 1500);
insert into ledger_outbox (journal_id, type, payload, created_at, event_id, environment_id, object_id, sequence) values
  ('00000000-0000-7000-8000-000000000102', 'voucher.redeemed', '{}', '2026-01-02T00:00:00Z',
    '00000000-0000-7000-8000-000000000201', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000101', 2);

insert into transactions (environment_id, id, reference, type, status, book_id, amount, charged, charge_type, metadata, created_at,
    user_id) values
  ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000101', 'ISSUE-1', 'VOUCHER_PURCHASE', 'COMPLETED', 1,
    5000, 5000, 'NONE', '', '2026-01-02T00:00:00Z', null),
  ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000102', 'ORDER-1', 'VOUCHER_REDEMPTION', 'COMPLETED', 1,
    2000, 2030, 'FIXED', '', '2026-01-02T00:00:00Z', null),
  ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000103', 'DEPOSIT-1', 'WALLET_DEPOSIT', 'PROCESSING', 3,
    2000000000000000000, 2000000000000000000, 'NONE', '', '2026-01-02T00:00:00Z', null),
  ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000104', 'SALARY-1', 'PAYOUT', 'PENDING', 1,
    1500, 1500, 'NONE', '', '2026-01-02T10:20:00Z', '00000000-0000-7000-8000-000000000041');
insert into vouchers (environment_id, id, book_id, amount, was_paid_for, recipient_kind, recipient, only_at, key_id, code_hash,
    code_sealed, created_at) values
  ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000101', 1, 5000, true, 'nobody', '', '{}', 1,
    '00000000-0000-7000-8000-000000000101', 'sealed', '2026-01-02T00:00:00Z');
insert into voucher_pins (voucher_id, key_id, digest) values ('00000000-0000-7000-8000-000000000101', 1, sha256('pin'));
insert into redemptions (voucher_id, id, environment_id, amount, charge, charged_to, created_at) values
  ('00000000-0000-7000-8000-000000000101', '00000000-0000-7000-8000-000000000102', '00000000-0000-7000-8000-000000000011', 2000, 30,
    'voucher', '2026-01-02T00:00:00Z');

insert into payout_limits (environment_id, book_id, daily, approval_above) values
  ('00000000-0000-7000-8000-000000000011', 1, 90000, 1000), ('00000000-0000-7000-8000-000000000011', 3, 5, 4);
insert into payout_days (environment_id, book_id, day, total) values ('00000000-0000-7000-8000-000000000011', 1, '2026-01-02', 1500);
insert into payouts (environment_id, id, user_id, to_book_id, network, asked_by, needs_approval, day, held_until, created_at) values
  ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000104', '00000000-0000-7000-8000-000000000041', 1, '',
    '00000000-0000-7000-8000-000000000042', true, '2026-01-02', '2026-03-01T00:00:00Z', '2026-01-02T10:20:00Z');

insert into chain_payments (id, network_id, tx_hash, log_index, owner_id, address, token, amount, block_number, mined_at, seen_at,
    booked_at, bookings, is_counted)
  select '00000000-0000-7000-8000-000000000301', id, '0xaa', -1, '00000000-0000-7000-8000-000000000103',
    '0x00000000000000000000000000000000000000d1', '0x0000000000000000000000000000000000000000', 2000000000000000000, 100,
    '2026-01-02T00:00:00Z', '2026-01-02T00:01:00Z', '2026-01-02T00:20:00Z', 1, true from networks where abbreviation = 'ETH';
insert into deposits (environment_id, id, network_id, address, token, unit, pay_book_id, to_deposit, charge, rate_numerator,
    rate_denominator, tolerance, paid, expires_at)
  select '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000103', id,
    '0x00000000000000000000000000000000000000d1', '0x0000000000000000000000000000000000000000', 1, 3, 2000000000000000000, 0, 1, 1, 0,
    2000000000000000000, '2026-01-03T00:00:00Z' from networks where abbreviation = 'ETH';
insert into chain_sends (id, network_id, reference, to_address, data, value, asked_at)
  select '00000000-0000-7000-8000-000000000401', id, 'sweep 1', '0x00000000000000000000000000000000000000d1', '0x', 0,
    '2026-01-02T00:30:00Z' from networks where abbreviation = 'ETH';
insert into mails (id, environment_id, about_id, recipient, language, kind, content, next_attempt_at, created_at) values
  ('00000000-0000-7000-8000-000000000501', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000101',
    'ann@example.com', 'en', 'receipt', '{}', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z');
