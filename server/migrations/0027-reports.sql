-- The read model of reports: the entries of each merchant's accounts, and their sums by day. Everything in it can be computed again from
-- the ledger. A job writes it, never a payment.

-- step: how far reports are computed
-- One row for each environment whose days are added up.
create table report_progress (
  environment_id uuid primary key references merchant_environments,
  -- The merchant's when its days were added up. In another time zone they are other days.
  time_zone      text not null,
  -- Journals with lower ids are in account_entries and account_days. The others are read from the ledger.
  below_id       uuid not null
);
alter table report_progress enable row level security;
-- Updating is what `select … for share` needs, so that nothing is added while a report is read.
grant select, update (below_id) on report_progress to scrip_server;

-- step: entries of accounts
-- What a journal moved into and out of an account of a merchant. The ledger has no index by account: it would cost every payment.
create table account_entries (
  environment_id uuid not null,
  -- A name of accounts of a merchant, as reports show it: all its platform vouchers are one account. 'others' balances each journal.
  account        text not null,
  book_id        smallint not null,
  journal_id     uuid not null,
  value_in       numeric(78, 0) not null check (value_in >= 0),
  value_out      numeric(78, 0) not null check (value_out >= 0),
  primary key (environment_id, account, book_id, journal_id)
);
alter table account_entries enable row level security;
grant select on account_entries to scrip_server;

-- step: sums of days
-- What the entries of an account come to on a day. Reports add up days, and read single entries only at the edges.
create table account_days (
  environment_id uuid not null,
  account        text not null,
  book_id        smallint not null,
  -- In the time zone of report_progress.
  day            date not null,
  journal_kind   text not null,
  -- The kind of the ledger account on the other side. Empty for the account 'others'.
  other_kind     text not null,
  -- Of vouchers: the first day of the month in which the voucher was issued. Otherwise -infinity.
  issue_month    date not null,
  value_in       numeric(78, 0) not null check (value_in >= 0),
  value_out      numeric(78, 0) not null check (value_out >= 0),
  primary key (environment_id, account, book_id, day, journal_kind, other_kind, issue_month)
);
alter table account_days enable row level security;
grant select on account_days to scrip_server;

-- step: numbers of accounts
-- The numbers that a merchant's own bookkeeping has for accounts of reports.
create table account_numbers (
  merchant_id uuid not null references merchants,
  account     text not null,
  number      text not null check (length(number) between 1 and 40),
  primary key (merchant_id, account)
);
alter table account_numbers enable row level security;
-- Deleted when its number is removed.
grant select, insert, delete, update (number) on account_numbers to scrip_server;

-- step concurrently: batches by their ids
create index concurrently voucher_batches_by_id on voucher_batches using hash (id);
