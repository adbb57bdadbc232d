-- The ledger: books, accounts, journals, transfers, holds and the outbox.
--
-- Inserting transfers IS posting. A trigger moves the balances of the accounts that the inserted transfers
-- name, so that no balance can differ from the sum of its transfers, in whatever way and however many at a
-- time they are inserted. The trigger works on whole statements: one update per account and statement.
--
-- References between these tables are checked by the same triggers, a set at a time. Foreign keys would do
-- the same a row at a time: nine look-ups for a journal of three transfers. docs/decisions/0007 has the figures.
--
-- The server may read, insert and lock. It may set an account's state; every other change is a posting.

grant usage on schema public to scrip_server;

-- A book is a mode and a currency. A test dollar is another currency than a dollar.
create table ledger_books (
  id       smallint generated always as identity primary key,
  mode     text not null check (mode in ('live', 'test')),
  currency text not null check (currency ~ '^[A-Z0-9]{2,12}$'),
  unique (mode, currency)
);
grant select, insert (mode, currency) on ledger_books to scrip_server;

create type ledger_account_kind as enum (
  'voucher', 'merchant', 'merchant_admin', 'fee', 'rounding', 'exchange', 'treasury',
  -- What a batch was paid with and has not yet put on its vouchers.
  'batch',
  -- What expired and does not go back to the payer.
  'unclaimed',
  'wallet', 'deposit', 'gas', 'purse',
  -- What a vault holds is negative, like the treasury. What is on its way to an address waits in an account of its own.
  'vault', 'sending'
);

create type ledger_account_state as enum ('open', 'no_debit', 'closed');

-- An account is named by its book, its owner and its kind, so that a caller needs no look-up to name it.
create table ledger_accounts (
  book_id         smallint not null references ledger_books,
  owner_id        uuid not null,
  kind            ledger_account_kind not null,
  state           ledger_account_state not null default 'open',
  may_go_negative boolean not null,
  -- Minor units. Not bigint: 2^63 wei is only 9.2 ETH.
  balance         numeric(78, 0) not null default 0,
  held            numeric(78, 0) not null default 0,
  -- Counts the journals that moved it and the events about it: the number of the last event. Raised under its lock.
  version         bigint not null default 0,
  primary key (owner_id, kind, book_id),
  constraint ledger_accounts_held_not_negative check (held >= 0),
  constraint ledger_accounts_covered check (may_go_negative or balance >= held),
  constraint ledger_accounts_closed_empty check (state <> 'closed' or (balance = 0 and held = 0))
) with (fillfactor = 75); -- Room on each page, so that a new balance stays on its page and touches no index.
-- Few are blocked, and their issuer wants to see them.
create index ledger_accounts_blocked on ledger_accounts (owner_id) where state = 'no_debit';
grant select, insert (book_id, owner_id, kind, may_go_negative) on ledger_accounts to scrip_server;
-- Also what `select … for no key update` needs.
grant update (state, version) on ledger_accounts to scrip_server;

-- A journal is what one request posted: its transfers and hold moves, under one idempotency key.
create table ledger_journals (
  id          uuid primary key,
  -- SHA-256 of scope and key, its first 128 bits: 16 bytes instead of up to 170, in the one index whose
  -- entries arrive in no order.
  key_hash    uuid not null constraint ledger_journals_key unique,
  -- SHA-256 of what was requested, its first 128 bits.
  fingerprint uuid not null,
  kind        text not null,
  -- Which of the journal's ordered alternatives was posted.
  alternative smallint not null check (alternative >= 0),
  posted_at   timestamptz not null
);
grant select, insert on ledger_journals to scrip_server;

-- A transfer moves an amount from one account to another of the same book.
create table ledger_transfers (
  journal_id uuid not null,
  position   smallint not null,
  -- One book for both sides: a transfer cannot cross currencies or modes.
  book_id    smallint not null,
  from_kind  ledger_account_kind not null,
  to_kind    ledger_account_kind not null,
  from_owner uuid not null,
  to_owner   uuid not null,
  amount     numeric(78, 0) not null,
  primary key (journal_id, position),
  -- NaN is a numeric, and above every number.
  constraint ledger_transfers_positive check (amount > 0 and amount < 'NaN'),
  constraint ledger_transfers_two_accounts check (from_owner <> to_owner or from_kind <> to_kind)
);
-- Counts how often an admin balance was funded. Few transfers are in it.
create index ledger_transfers_to_admin on ledger_transfers (to_owner, book_id) where to_kind = 'merchant_admin';
grant select, insert on ledger_transfers to scrip_server;

-- A hold reserves part of an account until it is settled, released, or expired.
create table ledger_holds (
  id         uuid primary key,
  book_id    smallint not null,
  owner_id   uuid not null,
  kind       ledger_account_kind not null,
  expires_at timestamptz not null,
  remaining  numeric(78, 0) not null default 0,
  constraint ledger_holds_not_overdrawn check (remaining >= 0)
);
create index ledger_holds_open_by_account on ledger_holds (owner_id, kind, book_id, expires_at) where remaining > 0;
create index ledger_holds_open_by_expiry on ledger_holds (expires_at) where remaining > 0;
grant select, insert (id, book_id, owner_id, kind, expires_at) on ledger_holds to scrip_server;

create type ledger_hold_act as enum ('reserve', 'settle', 'release');

-- The changes of holds, each in a journal.
create table ledger_hold_moves (
  journal_id uuid not null,
  position   smallint not null,
  hold_id    uuid not null,
  act        ledger_hold_act not null,
  amount     numeric(78, 0) not null,
  primary key (journal_id, position),
  constraint ledger_hold_moves_positive check (amount > 0 and amount < 'NaN')
);
grant select, insert on ledger_hold_moves to scrip_server;

-- Events, each written in the commit of what it is about.
create table ledger_outbox (
  id             bigint generated always as identity,
  -- None: no money moved, as when a PIN is frozen.
  journal_id     uuid,
  type           text not null,
  payload        json not null,
  created_at     timestamptz not null,
  -- Its id in webhooks and in the API.
  event_id       uuid not null,
  -- The merchant's environment that it is published to.
  environment_id uuid not null,
  object_id      uuid not null,
  -- Rises with everything that happens to the object, assigned under its lock: of two events the later has the higher one.
  sequence       bigint not null,
  -- The transaction that wrote it. Read in order of (txid, id) and below the oldest transaction that is still open, nothing can come
  -- later that would have to be read earlier: docs/decisions/0014.
  txid           xid8 not null default pg_current_xact_id(),
  primary key (txid, id)
);
create index ledger_outbox_by_environment on ledger_outbox (environment_id, txid, id);
-- Events of a journal, and events of an object without one.
create index ledger_outbox_of_journal on ledger_outbox (journal_id) where journal_id is not null;
create index ledger_outbox_of_object on ledger_outbox (object_id) where journal_id is null;
alter table ledger_outbox enable row level security;
-- The server sets neither an event's place in the order nor its transaction.
grant select, insert (journal_id, event_id, environment_id, object_id, sequence, type, payload, created_at) on ledger_outbox
  to scrip_server;

-- Money that an operator's connection brought into a live book. Only the trigger ledger_transfers_enter writes it.
create table ledger_fundings (
  journal_id uuid not null,
  book_id    smallint not null,
  amount     numeric(78, 0) not null check (amount > 0),
  -- The database role that posted it.
  posted_by  text not null,
  primary key (journal_id, book_id)
);
grant select on ledger_fundings to scrip_server;
