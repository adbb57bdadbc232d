-- What a redemption costs, which side pays it, and discounts.

-- The operator's rule for a book: a fixed part in minor units, and a share. None: no charge.
create table charge_rules (
  mode      text not null check (mode in ('live', 'test')),
  currency  text not null references currencies (abbreviation),
  fixed     numeric(78, 0) not null check (fixed >= 0 and fixed < 'NaN'),
  -- Parts per million: 15000 is 1.5 %.
  share_ppm integer not null check (share_ppm between 0 and 1000000),
  primary key (mode, currency)
);
grant select, insert, update on charge_rules to scrip_server;

-- What a merchant chose.
create table charge_settings (
  environment_id     uuid primary key references merchant_environments,
  -- Charges come out of the merchant's admin balance, if it covers them.
  takes_from_balance boolean not null
);
alter table charge_settings enable row level security;
grant select, insert, update on charge_settings to scrip_server;

-- Discounts that the operator grants for a time. Of several at once the largest counts.
create table charge_discounts (
  id             uuid primary key,
  environment_id uuid not null references merchant_environments,
  discount_ppm   integer not null check (discount_ppm between 1 and 1000000),
  starts_at      timestamptz not null,
  ends_at        timestamptz not null,
  check (ends_at > starts_at)
);
create index charge_discounts_by_end on charge_discounts (environment_id, ends_at);
alter table charge_discounts enable row level security;
grant select, insert on charge_discounts to scrip_server;

-- One alert for each time that a merchant's admin balance becomes too low for a fee.
create table admin_balance_alerts (
  environment_id uuid not null references merchant_environments,
  book_id        smallint not null references ledger_books,
  -- How often the balance had been funded: the next alert comes only after another funding.
  fundings       bigint not null check (fundings >= 0),
  balance        numeric(78, 0) not null,
  created_at     timestamptz not null,
  primary key (environment_id, book_id, fundings)
);
alter table admin_balance_alerts enable row level security;
grant select, insert on admin_balance_alerts to scrip_server;
