-- Blockchains: what was read of them, which addresses are the platform's, what came in there, and what is sent. Only the reader of
-- chains (scrip_chain) records what is on them.

-- The newest blocks that were read, each the child of the one before.
create table chain_blocks (
  network_id uuid not null references networks,
  number     bigint not null,
  hash       text not null,
  parent     text not null,
  mined_at   timestamptz not null,
  primary key (network_id, number)
);
grant select on chain_blocks to scrip_server;
grant insert, delete on chain_blocks to scrip_chain;

-- Up to where a network is final: nothing of what was read there is expected to change.
create table chain_finality (
  network_id uuid primary key references networks,
  number     bigint not null,
  -- By the clock of that block. said_at is by the clock of the server.
  mined_at   timestamptz not null,
  said_at    timestamptz not null,
  -- What a unit of gas costs, in wei.
  gas_price  numeric(78, 0) not null
);
grant select on chain_finality to scrip_server;
grant insert, update on chain_finality to scrip_chain;

-- What a network is to do, once.
create table chain_sends (
  id           uuid primary key,
  network_id   uuid not null references networks,
  -- What it is for. The same is never sent again.
  reference    text not null unique,
  to_address   text not null check (to_address ~ '^0x[0-9a-f]{40}$'),
  data         text not null check (data ~ '^0x([0-9a-f]{2})*$'),
  value        numeric(78, 0) not null check (value >= 0),
  asked_at     timestamptz not null,
  -- The account that sends it, and the number of its transaction: from when it was signed.
  sender       text,
  nonce        bigint,
  gas          bigint,
  -- Since when its nonce is known to be used while no node has a receipt.
  missed_at    timestamptz,
  -- Final. The hash and the fee (in wei) are those of the version that was mined.
  ended_at     timestamptz,
  -- Refused: never signed.
  outcome      text check (outcome in ('done', 'reverted', 'displaced', 'refused')),
  tx_hash      text,
  fee          numeric(78, 0),
  -- Each purpose has keys of its own, so that a stolen key of sweeps pays nobody.
  lane         text not null check (lane in ('sweep', 'payout', 'voucher')),
  -- The address that must sign it. None: the first key of its lane.
  from_address text check (from_address ~ '^0x[0-9a-f]{40}$'),
  -- Above this it is not signed: a recipient's contract could use up any amount of gas.
  gas_max      bigint check (gas_max > 0),
  unique (network_id, sender, nonce),
  check ((sender is null) = (nonce is null) and (gas is null) = (nonce is null)),
  check ((ended_at is null) = (outcome is null)),
  check (outcome is distinct from 'refused' or nonce is null)
);
create index chain_sends_unsigned on chain_sends (lane, id) where nonce is null and ended_at is null;
create index chain_sends_open on chain_sends (network_id, nonce) where nonce is not null and ended_at is null;
grant select, insert on chain_sends to scrip_server;
grant update (sender, nonce, gas, missed_at, ended_at, outcome, tx_hash, fee) on chain_sends to scrip_server;

-- The number of a sender's next transaction on a network.
create table chain_lanes (
  network_id uuid not null references networks,
  sender     text not null check (sender ~ '^0x[0-9a-f]{40}$'),
  next_nonce bigint not null check (next_nonce >= 0),
  primary key (network_id, sender)
);
grant select, insert, update (next_nonce) on chain_lanes to scrip_server;

-- Signed transactions, stored before they are sent: in doubt the same bytes are sent again. A later version of one send pays more for
-- gas.
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

-- The platform's addresses, and whose payments they take.
create table chain_addresses (
  network_id uuid not null references networks,
  address    text not null check (address ~ '^0x[0-9a-f]{40}$'),
  owner_id   uuid not null,
  salt       text not null,
  -- Since when what is there waits to be swept, and which send does it.
  wanted_at  timestamptz,
  send_id    uuid references chain_sends,
  -- How often a sweep left something behind since it was last wanted. Each attempt costs gas, so they are limited.
  repeats    smallint not null default 0,
  primary key (network_id, address)
);
create index chain_addresses_wanted on chain_addresses (network_id, wanted_at) where wanted_at is not null and send_id is null;
create index chain_addresses_of_send on chain_addresses (send_id) where send_id is not null;
grant select, insert on chain_addresses to scrip_server;
grant update (wanted_at, send_id, repeats) on chain_addresses to scrip_server;

-- What came in at one of them. A payment that a reorganisation removed is kept, since it usually comes again in another block.
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
  -- When its block was removed from the chain.
  gone_at      timestamptz,
  -- When it was posted to the ledger. Bookings count how often, including those that were undone.
  booked_at    timestamptz,
  bookings     smallint not null default 0,
  -- It counts towards what its owner requested. Otherwise it is an unmatched deposit.
  is_counted   boolean not null default false,
  -- When the price of its deposit was checked against the market. Cleared with its block: a payment that a later block contains again
  -- is priced at the market of that later moment.
  priced_at    timestamptz,
  -- Where a log stands changes with its block, and what stands there then may be another payment of the same transaction.
  unique (network_id, tx_hash, log_index, address, token, amount)
);
create index chain_payments_unbooked on chain_payments (network_id, block_number) where booked_at is null and gone_at is null;
create index chain_payments_undone on chain_payments (network_id, block_number) where booked_at is not null and gone_at is not null;
create index chain_payments_of_block on chain_payments (network_id, block_number);
create index chain_payments_of_owner on chain_payments (owner_id);
create index chain_payments_unpriced on chain_payments (id) where priced_at is null and gone_at is null;
grant select, update (booked_at, bookings, is_counted, priced_at) on chain_payments to scrip_server;
grant insert, update (block_number, mined_at, gone_at, priced_at) on chain_payments to scrip_chain;

-- Which journal booked a payment. A payment has one booking that is not undone.
create table chain_bookings (
  payment_id uuid not null references chain_payments,
  journal_id uuid not null,
  book_id    smallint not null,
  -- Minor units of the ledger.
  amount     numeric(78, 0) not null check (amount > 0),
  -- The journal that took it back, after the network undid the payment.
  undone_by  uuid,
  primary key (payment_id, journal_id)
);
create unique index chain_bookings_once on chain_bookings (payment_id) where undone_by is null;
create index chain_bookings_of_journal on chain_bookings (journal_id);
grant select, insert, update (undone_by) on chain_bookings to scrip_server;

-- What left the platform's addresses for the treasury, no matter which sender called the factory.
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
grant select on chain_sweeps to scrip_server;
grant insert, delete on chain_sweeps to scrip_chain;
