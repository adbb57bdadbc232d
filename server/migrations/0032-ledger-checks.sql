-- The ledger is checked in the background, a piece at a time.

-- step: what is checked
-- A check adds up the transfers of all accounts in the order of their ids, and then compares each account with its sum.
create table ledger_checks (
  id              integer generated always as identity primary key,
  kind            text not null check (kind in ('recent', 'full')),
  -- Where it begins: a recent check at the sums of the full check before it, a full one at the first journal.
  from_id         uuid not null,
  -- Of a full check: ids from here on are what recent checks read again.
  recent_id       uuid not null,
  -- Journals with lower ids are added up.
  below_id        uuid not null,
  -- Owners up to this one are compared. None: it still adds up.
  compared_owner  uuid,
  started_at      timestamptz not null,
  finished_at     timestamptz,
  -- Its sums were lost, so that another check replaced it.
  was_abandoned   boolean not null default false,
  journals        bigint not null default 0,
  accounts        bigint not null default 0,
  -- Errors and timeouts after which a step was tried again.
  failures        integer not null default 0
);
create unique index ledger_checks_running on ledger_checks ((true)) where finished_at is null and not was_abandoned;
alter table ledger_checks enable row level security;
grant select on ledger_checks to scrip_server;

-- step: sums
-- Unlogged: it is written for each account that a check meets, and can be computed again. A crash of PostgreSQL or a failover empties it,
-- which the next step notices; a full check follows.
create unlogged table ledger_check_sums (
  -- Whether it adds up the ids that recent checks read again, or those before.
  is_recent boolean not null,
  -- An account's, or the id of a hold.
  owner_id  uuid not null,
  -- An account's, or 'hold'. 'check' is a mark that is lost with the sums.
  kind      text not null,
  book_id   smallint not null,
  -- A sum of an older check counts as 0.
  check_id  integer not null,
  total     numeric not null,
  primary key (is_recent, owner_id, kind, book_id)
) with (fillfactor = 75);
alter table ledger_check_sums enable row level security;

-- step: differences
-- What a check found. A row stays for ever; an operator acknowledges it.
create table ledger_differences (
  id              integer generated always as identity primary key,
  check_id        integer not null references ledger_checks,
  -- What is wrong, such as 'balance' or 'no transfers'.
  kind            text not null,
  -- The journal, account or hold.
  subject         text not null,
  -- The part of the tables that has the journal.
  part            text,
  expected        numeric,
  found           numeric,
  found_at        timestamptz not null,
  -- When the operator was alerted. None: the worker is about to.
  alerted_at      timestamptz,
  acknowledged_at timestamptz,
  note            text check (length(note) between 1 and 500)
);
-- The numbers of an account that is in use change with every payment, their difference does not: it is reported once.
create unique index ledger_differences_once on ledger_differences (kind, subject, coalesce(found - expected, 0));
create index ledger_differences_open on ledger_differences (id) where acknowledged_at is null;
alter table ledger_differences enable row level security;
-- The server acknowledges nothing.
grant select, update (alerted_at) on ledger_differences to scrip_server;
grant update (acknowledged_at, note) on ledger_differences to scrip_operator;
