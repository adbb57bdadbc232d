-- Merchants, their live and test environments, and the keys to them.

create table merchants (
  id            uuid primary key,
  -- What people type to name a merchant.
  code          text not null unique check (code ~ '^[A-Z0-9]{4,16}$'),
  company_name  text not null check (company_name <> ''),
  trading_name  text not null default '',
  description   text not null default '',
  avatar        text not null default '',
  home_currency text not null,
  -- Rules "today", statements and expiry dates.
  time_zone     text not null,
  created_at    timestamptz not null
);

-- A merchant's data live in an environment. Nothing passes from test to live.
create table merchant_environments (
  id          uuid primary key,
  merchant_id uuid not null references merchants,
  mode        text not null check (mode in ('live', 'test')),
  unique (merchant_id, mode)
);

create table merchant_keys (
  id             uuid primary key,
  environment_id uuid not null references merchant_environments,
  kind           text not null check (kind in ('public', 'secret')),
  name           text not null check (name <> ''),
  -- HMAC-SHA-256 of the key under the server's pepper: a copy of this table opens nothing.
  digest         bytea not null unique check (length(digest) = 32),
  -- A public key whole, of a secret key its beginning and its last four.
  shown          text not null,
  -- Web origins that a browser may call from with this public key. None: any.
  origins        text[] not null default '{}',
  created_at     timestamptz not null,
  last_used_at   timestamptz,
  -- Set by rotation, a day ahead, and by revocation, at once.
  ends_at        timestamptz
);
create index merchant_keys_by_environment on merchant_keys (environment_id, id);

-- Which environment a transaction acts for. What belongs to an environment is seen and written by it alone, whether or
-- not a statement says so: see withEnvironment in base/environment.ts. Unset, nothing is seen.
create function scrip_environment() returns uuid language sql stable as
  $$ select nullif(current_setting('scrip.environment', true), '')::uuid $$;

alter table merchant_keys enable row level security;
create policy merchant_keys_of_environment on merchant_keys using (environment_id = scrip_environment());

-- Who a key belongs to is asked before the environment is known. The owner answers, for one digest at a time.
create function merchant_key_holder(wanted bytea, asked_at timestamptz)
  returns table (
    key_id uuid, kind text, origins text[], ends_at timestamptz, environment_id uuid, mode text, merchant_id uuid
  )
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  -- A minute is exact enough for "last used", and spares a write for every request.
  update merchant_keys set last_used_at = asked_at
    where digest = wanted and (last_used_at is null or last_used_at < asked_at - interval '1 minute');
  select k.id, k.kind, k.origins, k.ends_at, e.id, e.mode, e.merchant_id
    from merchant_keys k join merchant_environments e on e.id = k.environment_id
    where k.digest = wanted and (k.ends_at is null or k.ends_at > asked_at);
$$;
revoke execute on function merchant_key_holder from public;

grant select, insert, update on merchants to scrip_server;
grant select, insert on merchant_environments to scrip_server;
grant select, insert on merchant_keys to scrip_server;
grant update (ends_at) on merchant_keys to scrip_server;
grant execute on function merchant_key_holder to scrip_server;
