-- The check of the ledger in the background: docs/decisions/0058. Every function is the owner's, so that the server can neither leave a
-- journal out nor remove a difference.

drop policy if exists ledger_checks_of_platform on ledger_checks;
create policy ledger_checks_of_platform on ledger_checks using (true);
drop policy if exists ledger_differences_of_platform on ledger_differences;
create policy ledger_differences_of_platform on ledger_differences using (true);

-- The part that has a journal or its transfers.
create or replace function ledger_part_of(journal uuid) returns text language sql stable as $$
  select coalesce(
    (select j.tableoid::regclass::text from ledger_journals j where j.id = journal),
    (select j.tableoid::regclass::text from archive.ledger_journals j where j.id = journal),
    (select t.tableoid::regclass::text from ledger_transfers t where t.journal_id = journal limit 1),
    (select t.tableoid::regclass::text from archive.ledger_transfers t where t.journal_id = journal limit 1));
$$;

-- What money a journal brings into a live book, and what a funding or a chain accounts for: as in verify.ts.
create or replace function ledger_check_entries(check_id integer, start_id uuid, end_id uuid, at timestamptz) returns void
  language sql set search_path = pg_catalog, public, pg_temp as $$
  with outside as (
    select t.journal_id, t.book_id,
      sum(case when t.from_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end)
        - sum(case when t.to_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end) as amount
    from all_transfers t join ledger_books b on b.id = t.book_id and b.mode = 'live'
    where t.journal_id >= start_id and t.journal_id < end_id
      and (t.from_kind::text in ('treasury', 'gas', 'purse', 'vault') or t.to_kind::text in ('treasury', 'gas', 'purse', 'vault'))
    group by t.journal_id, t.book_id
  ), entering as (
    select o.*, greatest(
      (select coalesce(sum(f.amount), 0) from ledger_fundings f where f.journal_id = o.journal_id and f.book_id = o.book_id),
      (select coalesce(sum(k.amount), 0) from chain_bookings k where k.journal_id = o.journal_id and k.book_id = o.book_id),
      (select coalesce(sum(case when t.to_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end)
          - sum(case when t.from_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end), 0)
        from vault_bookings k join all_transfers t on t.journal_id = k.journal_id and t.book_id = o.book_id
        where k.undone_by = o.journal_id)) as backed
    from outside o where o.amount > 0
  )
  insert into ledger_differences (check_id, kind, subject, part, expected, found, found_at)
    select check_id, 'unfunded entry', format('journal %s in book %s', journal_id, book_id), ledger_part_of(journal_id), backed, amount, at
    from entering where amount > backed
    on conflict do nothing;
$$;
revoke execute on function ledger_check_entries from public;

-- What must hold within each journal of a range of ids.
create or replace function ledger_check_journals(check_id integer, start_id uuid, end_id uuid, at timestamptz) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  insert into ledger_differences (check_id, kind, subject, part, found_at)
    select check_id, 'moves nothing', format('journal %s', j.id), ledger_part_of(j.id), at from all_journals j
    where j.id >= start_id and j.id < end_id and j.kind not like 'claim.%'
      and not exists (select from all_transfers t where t.journal_id = j.id and t.journal_id >= start_id and t.journal_id < end_id)
      and not exists (select from ledger_hold_moves m where m.journal_id = j.id and m.journal_id >= start_id and m.journal_id < end_id)
    on conflict do nothing;
  insert into ledger_differences (check_id, kind, subject, part, found_at)
    select distinct check_id, 'no journal', format('journal %s', m.journal_id), ledger_part_of(m.journal_id), at
    from (
      select t.journal_id from all_transfers t where t.journal_id >= start_id and t.journal_id < end_id
      union all
      select h.journal_id from ledger_hold_moves h where h.journal_id >= start_id and h.journal_id < end_id
    ) m
    where not exists (select from all_journals j where j.id = m.journal_id and j.id >= start_id and j.id < end_id)
    on conflict do nothing;
  insert into ledger_differences (check_id, kind, subject, part, found_at)
    select check_id, 'key not registered', format('journal %s', j.id), ledger_part_of(j.id), at from all_journals j
    -- Looked up one by one: a hash join would read all keys.
    left join lateral (select k.journal_id from ledger_keys k where k.key_hash = j.key_hash limit 1) k on true
    where j.id >= start_id and j.id < end_id and k.journal_id is distinct from j.id
    on conflict do nothing;
  insert into ledger_differences (check_id, kind, subject, part, expected, found, found_at)
    select check_id, 'store value left', format('journal %s', t.journal_id), ledger_part_of(t.journal_id), 0, sum(t.amount), at
    from all_transfers t
    where t.journal_id >= start_id and t.journal_id < end_id
      and (t.from_kind::text in ('store_float', 'store_voucher')) <> (t.to_kind::text in ('store_float', 'store_voucher'))
    group by t.journal_id
    on conflict do nothing;
  perform ledger_check_entries(check_id, start_id, end_id, at);
