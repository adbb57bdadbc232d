-- Vouchers and their batches.

-- The kind of the account that has the value of a voucher. Inlined.
create or replace function voucher_account_kind(is_store boolean) returns ledger_account_kind
  language sql immutable parallel safe as $$
  select case when is_store then 'store_voucher'::ledger_account_kind else 'voucher'::ledger_account_kind end;
$$;

-- A voucher with its account and its PIN. Read by the server it shows an environment's own. Processes of the previous release call the
-- functions that return its rows, and a call that runs while the columns change fails. So a release that needs another column gives the
-- view and these functions new names, and drops the old ones in its contract.
create or replace view voucher_details with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number, v.expired_to, v.expired_at, v.was_expired, v.replaced_by, v.buyer_id, v.code_tail, v.is_onchain,
    v.is_store, v.is_active, v.rules
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = voucher_account_kind(v.is_store) and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;
grant select on voucher_details to scrip_server;

-- A holder of a voucher's code may redeem it, at another merchant than its issuer too. The owner answers, for codes only. A code has
-- several hashes: under each key of the ring, and as one that only the merchant who imported it knows. The first that exists counts.
-- Without sequential scans, because hundreds of codes are looked up by the index and never found by reading the table.
create or replace function vouchers_with_codes(wanted uuid[], hashes_each integer) returns setof voucher_details
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  -- For a code that is not there some other voucher is read instead, and ignored by who asked: reading a row takes its time,
  -- and the time must not tell a code that nobody has from one that is for other merchants.
  return query
    select f.* from generate_series(0, cardinality(wanted) - hashes_each, hashes_each) as w (before)
    cross join lateral (
      select coalesce(
        (select v.code_hash from vouchers v where v.code_hash = wanted[w.before + 1]),
        (select v.code_hash from vouchers v where v.code_hash = wanted[w.before + 2]),
        -- Only of a ring with several keys: to go through a list costs as much again as to look up.
        case when hashes_each > 2 then (
          select v.code_hash from unnest(wanted[w.before + 3 : w.before + hashes_each]) with ordinality as h (hash, place)
          join vouchers v on v.code_hash = h.hash order by h.place limit 1) end,
        (select v.code_hash from vouchers v order by v.code_hash limit 1)) as hash
    ) known
    -- Cut at one, or PostgreSQL may read all vouchers and keep those.
    cross join lateral (select * from voucher_details v where v.code_hash = known.hash limit 1) f;
end $$;
revoke execute on function vouchers_with_codes from public;
grant execute on function vouchers_with_codes to scrip_server;

-- A voucher of any issuer, locked until the end of the transaction against every other change of its lifecycle. A redemption does not
-- wait for it: that is decided by the account.
create or replace function lock_voucher_details(wanted uuid) returns setof voucher_details
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from vouchers v where v.id = wanted for no key update;
  return query select * from voucher_details where id = wanted;
end $$;
revoke execute on function lock_voucher_details from public;
grant execute on function lock_voucher_details to scrip_server;

-- The issuer of a voucher: redemptions at another merchant are published to the issuer too.
create or replace function issuer_of_voucher(wanted uuid) returns uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select environment_id from vouchers where id = wanted;
$$;
revoke execute on function issuer_of_voucher from public;
grant execute on function issuer_of_voucher to scrip_server;

-- Expired vouchers with something still to be moved, oldest first. One that is held waits until it is not, one that failed rests for a
-- while, and an onchain voucher expires when its closing is final.
create or replace function due_vouchers(asked_at timestamptz, resting uuid[], limit_rows integer) returns setof uuid
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select v.id from vouchers v
    join ledger_accounts a on a.owner_id = v.id and a.kind = voucher_account_kind(v.is_store) and a.book_id = v.book_id
    where v.expires_at <= asked_at and v.expired_at is null and a.held = 0 and not v.is_onchain and v.id <> all(resting)
    order by v.expires_at limit limit_rows;
