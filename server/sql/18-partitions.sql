-- Tables that are divided by time, and their archive. A part is named after its quarter: ledger_journals_p2027q1. What was there before
-- a table was divided is its part p0000, and ids of a quarter that has no part yet go to p9999.

-- Tables that are divided, and the column that divides them.
create or replace function divided_tables() returns table (name text, id_column text)
  language sql immutable as $$
  values ('ledger_journals', 'id'), ('ledger_transfers', 'journal_id'), ('redemptions', 'id'), ('transactions', 'id'), ('acts', 'id');
$$;

-- When an id was made.
create or replace function time_of_id(id uuid) returns timestamptz language sql immutable parallel safe as $$
  select to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0);
$$;

-- Triggers for each statement are not inherited. Without its own, a statement of the owner that names a part would get past them.
create or replace function guard_part(divided text, part text) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  each record;
begin
  for each in
    select t.tgname as name, pg_get_triggerdef(t.oid) as definition from pg_trigger t
    where t.tgrelid = format('public.%I', divided)::regclass and not t.tgisinternal and t.tgtype & 1 = 0
  loop
    execute format('drop trigger if exists %I on %I', each.name, part);
    execute replace(each.definition, format(' ON public.%I ', divided), format(' ON public.%I ', part));
  end loop;
  execute format('alter table %I enable row level security', part);
  -- Rows are only added, so there is nothing to clean up: a million new ones are marked visible to all, which spares later reads.
  execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000,
    autovacuum_analyze_scale_factor = 0.02)', part);
end $$;
revoke execute on function guard_part from public;

-- Makes the parts for the quarter of `at` and the ones that follow, and returns the names of new ones. A table whose last part has got
-- rows of a quarter keeps them there: nothing is lost by it, and that quarter cannot be archived by itself.
create or replace function add_parts(at timestamptz, quarters integer) returns setof text
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '200ms' as $$
declare
  each record;
  part text;
  starts timestamptz;
  is_stray boolean;
begin
  if quarters not between 0 and 12 then
    raise exception 'parts: % quarters are too many', quarters;
  end if;
  -- Two workers add the same parts one after the other. The number is the same in both.
  if not pg_try_advisory_xact_lock(7263102) then
    return;
  end if;
  for each in select d.name, d.id_column, q.ahead from divided_tables() d, generate_series(0, quarters) q (ahead) loop
    starts := date_trunc('quarter', at, 'UTC') + each.ahead * interval '3 months';
    part := each.name || to_char(starts at time zone 'UTC', '"_p"YYYY"q"Q');
    continue when to_regclass('public.' || part) is not null or to_regclass('archive.' || part) is not null
      or starts < coalesce((
        select time_of_id(substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([0-9a-f-]{36})''')::uuid)
        from pg_class c
        where c.oid in (to_regclass('public.' || each.name || '_p0000'), to_regclass('archive.' || each.name || '_p0000'))), '-infinity');
    execute format('select exists (select from %I where %I >= %L and %I < %L)', each.name || '_p9999', each.id_column,
      first_id_at(starts), each.id_column, first_id_at(starts + interval '3 months')) into is_stray;
    continue when is_stray;
    execute format('create table public.%I (like %I including defaults including constraints)', part, each.name);
    perform guard_part(each.name, part);
    -- To attach takes a weaker lock than to create a part: payments go on.
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', each.name, part,
      first_id_at(starts), first_id_at(starts + interval '3 months'));
    return next part;
  end loop;
end $$;
revoke execute on function add_parts from public;
grant execute on function add_parts to scrip_server;

-- The parts that have ended by `at`, oldest first, by the end of their names, and what is still open in each.
create or replace function ended_parts(at timestamptz) returns table (part text, ends_at timestamptz, open_transactions bigint)
  language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
  each record;
begin
  for each in
    select substring(c.relname from '_(p\w+)$') as part,
      time_of_id(substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([0-9a-f-]{36})''')::uuid) as ends_at
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'public.ledger_journals'::regclass
    order by 2 nulls last
  loop
    continue when each.ends_at is null or each.ends_at > at;
    part := each.part;
    ends_at := each.ends_at;
    execute format('select count(*) from transactions_%s where status in (''PENDING'', ''APPROVED'', ''PROCESSING'')', each.part)
      into open_transactions;
    return next;
  end loop;
end $$;
revoke execute on function ended_parts from public;

-- Moves the parts of a quarter to the archive: all tables together, so that no journal is ever without its transfers. Their rows have
-- been checked against the bounds, so none is read.
create or replace function archive_part(part text) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  each record;
begin
  for each in
    select d.name, c.relname as part_name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from divided_tables() d join pg_class c on c.oid = format('public.%I', d.name || '_' || part)::regclass
  loop
    execute format('alter table public.%I detach partition public.%I', each.name, each.part_name);
    execute format('create trigger archived before insert or update or delete or truncate on public.%I
      for each statement execute function public.ledger_refuse(''what is archived never changes'')', each.part_name);
    execute format('alter table public.%I set schema archive', each.part_name);
    execute format('alter table archive.%I attach partition archive.%I %s', each.name, each.part_name, each.bounds);
    execute format('alter table archive.%I drop constraint in_part', each.part_name);
  end loop;
end $$;
revoke execute on function archive_part from public;

do $$
declare
  each record;
begin
  for each in
    select d.name, c.relname as part from (select name from divided_tables() union all values ('ledger_keys')) d
    join pg_inherits i on i.inhparent = format('public.%I', d.name)::regclass join pg_class c on c.oid = i.inhrelid
  loop
    perform guard_part(each.name, each.part);
  end loop;
end $$;

-- Cleaning up ------------------------------------------------------------------------------------------------

-- PostgreSQL waits until a fifth of a table has changed: of 100 million accounts, that is 20 million dead rows.
alter table ledger_accounts set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02);
-- Rows come and go within days: what is dead is a part of the whole that grows with the day's payments.
alter table ledger_outbox set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
alter table webhook_deliveries set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
alter table webhook_attempts set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
alter table mails set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

-- With the archive -------------------------------------------------------------------------------------------

create or replace view all_journals with (security_invoker = true) as
  select * from ledger_journals union all select * from archive.ledger_journals;
create or replace view all_transfers with (security_invoker = true) as
  select * from ledger_transfers union all select * from archive.ledger_transfers;
create or replace view all_redemptions with (security_invoker = true) as
  select * from redemptions union all select * from archive.redemptions;
create or replace view all_transactions with (security_invoker = true) as
  select * from transactions union all select * from archive.transactions;
create or replace view all_acts with (security_invoker = true) as
  select * from acts union all select * from archive.acts;
grant select on all_journals, all_transfers, all_redemptions, all_transactions, all_acts to scrip_server;

drop policy if exists transactions_of_environment on archive.transactions;
create policy transactions_of_environment on archive.transactions for select using (environment_id = (select scrip_environment()));
drop policy if exists transactions_of_user on archive.transactions;
create policy transactions_of_user on archive.transactions for select using (user_id = (select scrip_user()));
drop policy if exists redemptions_of_environment on archive.redemptions;
create policy redemptions_of_environment on archive.redemptions for select using (environment_id = scrip_environment());

do $$
declare
  each record;
begin
  for each in select name from divided_tables() loop
    -- 27-privacy.sql decides what may change in the others.
    execute format('create or replace trigger archived before insert or %s delete or truncate on archive.%I
      for each statement execute function ledger_refuse(''what is archived never changes'')',
      case when each.name in ('transactions', 'acts') then '' else 'update or' end, each.name);
  end loop;
end $$;
