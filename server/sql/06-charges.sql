-- Charges.

-- What a redemption needs to know about the merchants that request one, read together for many requests. Of several discounts at once
-- the largest counts.
create or replace function merchant_terms(wanted uuid[], asked_at timestamptz)
  returns table (
    environment_id uuid, code text, needs_secret boolean, takes_from_balance boolean, discount_ppm integer
  )
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select e.id, m.code, e.redeem_needs_secret, coalesce(s.takes_from_balance, false),
      coalesce((select max(d.discount_ppm) from charge_discounts d
        where d.environment_id = e.id and d.ends_at > asked_at and d.starts_at <= asked_at), 0)
    from unnest(wanted) as w (id)
    join merchant_environments e on e.id = w.id
    join merchants m on m.id = e.merchant_id
    left join charge_settings s on s.environment_id = e.id;
end $$;
revoke execute on function merchant_terms from public;
grant execute on function merchant_terms to scrip_server;

drop policy if exists charge_settings_of_environment on charge_settings;
create policy charge_settings_of_environment on charge_settings using (environment_id = scrip_environment());
drop policy if exists charge_discounts_of_environment on charge_discounts;
create policy charge_discounts_of_environment on charge_discounts using (environment_id = scrip_environment());
drop policy if exists admin_balance_alerts_of_environment on admin_balance_alerts;
create policy admin_balance_alerts_of_environment on admin_balance_alerts using (environment_id = scrip_environment());
