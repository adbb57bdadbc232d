-- Webhooks and live updates.

-- Makes a delivery of each of the next events for each endpoint that wants it. Returns how many events it saw. One worker at a time.
create or replace function fan_out_events(asked_at timestamptz, events_max integer) returns integer
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
revoke execute on function fan_out_events from public;
grant execute on function fan_out_events to scrip_server;

-- The endpoints of all merchants with a delivery that is due.
create or replace function due_webhook_endpoints(asked_at timestamptz) returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select e.environment_id, e.id from webhook_endpoints e
  where e.status = 'enabled'
    and exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.next_attempt_at <= asked_at);
$$;
revoke execute on function due_webhook_endpoints from public;
grant execute on function due_webhook_endpoints to scrip_server;

-- Events are published for thirty days at least. Of older ones the oldest are deleted with their deliveries, a few at a time.
create or replace function forget_events(asked_at timestamptz, events_max integer) returns integer
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
revoke execute on function forget_events from public;
grant execute on function forget_events to scrip_server;

-- Live updates: the environment and the object of the next events, for open pages. Not their contents.
create or replace function events_after(after_txid xid8, after_number bigint, events_max integer)
  returns table (txid xid8, number bigint, environment_id uuid, object_id uuid)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select o.txid, o.id, o.environment_id, o.object_id from ledger_outbox o
    where (o.txid, o.id) > (after_txid, after_number) and o.txid < pg_snapshot_xmin(pg_current_snapshot())
    order by o.txid, o.id limit events_max;
end $$;
revoke execute on function events_after from public;
grant execute on function events_after to scrip_server;

-- For the owner, after a logical restore into another PostgreSQL, whose transactions are numbered from the start: the stored numbers
-- would be ahead of it, and no event would be published until it had caught up. What became deliveries stays so, the rest follows.
create or replace function restart_events() returns void language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update ledger_outbox o set txid = case when (o.txid, o.id) > (p.txid, p.number) then '1' else '0' end::xid8 from webhook_position p;
  update webhook_deliveries d set event_txid = o.txid from ledger_outbox o where o.event_id = d.event_id;
  update webhook_endpoints set since = '0';
  update webhook_position set txid = '0', number = 9223372036854775807;
end $$;
revoke execute on function restart_events from public;

drop policy if exists webhook_endpoints_of_environment on webhook_endpoints;
create policy webhook_endpoints_of_environment on webhook_endpoints using (environment_id = scrip_environment());
drop policy if exists webhook_deliveries_of_environment on webhook_deliveries;
create policy webhook_deliveries_of_environment on webhook_deliveries using (environment_id = scrip_environment());
drop policy if exists webhook_attempts_of_environment on webhook_attempts;
create policy webhook_attempts_of_environment on webhook_attempts using (environment_id = scrip_environment());
