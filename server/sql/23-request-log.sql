-- The request log. Its parts are days: request_log_20261119. They never contain anything that a payment reads or writes.

drop policy if exists request_log_of_environment on request_log;
create policy request_log_of_environment on request_log for select using (environment_id = scrip_environment());

-- Writes requests of any number of environments. A repeat of a batch whose outcome was not known writes nothing twice.
create or replace function write_request_log(environments uuid[], ids uuid[], keys uuid[], methods text[], routes text[],
  statuses smallint[], error_codes text[], durations integer[], addresses text[], refs text[], requests text[],
  responses text[], times timestamptz[]) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into request_log (environment_id, id, key_id, method, route, status, error_code, duration_ms, address, reference,
      request_body, response_body, created_at)
    select * from unnest(environments, ids, keys, methods, routes, statuses, error_codes, durations, addresses, refs, requests,
      responses, times)
    on conflict do nothing;
$$;
revoke execute on function write_request_log from public;
grant execute on function write_request_log to scrip_server;

-- Adds the parts for today and the next days, drops those of days that ended a week ago, and deletes old rows without a part.
-- Returns how many rows it deleted, so that the caller goes on.
create or replace function keep_request_log(asked_at timestamptz, days_ahead integer, rows_max integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '200ms' as $$
declare
  day timestamptz;
  part text;
  oldest uuid := first_id_at(asked_at - interval '7 days');
  deleted integer;
begin
  -- One worker at a time.
  if not pg_try_advisory_xact_lock(hashtextextended('request log', 0)) then
    return 0;
  end if;
  -- First, because to drop locks the log and then its parts, in the order of those who write it.
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass and c.relname ~ '^request_log_\d{8}$'
      and right(c.relname, 8)::date::timestamp at time zone 'UTC' + interval '8 days' <= asked_at
  loop
    begin
      execute format('drop table public.%I', part);
    exception when lock_not_available then
      -- Next time.
    end;
  end loop;
  for day in select date_trunc('day', asked_at, 'UTC') + i * interval '1 day' from generate_series(0, days_ahead) i loop
    part := to_char(day at time zone 'UTC', '"request_log_"YYYYMMDD');
    continue when to_regclass('public.' || part) is not null;
    begin
      execute format('create table public.%I (like request_log including defaults including constraints)', part);
      execute format('alter table public.%I enable row level security', part);
      -- To attach takes a weaker lock than to create a part: requests are written meanwhile.
      execute format('alter table request_log attach partition public.%I for values from (%L) to (%L)', part,
        first_id_at(day), first_id_at(day + interval '1 day'));
    exception when check_violation or lock_not_available then
      -- The part without bounds has rows of this day, or was given one just now: they stay where they are. Or the log was busy: next time.
    end;
  end loop;
  delete from request_log_other o using (
    select environment_id, id from request_log_other where id < oldest limit rows_max
  ) old where o.environment_id = old.environment_id and o.id = old.id;
  get diagnostics deleted = row_count;
  return deleted;
end $$;
revoke execute on function keep_request_log from public;
grant execute on function keep_request_log to scrip_server;

-- What a merchant has done so far on its way to taking payments with its own software, in both of its environments. One read of facts
-- that are there for other reasons: nothing is stored for it.
create or replace function integration_facts(wanted uuid, asked_at timestamptz)
  returns table (mode text, has_key boolean, has_redeemed boolean, has_endpoint boolean, has_delivered boolean)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select e.mode,
    exists (select from merchant_keys k
      where k.environment_id = e.id and k.kind = 'secret' and (k.ends_at is null or k.ends_at > asked_at)),
    -- In the order of an index: otherwise an environment without one costs a scan of those of all merchants.
    (select t.id from all_transactions t
      where t.environment_id = e.id and t.type = 'VOUCHER_REDEMPTION' and t.status = 'COMPLETED' order by t.id desc limit 1) is not null,
    exists (select from webhook_endpoints w where w.environment_id = e.id and w.status = 'enabled'),
    exists (select from webhook_endpoints w, lateral (
      select d.status from webhook_deliveries d where d.endpoint_id = w.id order by d.event_id desc limit 1000
    ) newest where w.environment_id = e.id and w.status <> 'deleted' and newest.status = 'delivered')
  from merchant_environments e where e.merchant_id = wanted;
$$;
revoke execute on function integration_facts from public;
grant execute on function integration_facts to scrip_server;
