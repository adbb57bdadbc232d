-- Webhooks: where a merchant wants to be told, what was sent there, and how it was answered.

create table webhook_endpoints (
  environment_id    uuid not null references merchant_environments,
  id                uuid not null unique,
  url               text not null,
  description       text not null,
  -- Types such as voucher.redeemed, or all of a kind such as voucher.*. None: all.
  event_types       text[] not null,
  -- What deliveries are signed with, sealed under a key of the ring.
  key_id            smallint not null,
  secret_sealed     bytea not null,
  -- The one before it signs as well until this time.
  old_key_id        smallint,
  old_secret_sealed bytea,
  old_secret_until  timestamptz,
  status            text not null check (status in ('enabled', 'disabled', 'deleted')),
  -- Why we switched it off, if we did.
  disabled_reason   text not null default '',
  -- The first failure since the last success.
  failing_since     timestamptz,
  -- The number of the last event about it.
  version           integer not null default 0,
  -- It is told what happens from here on: events of earlier transactions are none of it.
  since             xid8 not null default pg_current_xact_id(),
  created_at        timestamptz not null,
  primary key (environment_id, id),
  check (num_nulls(old_key_id, old_secret_sealed, old_secret_until) in (0, 3))
);

-- An event on its way to an endpoint.
create table webhook_deliveries (
  environment_id  uuid not null,
  endpoint_id     uuid not null,
  event_id        uuid not null,
  -- Where it stands in the outbox.
  event_txid      xid8 not null,
  event_number    bigint not null,
  status          text not null check (status in ('pending', 'delivered', 'failed')),
  -- In all, and since it was last begun: a replay begins anew.
  attempts        smallint not null default 0,
  tries           smallint not null default 0,
  -- None: nothing more is to be done.
  next_attempt_at timestamptz,
  created_at      timestamptz not null,
  primary key (endpoint_id, event_id),
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 90);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where next_attempt_at is not null;
create index webhook_deliveries_open on webhook_deliveries (endpoint_id, event_id) where status <> 'delivered';

-- By which they are forgotten.
create index webhook_deliveries_of_event on webhook_deliveries (event_id);

create table webhook_attempts (
  environment_id uuid not null,
  endpoint_id    uuid not null,
  event_id       uuid not null,
  number         smallint not null,
  at             timestamptz not null,
  duration_ms    integer not null,
  -- Of the answer, if there was one; otherwise the failure says why not.
  status_code    smallint,
  failure        text not null,
  -- How the answer began.
  excerpt        text not null,
  primary key (endpoint_id, event_id, number)
);

do $$
declare
  name text;
begin
  foreach name in array array['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy %I on %I using (environment_id = scrip_environment())', name || '_of_environment', name);
    execute format('grant select, insert, update on %I to scrip_server', name);
  end loop;
end $$;

-- Up to where events have been handed to endpoints.
create table webhook_position (
  is_only boolean primary key default true check (is_only),
  txid    xid8 not null,
  number  bigint not null
);
insert into webhook_position (txid, number) values ('0', 0);

-- Makes a delivery of each of the next events for each endpoint that wants it. Says how many events it saw. One worker at a time.
create function fan_out_events(asked_at timestamptz, events_max integer) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  place webhook_position;
  seen  integer;
  last  record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('webhook fan-out', 0)) then return 0; end if;
  select * into place from webhook_position;
  with next as materialized (
    select o.txid, o.id, o.event_id, o.environment_id, o.type from ledger_outbox o
    where (o.txid, o.id) > (place.txid, place.number) and o.txid < pg_snapshot_xmin(pg_current_snapshot())
    order by o.txid, o.id limit events_max
  ), handed as (
    insert into webhook_deliveries
      (environment_id, endpoint_id, event_id, event_txid, event_number, status, next_attempt_at, created_at)
    select n.environment_id, e.id, n.event_id, n.txid, n.id, 'pending', asked_at, asked_at
    from next n join webhook_endpoints e on e.environment_id = n.environment_id
    where e.status = 'enabled' and n.txid >= e.since and n.type <> 'merchant.webhook_test'
      and (e.event_types = '{}' or n.type = any(e.event_types) or split_part(n.type, '.', 1) || '.*' = any(e.event_types))
    on conflict do nothing
  )
  select count(*), (array_agg(n.txid order by n.txid desc, n.id desc))[1] as txid,
      (array_agg(n.id order by n.txid desc, n.id desc))[1] as number
    into last from next n;
  seen := last.count;
  if seen > 0 then update webhook_position set txid = last.txid, number = last.number; end if;
  return seen;
end $$;

-- Endpoints, whoever's they are, to which something is due.
create function due_webhook_endpoints(asked_at timestamptz) returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select e.environment_id, e.id from webhook_endpoints e
  where e.status = 'enabled'
    and exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.next_attempt_at <= asked_at);
$$;

-- Events are told for thirty days at least. Of older ones the oldest are dropped with their deliveries, a few at a time.
create function forget_events(asked_at timestamptz, events_max integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  forgotten integer;
begin
  with old as (
    select * from (
      select txid, id, event_id, environment_id, created_at from ledger_outbox order by txid, id limit events_max
    ) oldest where created_at < asked_at - interval '30 days'
  ), deliveries as (
    delete from webhook_deliveries d using old where d.event_id = old.event_id returning d.endpoint_id, d.event_id
  ), attempts as (
    delete from webhook_attempts a using deliveries d where a.endpoint_id = d.endpoint_id and a.event_id = d.event_id
  ), events as (
    delete from ledger_outbox o using old where o.txid = old.txid and o.id = old.id returning 1
  )
  select count(*) into forgotten from events;
  return forgotten;
end $$;

revoke execute on function fan_out_events, due_webhook_endpoints, forget_events from public;
grant execute on function fan_out_events, due_webhook_endpoints, forget_events to scrip_server;