end $$;
revoke execute on function ledger_check_journals from public;

-- Adds the transfers and hold moves of a range of ids to the sums of a check. The account of a hold is named with 0: what is held on it
-- is compared too.
create or replace function ledger_check_add(c ledger_checks, end_id uuid) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  insert into ledger_check_sums as s (is_recent, owner_id, kind, book_id, check_id, total)
    select c.below_id >= c.recent_id, m.owner_id, m.kind, m.book_id, c.id, sum(m.amount)
    from (
      select side.owner_id, side.kind::text as kind, t.book_id, side.amount
        from all_transfers t
        cross join lateral (values (t.from_owner, t.from_kind, -t.amount), (t.to_owner, t.to_kind, t.amount)) side (owner_id, kind, amount)
        where t.journal_id >= c.below_id and t.journal_id < end_id
      union all
      select h.hold_id, 'hold', 0, case h.act when 'reserve' then h.amount else -h.amount end
        from ledger_hold_moves h where h.journal_id >= c.below_id and h.journal_id < end_id
      union all
      select l.owner_id, l.kind::text, l.book_id, 0
        from ledger_hold_moves h join ledger_holds l on l.id = h.hold_id where h.journal_id >= c.below_id and h.journal_id < end_id
    ) m
    group by m.owner_id, m.kind, m.book_id
    on conflict (is_recent, owner_id, kind, book_id)
      do update set total = excluded.total + case when s.check_id = excluded.check_id then s.total else 0 end, check_id = excluded.check_id;
end $$;
revoke execute on function ledger_check_add from public;

-- The owners, up to a limit, of accounts above `low` and up to `high` whose balance is not their sum. One statement, so one snapshot: what
-- is not added up yet is read with the balances.
create or replace function ledger_check_suspects(c ledger_checks, base integer, low uuid, high uuid, suspects_max integer) returns uuid[]
  language plpgsql stable set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  suspects uuid[];
