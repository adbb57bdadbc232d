-- Exchange rates, and the terms on which Scrip promises a price. Prices are risk: each pair of currencies has a spread, a tolerance
-- and a band; each exchange desk account has an exposure limit (currencies.desk_limit), which posting enforces; one switch stops all
-- exchange. docs/concepts/risk.md states what can be lost. Only the operator changes rates and terms.

-- 1 from = rate to, in major units, as a source stated at a time. The newest of each source counts.
create table exchange_rates (
  from_currency text not null references currencies (abbreviation),
  to_currency   text not null references currencies (abbreviation),
  source        text not null check (source ~ '^[a-z0-9-]{1,32}$'),
  rate          numeric not null check (rate > 0 and rate < 'NaN'),
  said_at       timestamptz not null,
  primary key (from_currency, to_currency, source),
  check (from_currency <> to_currency)
);
grant select on exchange_rates to scrip_server;
grant insert, update on exchange_rates to scrip_operator;

-- The terms of each pair of currencies.
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
grant select on exchange_pairs to scrip_server;
grant insert, update on exchange_pairs to scrip_operator;

-- One row.
create table exchange_settings (
  only_row   boolean primary key default true check (only_row),
  is_stopped boolean not null default false,
  -- What one user may exchange in a day (UTC), in US cents.
  user_daily numeric(78, 0) not null check (user_daily >= 0)
);
insert into exchange_settings (user_daily) values (1000000);
grant select on exchange_settings to scrip_server;
grant insert, update on exchange_settings to scrip_operator;

-- A fetched rate that jumped further than its pair's band. The last accepted rate counts until it is too old.
create table held_rates (
  from_currency text not null references currencies (abbreviation),
  to_currency   text not null references currencies (abbreviation),
  source        text not null check (source ~ '^[a-z0-9-]{1,32}$'),
  rate          numeric not null check (rate > 0 and rate < 'NaN'),
  said_at       timestamptz not null,
  primary key (from_currency, to_currency, source)
);
grant select on held_rates to scrip_server;
grant insert, update, delete on held_rates to scrip_operator;

-- Redemption quotes are sealed and not stored; only that one was used is, until it would have ended anyway.
create table used_quotes (
  id      uuid constraint used_quotes_once primary key,
  ends_at timestamptz not null
);
create index used_quotes_by_end on used_quotes (ends_at);
grant select, insert, delete on used_quotes to scrip_server;
