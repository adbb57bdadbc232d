-- Brings a database that ran the migrations 0001 to 0023 to the schema of the baseline: its tables, data and privileges. The files in
-- server/sql follow in the same transaction. New tables are explained in the baseline. This folder can be deleted once no
-- installation at 0023 is left.

-- Exchange terms --------------------------------------------------------------------------------------------

create table exchange_pairs (
  currency_a    text not null references currencies (abbreviation),
  currency_b    text not null references currencies (abbreviation),
  spread_ppm    integer not null check (spread_ppm between 0 and 500000),
  tolerance_ppm integer not null check (tolerance_ppm between 0 and 500000),
  band_ppm      integer not null check (band_ppm between 1 and 1000000),
  primary key (currency_a, currency_b),
  check (currency_a < currency_b),
  constraint exchange_pairs_spread_covers_tolerance check (spread_ppm >= tolerance_ppm)
);
grant select on exchange_pairs to scrip_server;
grant insert, update on exchange_pairs to scrip_operator;
create table exchange_settings (
  only_row   boolean primary key default true check (only_row),
  is_stopped boolean not null default false,
  user_daily numeric(78, 0) not null check (user_daily >= 0)
);
insert into exchange_settings (user_daily) values (1000000);
grant select on exchange_settings to scrip_server;
grant insert, update on exchange_settings to scrip_operator;
create table held_rates (
  from_currency text not null references currencies (abbreviation),
  to_currency   text not null references currencies (abbreviation),
  source        text not null check (source ~ '^[a-z0-9-]{1,32}$'),
  rate          numeric not null check (rate > 0 and rate < 'NaN'),
  said_at       timestamptz not null,
  primary key (from_currency, to_currency, source)
);
grant select on held_rates to scrip_server;
grant insert, update, delete on held_rates to scrip_operator;
create table used_quotes (
  id      uuid constraint used_quotes_once primary key,
  ends_at timestamptz not null
);
create index used_quotes_by_end on used_quotes (ends_at);
grant select, insert, delete on used_quotes to scrip_server;

create table wallet_quotes (
  user_id          uuid primary key references users,
  id               uuid not null,
  from_currency    text not null,
  to_currency      text not null,
  pays             numeric(78, 0) not null check (pays > 0),
  gets             numeric(78, 0) not null check (gets > 0),
  rate_numerator   numeric not null,
  rate_denominator numeric not null,
  ends_at          timestamptz not null
);
alter table wallet_quotes enable row level security;
grant select, insert, delete on wallet_quotes to scrip_server;
grant update (id, from_currency, to_currency, pays, gets, rate_numerator, rate_denominator, ends_at) on wallet_quotes
  to scrip_server;

alter table currencies add column desk_limit numeric(78, 0) check (desk_limit >= 0);
update currencies set desk_limit = amount_max / 100;
update currencies set desk_limit = whole * power(10::numeric, decimals)
  from (values ('ETH', 30), ('BNB', 150), ('POL', 200000)) as coin (code, whole) where abbreviation = code;
alter table currencies alter column desk_limit set not null;

alter table redemptions add column spread_ppm integer;
alter table payment_requests add column paid_rate_numerator numeric, add column paid_rate_denominator numeric,
  add column paid_spread_ppm integer;
grant update (paid_rate_numerator, paid_rate_denominator, paid_spread_ppm) on payment_requests to scrip_server;
grant update (to_deposit, rate_numerator, rate_denominator) on deposits to scrip_server;

-- Outflows --------------------------------------------------------------------------------------------------

