-- Merchants, their live and test environments, and their API keys.

-- A merchant. Its data belongs to its environments.
create table merchants (
  id            uuid primary key,
  -- What people type to name a merchant.
  code          text not null unique check (code ~ '^[A-Z0-9]{4,16}$'),
  company_name  text not null check (company_name <> ''),
  trading_name  text not null default '',
  description   text not null default '',
  avatar        text not null default '',
  home_currency text not null,
  -- Decides what "today" is, for statements and expiry dates.
  time_zone     text not null,
  created_at    timestamptz not null,
  -- Where notices about keys and webhook endpoints go. Empty: nowhere.
  contact_email text not null default '',
  -- The merchant's language, and that of its customers unless they set another.
  language      text not null default 'en' check (language in ('en', 'fr'))
);
grant select, insert, update on merchants to scrip_server;

-- A merchant's data belongs to an environment. Nothing passes from test to live.
create table merchant_environments (
  id                    uuid primary key,
  merchant_id           uuid not null references merchants,
  mode                  text not null check (mode in ('live', 'test')),
  -- The public key alone cannot redeem.
  redeem_needs_secret   boolean not null default false,
  -- Where what is left on an expired voucher goes. Every voucher states it when it is issued.
  expired_to            text not null default 'unclaimed' check (expired_to in ('payer', 'unclaimed')),
  -- An approved invoice that the balance did not cover is paid as soon as it does, oldest approval first.
  pays_invoices         boolean not null default false,
  -- How much less than requested completes a deposit, in parts per million. By default 0.1 %: a payment may be short by a rounding
  -- error of the payer's software.
  deposit_tolerance_ppm integer not null default 1000 check (deposit_tolerance_ppm between 0 and 50000),
  unique (merchant_id, mode)
);
grant select, insert on merchant_environments to scrip_server;
grant update (redeem_needs_secret, expired_to, pays_invoices, deposit_tolerance_ppm) on merchant_environments to scrip_server;

-- API keys of an environment.
create table merchant_keys (
  id             uuid primary key,
  environment_id uuid not null references merchant_environments,
  kind           text not null check (kind in ('public', 'secret')),
  name           text not null check (name <> ''),
  -- HMAC-SHA-256 of the key under the server's pepper: a copy of this table authenticates nobody.
  digest         bytea not null unique check (length(digest) = 32),
  -- A public key in full; of a secret key its beginning and its last four characters.
  shown          text not null,
  -- Web origins that a browser may call from with this public key. None: any.
  origins        text[] not null default '{}',
  created_at     timestamptz not null,
  last_used_at   timestamptz,
  -- Set by rotation, a day ahead, and by revocation, at once.
  ends_at        timestamptz
);
create index merchant_keys_by_environment on merchant_keys (environment_id, id);
alter table merchant_keys enable row level security;
grant select, insert on merchant_keys to scrip_server;
grant update (ends_at) on merchant_keys to scrip_server;