end $$;
revoke execute on function due_vouchers from public;
grant execute on function due_vouchers to scrip_server;

-- An unfinished batch that no worker has claimed, of any merchant: of each environment its oldest, and of those the one that has waited
-- longest, so that a hundred batches of one merchant do not go before the one of another. Imports of one environment thereby come one
-- after the other, and cannot both contain the same code. A batch that failed rests for a while. The claim is a lock that takes no
-- transaction id: it lasts a second, and no event can be read past the oldest transaction that has one.
create or replace function claim_voucher_batch(resting uuid[]) returns setof voucher_batches
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found voucher_batches;
begin
  for found in
    select * from voucher_batches b
    where b.finished_at is null and b.id <> all(resting) and not exists (
      select from voucher_batches older
      where older.environment_id = b.environment_id and older.finished_at is null and older.id < b.id
    )
    order by coalesce(b.worked_at, b.created_at)
  loop
    if pg_try_advisory_xact_lock(hashtextextended('voucher batch ' || found.id, 0)) then
      -- It may have been finished since the list was read.
      return query select * from voucher_batches b where b.id = found.id and b.finished_at is null;
      return;
    end if;
  end loop;
end $$;
revoke execute on function claim_voucher_batch from public;
grant execute on function claim_voucher_batch to scrip_server;

-- Where a voucher was redeemed, newest first, for the holder of its code. The caller decides who may see the merchants.
create or replace function redemptions_of_voucher(wanted uuid, limit_rows integer)
  returns table (id uuid, environment_id uuid, user_id uuid, merchant_id uuid, merchant_code text, merchant_name text,
    amount numeric, created_at timestamptz, recipient text, tx_hash text)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select r.id, r.environment_id, r.user_id, m.id, m.code, coalesce(nullif(m.trading_name, ''), m.company_name), r.amount,
      r.created_at, a.recipient, a.tx_hash
    from all_redemptions r
    join merchant_environments e on e.id = r.environment_id
    join merchants m on m.id = e.merchant_id
    left join address_redemptions a on a.environment_id = r.environment_id and a.id = r.id
    where r.voucher_id = wanted
      and not exists (select from voucher_moves v where v.voucher_id = wanted and v.redemption_id = r.id and v.kind = 'return')
    order by r.id desc limit limit_rows;
end $$;
revoke execute on function redemptions_of_voucher from public;
grant execute on function redemptions_of_voucher to scrip_server;

-- What happened to a voucher, newest first, for the holder of its code.
create or replace function history_of_voucher(wanted uuid, limit_rows integer)
  returns table (id uuid, kind text, amount numeric, charge numeric, created_at timestamptz, merchant_name text)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    with moves as (
      (select r.id, 'redemption' as kind, r.amount, case r.charged_to when 'voucher' then r.charge else 0 end as charge,
        r.created_at, r.environment_id
        from all_redemptions r where r.voucher_id = wanted order by r.id desc limit limit_rows)
      union all
      (select m.id, m.kind, m.amount, 0, m.created_at, m.environment_id
        from voucher_moves m where m.voucher_id = wanted order by m.id desc limit limit_rows)
    )
    select m.id, m.kind, m.amount, m.charge, m.created_at, coalesce(nullif(o.trading_name, ''), o.company_name)
    from moves m
    join merchant_environments e on e.id = m.environment_id
    join merchants o on o.id = e.merchant_id
    order by m.id desc limit limit_rows;
end $$;
revoke execute on function history_of_voucher from public;
grant execute on function history_of_voucher to scrip_server;

