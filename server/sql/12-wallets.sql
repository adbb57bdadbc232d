-- Wallets, payment requests and payouts.

-- Payment requests of all merchants that have expired.
create or replace function due_payment_requests(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select r.environment_id, r.id from payment_requests r
    where r.expires_at <= asked_at and r.ended_at is null and r.id <> all(resting) order by r.expires_at limit limit_rows;
$$;
revoke execute on function due_payment_requests from public;
grant execute on function due_payment_requests to scrip_server;

-- The environment of a payment request by link, for the user who has the link: until it is paid it belongs to no user.
create or replace function owner_of_link(wanted uuid) returns uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select environment_id from payment_requests where id = wanted and user_id is null;
$$;
revoke execute on function owner_of_link from public;
grant execute on function owner_of_link to scrip_server;

drop policy if exists wallet_moves_of_user on wallet_moves;
create policy wallet_moves_of_user on wallet_moves for select using (user_id = scrip_user());
drop policy if exists wallet_moves_written on wallet_moves;
create policy wallet_moves_written on wallet_moves for insert with check (true);
drop policy if exists wallet_quotes_of_user on wallet_quotes;
create policy wallet_quotes_of_user on wallet_quotes using (user_id = scrip_user());
drop policy if exists payment_requests_seen on payment_requests;
create policy payment_requests_seen on payment_requests for select
  using (environment_id = scrip_environment() or user_id = scrip_user());
drop policy if exists payment_requests_written on payment_requests;
create policy payment_requests_written on payment_requests for insert with check (true);
drop policy if exists payment_requests_ended on payment_requests;
create policy payment_requests_ended on payment_requests for update using (environment_id = scrip_environment());
drop policy if exists payouts_of_environment on payouts;
create policy payouts_of_environment on payouts using (environment_id = scrip_environment()) with check (true);
