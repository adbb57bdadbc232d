-- The ledger: books, accounts, journals, transfers, holds and the outbox.
--
-- Inserting transfers IS posting. A trigger moves the balances of the accounts that the inserted transfers
-- name, so that no balance can differ from the sum of its transfers, whoever inserts them and however many
-- at a time. The trigger works on whole statements: one update per account and statement, however hot it is.
--
-- References between these tables are checked by the same triggers, a set at a time. Foreign keys would do
-- the same a row at a time: nine look-ups for a journal of three transfers. docs/decisions/0007 has the figures.

-- A book is a mode and a currency. A test dollar is another currency than a dollar.
create table ledger_books (
  id       smallint generated always as identity primary key,
  mode     text not null check (mode in ('live', 'test')),
  currency text not null check (currency ~ '^[A-Z0-9]{2,12}$'),
  unique (mode, currency)
);

create type ledger_account_kind as enum
  ('voucher', 'merchant', 'merchant_admin', 'fee', 'rounding', 'exchange', 'treasury');

create type ledger_account_state as enum ('open', 'no_debit', 'closed');

-- An account is named by its book, its owner and its kind: who knows what he means needs no look-up to name it.
create table ledger_accounts (
  book_id         smallint not null references ledger_books,
  owner_id        uuid not null,
  kind            ledger_account_kind not null,
  state           ledger_account_state not null default 'open',
  may_go_negative boolean not null,
  -- Minor units. Not bigint: 2^63 wei is only 9.2 ETH.
  balance         numeric(78, 0) not null default 0,
  held            numeric(78, 0) not null default 0,
  primary key (owner_id, kind, book_id),
  constraint ledger_accounts_held_not_negative check (held >= 0),
  constraint ledger_accounts_covered check (may_go_negative or balance >= held),
  constraint ledger_accounts_closed_empty check (state <> 'closed' or (balance = 0 and held = 0))
) with (fillfactor = 75); -- Room on each page, so that a new balance stays on its page and touches no index.

create table ledger_journals (
  id          uuid primary key,
  -- SHA-256 of scope and key, its first 128 bits: 16 bytes instead of up to 170, in the one index whose
  -- entries arrive in no order.
  key_hash    uuid not null constraint ledger_journals_key unique,
  -- SHA-256 of what was asked, its first 128 bits.
  fingerprint uuid not null,
  kind        text not null,
  -- Which of the journal's ordered alternatives was posted.
  alternative smallint not null check (alternative >= 0),
  posted_at   timestamptz not null
);

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

-- A hold reserves part of an account until it is settled, released, or dead at its time.
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

create type ledger_hold_act as enum ('reserve', 'settle', 'release');

create table ledger_hold_moves (
  journal_id uuid not null,
  position   smallint not null,
  hold_id    uuid not null,
  act        ledger_hold_act not null,
  amount     numeric(78, 0) not null,
  primary key (journal_id, position),
  constraint ledger_hold_moves_positive check (amount > 0 and amount < 'NaN')
);

-- What must be told to somebody, written in the commit of what it tells.
create table ledger_outbox (
  id         bigint generated always as identity primary key,
  journal_id uuid not null,
  type       text not null,
  payload    json not null,
  created_at timestamptz not null
);

-- Posting ---------------------------------------------------------------------------------------------------

create function ledger_apply_transfers() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  named   bigint;
  changed bigint;
begin
  -- A journal is posted whole: nothing is added to one that an earlier transaction has committed.
  if exists (
    select from (select distinct journal_id from inserted) i left join ledger_journals j on j.id = i.journal_id
    where j.xmin is distinct from pg_current_xact_id()::xid
  ) then
    raise exception 'ledger: a transfer belongs to no journal of this transaction'
      using errcode = 'integrity_constraint_violation';
  end if;

  with move as (
    select book_id, owner_id, kind, sum(delta) as delta, bool_or(debit) as debit
    from (
      select book_id, from_owner as owner_id, from_kind as kind, -amount as delta, true as debit from inserted
      union all
      select book_id, to_owner, to_kind, amount, false from inserted
    ) side
    group by book_id, owner_id, kind
  ), moved as (
    update ledger_accounts a set balance = a.balance + move.delta
    from move
    where a.book_id = move.book_id and a.owner_id = move.owner_id and a.kind = move.kind
      and (a.state = 'open' or (a.state = 'no_debit' and not move.debit))
    returning 1
  )
  select (select count(*) from move), (select count(*) from moved) into named, changed;
  if named <> changed then
    raise exception 'ledger: a transfer names an account that is not in its book, is closed, or may not be debited'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;

create trigger ledger_transfers_apply after insert on ledger_transfers
  referencing new table as inserted for each statement execute function ledger_apply_transfers();

create function ledger_apply_hold_moves() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  named   bigint;
  changed bigint;