create table outflow_rules (
  environment_id      uuid primary key references merchant_environments,
  approval_above      numeric(78, 0) check (approval_above >= 0),
  daily               numeric(78, 0) check (daily >= 0),
  new_recipient_hours integer not null check (new_recipient_hours between 0 and 720)
);
alter table outflow_rules enable row level security;
grant select, insert, delete on outflow_rules to scrip_server;
grant update (approval_above, daily, new_recipient_hours) on outflow_rules to scrip_server;
create table outflow_hours (
  environment_id uuid not null,
  hour           timestamptz not null,
  total          numeric(78, 0) not null check (total >= 0),
  primary key (environment_id, hour)
);
alter table outflow_hours enable row level security;
grant select, insert, update (total) on outflow_hours to scrip_server;
create table outflows (
  environment_id uuid not null,
  id             uuid not null,
  kind           text not null check (kind in ('payout', 'voucher', 'batch', 'replacement', 'invoice', 'refund')),
  reference      text not null,
  book_id        smallint not null,
  amount         numeric(78, 0) not null check (amount > 0),
  home_amount    numeric(78, 0) not null check (home_amount >= 0),
  hour           timestamptz not null,
  recipient      text not null,
  requested_by   uuid,
  needs_approval boolean not null,
  is_approved    boolean not null default false,
  not_before     timestamptz,
  held_until     timestamptz not null,
  request        text not null,
  ended_at       timestamptz,
  outcome        text check (outcome in ('done', 'cancelled')),
  created_at     timestamptz not null,
  primary key (environment_id, id),
  check ((ended_at is null) = (outcome is null))
);
create index outflows_waiting on outflows (environment_id, id) where ended_at is null;
create index outflows_due on outflows (least(not_before, held_until)) where ended_at is null;
alter table outflows enable row level security;
grant select, insert on outflows to scrip_server;
grant update (is_approved, ended_at, outcome) on outflows to scrip_server;
create table outflow_approvals (
  environment_id uuid not null,
  outflow_id     uuid not null,
  approved_by    uuid not null references users,
  created_at     timestamptz not null,
  primary key (environment_id, outflow_id, approved_by)
);
alter table outflow_approvals enable row level security;
grant select, insert on outflow_approvals to scrip_server;


-- The old limits of payouts in the home currency become the rule for all outflows.
insert into outflow_rules (environment_id, approval_above, daily, new_recipient_hours)
  select l.environment_id, l.approval_above, l.daily,
    coalesce(e.new_recipient_hours, case e.mode when 'live' then 24 else 0 end)
  from payout_limits l join ledger_books b on b.id = l.book_id
  join merchant_environments e on e.id = l.environment_id
  join merchants m on m.id = e.merchant_id and m.home_currency = b.currency;

-- Payouts that waited under the old rule go on waiting under this one.
insert into outflows (environment_id, id, kind, reference, book_id, amount, home_amount, hour, recipient, requested_by,
    needs_approval, is_approved, not_before, held_until, request, created_at)
  select p.environment_id, p.id, 'payout', t.reference, t.book_id, t.amount, 0, date_trunc('hour', p.created_at), '', p.asked_by,
    p.needs_approval, t.status = 'APPROVED', p.not_before, p.held_until, '', p.created_at
  from payouts p join transactions t on t.environment_id = p.environment_id and t.id = p.id
  where p.ended_at is null and p.held_until is not null;

drop function due_payouts;
drop index payouts_due;
alter table payouts drop column asked_by, drop column approved_by, drop column needs_approval, drop column day,
  drop column not_before, drop column held_until, drop column ended_at;
drop table payout_limits;
drop table payout_days;
alter table merchant_environments drop column new_recipient_hours;

-- How money enters ------------------------------------------------------------------------------------------

create table ledger_fundings (
  journal_id uuid not null,
  book_id    smallint not null,
  amount     numeric(78, 0) not null check (amount > 0),
  posted_by  text not null,
  primary key (journal_id, book_id)
);
grant select on ledger_fundings to scrip_server;

create table chain_bookings (
  payment_id uuid not null references chain_payments,
  journal_id uuid not null,
  book_id    smallint not null,
  amount     numeric(78, 0) not null check (amount > 0),
  undone_by  uuid,
  primary key (payment_id, journal_id)
);
create unique index chain_bookings_once on chain_bookings (payment_id) where undone_by is null;
create index chain_bookings_of_journal on chain_bookings (journal_id);
grant select, insert, update (undone_by) on chain_bookings to scrip_server;

