-- The migrations 0001 to 0023 that the baseline replaced, unchanged: the test of the upgrade applies them and checks their checksums.
-- file 0001-ledger.sql
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
-- file 0002-merchants.sql
-- Merchants, their live and test environments, and the keys to them.

create table merchants (
  id            uuid primary key,
  -- What people type to name a merchant.
  code          text not null unique check (code ~ '^[A-Z0-9]{4,16}$'),
  company_name  text not null check (company_name <> ''),
  trading_name  text not null default '',
  description   text not null default '',
  avatar        text not null default '',
  home_currency text not null,
  -- Rules "today", statements and expiry dates.
  time_zone     text not null,
  created_at    timestamptz not null
);

-- A merchant's data live in an environment. Nothing passes from test to live.
create table merchant_environments (
  id          uuid primary key,
  merchant_id uuid not null references merchants,
  mode        text not null check (mode in ('live', 'test')),
  unique (merchant_id, mode)
);

create table merchant_keys (
  id             uuid primary key,
  environment_id uuid not null references merchant_environments,
  kind           text not null check (kind in ('public', 'secret')),
  name           text not null check (name <> ''),
  -- HMAC-SHA-256 of the key under the server's pepper: a copy of this table opens nothing.
  digest         bytea not null unique check (length(digest) = 32),
  -- A public key whole, of a secret key its beginning and its last four.
  shown          text not null,
  -- Web origins that a browser may call from with this public key. None: any.
  origins        text[] not null default '{}',
  created_at     timestamptz not null,
  last_used_at   timestamptz,
  -- Set by rotation, a day ahead, and by revocation, at once.
  ends_at        timestamptz
);
create index merchant_keys_by_environment on merchant_keys (environment_id, id);

-- Which environment a transaction acts for. What belongs to an environment is seen and written by it alone, whether or
-- not a statement says so: see withEnvironment in base/environment.ts. Unset, nothing is seen.
create function scrip_environment() returns uuid language sql stable as
  $$ select nullif(current_setting('scrip.environment', true), '')::uuid $$;

alter table merchant_keys enable row level security;
create policy merchant_keys_of_environment on merchant_keys using (environment_id = scrip_environment());

-- Who a key belongs to is asked before the environment is known. The owner answers, for one digest at a time.
create function merchant_key_holder(wanted bytea, asked_at timestamptz)
  returns table (
    key_id uuid, kind text, origins text[], ends_at timestamptz, environment_id uuid, mode text, merchant_id uuid
  )
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  -- A minute is exact enough for "last used", and spares a write for every request.
  update merchant_keys set last_used_at = asked_at
    where digest = wanted and (last_used_at is null or last_used_at < asked_at - interval '1 minute');
  select k.id, k.kind, k.origins, k.ends_at, e.id, e.mode, e.merchant_id
    from merchant_keys k join merchant_environments e on e.id = k.environment_id
    where k.digest = wanted and (k.ends_at is null or k.ends_at > asked_at);
$$;
revoke execute on function merchant_key_holder from public;

grant select, insert, update on merchants to scrip_server;
grant select, insert on merchant_environments to scrip_server;
grant select, insert on merchant_keys to scrip_server;
grant update (ends_at) on merchant_keys to scrip_server;
grant execute on function merchant_key_holder to scrip_server;
-- file 0003-catalogue.sql
-- Currencies, networks with their tokens, and exchange rates: data that the operator can change.

create table currencies (
  id           uuid primary key default gen_random_uuid(),
  abbreviation text not null unique check (abbreviation ~ '^[A-Z0-9]{2,12}$'),
  name         text not null,
  symbol       text not null,
  type         text not null check (type in ('Fiat', 'Crypto')),
  -- Of the ledger's unit. Never to be changed once there is a book: it would change what every amount means.
  decimals     smallint not null check (decimals between 0 and 18),
  -- In minor units.
  amount_min   numeric(78, 0) not null check (amount_min > 0),
  amount_max   numeric(78, 0) not null check (amount_max >= amount_min),
  is_active    boolean not null default true,
  created_at   timestamptz not null
);

create table networks (
  id           uuid primary key default gen_random_uuid(),
  abbreviation text not null unique check (abbreviation ~ '^[A-Z0-9]{2,12}$'),
  name         text not null,
  chain_id     bigint not null unique,
  type         text not null default 'EVM' check (type = 'EVM'),
  explorer_url text not null,
  -- A public address, never the operator's own with its key.
  rpc_url      text not null,
  is_active    boolean not null default true
);

-- A currency on a network. One token can have different decimals per network.
create table network_tokens (
  id          uuid primary key default gen_random_uuid(),
  network_id  uuid not null references networks,
  currency_id uuid not null references currencies,
  -- The zero address for the network's own coin.
  address     text not null check (address ~ '^0x[0-9a-fA-F]{40}$'),
  decimals    smallint not null check (decimals between 0 and 36),
  vault       text not null default '' check (vault = '' or vault ~ '^0x[0-9a-fA-F]{40}$'),
  is_active   boolean not null default true,
  unique (network_id, currency_id)
);

-- 1 from = rate to, in major units, as somebody said at a time. The newest of each source counts.
create table exchange_rates (
  from_currency text not null references currencies (abbreviation),
  to_currency   text not null references currencies (abbreviation),
  source        text not null check (source ~ '^[a-z0-9-]{1,32}$'),
  rate          numeric not null check (rate > 0 and rate < 'NaN'),
  said_at       timestamptz not null,
  primary key (from_currency, to_currency, source),
  check (from_currency <> to_currency)
);

grant select, insert, update on currencies, networks, network_tokens, exchange_rates to scrip_server;

-- Decimals by ISO 4217. 18 for tokens, the most that any of their networks has, so that no deposit has to be rounded.
insert into currencies (abbreviation, name, symbol, type, decimals, amount_min, amount_max, created_at)
select abbreviation, name, symbol, type, decimals, amount_min, amount_max * power(10::numeric, decimals), '2026-01-01T00:00:00Z'
from (values
  ('USD', 'US dollar', '$', 'Fiat', 2, 1, 10000000),
  ('EUR', 'Euro', '€', 'Fiat', 2, 1, 10000000),
  ('GBP', 'Pound sterling', '£', 'Fiat', 2, 1, 10000000),
  ('NGN', 'Nigerian naira', '₦', 'Fiat', 2, 1, 10000000000),
  ('KES', 'Kenyan shilling', 'KSh', 'Fiat', 2, 1, 1000000000),
  ('GHS', 'Ghanaian cedi', 'GH₵', 'Fiat', 2, 1, 100000000),
  ('ZAR', 'South African rand', 'R', 'Fiat', 2, 1, 100000000),
  ('XOF', 'West African CFA franc', 'F CFA', 'Fiat', 0, 1, 5000000000),
  ('XAF', 'Central African CFA franc', 'FCFA', 'Fiat', 0, 1, 5000000000),
  ('EGP', 'Egyptian pound', 'E£', 'Fiat', 2, 1, 500000000),
  ('MAD', 'Moroccan dirham', 'DH', 'Fiat', 2, 1, 100000000),
  ('TND', 'Tunisian dinar', 'DT', 'Fiat', 3, 1, 10000000),
  ('UGX', 'Ugandan shilling', 'USh', 'Fiat', 0, 1, 10000000000),
  ('TZS', 'Tanzanian shilling', 'TSh', 'Fiat', 2, 1, 10000000000),
  ('RWF', 'Rwandan franc', 'RF', 'Fiat', 0, 1, 10000000000),
  ('JPY', 'Japanese yen', '¥', 'Fiat', 0, 1, 1000000000),
  ('CNY', 'Chinese yuan', 'CN¥', 'Fiat', 2, 1, 100000000),
  ('INR', 'Indian rupee', '₹', 'Fiat', 2, 1, 1000000000),
  ('AED', 'UAE dirham', 'AED', 'Fiat', 2, 1, 100000000),
  ('KWD', 'Kuwaiti dinar', 'KD', 'Fiat', 3, 1, 10000000),
  ('BHD', 'Bahraini dinar', 'BD', 'Fiat', 3, 1, 10000000),
  ('CHF', 'Swiss franc', 'CHF', 'Fiat', 2, 1, 10000000),
  ('SEK', 'Swedish krona', 'kr', 'Fiat', 2, 1, 100000000),
  ('CAD', 'Canadian dollar', 'CA$', 'Fiat', 2, 1, 10000000),
  ('AUD', 'Australian dollar', 'A$', 'Fiat', 2, 1, 10000000),
  ('BRL', 'Brazilian real', 'R$', 'Fiat', 2, 1, 100000000),
  ('MXN', 'Mexican peso', 'MX$', 'Fiat', 2, 1, 100000000),
  ('BNB', 'BNB', 'BNB', 'Crypto', 18, 1000000000000, 100000),
  ('ETH', 'Ether', 'Ξ', 'Crypto', 18, 1000000000000, 100000),
  ('POL', 'POL', 'POL', 'Crypto', 18, 1000000000000, 100000000),
  ('USDT', 'Tether USD', '₮', 'Crypto', 18, 1000000000000, 10000000),
  ('USDC', 'USD Coin', 'USDC', 'Crypto', 18, 1000000000000, 10000000)
) as seed (abbreviation, name, symbol, type, decimals, amount_min, amount_max);

insert into networks (abbreviation, name, chain_id, explorer_url, rpc_url, is_active) values
  ('BSC', 'BNB Smart Chain', 56, 'https://bscscan.com', 'https://bsc-dataseed.bnbchain.org', true),
  ('ETH', 'Ethereum', 1, 'https://etherscan.io', 'https://ethereum-rpc.publicnode.com', true),
  ('POLYGON', 'Polygon', 137, 'https://polygonscan.com', 'https://polygon-rpc.com', true),
  ('BASE', 'Base', 8453, 'https://basescan.org', 'https://mainnet.base.org', true),
  -- For development, on one's own machine. Switched on there.
  ('LOCAL', 'Local network', 31337, 'http://127.0.0.1:8545', 'http://127.0.0.1:8545', false);