begin
  if exists (
    select from (select distinct journal_id from inserted) i left join ledger_journals j on j.id = i.journal_id
    where j.xmin is distinct from pg_current_xact_id()::xid
  ) then
    raise exception 'ledger: a hold move belongs to no journal of this transaction'
      using errcode = 'integrity_constraint_violation';
  end if;

  with move as (
    select hold_id, sum(case act when 'reserve' then amount else -amount end) as delta from inserted group by hold_id
  ), moved as (
    update ledger_holds h set remaining = h.remaining + move.delta from move where h.id = move.hold_id
    returning h.book_id, h.owner_id, h.kind, move.delta
  ), per_account as (
    select book_id, owner_id, kind, sum(delta) as delta, count(*) as holds from moved group by book_id, owner_id, kind
  ), held as (
    update ledger_accounts a set held = a.held + p.delta
    from per_account p
    where a.book_id = p.book_id and a.owner_id = p.owner_id and a.kind = p.kind
      and (a.state = 'open' or p.delta <= 0)
    returning p.holds
  )
  select (select count(*) from move), (select coalesce(sum(holds), 0) from held) into named, changed;
  if named <> changed then
    raise exception 'ledger: a hold move names no hold, or an account that may not be held'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;

create trigger ledger_hold_moves_apply after insert on ledger_hold_moves
  referencing new table as inserted for each statement execute function ledger_apply_hold_moves();

-- What may never happen -------------------------------------------------------------------------------------

create function ledger_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'ledger: % on % is refused: %', tg_op, tg_table_name, tg_argv[0] using errcode = 'insufficient_privilege';
end $$;

create trigger ledger_books_fixed before update or delete or truncate on ledger_books
  for each statement execute function ledger_refuse('a book never changes');
create trigger ledger_journals_fixed before update or delete or truncate on ledger_journals
  for each statement execute function ledger_refuse('a correction is a new journal');
create trigger ledger_transfers_fixed before update or delete or truncate on ledger_transfers
  for each statement execute function ledger_refuse('a correction is a new journal');
create trigger ledger_hold_moves_fixed before update or delete or truncate on ledger_hold_moves
  for each statement execute function ledger_refuse('a correction is a new journal');
create trigger ledger_accounts_kept before delete or truncate on ledger_accounts
  for each statement execute function ledger_refuse('an account is closed, not removed');
create trigger ledger_holds_kept before delete or truncate on ledger_holds
  for each statement execute function ledger_refuse('a hold is released, not removed');
create trigger ledger_accounts_named before update of book_id, owner_id, kind, may_go_negative on ledger_accounts
  for each statement execute function ledger_refuse('an account never changes what it is');
create trigger ledger_holds_named before update of id, book_id, owner_id, kind, expires_at on ledger_holds
  for each statement execute function ledger_refuse('a hold never changes what it is');
create trigger ledger_accounts_closed before update of state on ledger_accounts
  for each row when (old.state = 'closed' and new.state <> 'closed') execute function ledger_refuse('closed is for good');
-- Within posting these updates come from a trigger, so the depth is above 0.
create trigger ledger_accounts_posted before update of balance, held on ledger_accounts
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse('a balance changes only by posting');
create trigger ledger_holds_posted before update of remaining on ledger_holds
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse('a hold changes only by posting');

create function ledger_check_new_accounts() returns trigger language plpgsql as $$
begin
  if exists (
    select from inserted
    where balance <> 0 or held <> 0 or may_go_negative <> (kind in ('exchange', 'treasury'))
  ) then
    raise exception 'ledger: an account begins empty, and only the outside world and an exchange desk may go negative'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger ledger_accounts_begin after insert on ledger_accounts
  referencing new table as inserted for each statement execute function ledger_check_new_accounts();

create function ledger_check_new_holds() returns trigger language plpgsql as $$
begin
  if exists (
    select from inserted i left join ledger_accounts a using (book_id, owner_id, kind)
    where i.remaining <> 0 or a.book_id is null
  ) then
    raise exception 'ledger: a hold begins empty, on an account that is there; its reservation is a move'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger ledger_holds_begin after insert on ledger_holds
  referencing new table as inserted for each statement execute function ledger_check_new_holds();

-- Privileges ------------------------------------------------------------------------------------------------
-- The server may read, insert and lock. It may set an account's state; every other change is a posting.

grant usage on schema public to scrip_server;
grant select on ledger_books, ledger_accounts, ledger_journals, ledger_transfers, ledger_holds, ledger_hold_moves, ledger_outbox
  to scrip_server;
grant insert on ledger_journals, ledger_transfers, ledger_hold_moves, ledger_outbox to scrip_server;
grant insert (mode, currency) on ledger_books to scrip_server;
grant insert (book_id, owner_id, kind, may_go_negative) on ledger_accounts to scrip_server;
grant insert (id, book_id, owner_id, kind, expires_at) on ledger_holds to scrip_server;
-- Also what `select … for no key update` asks for.
grant update (state) on ledger_accounts to scrip_server;