-- Vouchers that a user bought, also for others, and was given: by username or to their verified email address.
create or replace function vouchers_held_by(wanted uuid, before uuid, limit_rows integer) returns setof voucher_details
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select f.* from (
      (select v.id from vouchers v where v.buyer_id = wanted and v.id < before
        order by v.id desc limit limit_rows)
      union
      (select v.id from vouchers v where lower(v.recipient) = wanted::text and v.recipient_kind = 'user'
          and v.id < before order by v.id desc limit limit_rows)
      union
      (select v.id from users u
        join vouchers v on lower(v.recipient) = u.email and v.recipient_kind = 'email'
        join ledger_books b on b.id = v.book_id and b.mode = u.realm
        where u.id = wanted and v.batch_id is null and v.id < before
          -- Not before the day on which it is given, and not if it was sent to another address since.
          and not exists (select from voucher_gifts g where g.environment_id = v.environment_id and g.voucher_id = v.id
            and (g.sent_at is null or lower(g.email) <> lower(v.recipient)))
        order by v.id desc limit limit_rows)
      order by id desc limit limit_rows
    ) mine
    cross join lateral (select * from voucher_details where voucher_details.id = mine.id limit 1) f
    order by f.id desc;
end $$;
revoke execute on function vouchers_held_by from public;
grant execute on function vouchers_held_by to scrip_server;

-- As payments_of_amount.
create or replace function vouchers_for_address(wanted text, below_id uuid, rows_max integer)
  returns setof uuid language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select v.id from vouchers v
    where v.environment_id = scrip_environment() and lower(v.recipient) = lower(wanted)
      and v.recipient_kind in ('user', 'email') and v.id < below_id order by v.id desc limit rows_max;
end $$;
revoke execute on function vouchers_for_address from public;
grant execute on function vouchers_for_address to scrip_server;

-- Which keys of the ring are in use: for what, how many rows, and one of them to try it on. It reads whole tables: for an operator who
-- is about to retire a key, not for requests.
create or replace function key_ring_use() returns table (key_id smallint, what text, rows bigint, sample_id uuid, sample_sealed bytea)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select distinct on (what, key_id) key_id, what, count(*) over (partition by what, key_id), id, sealed
  from (
    select v.key_id, 'vouchers' as what, v.id, v.code_sealed as sealed from vouchers v
    union all
    select w.key_id, 'webhook secrets', w.id, w.secret_sealed from webhook_endpoints w where w.status <> 'deleted'
    union all
    select w.old_key_id, 'webhook secrets', w.id, w.old_secret_sealed from webhook_endpoints w
      where w.status <> 'deleted' and w.old_key_id is not null
    union all
    select m.key_id, 'mails', m.id, m.secret_sealed from mails m where m.secret_sealed is not null
    union all
    select b.key_id, 'imports', b.id, b.rows_sealed from voucher_batches b where b.rows_sealed is not null
  ) used
  order by what, key_id, id desc;
$$;
revoke execute on function key_ring_use from public;
grant execute on function key_ring_use to scrip_server;

drop policy if exists vouchers_of_environment on vouchers;
create policy vouchers_of_environment on vouchers for select using (environment_id = scrip_environment());
drop policy if exists vouchers_written on vouchers;
create policy vouchers_written on vouchers for insert with check (true);
drop policy if exists vouchers_changed on vouchers;
create policy vouchers_changed on vouchers for update using (environment_id = scrip_environment());
drop policy if exists redemptions_of_environment on redemptions;
create policy redemptions_of_environment on redemptions for select using (environment_id = scrip_environment());
drop policy if exists redemptions_written on redemptions;
create policy redemptions_written on redemptions for insert with check (true);
drop policy if exists voucher_batches_of_environment on voucher_batches;
create policy voucher_batches_of_environment on voucher_batches for select using (environment_id = scrip_environment());
drop policy if exists voucher_batches_written on voucher_batches;
create policy voucher_batches_written on voucher_batches for insert with check (true);
drop policy if exists voucher_batches_changed on voucher_batches;
create policy voucher_batches_changed on voucher_batches for update using (environment_id = scrip_environment());
drop policy if exists voucher_moves_of_environment on voucher_moves;
create policy voucher_moves_of_environment on voucher_moves for select using (environment_id = scrip_environment());
drop policy if exists voucher_moves_written on voucher_moves;
create policy voucher_moves_written on voucher_moves for insert with check (true);
