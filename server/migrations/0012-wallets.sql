-- Wallets: an account for each user and currency. What users do with money, and what merchants request from them and pay them.

-- What came into a wallet and left it. An exchange has one of each.
create table wallet_moves (
  user_id          uuid not null,
  -- That of its journal.
  id               uuid not null,
  book_id          smallint not null,
  kind             text not null check (kind in (
    'redeemed', 'bought', 'sent', 'received', 'exchanged', 'paid', 'paid_out', 'refunded', 'returned', 'funded', 'deposited')),
  -- Below zero where it left.
  amount           numeric(78, 0) not null check (amount <> 0),
  -- The name of the other side.
  with_name        text not null,
  note             text not null,
  -- What 1 of what left was worth of what came, where the currency changed.
  rate_numerator   numeric,
  rate_denominator numeric,
  created_at       timestamptz not null,
  primary key (user_id, id, book_id)
);
alter table wallet_moves enable row level security;
grant select, insert on wallet_moves to scrip_server;

-- What a user of this level may send, spend and give in a day. None: the whole balance.
create table wallet_limits (
  mode     text not null check (mode in ('live', 'test')),
  currency text not null references currencies (abbreviation),
  level    smallint not null check (level in (1, 2)),
  daily    numeric(78, 0) not null check (daily >= 0),
  primary key (mode, currency, level)
);
grant select, insert, update (daily) on wallet_limits to scrip_server;

-- The one exchange quote that a user may have open. A new quote takes its place.
create table wallet_quotes (
  user_id          uuid primary key references users,
  id               uuid not null,
  from_currency    text not null,
  to_currency      text not null,
  pays             numeric(78, 0) not null check (pays > 0),
  gets             numeric(78, 0) not null check (gets > 0),
  rate_numerator   numeric not null,
  rate_denominator numeric not null,
  ends_at          timestamptz not null
);
alter table wallet_quotes enable row level security;
grant select, insert, delete on wallet_quotes to scrip_server;
grant update (id, from_currency, to_currency, pays, gets, rate_numerator, rate_denominator, ends_at) on wallet_quotes
  to scrip_server;

-- A merchant's request for money from a user. Its outcome is the status of its transaction.
create table payment_requests (
  environment_id        uuid not null,
  -- That of its transaction.
  id                    uuid primary key,
  user_id               uuid not null references users,
  note                  text not null,
  expires_at            timestamptz not null,
  -- What left the user's wallet, if they authorised it.
  paid_book_id          smallint,
  paid_amount           numeric(78, 0),
  -- None: it is open.
  ended_at              timestamptz,
  -- As in redemptions, for refunds of converted payments.
  paid_rate_numerator   numeric,
  paid_rate_denominator numeric,
  paid_spread_ppm       integer
);
create index payment_requests_open on payment_requests (user_id, environment_id) where ended_at is null;
create index payment_requests_due on payment_requests (expires_at) where ended_at is null;
create index payment_requests_by_user on payment_requests (user_id, id);
create index payment_requests_ended on payment_requests (user_id, ended_at) where ended_at is not null;
alter table payment_requests enable row level security;
grant select, insert on payment_requests to scrip_server;
grant update (ended_at, paid_book_id, paid_amount, paid_rate_numerator, paid_rate_denominator, paid_spread_ppm)
  on payment_requests to scrip_server;

-- A merchant's payment to a user. Its outcome is the status of its transaction; while it waits it is in outflows.
create table payouts (
  environment_id uuid not null,
  -- That of its transaction.
  id             uuid not null,
  user_id        uuid not null references users,
  -- The book that it arrives in.
  to_book_id     smallint not null,
  network        text not null,
  created_at     timestamptz not null,
  primary key (environment_id, id)
);
create index payouts_by_recipient on payouts (environment_id, user_id);
alter table payouts enable row level security;
grant select, insert on payouts to scrip_server;
