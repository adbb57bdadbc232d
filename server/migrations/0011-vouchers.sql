-- Vouchers, their batches, redemptions and other movements. What a voucher is worth is the balance of its ledger account, and nowhere
-- else.

-- A voucher and what its issuer set.
create table vouchers (
  -- The issuer.
  environment_id uuid not null references merchant_environments,
  -- That of the journal which issued it, and the owner of its account.
  id             uuid not null,
  book_id        smallint not null references ledger_books,
  amount         numeric(78, 0) not null check (amount > 0),
  -- False where the operator or the sandbox provided the value.
  was_paid_for   boolean not null,
  recipient_kind text not null check (recipient_kind in ('nobody', 'merchant', 'email', 'user')),
  -- A merchant's code, an email address, a user's id, or nothing.
  recipient      text not null check ((recipient = '') = (recipient_kind = 'nobody')),
  -- Environments where it can be redeemed. None: everywhere.
  only_at        uuid[] not null,
  expires_at     timestamptz,
  -- The key of the ring under which its code is hashed and sealed.
  key_id         smallint not null,
  -- HMAC of the code, its first 128 bits: a copy of this table reveals no code.
  code_hash      uuid not null constraint vouchers_code unique,
  -- AES-256-GCM, for the issuer.
  code_sealed    bytea not null,
  created_at     timestamptz not null,
  batch_id       uuid,
  batch_number   integer,
  expired_to     text not null default 'unclaimed' check (expired_to in ('payer', 'unclaimed')),
  -- When what was left was moved. Until then it is due; a reopened voucher is due again.
  expired_at     timestamptz,
  -- It expired once, or the voucher that it replaces did: its value is the holder's, and where it goes was decided then.
  was_expired    boolean not null default false,
  -- It was lost, and this voucher has what was left on it.
  replaced_by    uuid,
  -- The user who bought it out of their wallet, perhaps for another user.
  buyer_id       uuid,
  -- The last symbols of its code, by which people name it. Unknown for vouchers that are older than this column.
  code_tail      text check (length(code_tail) = 4),
  -- Its value is in a vault. Its closing takes it off its network.
  is_onchain     boolean not null default false,
  primary key (environment_id, id),
  constraint vouchers_of_batch check ((batch_id is null) = (batch_number is null))
);
-- By its id alone: a merchant that refunds a redemption need not be the issuer. A hash has no order: with a tree PostgreSQL would read
-- through all vouchers, newest first, to find a page of an issuer that has few.
create index vouchers_by_id on vouchers using hash (id);
-- Also what keeps a batch from issuing a voucher twice.
create unique index vouchers_by_batch on vouchers (batch_id, batch_number) where batch_id is not null;
create index vouchers_due on vouchers (expires_at) where expires_at is not null and expired_at is null;
create index vouchers_by_buyer on vouchers (buyer_id, id) where buyer_id is not null;
create index vouchers_by_recipient on vouchers (lower(recipient), id) where recipient_kind in ('user', 'email');
create index vouchers_by_tail on vouchers (environment_id, code_tail, id) where code_tail is not null;
create index vouchers_by_replacement on vouchers (environment_id, replaced_by) where replaced_by is not null;
alter table vouchers enable row level security;
grant select, insert on vouchers to scrip_server;
grant update (expires_at, expired_at, was_expired, replaced_by, is_onchain) on vouchers to scrip_server;

-- A lock PIN and how often it was entered wrong. Its own table, because this changes and a voucher does not.
create table voucher_pins (
  voucher_id   uuid primary key,
  key_id       smallint not null,
  -- HMAC-SHA-256 of voucher id and PIN. A slow hash could not protect 10,000 values.
  digest       bytea not null check (length(digest) = 32),
  wrong_in_row smallint not null default 0 check (wrong_in_row between 0 and 5),
  -- Until its issuer resets it; at 10 the voucher is frozen.
  wrong_in_all smallint not null default 0 check (wrong_in_all between 0 and 10),
  locked_until timestamptz
);
-- Few are, and their issuer wants to see them.
create index voucher_pins_frozen on voucher_pins (voucher_id) where wrong_in_all >= 10;
grant select, insert on voucher_pins to scrip_server;
grant update (key_id, digest, wrong_in_row, wrong_in_all, locked_until) on voucher_pins to scrip_server;

-- A voucher redeemed at a merchant, in full or in part.
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
  -- The key that signed its receipt: a retry gets the same receipt, also after a newer key was added.
  receipt_key      smallint,
  -- The user into whose wallet it was redeemed, by the platform merchant.
  user_id          uuid,
  -- A refund of a converted payment compares the market now with the market when it was posted, which is the rate without the spread.
  spread_ppm       integer,
  primary key (voucher_id, id),
  check (num_nulls(to_book_id, to_amount, rate_numerator, rate_denominator, rate_source, rate_said_at) in (0, 6))
);
alter table redemptions enable row level security;
grant select, insert on redemptions to scrip_server;

-- Vouchers by the thousand: made in a batch, or imported from another system.
create table voucher_batches (
  environment_id     uuid not null references merchant_environments,
  -- That of the journal which paid for it, and the owner of its account.
  id                 uuid not null,
  reference          text not null,
  book_id            smallint not null references ledger_books,
  size               integer not null check (size between 1 and 10000),
  -- Of each voucher. Null for an import, where every row has its own.
  amount             numeric(78, 0) check (amount > 0),
  total              numeric(78, 0) not null check (total > 0),
  only_at            uuid[] not null,
  expires_at         timestamptz,
  -- Where what is left goes then, as its issuer stated when it was paid for.
  expired_to         text not null check (expired_to in ('payer', 'unclaimed')),
  -- Of an import: codes, balances and PINs that have to become vouchers, sealed. Emptied when they all have.
  key_id             smallint,
  rows_sealed        bytea,
  -- Rows of an import whose code another voucher got between being read and being issued. Their value went back.
  refused_rows       integer[] not null default '{}',
  created_at         timestamptz not null,
  -- When a worker last did a part of it.
  worked_at          timestamptz,
  -- Every voucher is issued.
  finished_at        timestamptz,
  -- When its codes left the platform. Until then nobody has seen them, its issuer included. Those of an import were out before.
  exported_at        timestamptz,
  -- The network of a batch of onchain vouchers.
  onchain_network_id uuid references networks,
  primary key (environment_id, id)
);
create index voucher_batches_unfinished on voucher_batches (id) where finished_at is null;
alter table voucher_batches enable row level security;
grant select, insert on voucher_batches to scrip_server;
grant update (worked_at, finished_at, exported_at, refused_rows, rows_sealed) on voucher_batches to scrip_server;

-- What came onto a voucher and left it, apart from redemptions.
create table voucher_moves (
  -- Where the value came from or went to. Of a refund for a cancelled voucher, whose payer got it, that one.
  voucher_id     uuid not null,
  -- That of its journal.
  id             uuid not null,
  -- The merchant that acted.
  environment_id uuid not null,
  -- A return is the value of a redemption that failed, less the gas that it cost.
  kind           text not null check (kind in ('refund', 'expiry', 'reopening', 'cancel', 'replacement', 'return')),
  amount         numeric(78, 0) not null check (amount > 0),
  -- Of a refund or a return.
  redemption_id  uuid,
  reason         text not null,
  created_at     timestamptz not null,
  primary key (voucher_id, id),
  constraint voucher_moves_redemption check ((kind in ('refund', 'return')) = (redemption_id is not null))
);
alter table voucher_moves enable row level security;
grant select, insert on voucher_moves to scrip_server;
