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