begin
  with candidates as (
    select a.owner_id, a.kind::text as kind, a.book_id from ledger_accounts a
      where a.owner_id > low and a.owner_id <= high and (c.kind = 'full' or a.owner_id >= c.recent_id)
    union
    select s.owner_id, s.kind, s.book_id from ledger_check_sums s
      where s.owner_id > low and s.owner_id <= high and s.kind not in ('hold', 'check')
        and (s.is_recent and s.check_id = c.id or c.kind = 'full' and not s.is_recent and s.check_id = base)
  ), latest as materialized (
    select side.owner_id, side.kind::text as kind, t.book_id, sum(side.amount) as total
    from all_transfers t
    cross join lateral (values (t.from_owner, t.from_kind, -t.amount), (t.to_owner, t.to_kind, t.amount)) side (owner_id, kind, amount)
    where t.journal_id >= c.below_id and side.owner_id > low and side.owner_id <= high
    group by 1, 2, 3
  ), compared as (
    select k.owner_id, format('account %s/%s/%s', k.book_id, k.owner_id, k.kind) as subject, a.balance,
      coalesce(o.total, 0) + coalesce(n.total, 0) + coalesce(l.total, 0) as total
    from candidates k
    left join ledger_accounts a on a.owner_id = k.owner_id and a.kind::text = k.kind and a.book_id = k.book_id
    left join ledger_check_sums o on not o.is_recent and o.check_id = base
      and o.owner_id = k.owner_id and o.kind = k.kind and o.book_id = k.book_id
    left join ledger_check_sums n on n.is_recent and n.check_id = c.id
      and n.owner_id = k.owner_id and n.kind = k.kind and n.book_id = k.book_id
    left join latest l on l.owner_id = k.owner_id and l.kind = k.kind and l.book_id = k.book_id
  )
  select array_agg(distinct s.owner_id) into suspects from (
    select x.owner_id from compared x
    where coalesce(x.balance, 0) <> x.total
      and not exists (select from ledger_differences d
        where d.kind = 'balance' and d.subject = x.subject and d.found - d.expected = coalesce(x.balance, 0) - x.total)
    limit suspects_max
  ) s;
  return suspects;
end $$;
revoke execute on function ledger_check_suspects from public;

-- The same for holds and the sums of their moves.
create or replace function ledger_check_suspect_holds(c ledger_checks, base integer, low uuid, high uuid, suspects_max integer) returns uuid[]
  language plpgsql stable set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  suspects uuid[];
begin
  with candidates as (
    select h.id from ledger_holds h where h.id > low and h.id <= high and (c.kind = 'full' or h.id >= c.recent_id)
    union
    select s.owner_id from ledger_check_sums s
      where s.owner_id > low and s.owner_id <= high and s.kind = 'hold'
        and (s.is_recent and s.check_id = c.id or c.kind = 'full' and not s.is_recent and s.check_id = base)
  ), latest as materialized (
    select m.hold_id as id, sum(case m.act when 'reserve' then m.amount else -m.amount end) as total
    from ledger_hold_moves m where m.journal_id >= c.below_id and m.hold_id > low and m.hold_id <= high group by m.hold_id
  ), compared as (
    select k.id, h.remaining, coalesce(o.total, 0) + coalesce(n.total, 0) + coalesce(l.total, 0) as total
    from candidates k
    left join ledger_holds h on h.id = k.id
    left join ledger_check_sums o on not o.is_recent and o.check_id = base and o.owner_id = k.id and o.kind = 'hold' and o.book_id = 0
    left join ledger_check_sums n on n.is_recent and n.check_id = c.id and n.owner_id = k.id and n.kind = 'hold' and n.book_id = 0
    left join latest l on l.id = k.id
  )
  select array_agg(s.id) into suspects from (
    select x.id from compared x
    where coalesce(x.remaining, 0) <> x.total
      and not exists (select from ledger_differences d
        where d.kind = 'hold' and d.subject = format('hold %s', x.id) and d.found - d.expected = coalesce(x.remaining, 0) - x.total)
    limit suspects_max
  ) s;
  return suspects;
end $$;
revoke execute on function ledger_check_suspect_holds from public;

