-- Outflows.

-- Waiting outflows of all merchants that can go on or whose hold has ended.
create or replace function due_outflows(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.environment_id, o.id from outflows o
    where o.ended_at is null and least(o.not_before, o.held_until) <= asked_at and o.id <> all(resting)
      and (o.held_until <= asked_at or not o.needs_approval or o.is_approved)
    order by least(o.not_before, o.held_until) limit limit_rows;
$$;
revoke execute on function due_outflows from public;
grant execute on function due_outflows to scrip_server;

drop policy if exists outflow_rules_of_environment on outflow_rules;
create policy outflow_rules_of_environment on outflow_rules using (environment_id = scrip_environment());
drop policy if exists outflow_hours_of_environment on outflow_hours;
create policy outflow_hours_of_environment on outflow_hours using (environment_id = scrip_environment());
drop policy if exists outflows_of_environment on outflows;
create policy outflows_of_environment on outflows using (environment_id = scrip_environment()) with check (true);
drop policy if exists outflow_approvals_of_environment on outflow_approvals;
create policy outflow_approvals_of_environment on outflow_approvals using (environment_id = scrip_environment());
