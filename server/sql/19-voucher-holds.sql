-- Voucher holds.

-- Open holds of all merchants whose time is over, oldest first. One that failed rests for a while.
create or replace function due_voucher_holds(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select h.environment_id, h.id from voucher_holds h
    where h.state = 'OPEN' and h.expires_at <= asked_at and h.id <> all(resting)
    order by h.expires_at limit limit_rows;
$$;
revoke execute on function due_voucher_holds from public;
grant execute on function due_voucher_holds to scrip_server;

drop policy if exists voucher_holds_of_environment on voucher_holds;
create policy voucher_holds_of_environment on voucher_holds for select using (environment_id = scrip_environment());
drop policy if exists voucher_holds_written on voucher_holds;
create policy voucher_holds_written on voucher_holds for insert with check (true);
drop policy if exists voucher_holds_changed on voucher_holds;
create policy voucher_holds_changed on voucher_holds for update using (environment_id = scrip_environment());
drop policy if exists voucher_hold_captures_of_environment on voucher_hold_captures;
create policy voucher_hold_captures_of_environment on voucher_hold_captures for select
  using (environment_id = scrip_environment());
drop policy if exists voucher_hold_captures_written on voucher_hold_captures;
create policy voucher_hold_captures_written on voucher_hold_captures for insert with check (true);