-- Adds up all transfers of these owners in one snapshot with their balances. Sums miss a journal that committed long after its id was
-- made; this statement does not, so a difference is reported only if it is one.
create or replace function ledger_check_confirm(check_id integer, suspects uuid[], suspect_holds uuid[], at timestamptz) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  if suspects is not null then
    with moved as (
      select side.owner_id, side.kind, t.book_id, sum(side.amount) as total
      from all_transfers t
      cross join lateral (values (t.from_owner, t.from_kind, -t.amount), (t.to_owner, t.to_kind, t.amount)) side (owner_id, kind, amount)
      where (t.from_owner = any(suspects) or t.to_owner = any(suspects)) and side.owner_id = any(suspects)
      group by 1, 2, 3
    ), account as (
      select owner_id, kind, book_id, balance from ledger_accounts where owner_id = any(suspects)
    )
    insert into ledger_differences (check_id, kind, subject, expected, found, found_at)
      select check_id, 'balance', format('account %s/%s/%s', book_id, owner_id, kind), coalesce(m.total, 0), coalesce(a.balance, 0), at
      from account a full join moved m using (owner_id, kind, book_id)
      where coalesce(a.balance, 0) <> coalesce(m.total, 0)
      on conflict do nothing;
  end if;
  if suspect_holds is not null then
    with moved as (
      select m.hold_id as id, sum(case m.act when 'reserve' then m.amount else -m.amount end) as total
      from ledger_hold_moves m where m.hold_id = any(suspect_holds) group by m.hold_id
    ), hold as (
      select id, remaining from ledger_holds where id = any(suspect_holds)
    )
    insert into ledger_differences (check_id, kind, subject, expected, found, found_at)
      select check_id, 'hold', format('hold %s', id), coalesce(m.total, 0), coalesce(h.remaining, 0), at
      from hold h full join moved m using (id)
      where coalesce(h.remaining, 0) <> coalesce(m.total, 0)
      on conflict do nothing;
  end if;
end $$;
revoke execute on function ledger_check_confirm from public;

-- What is held on accounts, which holds say in the same snapshot.
create or replace function ledger_check_held(c ledger_checks, low uuid, high uuid, at timestamptz) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  with compared as (
    select format('account %s/%s/%s', a.book_id, a.owner_id, a.kind) as subject, a.balance, a.held, a.may_go_negative,
      coalesce((select sum(h.remaining) from ledger_holds h
        where h.owner_id = a.owner_id and h.kind = a.kind and h.book_id = a.book_id and h.remaining > 0), 0) as total
    from ledger_accounts a
    where a.owner_id > low and a.owner_id <= high
      and (c.kind = 'full' or a.owner_id >= c.recent_id or exists (
        select from ledger_check_sums s
        where s.is_recent and s.check_id = c.id and s.owner_id = a.owner_id and s.kind = a.kind::text and s.book_id = a.book_id))
  )
  insert into ledger_differences (check_id, kind, subject, expected, found, found_at)
    select c.id, 'held', subject, total, held, at from compared where held <> total
    union all
    select c.id, 'overdrawn', subject, balance, held, at from compared where held > balance and not may_go_negative
    on conflict do nothing;
end $$;
revoke execute on function ledger_check_held from public;

-- Begins the next check that is due, and returns whether there is one.
create or replace function ledger_check_begin(at timestamptz) returns boolean
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  last_full ledger_checks;
  last_any  timestamptz;
  check_id  integer;
  -- At least the last week, from the first day of a quarter.
  recent    uuid := first_id_at(date_trunc('quarter', at - interval '7 days', 'UTC'));
begin
  select * into last_full from ledger_checks where kind = 'full' and finished_at is not null order by id desc limit 1;
  select max(started_at) into last_any from ledger_checks where finished_at is not null;
  if last_full.id is null or last_full.started_at <= at - interval '7 days'
    or not exists (select from ledger_check_sums s where s.kind = 'check' and s.check_id = last_full.id)
  then
    insert into ledger_checks (kind, from_id, recent_id, below_id, started_at)
      values ('full', '00000000-0000-0000-0000-000000000000', recent, '00000000-0000-0000-0000-000000000000', at) returning id into check_id;
    insert into ledger_check_sums (is_recent, owner_id, kind, book_id, check_id, total)
      values (false, '00000000-0000-0000-0000-000000000000', 'check', 0, check_id, 0)
      on conflict (is_recent, owner_id, kind, book_id) do update set check_id = excluded.check_id;
    return true;
  end if;
  if last_any > at - interval '1 hour' then
    return false;
  end if;
  insert into ledger_checks (kind, from_id, recent_id, below_id, started_at)
    values ('recent', last_full.recent_id, last_full.recent_id, last_full.recent_id, at);
  return true;
end $$;
revoke execute on function ledger_check_begin from public;

