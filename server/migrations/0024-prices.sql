-- Prices that Scrip promises are risk. Each pair of currencies has a spread, a tolerance and a band; each exchange desk account
-- has an exposure limit, which posting enforces; one switch stops all exchange. docs/concepts/risk.md says what can be lost.

create table exchange_pairs (
  -- In alphabetical order: a pair has the same terms in both directions.
  currency_a    text not null references currencies (abbreviation),
  currency_b    text not null references currencies (abbreviation),
  -- What the desk keeps of a conversion, in parts per million.
  spread_ppm    integer not null check (spread_ppm between 0 and 500000),
  -- How far the market may move against the desk before a quoted price is refused.
  tolerance_ppm integer not null check (tolerance_ppm between 0 and 500000),
  -- How far a fetched rate may jump before it waits for the operator.
  band_ppm      integer not null check (band_ppm between 1 and 1000000),
  primary key (currency_a, currency_b),
  check (currency_a < currency_b),
  -- A tolerance above the spread would let a user win by choosing when to use a quote.
  constraint exchange_pairs_spread_covers_tolerance check (spread_ppm >= tolerance_ppm)
);
grant select, insert on exchange_pairs to scrip_server;
grant update (spread_ppm, tolerance_ppm, band_ppm) on exchange_pairs to scrip_server;

-- One row.
create table exchange_settings (
  only_row   boolean primary key default true check (only_row),
  is_stopped boolean not null default false,
  -- What one user may exchange in a day (UTC), in US cents.
  user_daily numeric(78, 0) not null check (user_daily >= 0)
);
insert into exchange_settings (user_daily) values (1000000);
grant select on exchange_settings to scrip_server;
grant update (is_stopped, user_daily) on exchange_settings to scrip_server;

-- A fetched rate that jumped further than its pair's band. The last accepted rate counts until it is too old.
create table held_rates (
  from_currency text not null references currencies (abbreviation),
  to_currency   text not null references currencies (abbreviation),
  source        text not null check (source ~ '^[a-z0-9-]{1,32}$'),
  rate          numeric not null check (rate > 0 and rate < 'NaN'),
  said_at       timestamptz not null,
  primary key (from_currency, to_currency, source)
);
grant select, insert, delete on held_rates to scrip_server;
grant update (rate, said_at) on held_rates to scrip_server;

-- What a desk account may owe in a currency: about 100,000 US dollars, unless the operator sets another limit.
alter table currencies add column desk_limit numeric(78, 0) check (desk_limit >= 0);
update currencies set desk_limit = amount_max / 100;
update currencies set desk_limit = whole * power(10::numeric, decimals)
  from (values ('ETH', 30), ('BNB', 150), ('POL', 200000)) as coin (code, whole) where abbreviation = code;
alter table currencies alter column desk_limit set not null;

create function ledger_desk_limit(book smallint) returns numeric
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select c.desk_limit from ledger_books b join currencies c on c.abbreviation = b.currency where b.id = book;
$$;

create function ledger_check_desk() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- A book without a currency of the catalogue has no limit, and nothing of value.
  if new.balance < -coalesce(ledger_desk_limit(new.book_id), -new.balance) then
    raise exception 'ledger: an exchange desk may not owe more than its limit'
      using errcode = 'check_violation', constraint = 'ledger_accounts_desk_limit';
  end if;
  return new;
end $$;
create trigger ledger_accounts_desk before update of balance on ledger_accounts
  for each row when (new.kind = 'exchange' and new.balance < old.balance) execute function ledger_check_desk();

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
create policy wallet_quotes_of_user on wallet_quotes using (user_id = scrip_user());
grant select, insert, delete on wallet_quotes to scrip_server;
grant update (id, from_currency, to_currency, pays, gets, rate_numerator, rate_denominator, ends_at) on wallet_quotes
  to scrip_server;

-- Redemption quotes are sealed and not stored; only that one was used is, until it would have ended anyway.
create table used_quotes (
  id      uuid constraint used_quotes_once primary key,
  ends_at timestamptz not null
);
create index used_quotes_by_end on used_quotes (ends_at);
grant select, insert, delete on used_quotes to scrip_server;

-- A refund of a converted payment compares the market now with the market when it was posted: the rate leads back to that by the spread.
alter table redemptions add column spread_ppm integer;
alter table payment_requests add column paid_rate_numerator numeric, add column paid_rate_denominator numeric,
  add column paid_spread_ppm integer;
grant update (paid_rate_numerator, paid_rate_denominator, paid_spread_ppm) on payment_requests to scrip_server;

-- A deposit's price is checked against the market when a payment for it is first seen in a block.
grant update (to_deposit, rate_numerator, rate_denominator) on deposits to scrip_server;
alter table chain_payments add column priced_at timestamptz;
update chain_payments set priced_at = seen_at;
create index chain_payments_unpriced on chain_payments (id) where priced_at is null and gone_at is null;
grant update (priced_at) on chain_payments to scrip_server;