insert into ledger_fundings (journal_id, book_id, amount, posted_by)
  select t.journal_id, t.book_id,
    sum(case when t.from_kind::text in ('treasury', 'gas', 'purse') then t.amount else 0 end)
      - sum(case when t.to_kind::text in ('treasury', 'gas', 'purse') then t.amount else 0 end), 'before this rule'
  from ledger_transfers t join ledger_books b on b.id = t.book_id and b.mode = 'live'
  group by t.journal_id, t.book_id
  having sum(case when t.from_kind::text in ('treasury', 'gas', 'purse') then t.amount else 0 end)
    > sum(case when t.to_kind::text in ('treasury', 'gas', 'purse') then t.amount else 0 end);

-- What was booked before has no journal on record; it cannot be booked again.
insert into chain_bookings (payment_id, journal_id, book_id, amount)
  select p.id, p.id, b.id, p.amount * 10::numeric ^ (c.decimals - t.decimals)
  from chain_payments p join networks n on n.id = p.network_id
  join network_tokens t on t.network_id = p.network_id and lower(t.address) = p.token
  join currencies c on c.id = t.currency_id
  join ledger_books b on b.currency = c.abbreviation and b.mode = n.mode
  where p.booked_at is not null and p.bookings > 0;

alter table chain_payments add column priced_at timestamptz;
update chain_payments set priced_at = seen_at;
create index chain_payments_unpriced on chain_payments (id) where priced_at is null and gone_at is null;

-- Only the reader of chains records what is on them.
revoke insert, update, delete on chain_blocks, chain_finality from scrip_server;
revoke insert, update (block_number, mined_at, gone_at) on chain_payments from scrip_server;
revoke insert, delete on chain_sweeps from scrip_server;
grant insert, delete on chain_blocks to scrip_chain;
grant insert, update on chain_finality to scrip_chain;
grant update (priced_at) on chain_payments to scrip_server;
grant insert, update (block_number, mined_at, gone_at, priced_at) on chain_payments to scrip_chain;
grant insert, delete on chain_sweeps to scrip_chain;
grant update (is_active) on networks to scrip_chain;

-- Only the operator changes the catalogue and the rates.
revoke insert, update on currencies, networks, network_tokens, exchange_rates from scrip_server;
grant insert, update on currencies, networks, network_tokens, exchange_rates to scrip_operator;

alter table acts alter column user_id drop not null,
  add column key_id uuid references merchant_keys,
  add column ran_by text not null default '',
  add constraint acts_by_someone check (num_nonnulls(user_id, key_id) = 1 or (num_nonnulls(user_id, key_id) = 0 and ran_by <> ''));

-- Access ----------------------------------------------------------------------------------------------------

alter table networks
  add column trusts_one_node boolean not null default false,
  add column pays_addresses boolean not null default false;
alter table chain_addresses add column repeats smallint not null default 0;
grant update (repeats) on chain_addresses to scrip_server;
alter table transactions add column by_public_key boolean;
alter table transactions drop constraint transactions_type_check, add constraint transactions_type_check check (type in (
    'VOUCHER_REDEMPTION', 'PAYMENT_REQUEST', 'WALLET_DEPOSIT', 'PAYOUT', 'INVOICE_PAYMENT', 'VOUCHER_PURCHASE', 'REFUND',
    'ADJUSTMENT'));
grant update (reference) on transactions to scrip_server;

alter table user_pins
  add column till_wrong_in_row smallint not null default 0 check (till_wrong_in_row between 0 and 5),
  add column till_wrong_in_all smallint not null default 0 check (till_wrong_in_all between 0 and 10),
  add column till_locked_until timestamptz;
grant update (till_wrong_in_row, till_wrong_in_all, till_locked_until) on user_pins to scrip_server;

-- A staff session ends 12 hours after its sign-in. Those from before this rule as well.
update user_sessions s set expires_at = least(s.expires_at, s.created_at + interval '12 hours')
  from users u where u.id = s.user_id and u.realm = 'staff';

alter table invoices add column links_revoked_at timestamptz;
grant update (links_revoked_at) on invoices to scrip_server;

-- Deposits and fees -----------------------------------------------------------------------------------------

-- Until now 0 was the default. Merchants that want the exact amount set 0 again.
alter table merchant_environments alter column deposit_tolerance_ppm set default 1000;
update merchant_environments set deposit_tolerance_ppm = 1000 where deposit_tolerance_ppm = 0;

