-- Value that leaves a merchant's balance: one rule for payouts, vouchers, batches, replacements, invoices and refunds of deposits.
-- Outflows of the rolling day are added up in the merchant's home currency, under a lock of its environment. docs/concepts/risk.md
-- has the defaults.

-- What an owner set. No row: the defaults. Within a row null means none.
create table outflow_rules (
  environment_id      uuid primary key references merchant_environments,
  -- Minor units of the home currency. Above this total of the rolling day an outflow waits for staff.
  approval_above      numeric(78, 0) check (approval_above >= 0),
  -- Above this total an outflow is refused.
  daily               numeric(78, 0) check (daily >= 0),
  new_recipient_hours integer not null check (new_recipient_hours between 0 and 720)
);
alter table outflow_rules enable row level security;
grant select, insert, delete on outflow_rules to scrip_server;
grant update (approval_above, daily, new_recipient_hours) on outflow_rules to scrip_server;

-- What left, and what waits to leave, by the hour: a rolling day is the sum of 25 rows at most.
create table outflow_hours (
  environment_id uuid not null,
  hour           timestamptz not null,
  total          numeric(78, 0) not null check (total >= 0),
  primary key (environment_id, hour)
);
alter table outflow_hours enable row level security;
grant select, insert, update (total) on outflow_hours to scrip_server;

-- An outflow that waits for staff, or because its recipient is new. Its amount is held meanwhile.
create table outflows (
  environment_id uuid not null,
  -- That of its transaction, and of what it makes: the payout, the voucher, the batch.
  id             uuid not null,
  kind           text not null check (kind in ('payout', 'voucher', 'batch', 'replacement', 'invoice', 'refund')),
  reference      text not null,
  book_id        smallint not null,
  amount         numeric(78, 0) not null check (amount > 0),
  -- As it was counted, and in which hour.
  home_amount    numeric(78, 0) not null check (home_amount >= 0),
  hour           timestamptz not null,
  -- For the approver: who gets it.
  recipient      text not null,
  -- The staff member who requested it. None: a key did.
  requested_by   uuid,
  needs_approval boolean not null,
  is_approved    boolean not null default false,
  -- Not before: the recipient is new.
  not_before     timestamptz,
  held_until     timestamptz not null,
  -- What is to be done, sealed under a key of the ring: it may carry a lock PIN or codes.
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

-- Each by another person than the one who requested it.
create table outflow_approvals (
  environment_id uuid not null,
  outflow_id     uuid not null,
  approved_by    uuid not null references users,
  created_at     timestamptz not null,
  primary key (environment_id, outflow_id, approved_by)
);
alter table outflow_approvals enable row level security;
grant select, insert on outflow_approvals to scrip_server;
