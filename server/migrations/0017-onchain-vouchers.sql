-- Vouchers whose value is held by a contract on a network, and redemptions that pay an address.

-- The part of a voucher that is on its network.
create table onchain_vouchers (
  voucher_id     uuid primary key,
  environment_id uuid not null,
  network_id     uuid not null references networks,
  vault          text not null check (vault ~ '^0x[0-9a-f]{40}$'),
  -- The token as it was when the voucher was issued: the catalogue may change.
  token          text not null check (token ~ '^0x[0-9a-f]{40}$'),
  decimals       smallint not null,
  -- The address of the key that is derived from the code.
  claim_key      text not null check (claim_key ~ '^0x[0-9a-f]{40}$'),
  value          numeric(78, 0) not null check (value > 0),
  is_locked      boolean not null,
  -- On the network every voucher expires.
  expires_at     timestamptz not null,
  -- From when its creation is queued.
  creator        text check (creator ~ '^0x[0-9a-f]{40}$'),
  code_hash      text check (code_hash ~ '^0x[0-9a-f]{64}$'),
  create_send_id uuid references chain_sends,
  -- As last seen final.
  state          text not null default 'creating' check (state in ('creating', 'open', 'closed')),
  balance        numeric(78, 0) not null default 0 check (balance >= 0),
  nonce          integer not null default 0,
  create_tx      text,
  -- What its closing is for, and the send that closes it.
  closing        text check (closing in ('expiry', 'block', 'cancel', 'replacement')),
  close_send_id  uuid references chain_sends,
  unique (network_id, vault, code_hash),
  check ((creator is null) = (code_hash is null) and (creator is null) = (create_send_id is null))
);
create index onchain_vouchers_unsent on onchain_vouchers (network_id, vault, voucher_id) where create_send_id is null;
create index onchain_vouchers_of_send on onchain_vouchers (create_send_id) where create_send_id is not null;
create index onchain_vouchers_expiring on onchain_vouchers (expires_at) where state <> 'closed';
create index onchain_vouchers_to_close on onchain_vouchers (network_id) where closing is not null and state = 'open';
create index onchain_vouchers_closing on onchain_vouchers (close_send_id) where close_send_id is not null;
grant select, insert on onchain_vouchers to scrip_server;
grant update (creator, code_hash, create_send_id, state, balance, nonce, create_tx, closing, close_send_id)
  on onchain_vouchers to scrip_server;
grant select on onchain_vouchers to scrip_chain;

-- A redemption that pays an address. It has the id of its transaction. One that a holder made on the network itself has no send.
create table address_redemptions (
  id             uuid primary key,
  environment_id uuid not null,
  voucher_id     uuid not null,
  network_id     uuid not null references networks,
  recipient      text not null check (recipient ~ '^0x[0-9a-f]{40}$'),
  token          text not null check (token ~ '^0x[0-9a-f]{40}$'),
  -- What the recipient gets, in the smallest unit on the network.
  units          numeric(78, 0) not null check (units > 0),
  -- Of the charge, what was quoted for gas: in the voucher's currency, and in wei.
  gas            numeric(78, 0) not null check (gas >= 0),
  gas_wei        numeric(78, 0) not null check (gas_wei >= 0),
  send_id        uuid references chain_sends,
  -- Of an onchain voucher: its part of the signed message.
  vault          text,
  nonce          integer,
  deadline       timestamptz,
  ref_hash       text,
  fee            numeric(78, 0),
  fee_recipient  text,
  -- Final, or never to be mined.
  ended_at       timestamptz,
  tx_hash        text,
  check (num_nulls(vault, nonce, deadline, ref_hash, fee, fee_recipient) in (0, 6))
);
-- A second one would need the nonce of the first.
create unique index address_redemptions_one_open on address_redemptions (voucher_id) where vault is not null and ended_at is null;
create unique index address_redemptions_of_send on address_redemptions (send_id);
create index address_redemptions_overdue on address_redemptions (deadline) where deadline is not null and ended_at is null;
create index address_redemptions_of_voucher on address_redemptions (voucher_id, id);
grant select, insert on address_redemptions to scrip_server;
grant update (ended_at, tx_hash, send_id) on address_redemptions to scrip_server;

-- What vaults logged about the platform's vouchers.
create table vault_events (
  id            uuid primary key,
  network_id    uuid not null references networks,
  vault         text not null,
  tx_hash       text not null,
  log_index     integer not null,
  kind          text not null check (kind in ('created', 'redeemed', 'closed')),
  code_hash     text not null,
  -- What was put in, what the recipient got, or what went back to the creator.
  amount        numeric(78, 0) not null check (amount >= 0),
  fee           numeric(78, 0) not null check (fee >= 0),
  recipient     text not null,
  fee_recipient text not null,
  reference     text not null,
  nonce         bigint not null,
  block_number  bigint not null,
  mined_at      timestamptz not null,
  seen_at       timestamptz not null,
  -- When its network undid it.
  gone_at       timestamptz,
  booked_at     timestamptz,
  bookings      integer not null default 0,
  -- The same transaction can do something else after a reorganisation: a closing returns less after another redemption.
  unique (network_id, tx_hash, vault, code_hash, kind, nonce, amount, fee, recipient, fee_recipient, reference)
);
create index vault_events_unbooked on vault_events (network_id, block_number) where booked_at is null and gone_at is null;
create index vault_events_undone on vault_events (id) where booked_at is not null and gone_at is not null;
create index vault_events_of_voucher on vault_events (network_id, vault, code_hash);
create index vault_events_of_block on vault_events (network_id, block_number);
grant select on vault_events to scrip_server;
grant update (booked_at, bookings) on vault_events to scrip_server;
grant select, insert on vault_events to scrip_chain;
grant update (block_number, log_index, mined_at, gone_at) on vault_events to scrip_chain;

-- Which journal booked a log of a vault, and which one undid it. A log that comes back after a reorganisation is booked again.
create table vault_bookings (
  journal_id uuid primary key,
  event_id   uuid not null references vault_events,
  undone_by  uuid unique
);
create unique index vault_bookings_open on vault_bookings (event_id) where undone_by is null;
grant select, insert on vault_bookings to scrip_server;
grant update (undone_by) on vault_bookings to scrip_server;

-- Addresses that the operator pays nothing to.
create table denied_addresses (
  address   text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  reason    text not null,
  denied_at timestamptz not null
);
grant select on denied_addresses to scrip_server;
grant select, insert, delete on denied_addresses to scrip_operator;