create index ledger_transfers_to_admin on ledger_transfers (to_owner, book_id) where to_kind = 'merchant_admin';
create table admin_balance_alerts (
  environment_id uuid not null references merchant_environments,
  book_id        smallint not null references ledger_books,
  fundings       bigint not null check (fundings >= 0),
  balance        numeric(78, 0) not null,
  created_at     timestamptz not null,
  primary key (environment_id, book_id, fundings)
);
alter table admin_balance_alerts enable row level security;
grant select, insert on admin_balance_alerts to scrip_server;


create table deposit_refunds (
  environment_id    uuid not null,
  id                uuid not null,
  deposit_id        uuid not null references deposits,
  case_id           uuid references deposit_cases,
  user_id           uuid references users,
  to_environment_id uuid references merchant_environments,
  voucher_id        uuid unique,
  note              text not null,
  created_at        timestamptz not null,
  primary key (environment_id, id),
  check (num_nonnulls(user_id, to_environment_id, voucher_id) = 1),
  check (to_environment_id <> environment_id)
);
create index deposit_refunds_of_deposit on deposit_refunds (deposit_id);
create index deposit_refunds_of_recipient on deposit_refunds (environment_id, coalesce(user_id, to_environment_id));
create unique index deposit_refunds_of_case on deposit_refunds (case_id);
alter table deposit_refunds enable row level security;
grant select, insert on deposit_refunds to scrip_server;


-- Onchain vouchers ------------------------------------------------------------------------------------------

alter type ledger_account_kind add value 'vault';
alter type ledger_account_kind add value 'sending';

alter table chain_sends
  add column lane text not null default 'sweep' check (lane in ('sweep', 'payout', 'voucher')),
  add column from_address text check (from_address ~ '^0x[0-9a-f]{40}$'),
  add column gas_max bigint check (gas_max > 0);
alter table chain_sends alter column lane drop default,
  drop constraint chain_sends_outcome_check,
  add constraint chain_sends_outcome_check check (outcome in ('done', 'reverted', 'displaced', 'refused')),
  add check (outcome is distinct from 'refused' or nonce is null);
drop index chain_sends_unsigned;
create index chain_sends_unsigned on chain_sends (lane, id) where nonce is null and ended_at is null;

create table onchain_vouchers (
  voucher_id     uuid primary key,
  environment_id uuid not null,
  network_id     uuid not null references networks,
  vault          text not null check (vault ~ '^0x[0-9a-f]{40}$'),
  token          text not null check (token ~ '^0x[0-9a-f]{40}$'),
  decimals       smallint not null,
  claim_key      text not null check (claim_key ~ '^0x[0-9a-f]{40}$'),
  value          numeric(78, 0) not null check (value > 0),
  is_locked      boolean not null,
  expires_at     timestamptz not null,
  creator        text check (creator ~ '^0x[0-9a-f]{40}$'),
  code_hash      text check (code_hash ~ '^0x[0-9a-f]{64}$'),
  create_send_id uuid references chain_sends,
  state          text not null default 'creating' check (state in ('creating', 'open', 'closed')),
  balance        numeric(78, 0) not null default 0 check (balance >= 0),
  nonce          integer not null default 0,
  create_tx      text,
  closing        text check (closing in ('expiry', 'block', 'cancel', 'replacement')),
  close_send_id  uuid references chain_sends,
  unique (network_id, vault, code_hash),
  check ((creator is null) = (code_hash is null) and (creator is null) = (create_send_id is null))
);
create index onchain_vouchers_unsent on onchain_vouchers (network_id, vault, voucher_id) where create_send_id is null;
create index onchain_vouchers_of_send on onchain_vouchers (create_send_id) where create_send_id is not null;
create index onchain_vouchers_expiring on onchain_vouchers (expires_at) where state <> 'closed';
create index onchain_vouchers_to_close on onchain_vouchers (network_id) where closing is not null and state = 'open';
create index onchain_vouchers_closing on onchain_vouchers (close_send_id) where close_send_id is not null;
grant select, insert on onchain_vouchers to scrip_server;
grant update (creator, code_hash, create_send_id, state, balance, nonce, create_tx, closing, close_send_id)
  on onchain_vouchers to scrip_server;