insert into network_tokens (network_id, currency_id, address, decimals)
select n.id, c.id, address, seed.decimals
from (values
  ('BSC', 'BNB', '0x0000000000000000000000000000000000000000', 18),
  ('BSC', 'USDT', '0x55d398326f99059fF775485246999027B3197955', 18),
  ('BSC', 'USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
  ('ETH', 'ETH', '0x0000000000000000000000000000000000000000', 18),
  ('ETH', 'USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6),
  ('ETH', 'USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6),
  ('POLYGON', 'POL', '0x0000000000000000000000000000000000000000', 18),
  ('POLYGON', 'USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6),
  ('POLYGON', 'USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6),
  ('BASE', 'ETH', '0x0000000000000000000000000000000000000000', 18),
  ('BASE', 'USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6),
  ('LOCAL', 'ETH', '0x0000000000000000000000000000000000000000', 18)
) as seed (network, currency, address, decimals)
join networks n on n.abbreviation = seed.network
join currencies c on c.abbreviation = seed.currency;
-- file 0004-customers.sql
-- Customers of a merchant's environment, and how many there are.

create table customers (
  environment_id uuid not null references merchant_environments,
  id             uuid not null,
  email          text not null,
  name           text not null,
  -- The e-mail in lower case: one customer each.
  email_key      text not null,
  -- Name and e-mail in lower case without accents, and the digests of every three letters of it, each with the
  -- environment in it, so that a search touches the entries of its own environment only.
  folded         text not null,
  grams          bigint[] not null,
  created_at     timestamptz not null,
  primary key (environment_id, id),
  constraint customers_email unique (environment_id, email_key)
);
create index customers_by_gram on customers using gin (grams) with (fastupdate = off);

-- Counting a million rows takes longer than a request may; so the number is kept.
create table environment_counts (
  environment_id uuid not null references merchant_environments,
  counted        text not null check (counted in ('customers')),
  total          bigint not null check (total >= 0),
  primary key (environment_id, counted)
);

alter table customers enable row level security;
create policy customers_of_environment on customers using (environment_id = scrip_environment());
alter table environment_counts enable row level security;
create policy environment_counts_of_environment on environment_counts using (environment_id = scrip_environment());

-- Under a policy PostgreSQL uses no index for a condition that could leak what it hides, and containment of arrays is such
-- a one. This asks as the owner, for the transaction's own environment and no other. It is planned for each search anew:
-- what few customers contain is looked up, what many contain is found by walking from the newest.
create function search_customers(wanted bigint[], term text, limit_rows integer)
  returns table (id uuid, email text, name text)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query execute
    'select c.id, c.email, c.name from customers c
     where c.environment_id = $1 and c.grams @> $2 and strpos(c.folded, $3) > 0 order by c.id desc limit $4'
    using scrip_environment(), wanted, term, limit_rows;
end $$;
revoke execute on function search_customers from public;

grant select, insert, delete on customers to scrip_server;
grant update (email, name, email_key, folded, grams) on customers to scrip_server;
grant select, insert, update on environment_counts to scrip_server;
grant execute on function search_customers to scrip_server;
-- file 0005-charges.sql
-- What a redemption costs, who bears it, and what is let off.

-- The operator's rule for a book: a fixed part in minor units, and a share. None: no charge.
create table charge_rules (
  mode      text not null check (mode in ('live', 'test')),
  currency  text not null references currencies (abbreviation),
  fixed     numeric(78, 0) not null check (fixed >= 0 and fixed < 'NaN'),
  -- Parts per million: 15000 is 1.5 %.
  share_ppm integer not null check (share_ppm between 0 and 1000000),
  primary key (mode, currency)
);

create table charge_settings (
  environment_id     uuid primary key references merchant_environments,
  -- Charges come out of the merchant's admin balance, if it covers them.
  takes_from_balance boolean not null
);

-- Let off by the operator, for a time. Of several at once the largest counts.
create table charge_discounts (
  id             uuid primary key,
  environment_id uuid not null references merchant_environments,
  discount_ppm   integer not null check (discount_ppm between 1 and 1000000),
  starts_at      timestamptz not null,
  ends_at        timestamptz not null,
  check (ends_at > starts_at)
);
create index charge_discounts_by_end on charge_discounts (environment_id, ends_at);

alter table charge_settings enable row level security;
create policy charge_settings_of_environment on charge_settings using (environment_id = scrip_environment());
alter table charge_discounts enable row level security;
create policy charge_discounts_of_environment on charge_discounts using (environment_id = scrip_environment());

grant select, insert, update on charge_rules, charge_settings to scrip_server;
grant select, insert on charge_discounts to scrip_server;
-- file 0006-transactions.sql
-- What a merchant sees of its payments: one row each, by the merchant's own reference.

create table transactions (
  -- No foreign keys on what is written with every payment: see docs/decisions/0007.
  environment_id uuid not null,
  -- That of the journal which made it.
  id             uuid not null,
  reference      text not null check (length(reference) between 1 and 128),
  type           text not null check (type in (
    'VOUCHER_REDEMPTION', 'PAYMENT_REQUEST', 'WALLET_DEPOSIT', 'PAYOUT', 'INVOICE_PAYMENT', 'VOUCHER_PURCHASE', 'TRANSFER',
    'FUNDING', 'REFUND', 'REVERSAL', 'ADJUSTMENT')),
  status         text not null check (status in (
    'PENDING', 'PROCESSING', 'APPROVED', 'CANCELED', 'COMPLETED', 'FAILED', 'REFUNDED', 'REVERSED')),
  book_id        smallint not null,
  amount         numeric(78, 0) not null check (amount > 0),
  -- What the payer was charged in all.
  charged        numeric(78, 0) not null check (charged >= amount),
  charge_type    text not null check (charge_type in ('NONE', 'FIXED', 'PERCENTAGE', 'MIXED')),
  metadata       text not null,
  created_at     timestamptz not null,
  primary key (environment_id, id),
  constraint transactions_reference unique (environment_id, reference)
);

alter table transactions enable row level security;
create policy transactions_of_environment on transactions for select using (environment_id = scrip_environment());
-- Written in the commit of their journals, with those of other environments. Nobody may change one.
create policy transactions_written on transactions for insert with check (true);

grant select, insert on transactions to scrip_server;
-- file 0007-vouchers.sql
-- Vouchers. What one is worth is the balance of its ledger account, and nowhere else.

create table vouchers (
  -- Who issued it.
  environment_id uuid not null references merchant_environments,
  -- That of the journal which issued it, and the owner of its account.
  id             uuid not null,
  book_id        smallint not null references ledger_books,
  amount         numeric(78, 0) not null check (amount > 0),
  -- False where the operator or the sandbox put up the value.
  was_paid_for   boolean not null,
  recipient_kind text not null check (recipient_kind in ('nobody', 'merchant', 'email')),
  -- A merchant's code, an e-mail, or nothing.
  recipient      text not null check ((recipient = '') = (recipient_kind = 'nobody')),
  -- Environments where it can be redeemed. None: everywhere.
  only_at        uuid[] not null,
  expires_at     timestamptz,
  -- Which key of the ring made what follows.
  key_id         smallint not null,
  -- HMAC of the code, its first 128 bits: a copy of this table finds no code.
  code_hash      uuid not null constraint vouchers_code unique,
  -- AES-256-GCM, for whoever issued it.
  code_sealed    bytea not null,
  created_at     timestamptz not null,
  primary key (environment_id, id)
);

alter table vouchers enable row level security;
create policy vouchers_of_environment on vouchers for select using (environment_id = scrip_environment());
create policy vouchers_written on vouchers for insert with check (true);

-- A lock pin and how often it was guessed wrong. Its own table, because this changes and a voucher does not.
create table voucher_pins (
  voucher_id   uuid primary key,
  key_id       smallint not null,
  -- HMAC-SHA-256 of voucher id and pin. A slow hash could not protect 10,000 values.
  digest       bytea not null check (length(digest) = 32),
  wrong_in_row smallint not null default 0 check (wrong_in_row between 0 and 5),
  -- Until its issuer resets it; at 10 the voucher is frozen.
  wrong_in_all smallint not null default 0 check (wrong_in_all between 0 and 10),
  locked_until timestamptz
);

create table redemptions (
  voucher_id       uuid not null,
  -- That of its journal and its transaction.
  id               uuid not null,
  environment_id   uuid not null,
  amount           numeric(78, 0) not null check (amount > 0),
  charge           numeric(78, 0) not null check (charge >= 0),
  charged_to       text not null check (charged_to in ('voucher', 'merchant')),
  -- Only where the currency changed: what the merchant got, and at which rate. What rounding left with the exchange desk
  -- is amount × rate − to_amount, exactly.
  to_book_id       smallint,
  to_amount        numeric(78, 0) check (to_amount > 0),
  rate_numerator   numeric,
  rate_denominator numeric,
  rate_source      text,
  rate_said_at     timestamptz,
  created_at       timestamptz not null,
  primary key (voucher_id, id),
  check (num_nulls(to_book_id, to_amount, rate_numerator, rate_denominator, rate_source, rate_said_at) in (0, 6))
);

alter table redemptions enable row level security;
create policy redemptions_of_environment on redemptions for select using (environment_id = scrip_environment());
create policy redemptions_written on redemptions for insert with check (true);

-- A merchant may want its public key not to be enough to redeem.
alter table merchant_environments add column redeem_needs_secret boolean not null default false;
grant update (redeem_needs_secret) on merchant_environments to scrip_server;

-- A frozen pin is told without a movement.
alter table ledger_outbox alter column journal_id drop not null;

-- A voucher with what its account and its pin say. Read by the server it shows an environment's own.
create view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;

-- Whoever has a voucher's code may redeem it, at another merchant than its issuer too. The owner answers, for codes only.
create function vouchers_by_code(wanted uuid[]) returns setof voucher_facts
  language plpgsql stable security definer
  -- Ids by the hundred are always looked up, never searched for by reading the table.
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  -- For a code that is not there some other voucher is read instead, and ignored by who asked: reading a row takes its time,
  -- and the time must not tell a code that nobody has from one that is for other merchants.
  return query
    select f.* from unnest(wanted) as w (hash)
    cross join lateral (
      select coalesce(
        (select v.code_hash from vouchers v where v.code_hash = w.hash),
        (select v.code_hash from vouchers v order by v.code_hash limit 1)) as hash
    ) known
    join voucher_facts f on f.code_hash = known.hash;
end $$;
revoke execute on function vouchers_by_code from public;

-- What a redemption has to know of the merchants that ask for one, for requests of many that are read together. Of several
-- discounts at once the largest counts.
create function merchant_terms(wanted uuid[], asked_at timestamptz)
  returns table (
    environment_id uuid, code text, needs_secret boolean, takes_from_balance boolean, discount_ppm integer
  )
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select e.id, m.code, e.redeem_needs_secret, coalesce(s.takes_from_balance, false),
      coalesce((select max(d.discount_ppm) from charge_discounts d
        where d.environment_id = e.id and d.ends_at > asked_at and d.starts_at <= asked_at), 0)
    from unnest(wanted) as w (id)
    join merchant_environments e on e.id = w.id
    join merchants m on m.id = e.merchant_id
    left join charge_settings s on s.environment_id = e.id;
end $$;
revoke execute on function merchant_terms from public;

-- Where a voucher was redeemed, newest first, for whoever has its code. Who may see the merchants is the caller's to decide.
create function redemptions_of_voucher(wanted uuid, limit_rows integer)
  returns table (id uuid, environment_id uuid, merchant_id uuid, merchant_code text, merchant_name text, amount numeric,
    created_at timestamptz)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select r.id, r.environment_id, m.id, m.code, coalesce(nullif(m.trading_name, ''), m.company_name), r.amount, r.created_at
    from redemptions r
    join merchant_environments e on e.id = r.environment_id
    join merchants m on m.id = e.merchant_id
    where r.voucher_id = wanted order by r.id desc limit limit_rows;
end $$;
revoke execute on function redemptions_of_voucher from public;

grant select, insert on vouchers, redemptions, voucher_pins to scrip_server;
grant select on voucher_facts to scrip_server;
grant update (wrong_in_row, wrong_in_all, locked_until) on voucher_pins to scrip_server;
grant execute on function vouchers_by_code, merchant_terms, redemptions_of_voucher to scrip_server;
-- file 0008-keys-together.sql
-- Who keys belong to, for requests that arrive together: one round instead of two for each request.
drop function merchant_key_holder;

create function merchant_key_holders(wanted bytea[], asked_at timestamptz)
  returns table (
    digest bytea, key_id uuid, kind text, origins text[], ends_at timestamptz, environment_id uuid, mode text,
    merchant_id uuid
  )
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  -- A minute is exact enough for "last used", and spares a write for every request. Nobody waits for it either.
  update merchant_keys set last_used_at = asked_at where id in (
    select k.id from merchant_keys k
    where k.digest = any(wanted) and (k.last_used_at is null or k.last_used_at < asked_at - interval '1 minute')
    for no key update skip locked
  );
  return query
    select k.digest, k.id, k.kind, k.origins, k.ends_at, e.id, e.mode, e.merchant_id
    from merchant_keys k join merchant_environments e on e.id = k.environment_id
    where k.digest = any(wanted) and (k.ends_at is null or k.ends_at > asked_at);
end $$;
revoke execute on function merchant_key_holders from public;
grant execute on function merchant_key_holders to scrip_server;
-- file 0009-voucher-batches.sql
-- Vouchers by the thousand: made in a batch, or brought along from another system.

-- What a batch was paid with and has not yet put on its vouchers.
alter type ledger_account_kind add value 'batch';

create table voucher_batches (
  environment_id uuid not null references merchant_environments,
  -- That of the journal which paid for it, and the owner of its account.
  id             uuid not null,
  reference      text not null,
  book_id        smallint not null references ledger_books,
  size           integer not null check (size between 1 and 10000),
  -- Of each. Null for an import, where every row says its own.
  amount         numeric(78, 0) check (amount > 0),
  total          numeric(78, 0) not null check (total > 0),
  only_at        uuid[] not null,
  expires_at     timestamptz,
  -- Where what is left goes then, as its issuer stated when it was paid for.
  expired_to     text not null check (expired_to in ('payer', 'unclaimed')),
  -- Of an import: codes, balances and pins that have to become vouchers, sealed. Emptied when they all have.
  key_id         smallint,
  rows_sealed    bytea,
  -- Rows of an import whose code became somebody else's between being read and being issued. Their value went back.
  refused_rows   integer[] not null default '{}',
  created_at     timestamptz not null,
  -- When a worker last did a piece of it.
  worked_at      timestamptz,
  -- Every voucher is there.
  finished_at    timestamptz,
  -- Its codes have left the platform. Until then nobody has seen them, its issuer included. Those of an import were out before.
  exported_at    timestamptz,
  primary key (environment_id, id)
);
create index voucher_batches_unfinished on voucher_batches (id) where finished_at is null;

alter table voucher_batches enable row level security;
create policy voucher_batches_of_environment on voucher_batches for select using (environment_id = scrip_environment());
create policy voucher_batches_written on voucher_batches for insert with check (true);
create policy voucher_batches_changed on voucher_batches for update using (environment_id = scrip_environment());

alter table vouchers add column batch_id uuid, add column batch_number integer,
  add constraint vouchers_of_batch check ((batch_id is null) = (batch_number is null));
-- Also what keeps a batch from issuing a voucher twice.
create unique index vouchers_by_batch on vouchers (batch_id, batch_number) where batch_id is not null;

-- A batch that is not finished and that nobody works on, whoever's it is: of each environment its oldest, and of those the one that
-- has waited longest, so that nobody's hundred batches go before another's one. Imports of one environment thereby come one after
-- the other, and cannot both bring the same code along. It stays locked until the end of the transaction: a worker that dies
-- gives it back by dying. One that failed rests for a while.
create function claim_voucher_batch(resting uuid[]) returns setof voucher_batches
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select * from voucher_batches b
    where b.finished_at is null and b.id <> all(resting) and not exists (
      select from voucher_batches older
      where older.environment_id = b.environment_id and older.finished_at is null and older.id < b.id
    )
    order by coalesce(b.worked_at, b.created_at) limit 1 for no key update skip locked;
end $$;
revoke execute on function claim_voucher_batch from public;

create or replace view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;

-- A code has several hashes: under each key of the ring, and as one that only the merchant who brought it along knows. The first of
-- them that there is counts.
drop function vouchers_by_code;
create function vouchers_by_code(wanted uuid[], hashes_each integer) returns setof voucher_facts
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  -- For a code that is not there some other voucher is read instead, and ignored by who asked: reading a row takes its time,
  -- and the time must not tell a code that nobody has from one that is for other merchants.
  return query
    select f.* from generate_series(0, cardinality(wanted) - hashes_each, hashes_each) as w (before)
    cross join lateral (
      select coalesce(
        (select v.code_hash from vouchers v where v.code_hash = wanted[w.before + 1]),
        (select v.code_hash from vouchers v where v.code_hash = wanted[w.before + 2]),
        -- Only of a ring with several keys: to go through a list costs as much again as to look up.
        case when hashes_each > 2 then (
          select v.code_hash from unnest(wanted[w.before + 3 : w.before + hashes_each]) with ordinality as h (hash, place)
          join vouchers v on v.code_hash = h.hash order by h.place limit 1) end,
        (select v.code_hash from vouchers v order by v.code_hash limit 1)) as hash
    ) known
    -- Cut at one, or PostgreSQL may read all vouchers and keep those.
    cross join lateral (select * from voucher_facts v where v.code_hash = known.hash limit 1) f;
end $$;
revoke execute on function vouchers_by_code from public;

grant select, insert on voucher_batches to scrip_server;
grant update (worked_at, finished_at, exported_at, refused_rows, rows_sealed) on voucher_batches to scrip_server;
grant execute on function claim_voucher_batch, vouchers_by_code to scrip_server;
-- file 0010-voucher-lives.sql
-- What happens to a voucher after it was issued: refunds, expiry, cancelling, blocking, replacing.

-- What expired and was not the payer's to have back.
alter type ledger_account_kind add value 'unclaimed';

-- Where what is left on an expired voucher goes. It is stated on every voucher when it is issued.
alter table merchant_environments add column expired_to text not null default 'unclaimed'
  check (expired_to in ('payer', 'unclaimed'));
grant update (expired_to) on merchant_environments to scrip_server;

alter table vouchers
  add column expired_to text not null default 'unclaimed' check (expired_to in ('payer', 'unclaimed')),
  -- What was left has been moved. Until then it is due; reopened, it is due again.
  add column expired_at timestamptz,
  -- It was once, or what it replaces was: its value is the holder's, and where it goes was decided then.
  add column was_expired boolean not null default false,
  -- It was lost, and this one has what was left on it.
  add column replaced_by uuid;
create index vouchers_due on vouchers (expires_at) where expires_at is not null and expired_at is null;
create policy vouchers_changed on vouchers for update using (environment_id = scrip_environment());
grant update (expires_at, expired_at, was_expired, replaced_by) on vouchers to scrip_server;

-- Its issuer may set a new pin.
grant update (key_id, digest) on voucher_pins to scrip_server;

-- What came onto a voucher and left it, apart from redemptions.
create table voucher_moves (
  -- Where the value came from or went to. Of a refund for a cancelled voucher, whose payer got it, that one.
  voucher_id     uuid not null,
  -- That of its journal.
  id             uuid not null,
  -- Whose act it was.
  environment_id uuid not null,
  kind           text not null check (kind in ('refund', 'expiry', 'reopening', 'cancel', 'replacement')),
  amount         numeric(78, 0) not null check (amount > 0),
  -- Of a refund.
  redemption_id  uuid,
  reason         text not null,
  created_at     timestamptz not null,
  primary key (voucher_id, id),
  check ((kind = 'refund') = (redemption_id is not null))
);
alter table voucher_moves enable row level security;
create policy voucher_moves_of_environment on voucher_moves for select using (environment_id = scrip_environment());
create policy voucher_moves_written on voucher_moves for insert with check (true);
grant select, insert on voucher_moves to scrip_server;

create or replace view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number, v.expired_to, v.expired_at, v.was_expired, v.replaced_by
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;

-- A voucher, whoever's it is, locked until the end of the transaction against every other act upon its life. A redemption does
-- not wait for it: that is decided by the account.
create function lock_voucher(wanted uuid) returns setof voucher_facts
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from vouchers v where v.id = wanted for no key update;
  return query select * from voucher_facts where id = wanted;
end $$;
revoke execute on function lock_voucher from public;
-- By its id alone: whoever refunds a redemption need not be who issued the voucher. A hash knows no order: by a tree PostgreSQL
-- would walk through everybody's vouchers, newest first, to find the page of one who has issued few.
create index vouchers_by_id on vouchers using hash (id);

-- Vouchers past their time with something still to be moved, oldest first. One that is held waits until it is not, and one
-- that failed rests for a while.
create function due_vouchers(asked_at timestamptz, resting uuid[], limit_rows integer) returns setof uuid
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select v.id from vouchers v
    join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
    where v.expires_at <= asked_at and v.expired_at is null and a.held = 0 and v.id <> all(resting)
    order by v.expires_at limit limit_rows;
end $$;
revoke execute on function due_vouchers from public;

-- What became of a voucher, newest first, for whoever has its code.
create function history_of_voucher(wanted uuid, limit_rows integer)
  returns table (id uuid, kind text, amount numeric, charge numeric, created_at timestamptz, merchant_name text)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    with moves as (
      (select r.id, 'redemption' as kind, r.amount, case r.charged_to when 'voucher' then r.charge else 0 end as charge,
        r.created_at, r.environment_id
        from redemptions r where r.voucher_id = wanted order by r.id desc limit limit_rows)
      union all
      (select m.id, m.kind, m.amount, 0, m.created_at, m.environment_id
        from voucher_moves m where m.voucher_id = wanted order by m.id desc limit limit_rows)
    )
    select m.id, m.kind, m.amount, m.charge, m.created_at, coalesce(nullif(o.trading_name, ''), o.company_name)
    from moves m
    join merchant_environments e on e.id = m.environment_id
    join merchants o on o.id = e.merchant_id
    order by m.id desc limit limit_rows;
end $$;
revoke execute on function history_of_voucher from public;
grant execute on function lock_voucher, due_vouchers, history_of_voucher to scrip_server;

-- Refunds in parts, and the moves of a transaction's status.
alter table transactions
  add column refunded numeric(78, 0) not null default 0,
  add column updated_at timestamptz,
  add constraint transactions_refunded check (refunded between 0 and amount and (status = 'REFUNDED') = (refunded = amount));
create policy transactions_changed on transactions for update using (environment_id = scrip_environment());
grant update (status, refunded, updated_at) on transactions to scrip_server;

-- The same table as in transaction/status.ts.
create function transactions_check_move() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('PENDING', 'APPROVED'), ('PENDING', 'PROCESSING'), ('PENDING', 'COMPLETED'), ('PENDING', 'CANCELED'), ('PENDING', 'FAILED'),
    ('APPROVED', 'PROCESSING'), ('APPROVED', 'COMPLETED'), ('APPROVED', 'CANCELED'), ('APPROVED', 'FAILED'),
    ('PROCESSING', 'COMPLETED'), ('PROCESSING', 'FAILED'),
    ('COMPLETED', 'REFUNDED'), ('COMPLETED', 'REVERSED')
  ) or new.refunded < old.refunded then
    raise exception 'transactions: % does not become %', old.status, new.status using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger transactions_move after update of status, refunded on transactions
  for each row when (old.status <> new.status or new.refunded < old.refunded) execute function transactions_check_move();
-- file 0011-key-rotation.sql
-- Secrets that are replaced while everything runs.

-- Which key signed its receipt: a repeat is answered with the same receipt, also after a newer key has come.
alter table redemptions add column receipt_key smallint;

-- A key that was stored under an older pepper, under the present one from its next use on. For keys that were just shown:
-- whoever calls this knows both digests, and nobody can without the key.
create function rehash_merchant_keys(old_digests bytea[], new_digests bytea[]) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update merchant_keys k set digest = c.new_digest
    from unnest(old_digests, new_digests) as c (old_digest, new_digest) where k.digest = c.old_digest;
$$;
revoke execute on function rehash_merchant_keys from public;

-- Which keys of the ring the vouchers were made under, how many each, and one of them to try it on. It reads the whole table: for
-- an operator who is about to retire a key, not for requests.
create function key_ring_use() returns table (key_id smallint, vouchers bigint, sample_id uuid, sample_sealed bytea)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select u.key_id, u.vouchers, s.id, s.code_sealed
  from (select v.key_id, count(*) as vouchers, max(v.id::text)::uuid as newest from vouchers v group by v.key_id) u
  join vouchers s on s.id = u.newest
  order by u.key_id;
$$;
revoke execute on function key_ring_use from public;

grant execute on function rehash_merchant_keys, key_ring_use to scrip_server;
-- file 0012-events.sql
-- Events: whose each is, what it is about, and an order in which reading them misses none.

-- How many journals have moved it, and what else was told of it: the number of the last event about it. Raised under its lock.
alter table ledger_accounts add column version bigint not null default 0;
grant update (version) on ledger_accounts to scrip_server;

alter table ledger_outbox
  -- What merchants know it by.
  add column event_id uuid,
  -- Who is told.
  add column environment_id uuid,
  add column object_id uuid,
  -- Rises with everything that happens to the object, assigned under its lock: of two events the later has the higher one.
  add column sequence bigint,
  -- The transaction that wrote it. Read in order of (txid, id) and below the oldest transaction that is still open, nothing can come
  -- later that would have to be read earlier: docs/decisions/0014.
  add column txid xid8;

update ledger_outbox o set event_id = gen_random_uuid(), sequence = known.sequence, txid = '0',
    environment_id = known.environment_id, object_id = known.object_id, payload = known.payload
  from (
    select id, environment_id, object_id, payload, row_number() over (partition by object_id order by id) as sequence
    from (
      select id, coalesce(payload ->> 'environmentId', '00000000-0000-0000-0000-000000000000')::uuid as environment_id,
        coalesce(payload ->> 'voucherId', payload ->> 'batchId', payload ->> 'transactionId', event_id::text,
          '00000000-0000-0000-0000-000000000000')::uuid as object_id,
        (payload::jsonb - 'environmentId')::json as payload
      from ledger_outbox
    ) told
  ) known where known.id = o.id;
update ledger_accounts a set version = told.version
  from (select object_id, max(sequence) as version from ledger_outbox group by object_id) told
  where a.owner_id = told.object_id;

alter table ledger_outbox
  alter column event_id set not null, alter column environment_id set not null, alter column object_id set not null,
  alter column sequence set not null, alter column txid set not null, alter column txid set default pg_current_xact_id(),
  drop constraint ledger_outbox_pkey, add primary key (txid, id);
create index ledger_outbox_by_environment on ledger_outbox (environment_id, txid, id);

alter table ledger_outbox enable row level security;
create policy ledger_outbox_of_environment on ledger_outbox for select using (environment_id = scrip_environment());
create policy ledger_outbox_written on ledger_outbox for insert with check (true);
-- Neither its place in the order nor its transaction is for the server to say.
revoke insert on ledger_outbox from scrip_server;
grant insert (journal_id, event_id, environment_id, object_id, sequence, type, payload, created_at) on ledger_outbox to scrip_server;

create or replace function ledger_apply_transfers() returns trigger
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
    select book_id, owner_id, kind, sum(delta) as delta, bool_or(debit) as debit, count(distinct journal_id) as journals
    from (
      select journal_id, book_id, from_owner as owner_id, from_kind as kind, -amount as delta, true as debit from inserted
      union all
      select journal_id, book_id, to_owner, to_kind, amount, false from inserted
    ) side
    group by book_id, owner_id, kind
  ), moved as (
    update ledger_accounts a set balance = a.balance + move.delta, version = a.version + move.journals
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

-- Claimed by a lock that takes no transaction id: a claim lasts a second, and no event of anybody's can be read past the oldest
-- transaction that has one.
drop function claim_voucher_batch;
create function claim_voucher_batch(resting uuid[]) returns setof voucher_batches
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found voucher_batches;
begin
  for found in
    select * from voucher_batches b
    where b.finished_at is null and b.id <> all(resting) and not exists (
      select from voucher_batches older
      where older.environment_id = b.environment_id and older.finished_at is null and older.id < b.id
    )
    order by coalesce(b.worked_at, b.created_at)
  loop
    if pg_try_advisory_xact_lock(hashtextextended('voucher batch ' || found.id, 0)) then
      -- It may have been finished since the list was read.
      return query select * from voucher_batches b where b.id = found.id and b.finished_at is null;
      return;
    end if;
  end loop;
end $$;
revoke execute on function claim_voucher_batch from public;
grant execute on function claim_voucher_batch to scrip_server;
-- file 0013-webhooks.sql
-- Webhooks: where a merchant wants to be told, what was sent there, and how it was answered.

create table webhook_endpoints (
  environment_id    uuid not null references merchant_environments,
  id                uuid not null unique,
  url               text not null,
  description       text not null,
  -- Types such as voucher.redeemed, or all of a kind such as voucher.*. None: all.
  event_types       text[] not null,
  -- What deliveries are signed with, sealed under a key of the ring.
  key_id            smallint not null,
  secret_sealed     bytea not null,
  -- The one before it signs as well until this time.
  old_key_id        smallint,
  old_secret_sealed bytea,
  old_secret_until  timestamptz,
  status            text not null check (status in ('enabled', 'disabled', 'deleted')),
  -- Why we switched it off, if we did.
  disabled_reason   text not null default '',
  -- The first failure since the last success.
  failing_since     timestamptz,
  -- The number of the last event about it.
  version           integer not null default 0,
  -- It is told what happens from here on: events of earlier transactions are none of it.
  since             xid8 not null default pg_current_xact_id(),
  created_at        timestamptz not null,
  primary key (environment_id, id),
  check (num_nulls(old_key_id, old_secret_sealed, old_secret_until) in (0, 3))
);

-- An event on its way to an endpoint.
create table webhook_deliveries (
  environment_id  uuid not null,
  endpoint_id     uuid not null,
  event_id        uuid not null,
  -- Where it stands in the outbox.
  event_txid      xid8 not null,
  event_number    bigint not null,
  status          text not null check (status in ('pending', 'delivered', 'failed')),
  -- In all, and since it was last begun: a replay begins anew.
  attempts        smallint not null default 0,
  tries           smallint not null default 0,
  -- None: nothing more is to be done.
  next_attempt_at timestamptz,
  created_at      timestamptz not null,
  primary key (endpoint_id, event_id),
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 90);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where next_attempt_at is not null;
create index webhook_deliveries_open on webhook_deliveries (endpoint_id, event_id) where status <> 'delivered';

-- By which they are forgotten.
create index webhook_deliveries_of_event on webhook_deliveries (event_id);

create table webhook_attempts (
  environment_id uuid not null,
  endpoint_id    uuid not null,
  event_id       uuid not null,
  number         smallint not null,
  at             timestamptz not null,
  duration_ms    integer not null,
  -- Of the answer, if there was one; otherwise the failure says why not.
  status_code    smallint,
  failure        text not null,
  -- How the answer began.
  excerpt        text not null,
  primary key (endpoint_id, event_id, number)
);

do $$
declare
  name text;
begin
  foreach name in array array['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy %I on %I using (environment_id = scrip_environment())', name || '_of_environment', name);
    execute format('grant select, insert, update on %I to scrip_server', name);
  end loop;
end $$;

-- Up to where events have been handed to endpoints.
create table webhook_position (
  is_only boolean primary key default true check (is_only),
  txid    xid8 not null,
  number  bigint not null
);
insert into webhook_position (txid, number) values ('0', 0);

-- Makes a delivery of each of the next events for each endpoint that wants it. Says how many events it saw. One worker at a time.
create function fan_out_events(asked_at timestamptz, events_max integer) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  place webhook_position;
  seen  integer;
  last  record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('webhook fan-out', 0)) then return 0; end if;
  select * into place from webhook_position;
  with next as materialized (
    select o.txid, o.id, o.event_id, o.environment_id, o.type from ledger_outbox o
    where (o.txid, o.id) > (place.txid, place.number) and o.txid < pg_snapshot_xmin(pg_current_snapshot())
    order by o.txid, o.id limit events_max
  ), handed as (
    insert into webhook_deliveries
      (environment_id, endpoint_id, event_id, event_txid, event_number, status, next_attempt_at, created_at)
    select n.environment_id, e.id, n.event_id, n.txid, n.id, 'pending', asked_at, asked_at
    from next n join webhook_endpoints e on e.environment_id = n.environment_id
    where e.status = 'enabled' and n.txid >= e.since and n.type <> 'merchant.webhook_test'
      and (e.event_types = '{}' or n.type = any(e.event_types) or split_part(n.type, '.', 1) || '.*' = any(e.event_types))
    on conflict do nothing
  )
  select count(*), (array_agg(n.txid order by n.txid desc, n.id desc))[1] as txid,
      (array_agg(n.id order by n.txid desc, n.id desc))[1] as number
    into last from next n;
  seen := last.count;
  if seen > 0 then update webhook_position set txid = last.txid, number = last.number; end if;
  return seen;
end $$;

-- Endpoints, whoever's they are, to which something is due.
create function due_webhook_endpoints(asked_at timestamptz) returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select e.environment_id, e.id from webhook_endpoints e
  where e.status = 'enabled'
    and exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.next_attempt_at <= asked_at);
$$;

-- Events are told for thirty days at least. Of older ones the oldest are dropped with their deliveries, a few at a time.
create function forget_events(asked_at timestamptz, events_max integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  forgotten integer;
begin
  with old as (
    select * from (
      select txid, id, event_id, environment_id, created_at from ledger_outbox order by txid, id limit events_max
    ) oldest where created_at < asked_at - interval '30 days'
  ), deliveries as (
    delete from webhook_deliveries d using old where d.event_id = old.event_id returning d.endpoint_id, d.event_id
  ), attempts as (
    delete from webhook_attempts a using deliveries d where a.endpoint_id = d.endpoint_id and a.event_id = d.event_id
  ), events as (
    delete from ledger_outbox o using old where o.txid = old.txid and o.id = old.id returning 1
  )
  select count(*) into forgotten from events;
  return forgotten;
end $$;

revoke execute on function fan_out_events, due_webhook_endpoints, forget_events from public;
grant execute on function fan_out_events, due_webhook_endpoints, forget_events to scrip_server;
-- file 0014-mails.sql
-- E-mail: what is to be sent, to whom, and what became of it. Written in the commit of what it tells, sent by the worker.

create table mails (
  id              uuid primary key,
  -- Whose it is.
  environment_id  uuid not null references merchant_environments,
  -- What it is about, such as a transaction.
  about_id        uuid not null,
  recipient       text not null check (recipient <> ''),
  language        text not null check (language in ('en', 'fr')),
  kind            text not null,
  -- What it says. Never a secret.
  content         json not null,
  -- A code that it carries, sealed under a key of the ring, and forgotten as soon as it is sent or given up.
  key_id          smallint,
  secret_sealed   bytea,
  status          text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  attempts        smallint not null default 0,
  -- None: nothing more is to be done.
  next_attempt_at timestamptz,
  -- What the mail server said last.
  said            text not null default '',
  created_at      timestamptz not null,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (num_nulls(key_id, secret_sealed) in (0, 2) and (status = 'pending' or secret_sealed is null))
);
create index mails_due on mails (next_attempt_at) where next_attempt_at is not null;
create index mails_about on mails (environment_id, about_id);

alter table mails enable row level security;
create policy mails_of_environment on mails for select using (environment_id = scrip_environment());
create policy mails_written on mails for insert with check (true);
grant select on mails to scrip_server;
grant insert (id, environment_id, about_id, recipient, language, kind, content, key_id, secret_sealed, next_attempt_at, created_at)
  on mails to scrip_server;

-- Whoever's they are. One worker at a time asks.
create function due_mails(asked_at timestamptz, limit_rows integer) returns setof mails
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select * from mails where next_attempt_at <= asked_at order by next_attempt_at limit limit_rows;
$$;

-- What became of an attempt. Without a next one it was the last.
create function note_mail(wanted uuid, is_sent boolean, next_at timestamptz, answer text) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update mails set attempts = attempts + 1, said = answer, next_attempt_at = next_at,
    status = case when is_sent then 'sent' when next_at is null then 'failed' else 'pending' end,
    key_id = case when next_at is not null then key_id end,
    secret_sealed = case when next_at is not null then secret_sealed end
  where id = wanted;
$$;

-- People's addresses are kept no longer than events. Ids rise with time, so the oldest come first.
create function forget_mails(asked_at timestamptz, mails_max integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  forgotten integer;
begin
  delete from mails m using (select id, created_at from mails order by id limit mails_max) oldest
    where m.id = oldest.id and oldest.created_at < asked_at - interval '30 days';
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
revoke execute on function due_mails, note_mail, forget_mails from public;
grant execute on function due_mails, note_mail, forget_mails to scrip_server;

alter table merchants
  -- Where the merchant is told what concerns its keys and endpoints. Empty: nowhere.
  add column contact_email text not null default '',
  -- What it reads, and its customers unless it says otherwise.
  add column language text not null default 'en' check (language in ('en', 'fr'));

-- Everything that is sealed, not vouchers alone.
drop function key_ring_use;
create function key_ring_use() returns table (key_id smallint, what text, rows bigint, sample_id uuid, sample_sealed bytea)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select distinct on (what, key_id) key_id, what, count(*) over (partition by what, key_id), id, sealed
  from (
    select v.key_id, 'vouchers' as what, v.id, v.code_sealed as sealed from vouchers v
    union all
    select w.key_id, 'webhook secrets', w.id, w.secret_sealed from webhook_endpoints w where w.status <> 'deleted'
    union all
    select w.old_key_id, 'webhook secrets', w.id, w.old_secret_sealed from webhook_endpoints w
      where w.status <> 'deleted' and w.old_key_id is not null
    union all
    select m.key_id, 'mails', m.id, m.secret_sealed from mails m where m.secret_sealed is not null
    union all
    select b.key_id, 'imports', b.id, b.rows_sealed from voucher_batches b where b.rows_sealed is not null
  ) used
  order by what, key_id, id desc;
$$;
revoke execute on function key_ring_use from public;
grant execute on function key_ring_use to scrip_server;
-- file 0015-live.sql
-- Live updates: whose and about what the next events are, for whoever looks at a page. Not what they say.
create function events_after(after_txid xid8, after_number bigint, events_max integer)
  returns table (txid xid8, number bigint, environment_id uuid, object_id uuid)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select o.txid, o.id, o.environment_id, o.object_id from ledger_outbox o
    where (o.txid, o.id) > (after_txid, after_number) and o.txid < pg_snapshot_xmin(pg_current_snapshot())
    order by o.txid, o.id limit events_max;
end $$;
revoke execute on function events_after from public;
grant execute on function events_after to scrip_server;

-- For the owner, after a logical restore into another PostgreSQL, whose transactions are numbered anew: the stored numbers would be ahead
-- of it, and nothing would be told until it had caught up. What was handed out stays handed out, what was not is.
create function restart_events() returns void language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update ledger_outbox o set txid = case when (o.txid, o.id) > (p.txid, p.number) then '1' else '0' end::xid8 from webhook_position p;
  update webhook_deliveries d set event_txid = o.txid from ledger_outbox o where o.event_id = d.event_id;
  update webhook_endpoints set since = '0';
  update webhook_position set txid = '0', number = 9223372036854775807;
end $$;
revoke execute on function restart_events from public;

-- An event's number is never given out twice.
create trigger ledger_accounts_version before update of version on ledger_accounts
  for each row when (new.version < old.version) execute function ledger_refuse('a version only rises');
-- file 0016-people.sql
-- People: who they are, how they sign in, what they did. The tables of a sign-in are written by better-auth: see user/auth.ts.

-- Somebody belongs to a realm: live and test wallets, or the staff of merchants and of the platform. Nothing passes between realms:
-- a test key never meets a real person, and whoever pays in a shop does not run it by the same sign-in.
create table users (
  id                 uuid primary key,
  realm              text not null check (realm in ('live', 'test', 'staff')),
  email              text not null check (email = lower(email)),
  email_verified     boolean not null default true,
  -- Staff have none.
  username           text check (username ~ '^[a-z0-9_.]{3,30}$' and username ~ '[a-z]'),
  -- E.164.
  phone              text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  surname            text not null,
  other_names        text not null,
  avatar             text,
  language           text not null default 'en' check (language in ('en', 'fr')),
  external_id        text not null default '',
  reg_channel        text not null default 'WEB',
  is_active          boolean not null default true,
  -- Merchants find him by e-mail, username or phone.
  is_discoverable    boolean not null default true,
  -- 1: his address is his. 2: the operator knows who he is.
  level              smallint not null default 1 check (level in (1, 2)),
  is_operator        boolean not null default false check (not is_operator or realm = 'staff'),
  two_factor_enabled boolean not null default false,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  constraint users_email unique (realm, email),
  constraint users_username unique (realm, username),
  constraint users_phone unique (realm, phone)
);

-- A sign-in looks for an address in its own realm only.
create view live_users as select * from users where realm = 'live';
create view test_users as select * from users where realm = 'test';
create view staff_users as select * from users where realm = 'staff';

create table user_logins (
  id          uuid primary key,
  user_id     uuid not null references users,
  account_id  uuid not null,
  provider_id text not null check (provider_id = 'credential'),
  -- Argon2id.
  password    text not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  constraint user_logins_one unique (user_id, provider_id)
);

-- The token alone opens nothing: a browser shows it signed.
create table user_sessions (
  id         uuid primary key,
  user_id    uuid not null references users,
  token      text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  -- It was begun with a passkey, which is worth a pin for a while.
  passkey_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index user_sessions_by_user on user_sessions (user_id);
create index user_sessions_by_end on user_sessions (expires_at);

create table user_challenges (
  id         uuid primary key,
  identifier text not null,
  value      text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index user_challenges_by_name on user_challenges (identifier);
create index user_challenges_by_end on user_challenges (expires_at);

create table user_passkeys (
  id            uuid primary key,
  user_id       uuid not null references users,
  name          text,
  public_key    text not null,
  credential_id text not null unique,
  -- Up to 2^32, as a number that the library can compare.
  counter       double precision not null,
  device_type   text not null,
  backed_up     boolean not null,
  transports    text,
  aaguid        text,
  created_at    timestamptz
);
create index user_passkeys_by_user on user_passkeys (user_id);

create table user_two_factors (
  id           uuid primary key,
  user_id      uuid not null references users,
  secret       text not null,
  backup_codes text not null,
  verified     boolean not null,
  failures     integer not null default 0,
  locked_until timestamptz
);
create index user_two_factors_by_user on user_two_factors (user_id);

-- A link in a mail: to sign up, to set a new password, to join a merchant's staff. One is made for every address that asks, whether or
-- not somebody has it, so that neither the answer nor its time tells.
create table user_links (
  -- SHA-256 of the token.
  digest     bytea primary key,
  realm      text not null,
  purpose    text not null check (purpose in ('sign_up', 'reset', 'invite')),
  email      text not null,
  -- What it is for, such as the name and the password's hash of who signs up.
  content    json not null,
  expires_at timestamptz not null
);
create index user_links_by_end on user_links (expires_at);
create index user_links_by_email on user_links (email);

-- As voucher_pins.
create table user_pins (
  user_id      uuid primary key references users,
  key_id       smallint not null,
  digest       bytea not null check (length(digest) = 32),
  wrong_in_row smallint not null default 0 check (wrong_in_row between 0 and 5),
  wrong_in_all smallint not null default 0 check (wrong_in_all between 0 and 10),
  locked_until timestamptz
);

-- Whom a person does not want to be asked by.
create table user_blocks (
  user_id     uuid not null references users,
  merchant_id uuid not null references merchants,
  created_at  timestamptz not null,
  primary key (user_id, merchant_id)
);

create table merchant_members (
  merchant_id uuid not null references merchants,
  user_id     uuid not null references users,
  role        text not null check (role in ('owner', 'developer', 'cashier', 'accountant')),
  created_at  timestamptz not null,
  primary key (merchant_id, user_id)
);
create index merchant_members_by_user on merchant_members (user_id);

-- Who did what. Written before it is done; without a status it is not known whether it was.
create table acts (
  id          uuid primary key,
  user_id     uuid not null references users,
  -- Whose business it was, if a merchant's.
  merchant_id uuid,
  mode        text check (mode in ('live', 'test')),
  operation   text not null,
  -- What it was done to, as the address named it.
  object      text not null,
  address     text not null,
  status      smallint,
  created_at  timestamptz not null
);
create index acts_by_user on acts (user_id, id);
create index acts_by_merchant on acts (merchant_id, id) where merchant_id is not null;

-- A person's mail belongs to no environment.
alter table mails alter column environment_id drop not null;

-- Nobody signs in by what is over.
create function forget_sign_ins(asked_at timestamptz) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from user_sessions where expires_at < asked_at;
  delete from user_challenges where expires_at < asked_at;
  delete from user_links where expires_at < asked_at;
$$;
revoke execute on function forget_sign_ins from public;
grant execute on function forget_sign_ins to scrip_server;

grant select, insert on users, user_logins, user_pins, user_blocks, merchant_members, acts to scrip_server;
grant select, insert, update, delete on user_sessions, user_challenges, user_passkeys, user_two_factors to scrip_server;
grant select, insert, delete on user_links to scrip_server;
grant select, update on live_users, test_users, staff_users to scrip_server;
grant update (username, phone, surname, other_names, avatar, language, is_active, is_discoverable, level, is_operator,
  two_factor_enabled, updated_at) on users to scrip_server;
grant update (password, updated_at) on user_logins to scrip_server;
grant update (key_id, digest, wrong_in_row, wrong_in_all, locked_until) on user_pins to scrip_server;
grant update (role), delete on merchant_members to scrip_server;
grant delete on user_blocks to scrip_server;
grant update (status) on acts to scrip_server;
-- file 0017-wallets.sql
-- Wallets: an account for each person and currency. What a person does with money, and what merchants ask of people and pay them.

alter type ledger_account_kind add value 'wallet';

-- Which person a transaction acts for, as scrip_environment() for a merchant. What is somebody's own nobody else reads.
create function scrip_user() returns uuid language sql stable as
  $$ select nullif(current_setting('scrip.user', true), '')::uuid $$;

-- What came into a wallet and left it. An exchange has one of each.
create table wallet_moves (
  user_id    uuid not null,
  -- That of its journal.
  id         uuid not null,
  book_id    smallint not null,
  kind       text not null check (kind in (
    'redeemed', 'bought', 'sent', 'received', 'exchanged', 'paid', 'paid_out', 'refunded', 'returned', 'funded')),
  -- Below zero where it left.
  amount     numeric(78, 0) not null check (amount <> 0),
  -- With whom, by name.
  with_name  text not null,
  note       text not null,
  -- What 1 of what left was worth of what came, where the currency changed.
  rate_numerator   numeric,
  rate_denominator numeric,
  created_at timestamptz not null,
  primary key (user_id, id, book_id)
);
alter table wallet_moves enable row level security;
create policy wallet_moves_of_user on wallet_moves for select using (user_id = scrip_user());
create policy wallet_moves_written on wallet_moves for insert with check (true);
grant select, insert on wallet_moves to scrip_server;

-- What a person whose standing is no more than this may send, spend and give in a day. None: all that he has.
create table wallet_limits (
  mode     text not null check (mode in ('live', 'test')),
  currency text not null references currencies (abbreviation),
  level    smallint not null check (level in (1, 2)),
  daily    numeric(78, 0) not null check (daily >= 0),
  primary key (mode, currency, level)
);
grant select, insert on wallet_limits to scrip_server;
grant update (daily) on wallet_limits to scrip_server;

-- Whom it concerns, if a person.
alter table transactions add column user_id uuid;
create policy transactions_of_user on transactions for select using (user_id = scrip_user());

-- Redeemed into a person's wallet, by the platform's own shop.
alter table redemptions add column user_id uuid;
drop function redemptions_of_voucher;
create function redemptions_of_voucher(wanted uuid, limit_rows integer)
  returns table (id uuid, environment_id uuid, user_id uuid, merchant_id uuid, merchant_code text, merchant_name text,
    amount numeric, created_at timestamptz)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select r.id, r.environment_id, r.user_id, m.id, m.code, coalesce(nullif(m.trading_name, ''), m.company_name), r.amount,
      r.created_at
    from redemptions r
    join merchant_environments e on e.id = r.environment_id
    join merchants m on m.id = e.merchant_id
    where r.voucher_id = wanted order by r.id desc limit limit_rows;
end $$;
revoke execute on function redemptions_of_voucher from public;
grant execute on function redemptions_of_voucher to scrip_server;

-- Bought by a person, out of his wallet; perhaps for another.
alter table vouchers
  add column buyer_id uuid,
  drop constraint vouchers_recipient_kind_check,
  add constraint vouchers_recipient_kind_check check (recipient_kind in ('nobody', 'merchant', 'email', 'user'));
create index vouchers_by_buyer on vouchers (buyer_id, id) where buyer_id is not null;
create index vouchers_by_recipient on vouchers (lower(recipient), id) where recipient_kind in ('user', 'email');
create or replace view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number, v.expired_to, v.expired_at, v.was_expired, v.replaced_by, v.buyer_id
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;

-- Those that a person bought, also for others, and was given: by his name or to his address, which he has proved.
create function vouchers_of_user(wanted uuid, before uuid, limit_rows integer) returns setof voucher_facts
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select f.* from (
      (select v.id from vouchers v where v.buyer_id = wanted and v.id < before
        order by v.id desc limit limit_rows)
      union
      (select v.id from vouchers v where lower(v.recipient) = wanted::text and v.recipient_kind = 'user'
          and v.id < before order by v.id desc limit limit_rows)
      union
      (select v.id from users u
        join vouchers v on lower(v.recipient) = u.email and v.recipient_kind = 'email'
        join ledger_books b on b.id = v.book_id and b.mode = u.realm
        where u.id = wanted and v.batch_id is null and v.id < before order by v.id desc limit limit_rows)
      order by id desc limit limit_rows
    ) mine
    cross join lateral (select * from voucher_facts where voucher_facts.id = mine.id limit 1) f
    order by f.id desc;
end $$;
revoke execute on function vouchers_of_user from public;
grant execute on function vouchers_of_user to scrip_server;

-- Asks a person for money. What became of it is the status of its transaction.
create table payment_requests (
  environment_id uuid not null,
  -- That of its transaction.
  id             uuid primary key,
  user_id        uuid not null references users,
  note           text not null,
  expires_at     timestamptz not null,
  -- What left his wallet, if he authorised it.
  paid_book_id   smallint,
  paid_amount    numeric(78, 0),
  -- None: it is open.
  ended_at       timestamptz
);
create index payment_requests_open on payment_requests (user_id, environment_id) where ended_at is null;
create index payment_requests_due on payment_requests (expires_at) where ended_at is null;
alter table payment_requests enable row level security;
create policy payment_requests_seen on payment_requests for select
  using (environment_id = scrip_environment() or user_id = scrip_user());
create policy payment_requests_written on payment_requests for insert with check (true);
create policy payment_requests_ended on payment_requests for update using (environment_id = scrip_environment());
grant select, insert on payment_requests to scrip_server;
grant update (ended_at, paid_book_id, paid_amount) on payment_requests to scrip_server;

-- Whoever's they are.
create function due_payment_requests(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select r.environment_id, r.id from payment_requests r
    where r.expires_at <= asked_at and r.ended_at is null and r.id <> all(resting) order by r.expires_at limit limit_rows;
$$;
revoke execute on function due_payment_requests from public;
grant execute on function due_payment_requests to scrip_server;

-- Pays a person. What became of it is the status of its transaction.
create table payouts (
  environment_id uuid not null,
  -- That of its transaction.
  id             uuid not null,
  user_id        uuid not null references users,
  -- In what it arrives.
  to_book_id     smallint not null,
  network        text not null,
  -- Who of the staff asked for it. None: a key did.
  asked_by       uuid,
  approved_by    uuid,
  -- Waits for a second person.
  needs_approval boolean not null,
  -- The merchant's day that it counts for.
  day            date not null,
  -- Not before: the recipient is new.
  not_before     timestamptz,
  -- Until then the money is held.
  held_until     timestamptz,
  ended_at       timestamptz,
  created_at     timestamptz not null,
  primary key (environment_id, id)
);
create index payouts_by_recipient on payouts (environment_id, user_id);
create index payouts_due on payouts (least(not_before, held_until)) where ended_at is null;
alter table payouts enable row level security;
create policy payouts_of_environment on payouts using (environment_id = scrip_environment()) with check (true);
grant select, insert on payouts to scrip_server;
grant update (approved_by, ended_at) on payouts to scrip_server;

create function due_payouts(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select p.environment_id, p.id from payouts p
    where p.ended_at is null and least(p.not_before, p.held_until) <= asked_at and p.id <> all(resting)
      and (p.held_until <= asked_at or not p.needs_approval or p.approved_by is not null)
    order by least(p.not_before, p.held_until) limit limit_rows;
$$;
revoke execute on function due_payouts from public;
grant execute on function due_payouts to scrip_server;

-- What an owner set against a stolen key: it cannot pay out more in a day, nor more at once without a second person.
create table payout_limits (
  environment_id uuid not null references merchant_environments,
  book_id        smallint not null,
  daily          numeric(78, 0) check (daily >= 0),
  approval_above numeric(78, 0) check (approval_above >= 0),
  primary key (environment_id, book_id)
);
alter table payout_limits enable row level security;
create policy payout_limits_of_environment on payout_limits using (environment_id = scrip_environment());
grant select, insert on payout_limits to scrip_server;
grant update (daily, approval_above) on payout_limits to scrip_server;

-- What was paid out in a day of the merchant's, and waits to be: counted only where there is a cap, under the lock of its row.
create table payout_days (
  environment_id uuid not null,
  book_id        smallint not null,
  day            date not null,
  total          numeric(78, 0) not null check (total >= 0),
  primary key (environment_id, book_id, day)
);
alter table payout_days enable row level security;
create policy payout_days_of_environment on payout_days using (environment_id = scrip_environment());
grant select, insert on payout_days to scrip_server;
grant update (total) on payout_days to scrip_server;

-- How many hours a payout to a new recipient waits. None said: a day, and in test mode not at all.
alter table merchant_environments add column new_recipient_hours integer check (new_recipient_hours between 0 and 720);
grant update (new_recipient_hours) on merchant_environments to scrip_server;
-- file 0018-invoices.sql
-- Invoices that outsiders submit to a merchant. Approved, one is paid by a voucher.

-- What a merchant takes invoices in.
create table invoice_currencies (
  environment_id uuid not null references merchant_environments,
  currency       text not null references currencies (abbreviation),
  primary key (environment_id, currency)
);
alter table invoice_currencies enable row level security;
create policy invoice_currencies_of_environment on invoice_currencies using (environment_id = scrip_environment());
grant select, insert, delete on invoice_currencies to scrip_server;

-- An approved invoice that the balance did not cover is paid when it does, oldest approval first, if the merchant chose so.
alter table merchant_environments add column pays_invoices boolean not null default false;
grant update (pays_invoices) on merchant_environments to scrip_server;

-- The last number of each year. Taken in the commit of its invoice, so that there is no gap.
create table invoice_years (
  environment_id uuid not null,
  year           smallint not null,
  last           integer not null,
  primary key (environment_id, year)
);
alter table invoice_years enable row level security;
create policy invoice_years_of_environment on invoice_years using (environment_id = scrip_environment());
grant select, insert on invoice_years to scrip_server;
grant update (last) on invoice_years to scrip_server;

create table invoices (
  environment_id uuid not null references merchant_environments,
  id             uuid not null,
  number         text not null,
  status         text not null check (status in ('Pending', 'Approved', 'Rejected')),
  email          text not null check (email = lower(email)),
  full_name      text not null,
  book_id        smallint not null references ledger_books,
  total          numeric(78, 0) not null check (total > 0),
  network        text not null,
  invoice_date   timestamptz not null,
  due_date       timestamptz not null check (due_date >= invoice_date),
  on_chain       boolean not null default false,
  reason         text not null default '',
  decided_at     timestamptz,
  paid_at        timestamptz,
  voucher_id     uuid,
  created_at     timestamptz not null,
  primary key (environment_id, id),
  constraint invoices_number unique (environment_id, number),
  check ((status = 'Pending') = (decided_at is null)),
  check (paid_at is null or status = 'Approved'),
  check ((paid_at is null) = (voucher_id is null))
);
create index invoices_by_status on invoices (environment_id, status, id);
create index invoices_pending_by_email on invoices (environment_id, email) where status = 'Pending';
create index invoices_unpaid on invoices (decided_at) where status = 'Approved' and paid_at is null;
alter table invoices enable row level security;
create policy invoices_of_environment on invoices using (environment_id = scrip_environment());
grant select, insert on invoices to scrip_server;
grant update (status, on_chain, reason, decided_at, paid_at, voucher_id) on invoices to scrip_server;

create table invoice_items (
  environment_id uuid not null,
  invoice_id     uuid not null,
  id             uuid not null,
  position       smallint not null,
  description    text not null,
  -- To six decimals, as it was written.
  quantity       numeric(20, 6) not null check (quantity > 0),
  unit_price     numeric(78, 0) not null check (unit_price >= 0),
  total          numeric(78, 0) not null check (total >= 0),
  primary key (environment_id, invoice_id, position)
);
alter table invoice_items enable row level security;
create policy invoice_items_of_environment on invoice_items using (environment_id = scrip_environment());
grant select, insert on invoice_items to scrip_server;

alter table environment_counts drop constraint environment_counts_counted_check,
  add constraint environment_counts_counted_check
    check (counted in ('customers', 'invoices', 'Pending', 'Approved', 'Rejected'));

-- The oldest that waits for money, of each merchant that wants it paid by itself and each currency: one that is not covered
-- keeps those behind it, which were approved later.
create function due_invoices(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select first.environment_id, first.id from (
    select distinct on (i.environment_id, i.book_id) i.environment_id, i.id, i.decided_at, i.book_id, i.total
    from invoices i join merchant_environments e on e.id = i.environment_id and e.pays_invoices
    where i.status = 'Approved' and i.paid_at is null and i.decided_at <= asked_at
    order by i.environment_id, i.book_id, i.decided_at, i.id
  ) first
  join ledger_accounts a on a.owner_id = first.environment_id and a.kind = 'merchant' and a.book_id = first.book_id
  where a.balance - a.held >= first.total and first.id <> all(resting) order by first.decided_at limit limit_rows;
$$;
revoke execute on function due_invoices from public;
grant execute on function due_invoices to scrip_server;
-- file 0019-chain.sql
-- Blockchains: what was read of them, which addresses are ours, and what came in there.
alter type ledger_account_kind add value 'deposit';

alter table networks
  -- Play money and real coins never meet.
  add column mode text not null default 'live' check (mode in ('live', 'test')),
  -- Deposit addresses are of this contract, and what is swept goes to the treasury. None: no deposits here.
  add column factory text check (factory ~ '^0x[0-9a-f]{40}$'),
  add column treasury text check (treasury ~ '^0x[0-9a-f]{40}$'),
  -- What the contract makes at an address, as a hash: with it an address is computed without asking anybody.
  add column sweeper_hash text check (sweeper_hash ~ '^0x[0-9a-f]{64}$'),
  -- How many blocks have to be above a final one. None: the nodes say what is final.
  add column final_depth integer check (final_depth > 0),
  add constraint networks_deposits check ((factory is null) = (treasury is null) and (factory is null) = (sweeper_hash is null));
update networks set mode = 'test' where abbreviation = 'LOCAL';

-- The newest blocks that were read, each the child of the one before.
create table chain_blocks (
  network_id uuid not null references networks,
  number     bigint not null,
  hash       text not null,
  parent     text not null,
  mined_at   timestamptz not null,
  primary key (network_id, number)
);
grant select, insert, delete on chain_blocks to scrip_server;

-- Up to where a network is final: nothing of what was read there is expected to change.
create table chain_finality (
  network_id uuid primary key references networks,
  number     bigint not null,
  -- By the clock of that block, and by ours.
  mined_at   timestamptz not null,
  said_at    timestamptz not null,
  -- What a unit of gas costs, in wei.
  gas_price  numeric(78, 0) not null
);
grant select, insert, update on chain_finality to scrip_server;

-- Addresses that are ours, and whose payments they take.
create table chain_addresses (
  network_id uuid not null references networks,
  address    text not null check (address ~ '^0x[0-9a-f]{40}$'),
  owner_id   uuid not null,
  salt       text not null,
  primary key (network_id, address)
);
grant select, insert on chain_addresses to scrip_server;

-- What came in at one of them. A payment that a reorganisation took away is kept, since it usually comes again in another block.
create table chain_payments (
  id           uuid primary key,
  network_id   uuid not null references networks,
  tx_hash      text not null,
  -- Of a token: where in its block. -1 is coin, -2 is coin that a contract sent, found by a balance.
  log_index    integer not null check (log_index >= -2),
  owner_id     uuid not null,
  address      text not null,
  -- The zero address for coin.
  token        text not null,
  -- In units of the token on this network.
  amount       numeric(78, 0) not null check (amount > 0),
  block_number bigint not null,
  mined_at     timestamptz not null,
  seen_at      timestamptz not null,
  -- Its block is no longer one.
  gone_at      timestamptz,
  -- In the ledger. How often it was, counting those that were undone.
  booked_at    timestamptz,
  bookings     smallint not null default 0,
  -- Towards what its owner asked for. What is not is a case.
  is_counted   boolean not null default false,
  unique (network_id, tx_hash, log_index)
);
create index chain_payments_unbooked on chain_payments (network_id, block_number) where booked_at is null and gone_at is null;
create index chain_payments_undone on chain_payments (network_id, block_number) where booked_at is not null and gone_at is not null;
create index chain_payments_of_block on chain_payments (network_id, block_number);
create index chain_payments_of_owner on chain_payments (owner_id);
grant select, insert on chain_payments to scrip_server;
grant update (block_number, mined_at, gone_at, booked_at, bookings, is_counted) on chain_payments to scrip_server;

-- Addresses that somebody was asked to pay to. What became of it is the status of its transaction.
create table deposits (
  environment_id uuid not null references merchant_environments,
  -- That of its transaction.
  id             uuid primary key,
  network_id     uuid not null references networks,
  address        text not null,
  token          text not null,
  -- How many minor units of the ledger a unit of the token on this network is.
  unit           numeric(78, 0) not null check (unit > 0),
  pay_book_id    smallint not null references ledger_books,
  -- What is to be paid, charges included, and the charges in it. Minor units of the ledger, whole units of the token.
  to_deposit     numeric(78, 0) not null check (to_deposit > 0 and to_deposit % unit = 0),
  charge         numeric(78, 0) not null check (charge >= 0 and charge < to_deposit),
  rate_numerator   numeric(78, 0) not null,
  rate_denominator numeric(78, 0) not null,
  -- What may be missing.
  tolerance      numeric(78, 0) not null check (tolerance >= 0 and tolerance < to_deposit),
  -- What was paid in time, final.
  paid           numeric(78, 0) not null default 0 check (paid >= 0),
  -- What the merchant was credited, and out of how much of it, once that was enough.
  credited       numeric(78, 0) not null default 0 check (credited >= 0),
  swapped        numeric(78, 0) not null default 0 check (swapped >= 0),
  expires_at     timestamptz not null,
  -- None: it waits for money.
  ended_at       timestamptz
);
create index deposits_open on deposits (network_id, expires_at) where ended_at is null;
alter table deposits enable row level security;
create policy deposits_seen on deposits for select using (environment_id = scrip_environment());
create policy deposits_written on deposits for insert with check (true);
create policy deposits_changed on deposits for update using (environment_id = scrip_environment());
grant select, insert on deposits to scrip_server;
grant update (paid, credited, swapped, expires_at, ended_at) on deposits to scrip_server;

-- Money that came in and is not what was asked for. It waits in the ledger, in the account of its deposit.
create table deposit_cases (
  environment_id uuid not null references merchant_environments,
  id             uuid primary key,
  deposit_id     uuid not null references deposits,
  kind           text not null check (kind in ('under', 'over', 'late', 'wrong_token', 'reversed')),
  book_id        smallint not null references ledger_books,
  amount         numeric(78, 0) not null check (amount > 0),
  opened_at      timestamptz not null,
  resolved_at    timestamptz,
  resolution     text not null default ''
);
create index deposit_cases_of_environment on deposit_cases (environment_id, id);
create index deposit_cases_of_deposit on deposit_cases (deposit_id);
alter table deposit_cases enable row level security;
create policy deposit_cases_of_environment on deposit_cases using (environment_id = scrip_environment());
grant select, insert on deposit_cases to scrip_server;
grant update (resolved_at, resolution) on deposit_cases to scrip_server;

-- How much less than asked a merchant takes for paid, in parts per million.
alter table merchant_environments add column deposit_tolerance_ppm integer not null default 0
  check (deposit_tolerance_ppm between 0 and 50000);
grant update (deposit_tolerance_ppm) on merchant_environments to scrip_server;

-- Whose a deposit is, for work that nobody asked for.
create function deposit_owner(wanted uuid) returns uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select environment_id from deposits where id = wanted;
$$;
revoke execute on function deposit_owner from public;
grant execute on function deposit_owner to scrip_server;

-- Those whose time was over in a block that is final, so that no payment in time can still appear.
create function due_deposits(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select d.environment_id, d.id from deposits d join chain_finality f on f.network_id = d.network_id
  where d.ended_at is null and d.expires_at < f.mined_at and d.expires_at < asked_at and d.id <> all(resting)
    and not exists (select from chain_payments p where p.owner_id = d.id and p.gone_at is null and p.booked_at is null)
  order by d.expires_at limit limit_rows;
$$;
revoke execute on function due_deposits from public;
grant execute on function due_deposits to scrip_server;
-- file 0020-sending.sql
-- Sending to blockchains, and sweeping what came in there to the treasury.
alter type ledger_account_kind add value 'gas';
alter type ledger_account_kind add value 'purse';
create or replace function ledger_check_new_accounts() returns trigger language plpgsql as $$
begin
  if exists (
    select from inserted
    where balance <> 0 or held <> 0 or may_go_negative <> (kind::text in ('exchange', 'treasury', 'gas'))
  ) then
    raise exception 'ledger: an account begins empty, and only the outside world, an exchange desk and gas may go negative'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;

-- Of the charge, what was quoted for gas: in what is paid with, and in the network's own coin.
alter table deposits
  add column gas numeric(78, 0) not null default 0 check (gas >= 0 and gas <= charge),
  add column gas_in_coin numeric(78, 0) not null default 0 check (gas_in_coin >= 0),
  add column coin_book_id smallint references ledger_books,
  add constraint deposits_gas check (gas = 0 or coin_book_id is not null);

-- Of several payments that a case is made of, one may be undone.
grant update (amount) on deposit_cases to scrip_server;

-- Where a log stands changes with its block, and what stands there then may be another payment of the same transaction.
alter table chain_payments drop constraint chain_payments_network_id_tx_hash_log_index_key,
  add unique (network_id, tx_hash, log_index, address, token, amount);

-- What we want a network to do, once.
create table chain_sends (
  id         uuid primary key,
  network_id uuid not null references networks,
  -- What it is for. The same is never sent again.
  reference  text not null unique,
  to_address text not null check (to_address ~ '^0x[0-9a-f]{40}$'),
  data       text not null check (data ~ '^0x([0-9a-f]{2})*$'),
  value      numeric(78, 0) not null check (value >= 0),
  asked_at   timestamptz not null,
  -- Whose transaction it is, and which of them: from when it was signed.
  sender     text,
  nonce      bigint,
  gas        bigint,
  -- Since when its nonce is known to be used, and nobody has a receipt.
  missed_at  timestamptz,
  -- Final. Which version of it was mined, and what that cost in wei.
  ended_at   timestamptz,
  outcome    text check (outcome in ('done', 'reverted', 'displaced')),
  tx_hash    text,
  fee        numeric(78, 0),
  unique (network_id, sender, nonce),
  check ((sender is null) = (nonce is null) and (gas is null) = (nonce is null)),
  check ((ended_at is null) = (outcome is null))
);
create index chain_sends_unsigned on chain_sends (id) where nonce is null;
create index chain_sends_open on chain_sends (network_id, nonce) where nonce is not null and ended_at is null;
grant select, insert on chain_sends to scrip_server;
grant update (sender, nonce, gas, missed_at, ended_at, outcome, tx_hash, fee) on chain_sends to scrip_server;

-- What is the next of a sender's transactions on a network.
create table chain_lanes (
  network_id uuid not null references networks,
  sender     text not null check (sender ~ '^0x[0-9a-f]{40}$'),
  next_nonce bigint not null check (next_nonce >= 0),
  primary key (network_id, sender)
);
grant select, insert on chain_lanes to scrip_server;
grant update (next_nonce) on chain_lanes to scrip_server;

-- Signed, and kept before anybody was told: in doubt the same bytes are told again. A later version of one send pays more for gas.
create table chain_signed (
  hash      text primary key,
  send_id   uuid not null references chain_sends,
  raw       text not null,
  max_fee   numeric(78, 0) not null,
  max_tip   numeric(78, 0) not null,
  signed_at timestamptz not null
);
create index chain_signed_of_send on chain_signed (send_id, max_fee);
grant select, insert on chain_signed to scrip_server;

alter table chain_addresses
  -- Since when what is there waits to be swept, and which send does it.
  add column wanted_at timestamptz,
  add column send_id uuid references chain_sends;
create index chain_addresses_wanted on chain_addresses (network_id, wanted_at) where wanted_at is not null and send_id is null;
create index chain_addresses_of_send on chain_addresses (send_id) where send_id is not null;
grant update (wanted_at, send_id) on chain_addresses to scrip_server;

-- What left our addresses for the treasury, whoever asked the factory for it.
create table chain_sweeps (
  network_id   uuid not null references networks,
  tx_hash      text not null,
  log_index    integer not null,
  owner_id     uuid not null,
  token        text not null,
  amount       numeric(78, 0) not null check (amount > 0),
  block_number bigint not null,
  primary key (network_id, tx_hash, log_index)
);
create index chain_sweeps_of_block on chain_sweeps (network_id, block_number);
create index chain_sweeps_of_owner on chain_sweeps (owner_id);
grant select, insert, delete on chain_sweeps to scrip_server;

-- Those of one network: its balances are asked for together.
drop function due_deposits;
create function due_deposits(network uuid, asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select d.environment_id, d.id from deposits d join chain_finality f on f.network_id = d.network_id
  where d.network_id = network and d.ended_at is null and d.expires_at < f.mined_at and d.expires_at < asked_at
    and d.id <> all(resting)
    and not exists (select from chain_payments p where p.owner_id = d.id and p.gone_at is null and p.booked_at is null)
  order by d.expires_at limit limit_rows;
$$;
revoke execute on function due_deposits from public;
grant execute on function due_deposits to scrip_server;
-- file 0021-push.sql
-- Tells people that something happened: those who look at the wallet app, and those who do not.

-- Which of these people something happened to of late, each thing with a key of its own. Asked for all who listen at once, and never for
-- anybody else: what it costs grows with them, 23 ms for 2,000, and not with what happens.
create index payment_requests_by_user on payment_requests (user_id, id);
create index payment_requests_ended on payment_requests (user_id, ended_at) where ended_at is not null;
create function recent_people(people uuid[], since_id uuid, since timestamptz) returns table (user_id uuid, key text)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select m.user_id, m.id::text from wallet_moves m where m.user_id = any(people) and m.id >= since_id
    union all
    select r.user_id, r.id::text from payment_requests r where r.user_id = any(people) and r.id >= since_id
    union all
    select r.user_id, r.id || ' ended' from payment_requests r where r.user_id = any(people) and r.ended_at >= since;
end $$;
revoke execute on function recent_people from public;
grant execute on function recent_people to scrip_server;

-- A browser that a person wants to be told by, as it named itself: where to, and what to encrypt for it with.
create table push_subscriptions (
  id         uuid primary key,
  user_id    uuid not null references users,
  endpoint   text not null unique,
  p256dh     text not null,
  auth       text not null,
  created_at timestamptz not null
);
create index push_subscriptions_by_user on push_subscriptions (user_id, id);
alter table push_subscriptions enable row level security;
create policy push_subscriptions_of_user on push_subscriptions using (user_id = scrip_user());
grant select, delete on push_subscriptions to scrip_server;

-- A browser belongs to whoever signed in there last: what waits for the one before is not for his eyes. The oldest go.
create function save_push_subscription(
  new_id uuid, wanted uuid, new_endpoint text, new_p256dh text, new_auth text, asked_at timestamptz, most integer
) returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from users where id = wanted for no key update;
  delete from push_subscriptions where endpoint = new_endpoint and user_id <> wanted;
  insert into push_subscriptions (id, user_id, endpoint, p256dh, auth, created_at)
    values (new_id, wanted, new_endpoint, new_p256dh, new_auth, asked_at)
    on conflict (endpoint) do update set user_id = wanted, p256dh = new_p256dh, auth = new_auth;
  delete from push_subscriptions where id in (
    select id from push_subscriptions where user_id = wanted order by id desc offset most);
end $$;

-- What is to be pushed to a browser, until it is or its time is over.
create table pushes (
  subscription_id uuid not null references push_subscriptions on delete cascade,
  -- What it tells of, such as a request for payment.
  about_id        uuid not null,
  user_id         uuid not null,
  payload         text not null,
  expires_at      timestamptz not null,
  attempts        smallint not null default 0,
  next_attempt_at timestamptz not null,
  primary key (subscription_id, about_id)
);
create index pushes_due on pushes (next_attempt_at);
create index pushes_by_user on pushes (user_id);
-- Nobody reads or writes it but these functions.
alter table pushes enable row level security;

-- One for each browser of a person. Whose browsers do not answer has only so many waiting, lest everybody's wait for his.
create function queue_pushes(wanted uuid, about uuid, message text, asked_at timestamptz, until timestamptz, most integer)
  returns void language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into pushes (subscription_id, about_id, user_id, payload, expires_at, next_attempt_at)
    select s.id, about, wanted, message, until, asked_at from push_subscriptions s
    where s.user_id = wanted and (select count(*) from pushes p where p.user_id = wanted) < most;
$$;

-- Takes what is due, each for one worker. When it is tried next is written before it is tried, later each time: after 20 seconds, then 60,
-- 180 and 540. So a failure has nothing more to write, and a worker that dies gives it back by that.
create function claim_pushes(asked_at timestamptz, limit_rows integer)
  returns table (subscription_id uuid, about_id uuid, user_id uuid, payload text, expires_at timestamptz, is_over boolean,
    endpoint text, p256dh text, auth text)
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  with due as materialized (
    select d.subscription_id, d.about_id from pushes d where d.next_attempt_at <= asked_at
      order by d.next_attempt_at limit limit_rows for update skip locked)
  update pushes p set attempts = p.attempts + 1,
    next_attempt_at = least(p.expires_at, asked_at + interval '20 seconds' * power(3, p.attempts))
  from due, push_subscriptions s
  where p.subscription_id = due.subscription_id and p.about_id = due.about_id and s.id = p.subscription_id
  returning p.subscription_id, p.about_id, p.user_id, p.payload, p.expires_at,
    p.expires_at <= asked_at
      or exists (select from payment_requests r where r.id = p.about_id and r.ended_at is not null),
    s.endpoint, s.p256dh, s.auth;
$$;

create function end_push(subscription uuid, about uuid) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from pushes where subscription_id = subscription and about_id = about;
$$;
revoke execute on function save_push_subscription, queue_pushes, claim_pushes, end_push from public;
grant execute on function save_push_subscription, queue_pushes, claim_pushes, end_push to scrip_server;
-- file 0022-wallet-deposits.sql
-- A person brings a coin into his own wallet: a deposit at the platform's own shop.

-- Whose wallet it goes to. None: it is the merchant's.
alter table deposits add column user_id uuid references users;
create index deposits_of_user on deposits (user_id, id) where user_id is not null;
create policy deposits_of_user on deposits for select using (user_id = scrip_user());

alter table wallet_moves
  drop constraint wallet_moves_kind_check,
  add constraint wallet_moves_kind_check check (kind in (
    'redeemed', 'bought', 'sent', 'received', 'exchanged', 'paid', 'paid_out', 'refunded', 'returned', 'funded',
    'deposited'));
-- file 0023-dashboard.sql
-- What a merchant's staff look for: who did it, of which voucher, when its money moved, what was given back.

alter table transactions
  -- Who of the staff did it. None: a key.
  add column member_id  uuid,
  -- The last symbols of its voucher's code, by which people name a voucher.
  add column code_tail  text check (length(code_tail) = 4),
  -- Of a refund: what it gave back.
  add column refund_of  uuid,
  -- The journal that moved its money, where that is not the one that made it. The time of its id is that of the settlement.
  add column settled_by uuid;
grant update (settled_by) on transactions to scrip_server;

-- A page of a list is read from one of these, whatever it is filtered by: rows that do not belong to it are not looked at by the million.
create index transactions_by_kind on transactions (environment_id, type, book_id, id);
create index transactions_by_status on transactions (environment_id, status, id) where status <> 'COMPLETED';
create index transactions_by_member on transactions (environment_id, member_id, id) where member_id is not null;
create index transactions_by_person on transactions (environment_id, user_id, id) where user_id is not null;
create index transactions_by_amount on transactions (environment_id, amount, book_id, id);
create index transactions_by_tail on transactions (environment_id, code_tail, id) where code_tail is not null;
create index transactions_by_settlement on transactions (environment_id, settled_by) where settled_by is not null;
create index transactions_by_refunded on transactions (environment_id, refund_of) where refund_of is not null;

-- Whose rows may be seen is asked once for a statement: asked for every row it took most of the time of a sum.
alter policy transactions_of_environment on transactions using (environment_id = (select scrip_environment()));
alter policy transactions_of_user on transactions using (user_id = (select scrip_user()));

-- PostgreSQL does not let the comparison of an amount, nor lower(), come before the question whose a row is, since either could fail
-- and tell by that: so no index would serve them. The owner answers, for the environment that asks.
create function payments_of_amount(wanted numeric, book smallint, from_id uuid, below_id uuid, rows_max integer)
  returns setof uuid language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select t.id from transactions t
    where t.environment_id = scrip_environment() and t.amount = wanted and t.book_id = book
      and t.id >= from_id and t.id < below_id order by t.id desc limit rows_max;
end $$;
create function vouchers_for_address(wanted text, below_id uuid, rows_max integer)
  returns setof uuid language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select v.id from vouchers v
    where v.environment_id = scrip_environment() and lower(v.recipient) = lower(wanted)
      and v.recipient_kind in ('user', 'email') and v.id < below_id order by v.id desc limit rows_max;
end $$;
revoke execute on function payments_of_amount, vouchers_for_address from public;
grant execute on function payments_of_amount, vouchers_for_address to scrip_server;

-- What moved on a day that is over, by kind and currency, so that nobody adds up a month for every look at it. A day is the ids that were
-- made in it: in another time zone it is another one. Nothing is lost with this table.
create table settled_days (
  environment_id uuid not null,
  from_id        uuid not null,
  below_id       uuid not null,
  figures        json not null,
  primary key (environment_id, from_id, below_id)
);
alter table settled_days enable row level security;
create policy settled_days_of_environment on settled_days using (environment_id = (select scrip_environment()));
-- A network that takes back what was final changes a day that was over.
grant select, insert, delete on settled_days to scrip_server;

-- As above. Of vouchers that were there before nobody knows it.
alter table vouchers add column code_tail text check (length(code_tail) = 4);
create index vouchers_by_tail on vouchers (environment_id, code_tail, id) where code_tail is not null;
create index vouchers_by_replacement on vouchers (environment_id, replaced_by) where replaced_by is not null;
-- Few are, and their issuer wants to see them.
create index voucher_pins_frozen on voucher_pins (voucher_id) where wrong_in_all >= 10;
create index ledger_accounts_blocked on ledger_accounts (owner_id) where state = 'no_debit';

create index payouts_waiting on payouts (environment_id, id) where ended_at is null;

-- What a movement told, and what was told of something without one.
create index ledger_outbox_of_journal on ledger_outbox (journal_id) where journal_id is not null;
create index ledger_outbox_of_object on ledger_outbox (object_id) where journal_id is null;

-- Begun by a pin at a till of this merchant: good for what a cashier does there, and for nothing else.
alter table user_sessions add column till_of uuid references merchants;

create or replace view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number, v.expired_to, v.expired_at, v.was_expired, v.replaced_by, v.buyer_id, v.code_tail
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;
