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
