-- What a redemption costs, who bears it, and what is let off.

-- The operator's rule for a book: a fixed part in minor units, and a share. None: no charge.
create table charge_rules (
  mode      text not null check (mode in ('live', 'test')),
  currency  text not null references currencies (abbreviation),
  fixed     numeric(78, 0) not null check (fixed >= 0 and fixed < 'NaN'),
  -- Parts per million: 15000 is 1.5 %.
  share_ppm integer not null check (share_ppm between 0 and 1000000),
  primary key (mode, currency)
);

create table charge_settings (
  environment_id     uuid primary key references merchant_environments,
  -- Charges come out of the merchant's admin balance, if it covers them.
  takes_from_balance boolean not null
);

-- Let off by the operator, for a time. Of several at once the largest counts.
create table charge_discounts (
  id             uuid primary key,
  environment_id uuid not null references merchant_environments,
  discount_ppm   integer not null check (discount_ppm between 1 and 1000000),
  starts_at      timestamptz not null,
  ends_at        timestamptz not null,
  check (ends_at > starts_at)
);
create index charge_discounts_by_end on charge_discounts (environment_id, ends_at);

alter table charge_settings enable row level security;
create policy charge_settings_of_environment on charge_settings using (environment_id = scrip_environment());
alter table charge_discounts enable row level security;
create policy charge_discounts_of_environment on charge_discounts using (environment_id = scrip_environment());

grant select, insert, update on charge_rules, charge_settings to scrip_server;
grant select, insert on charge_discounts to scrip_server;