-- Does the next piece of the running check, or begins the next one. Returns whether there was something to do.
create or replace function ledger_check_step(at timestamptz, rows_max integer) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  c         ledger_checks;
  base      integer;
  -- Nearly everything with a lower id is committed. What is not is seen by ledger_check_confirm.
  settled   uuid := first_id_at(at - interval '5 minutes');
  -- Time goes on between steps: so much may be left when it begins to compare, and so much before it adds up again.
  nearly    uuid := first_id_at(at - interval '6 minutes');
  long_ago  uuid := first_id_at(at - interval '15 minutes');
  end_id    uuid;
  low       uuid;
  new_low   uuid;
  high      uuid;
  added     bigint;
  -- Every account may be wrong: a thousand say as much as all.
  most      constant integer := 1000;
  first_uuid constant uuid := '00000000-0000-0000-0000-000000000000';
  last_uuid constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  -- One worker at a time. No row is locked: it would give this transaction an id, and events are published up to the oldest of those.
  if not pg_try_advisory_xact_lock(7263104) then
    return false;
  end if;
  select * into c from ledger_checks where finished_at is null and not was_abandoned;
  if c.id is null then
    return ledger_check_begin(at);
  end if;
  base := case c.kind when 'full' then c.id
    else (select max(id) from ledger_checks where kind = 'full' and finished_at is not null) end;
  if not exists (select from ledger_check_sums s where s.kind = 'check' and s.check_id = base) then
    update ledger_checks set was_abandoned = true where id = c.id;
    return true;
  end if;

  -- While accounts are compared, what is not added up is read for each page of them. It is added up when it has grown.
  if c.below_id < (case when c.compared_owner is null then nearly else long_ago end) then
    end_id := case when c.below_id < c.recent_id then least(c.recent_id, settled) else settled end;
    end_id := coalesce((select j.id from all_journals j where j.id >= c.below_id and j.id < end_id order by j.id offset rows_max limit 1), end_id);
    perform ledger_check_journals(c.id, c.below_id, end_id, at);
    perform ledger_check_add(c, end_id);
    select count(*) into added from all_journals j where j.id >= c.below_id and j.id < end_id;
    update ledger_checks set below_id = end_id, journals = journals + added where id = c.id;
    return true;
  end if;

  low := coalesce(c.compared_owner, first_uuid);
  -- A recent check compares what it met, and what is new: ids tell.
  new_low := case c.kind when 'full' then low else greatest(low, c.recent_id) end;
  high := least(
    (select a.owner_id from ledger_accounts a where a.owner_id > new_low order by a.owner_id offset rows_max limit 1),
    (select h.id from ledger_holds h where h.id > new_low order by h.id offset rows_max limit 1),
    (select s.owner_id from ledger_check_sums s
      where c.kind = 'recent' and s.is_recent and s.check_id = c.id and s.owner_id > low order by s.owner_id offset rows_max limit 1),
    last_uuid);
  perform ledger_check_confirm(c.id, ledger_check_suspects(c, base, low, high, most),
    ledger_check_suspect_holds(c, base, low, high, most), at);
  perform ledger_check_held(c, low, high, at);
  select count(*) into added from ledger_accounts a where a.owner_id > low and a.owner_id <= high
    and (c.kind = 'full' or a.owner_id >= c.recent_id
      or exists (select from ledger_check_sums s where s.is_recent and s.check_id = c.id and s.owner_id = a.owner_id));
  update ledger_checks set compared_owner = high, accounts = accounts + added, finished_at = case when high = last_uuid then at end
    where id = c.id;
  return true;
end $$;
revoke execute on function ledger_check_step from public;
grant execute on function ledger_check_step to scrip_server;

-- Counts that a step failed and will be tried again.
create or replace function ledger_check_failed() returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update ledger_checks set failures = failures + 1 where finished_at is null and not was_abandoned;
$$;
revoke execute on function ledger_check_failed from public;
grant execute on function ledger_check_failed to scrip_server;
