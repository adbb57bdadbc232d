-- The read model of reports.

-- The start of a day in a time zone. Where clocks are set back over midnight, midnight occurs twice: the day starts at the first.
create or replace function start_of_day(day date, time_zone text) returns timestamptz language sql stable parallel safe as $$
  select case
    when ((day::timestamp at time zone time_zone) - interval '1 hour') at time zone time_zone = day::timestamp
    then (day::timestamp at time zone time_zone) - interval '1 hour' else day::timestamp at time zone time_zone end;
$$;

-- The day of a moment. After the first of two midnights it is the next day already.
create or replace function day_at(moment timestamptz, time_zone text) returns date language sql stable parallel safe as $$
  select case when moment >= start_of_day((moment at time zone time_zone)::date + 1, time_zone)
    then (moment at time zone time_zone)::date + 1 else (moment at time zone time_zone)::date end;
$$;

-- The names of accounts in reports, in the order of reporting/accounting/accounts.ts. Null: no account of a merchant.
-- Stable like its cast: an immutable one would not be inlined, and a call for each transfer takes ten times as long as all else.
create or replace function report_account(kind ledger_account_kind) returns text language sql stable parallel safe as $$
  select case kind::text
    when 'merchant' then 'balance' when 'merchant_admin' then 'admin' when 'store_float' then 'store_float'
    when 'voucher' then 'platform_vouchers' when 'store_voucher' then 'store_vouchers' when 'batch' then 'batches'
    when 'unclaimed' then 'unclaimed' when 'fee' then 'fees' when 'exchange' then 'exchange' when 'rounding' then 'rounding'
    when 'treasury' then 'funding' end;
$$;

-- What the journals of a range of ids moved on the accounts of these environments: their own, those of their vouchers and of their
-- batches. Whatever a journal moved from or to other accounts is one more entry, so that the entries of each journal and book balance.
create or replace function entries_of_shops(shops uuid[], from_id uuid, below_id uuid)
  returns table (environment_id uuid, account text, book_id smallint, journal_id uuid, journal_kind text, other_kind text,
    voucher_id uuid, value_in numeric, value_out numeric)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
    with own as materialized (
      select coalesce(v.environment_id, b.environment_id, s.owner_id) as environment_id, report_account(s.kind) as account, s.book_id,
        s.journal_id, j.kind as journal_kind, s.other_kind::text as other_kind,
        case when v.environment_id is not null then s.owner_id end as voucher_id, s.value_in, s.value_out
      from (
        select t.journal_id, t.book_id, t.from_kind as kind, t.from_owner as owner_id, t.to_kind as other_kind, 0::numeric as value_in,
          t.amount as value_out
          from all_transfers t where t.journal_id >= from_id and t.journal_id < below_id
        union all
        select t.journal_id, t.book_id, t.to_kind, t.to_owner, t.from_kind, t.amount, 0
          from all_transfers t where t.journal_id >= from_id and t.journal_id < below_id
      ) s
      join all_journals j on j.id = s.journal_id and j.id >= from_id and j.id < below_id
      -- Looked up one by one: a hash join would read all vouchers.
      left join lateral (select v.environment_id from vouchers v where s.kind in ('voucher', 'store_voucher') and v.id = s.owner_id limit 1) v on true
      left join lateral (select b.environment_id from voucher_batches b where s.kind = 'batch' and b.id = s.owner_id limit 1) b on true
      where report_account(s.kind) is not null and coalesce(v.environment_id, b.environment_id, s.owner_id) = any(shops)
    )
    select * from own
    union all
    select environment_id, 'others', book_id, journal_id, max(journal_kind), '', null, greatest(sum(value_out - value_in), 0),
      greatest(sum(value_in - value_out), 0)
      from own group by environment_id, book_id, journal_id having sum(value_in) <> sum(value_out);
end $$;
revoke execute on function entries_of_shops from public;

-- The same for the environment of the transaction: what a report adds to the read model.
create or replace function own_entries(from_id uuid, below_id uuid)
  returns table (environment_id uuid, account text, book_id smallint, journal_id uuid, journal_kind text, other_kind text,
    voucher_id uuid, value_in numeric, value_out numeric)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select * from entries_of_shops(array[scrip_environment()], from_id, below_id);
$$;
revoke execute on function own_entries from public;
grant execute on function own_entries to scrip_server;

-- The month in which a voucher was issued, in a time zone. Without a voucher -infinity.
create or replace function issue_month(voucher_id uuid, time_zone text) returns date language sql stable parallel safe as $$
  select case when voucher_id is null then '-infinity'::date
    else date_trunc('month', time_of_id(voucher_id) at time zone time_zone)::date end;
$$;

-- Adds journals to the read model: the next ones of the environments that are furthest behind, of one day and at most `journals_max`.
-- Nothing may still be committed with an id of before `until`. Returns whether there was something to add.
create or replace function extend_reports(until timestamptz, step_min interval, journals_max integer) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  zone     text;
  start_id uuid;
  end_id   uuid;
  first_id uuid;
  next_id  uuid;
  the_day  date;
  shops    uuid[];
