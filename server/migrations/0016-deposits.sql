-- Crypto deposits: requested payments to an address, unmatched payments, and refunds.

-- A payment to an address that a merchant or a user requested. Its outcome is the status of its transaction.
create table deposits (
  environment_id   uuid not null references merchant_environments,
  -- That of its transaction.
  id               uuid primary key,
  network_id       uuid not null references networks,
  address          text not null,
  token            text not null,
  -- How many minor units of the ledger a unit of the token on this network is.
  unit             numeric(78, 0) not null check (unit > 0),
  pay_book_id      smallint not null references ledger_books,
  -- What is to be paid, charges included, and the charges in it. Minor units of the ledger, whole units of the token.
  to_deposit       numeric(78, 0) not null check (to_deposit > 0 and to_deposit % unit = 0),
  charge           numeric(78, 0) not null check (charge >= 0 and charge < to_deposit),
  rate_numerator   numeric(78, 0) not null,
  rate_denominator numeric(78, 0) not null,
  -- What may be missing.
  tolerance        numeric(78, 0) not null check (tolerance >= 0 and tolerance < to_deposit),
  -- What was paid in time, final.
  paid             numeric(78, 0) not null default 0 check (paid >= 0),
  -- What the merchant was credited, and out of how much of it, once that was enough.
  credited         numeric(78, 0) not null default 0 check (credited >= 0),
  swapped          numeric(78, 0) not null default 0 check (swapped >= 0),
  expires_at       timestamptz not null,
  -- None: it waits for money.
  ended_at         timestamptz,
  -- Of the charge, what was quoted for gas: in what is paid with, and in the network's own coin.
  gas              numeric(78, 0) not null default 0 check (gas >= 0 and gas <= charge),
  gas_in_coin      numeric(78, 0) not null default 0 check (gas_in_coin >= 0),
  coin_book_id     smallint references ledger_books,
  -- The user whose wallet it goes to, a deposit at the platform merchant. None: it is the merchant's.
  user_id          uuid references users,
  constraint deposits_gas check (gas = 0 or coin_book_id is not null)
);
create index deposits_open on deposits (network_id, expires_at) where ended_at is null;
create index deposits_of_user on deposits (user_id, id) where user_id is not null;
alter table deposits enable row level security;
grant select, insert on deposits to scrip_server;
-- The price is checked against the market when a payment for it is first seen in a block.
grant update (to_deposit, rate_numerator, rate_denominator, paid, credited, swapped, expires_at, ended_at) on deposits to scrip_server;

-- Unmatched deposits: money that came in and is not what was requested. It waits in the ledger, in the account of its deposit.
create table deposit_cases (
  environment_id uuid not null references merchant_environments,
  id             uuid primary key,
  deposit_id     uuid not null references deposits,
  kind           text not null check (kind in ('under', 'over', 'late', 'wrong_token', 'reversed')),
  book_id        smallint not null references ledger_books,
  -- Shrinks when one of several payments in it is undone.
  amount         numeric(78, 0) not null check (amount > 0),
  opened_at      timestamptz not null,
  resolved_at    timestamptz,
  resolution     text not null default ''
);
create index deposit_cases_of_environment on deposit_cases (environment_id, id);
create index deposit_cases_of_deposit on deposit_cases (deposit_id);
alter table deposit_cases enable row level security;
grant select, insert, update (amount, resolved_at, resolution) on deposit_cases to scrip_server;

-- Refunds of crypto deposits, and returns of unmatched ones, to a user's wallet, a merchant's balance or a voucher. The status is that
-- of the transaction with the same id. Every one is an outflow of the merchant.
create table deposit_refunds (
  environment_id    uuid not null,
  id                uuid not null,
  deposit_id        uuid not null references deposits,
  -- The unmatched deposit that is returned. None: a part of the credited amount.
  case_id           uuid references deposit_cases,
  -- The recipient is one of the three. The holder of the voucher names an address that it is paid to.
  user_id           uuid references users,
  to_environment_id uuid references merchant_environments,
  voucher_id        uuid unique,
  note              text not null,
  created_at        timestamptz not null,
  primary key (environment_id, id),
  check (num_nonnulls(user_id, to_environment_id, voucher_id) = 1),
  check (to_environment_id <> environment_id)
);
create index deposit_refunds_of_deposit on deposit_refunds (deposit_id);
create index deposit_refunds_of_recipient on deposit_refunds (environment_id, coalesce(user_id, to_environment_id));
-- An unmatched deposit is returned once.
create unique index deposit_refunds_of_case on deposit_refunds (case_id);
alter table deposit_refunds enable row level security;
grant select, insert on deposit_refunds to scrip_server;
