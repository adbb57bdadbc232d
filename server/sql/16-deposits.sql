-- Crypto deposits.

-- The environment of a deposit, for jobs.
create or replace function deposit_owner(wanted uuid) returns uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select environment_id from deposits where id = wanted;
$$;
revoke execute on function deposit_owner from public;
grant execute on function deposit_owner to scrip_server;

-- Deposits on a network that expired before a final block, so that no payment in time can still appear. Those of one network: its
-- balances are read together.
create or replace function due_deposits(network uuid, asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select d.environment_id, d.id from deposits d join chain_finality f on f.network_id = d.network_id
  where d.network_id = network and d.ended_at is null and d.expires_at < f.mined_at and d.expires_at < asked_at
    and d.id <> all(resting)
    and not exists (select from chain_payments p where p.owner_id = d.id and p.gone_at is null and p.booked_at is null)
  order by d.expires_at limit limit_rows;
$$;
revoke execute on function due_deposits from public;
grant execute on function due_deposits to scrip_server;

drop policy if exists deposits_seen on deposits;
create policy deposits_seen on deposits for select using (environment_id = scrip_environment());
drop policy if exists deposits_of_user on deposits;
create policy deposits_of_user on deposits for select using (user_id = scrip_user());
drop policy if exists deposits_written on deposits;
create policy deposits_written on deposits for insert with check (true);
drop policy if exists deposits_changed on deposits;
create policy deposits_changed on deposits for update using (environment_id = scrip_environment());
drop policy if exists deposit_cases_of_environment on deposit_cases;
create policy deposit_cases_of_environment on deposit_cases using (environment_id = scrip_environment());
drop policy if exists deposit_refunds_of_environment on deposit_refunds;
create policy deposit_refunds_of_environment on deposit_refunds using (environment_id = scrip_environment()) with check (true);
