-- Sales of store vouchers, shifts and gifts.

-- The amount of a voucher changes only when a sale activates it, or when that sale is undone.
create or replace function vouchers_check_activation() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.amount <> old.amount and new.is_active = old.is_active then
    raise exception 'vouchers: the amount of a sold voucher never changes' using errcode = 'insufficient_privilege';
  end if;
  if new.is_active <> old.is_active and (old.batch_id is null or not old.is_store) then
    raise exception 'vouchers: only a card of a batch is activated' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create or replace trigger vouchers_activation before update of amount, is_active on vouchers
  for each row execute function vouchers_check_activation();

-- The shop and the kind of a voucher decide where its value may go (ledger_check_store), so they never change.
create or replace trigger vouchers_fixed before update of environment_id, id, book_id, is_store on vouchers
  for each statement execute function ledger_refuse('a voucher never changes its shop, its currency or its kind');

-- Gifts whose time has come, of all merchants, oldest first. One that failed rests for a while.
create or replace function due_gifts(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select g.environment_id, g.voucher_id from voucher_gifts g
    where g.send_at <= asked_at and g.sent_at is null and g.ended_at is null and g.voucher_id <> all(resting)
    order by g.send_at limit limit_rows;
end $$;
revoke execute on function due_gifts from public;
grant execute on function due_gifts to scrip_server;

drop policy if exists shifts_of_environment on shifts;
create policy shifts_of_environment on shifts using (environment_id = scrip_environment());
drop policy if exists voucher_sales_of_environment on voucher_sales;
create policy voucher_sales_of_environment on voucher_sales using (environment_id = scrip_environment());
drop policy if exists sale_hours_of_environment on sale_hours;
create policy sale_hours_of_environment on sale_hours using (environment_id = scrip_environment());
drop policy if exists sale_limits_of_environment on sale_limits;
create policy sale_limits_of_environment on sale_limits using (environment_id = scrip_environment());
drop policy if exists voucher_gifts_of_environment on voucher_gifts;
create policy voucher_gifts_of_environment on voucher_gifts using (environment_id = scrip_environment());
