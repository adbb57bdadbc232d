-- Payout files, unmatched deposits that belong to a payment, and payment requests by link.

-- step: a kind of outflow
alter table outflows drop constraint outflows_kind_check;
alter table outflows add constraint outflows_kind_check
  check (kind in ('payout', 'payout_batch', 'voucher', 'batch', 'replacement', 'invoice', 'refund')) not valid;

-- step: check the outflows
alter table outflows validate constraint outflows_kind_check;

-- step: payout files
-- A file of payouts. All of it is one outflow, which moves its total to the account of the batch. A worker pays row by row from there.
create table payout_batches (
  environment_id uuid not null references merchant_environments,
  -- That of its outflow, and the owner of the account that its rows are paid from.
  id             uuid not null,
  reference      text not null,
  book_id        smallint not null references ledger_books,
  -- SHA-256 of the file, to warn of one that was submitted before.
  file_digest    text not null,
  -- All rows of the file, including those that were refused when it was checked.
  size           integer not null check (size > 0),
  -- Of the rows that were accepted.
  total          numeric(78, 0) not null check (total > 0),
  -- The staff member who submitted it. None: a key did.
  requested_by   uuid references users,
  created_at     timestamptz not null,
  paid           integer not null default 0 check (paid >= 0),
  refused        integer not null check (refused >= 0),
  -- Of rows that were accepted and could not be paid. It went back to the balance.
  returned       numeric(78, 0) not null default 0 check (returned >= 0 and returned <= total),
  finished_at    timestamptz,
  primary key (environment_id, id),
  constraint payout_batches_rows check (paid + refused <= size)
);
create index payout_batches_unfinished on payout_batches (id) where finished_at is null;
create index payout_batches_by_file on payout_batches (environment_id, file_digest);
alter table payout_batches enable row level security;
grant select, insert on payout_batches to scrip_server;
grant update (paid, refused, returned, finished_at) on payout_batches to scrip_server;

-- The rows of a payout file and their results.
create table payout_rows (
  environment_id uuid not null,
  batch_id       uuid not null,
  -- Counted from 1.
  number         integer not null check (number > 0),
  id             uuid not null,
  -- In the file, as a text editor shows it.
  line           integer not null,
  -- As the file names the recipient, and who that is.
  recipient      text not null,
  name           text not null,
  user_id        uuid references users,
  amount         numeric(78, 0) check (amount > 0),
  -- Of the payout. The file names it, or it is made of the batch's id and the number of the row.
  reference      text not null,
  note           text not null,
  status         text not null check (status in ('waiting', 'paid', 'refused')),
  -- Why it was refused.
  fault          text,
  ended_at       timestamptz,
  primary key (environment_id, id),
  unique (environment_id, batch_id, number),
  check ((status = 'refused') = (fault is not null)),
  check (status = 'refused' or (user_id is not null and amount is not null))
);
create index payout_rows_waiting on payout_rows (environment_id, batch_id, number) where status = 'waiting';
create index payout_rows_refused on payout_rows (environment_id, batch_id, number) where status = 'refused';
alter table payout_rows enable row level security;
grant select, insert on payout_rows to scrip_server;
grant update (status, fault, ended_at) on payout_rows to scrip_server;

-- step: unmatched deposits that belong to a payment
-- The transaction that staff matched it to. Its amount is on the balance.
alter table deposit_cases add column matched_to uuid;
grant update (matched_to) on deposit_cases to scrip_server;

-- step concurrently: unmatched deposits to review
create index concurrently deposit_cases_open on deposit_cases (environment_id, id) where resolved_at is null;

-- step: payment requests by link
-- None while nobody has paid a request by link.
alter table payment_requests alter column user_id drop not null;
grant update (user_id) on payment_requests to scrip_server;
grant update (user_id) on transactions to scrip_server;