begin
  -- One worker at a time. The number is the same in all.
  if not pg_try_advisory_xact_lock(7263103) then
    return false;
  end if;
  -- Nothing was posted for a merchant before it was created, by the clock of any server.
  insert into report_progress (environment_id, time_zone, below_id)
    select e.id, m.time_zone, first_id_at(m.created_at - interval '1 day')
    from merchant_environments e join merchants m on m.id = e.merchant_id
    where not exists (select from report_progress p where p.environment_id = e.id);
  -- In another time zone all days are other days. Entries stay as they are.
  with moved as (
    update report_progress p set time_zone = m.time_zone, below_id = first_id_at(m.created_at - interval '1 day')
    from merchant_environments e join merchants m on m.id = e.merchant_id
    where e.id = p.environment_id and m.time_zone <> p.time_zone
    returning p.environment_id
  )
  delete from account_days d using moved where d.environment_id = moved.environment_id;

  select p.time_zone, p.below_id, array_agg(p.environment_id) into zone, start_id, shops
    from report_progress p where p.below_id < first_id_at(until - step_min)
    group by p.time_zone, p.below_id order by p.below_id limit 1;
  if start_id is null then
    return false;
  end if;

  first_id := (select j.id from all_journals j where j.id >= start_id order by j.id limit 1);
  if first_id is null or first_id >= first_id_at(until) then
    update report_progress set below_id = first_id_at(until) where environment_id = any(shops);
    return true;
  end if;
  the_day := day_at(time_of_id(first_id), zone);
  end_id := first_id_at(least(start_of_day(the_day + 1, zone), until));
  next_id := (select j.id from all_journals j where j.id >= first_id and j.id < end_id order by j.id offset journals_max limit 1);
  end_id := coalesce(next_id, end_id);

  with moved as materialized (
    select * from entries_of_shops(shops, first_id, end_id)
  ), listed as (
    -- They are there already if the days are added up again.
    insert into account_entries (environment_id, account, book_id, journal_id, value_in, value_out)
      select f.environment_id, f.account, f.book_id, f.journal_id, sum(f.value_in), sum(f.value_out)
      from moved f group by 1, 2, 3, 4 on conflict do nothing
  )
  insert into account_days as d (environment_id, account, book_id, day, journal_kind, other_kind, issue_month, value_in, value_out)
    select f.environment_id, f.account, f.book_id, the_day, f.journal_kind, f.other_kind, issue_month(f.voucher_id, zone),
      sum(f.value_in), sum(f.value_out)
    from moved f group by 1, 2, 3, 5, 6, 7
    on conflict (environment_id, account, book_id, day, journal_kind, other_kind, issue_month)
      do update set value_in = d.value_in + excluded.value_in, value_out = d.value_out + excluded.value_out;
  update report_progress set below_id = end_id where environment_id = any(shops);
  return true;
end $$;
revoke execute on function extend_reports from public;
grant execute on function extend_reports to scrip_server;

-- What a voucher of the environment of the transaction had before an id: the sum of its transfers. They are found by the rows that record
-- them; if they do not add up to its balance, one of those is missing, and there is no answer.
create or replace function voucher_value_before(wanted uuid, below uuid) returns table (book_id smallint, is_store boolean, value numeric)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  found   vouchers;
  total   numeric;
  earlier numeric;
begin
  select * into found from vouchers v where v.environment_id = scrip_environment() and v.id = wanted;
  if found.id is null then
    return;
  end if;
  select coalesce(sum(m.delta), 0), coalesce(sum(m.delta) filter (where m.journal_id < below), 0) into total, earlier
    from (
      select wanted as id
      union select t.settled_by from all_transactions t where t.environment_id = found.environment_id and t.id = wanted
      union select r.id from all_redemptions r where r.voucher_id = wanted
      union select v.id from voucher_moves v where v.voucher_id = wanted
      union select v.id from vouchers o join voucher_moves v on v.voucher_id = o.id
        where o.environment_id = found.environment_id and o.replaced_by = wanted
      union select s.id from voucher_sales s where s.environment_id = found.environment_id and s.voucher_id = wanted
    ) known
    cross join lateral (
      select t.journal_id, case when t.to_owner = wanted and t.to_kind = voucher_account_kind(found.is_store) then t.amount else -t.amount end as delta
      from all_transfers t
      where t.journal_id = known.id and ((t.to_owner = wanted and t.to_kind = voucher_account_kind(found.is_store))
        or (t.from_owner = wanted and t.from_kind = voucher_account_kind(found.is_store)))
    ) m;
  if total <> (select a.balance from ledger_accounts a where a.owner_id = wanted and a.kind = voucher_account_kind(found.is_store)
    and a.book_id = found.book_id)
  then
    raise exception 'reports: the transfers of voucher % do not add up to its balance', wanted;
  end if;
  return query select found.book_id, found.is_store, earlier;
end $$;
revoke execute on function voucher_value_before from public;
grant execute on function voucher_value_before to scrip_server;

-- Rows are only added: as the parts of divided tables.
alter table account_entries set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000,
  autovacuum_analyze_scale_factor = 0.02);

drop policy if exists report_progress_of_environment on report_progress;
create policy report_progress_of_environment on report_progress using (environment_id = (select scrip_environment()));
drop policy if exists account_entries_of_environment on account_entries;
create policy account_entries_of_environment on account_entries using (environment_id = (select scrip_environment()));
drop policy if exists account_days_of_environment on account_days;
create policy account_days_of_environment on account_days using (environment_id = (select scrip_environment()));
drop policy if exists account_numbers_of_merchant on account_numbers;
create policy account_numbers_of_merchant on account_numbers
  using (merchant_id = (select e.merchant_id from merchant_environments e where e.id = scrip_environment()));