grant select on onchain_vouchers to scrip_chain;

create table address_redemptions (
  id             uuid primary key,
  environment_id uuid not null,
  voucher_id     uuid not null,
  network_id     uuid not null references networks,
  recipient      text not null check (recipient ~ '^0x[0-9a-f]{40}$'),
  token          text not null check (token ~ '^0x[0-9a-f]{40}$'),
  units          numeric(78, 0) not null check (units > 0),
  gas            numeric(78, 0) not null check (gas >= 0),
  gas_wei        numeric(78, 0) not null check (gas_wei >= 0),
  send_id        uuid references chain_sends,
  vault          text,
  nonce          integer,
  deadline       timestamptz,
  ref_hash       text,
  fee            numeric(78, 0),
  fee_recipient  text,
  ended_at       timestamptz,
  tx_hash        text,
  check (num_nulls(vault, nonce, deadline, ref_hash, fee, fee_recipient) in (0, 6))
);
create unique index address_redemptions_one_open on address_redemptions (voucher_id) where vault is not null and ended_at is null;
create unique index address_redemptions_of_send on address_redemptions (send_id);
create index address_redemptions_overdue on address_redemptions (deadline) where deadline is not null and ended_at is null;
create index address_redemptions_of_voucher on address_redemptions (voucher_id, id);
grant select, insert on address_redemptions to scrip_server;
grant update (ended_at, tx_hash, send_id) on address_redemptions to scrip_server;

create table vault_events (
  id            uuid primary key,
  network_id    uuid not null references networks,
  vault         text not null,
  tx_hash       text not null,
  log_index     integer not null,
  kind          text not null check (kind in ('created', 'redeemed', 'closed')),
  code_hash     text not null,
  amount        numeric(78, 0) not null check (amount >= 0),
  fee           numeric(78, 0) not null check (fee >= 0),
  recipient     text not null,
  fee_recipient text not null,
  reference     text not null,
  nonce         bigint not null,
  block_number  bigint not null,
  mined_at      timestamptz not null,
  seen_at       timestamptz not null,
  gone_at       timestamptz,
  booked_at     timestamptz,
  bookings      integer not null default 0,
  unique (network_id, tx_hash, vault, code_hash, kind, nonce, amount, fee, recipient, fee_recipient, reference)
);
create index vault_events_unbooked on vault_events (network_id, block_number) where booked_at is null and gone_at is null;
create index vault_events_undone on vault_events (id) where booked_at is not null and gone_at is not null;
create index vault_events_of_voucher on vault_events (network_id, vault, code_hash);
create index vault_events_of_block on vault_events (network_id, block_number);
grant select on vault_events to scrip_server;
grant update (booked_at, bookings) on vault_events to scrip_server;
grant select, insert on vault_events to scrip_chain;
grant update (block_number, log_index, mined_at, gone_at) on vault_events to scrip_chain;

create table vault_bookings (
  journal_id uuid primary key,
  event_id   uuid not null references vault_events,
  undone_by  uuid unique
);
create unique index vault_bookings_open on vault_bookings (event_id) where undone_by is null;
grant select, insert on vault_bookings to scrip_server;
grant update (undone_by) on vault_bookings to scrip_server;

create table denied_addresses (
  address   text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  reason    text not null,
  denied_at timestamptz not null
);
grant select on denied_addresses to scrip_server;
grant select, insert, delete on denied_addresses to scrip_operator;


alter table voucher_moves drop constraint voucher_moves_kind_check,
  add constraint voucher_moves_kind_check check (kind in ('refund', 'expiry', 'reopening', 'cancel', 'replacement', 'return')),
  drop constraint voucher_moves_check,
  add constraint voucher_moves_redemption check ((kind in ('refund', 'return')) = (redemption_id is not null));
alter table vouchers add column is_onchain boolean not null default false;
grant update (is_onchain) on vouchers to scrip_server;
alter table voucher_batches add column onchain_network_id uuid references networks;

-- It returns two more columns.
drop function redemptions_of_voucher;
