-- Merchants and their API keys.

-- The environments of API keys, for requests that arrive together: one round trip instead of two for each request. The environment is
-- not known yet, so the owner answers, for digests only.
create or replace function merchant_key_holders(wanted bytea[], asked_at timestamptz)
  returns table (
    digest bytea, key_id uuid, kind text, origins text[], ends_at timestamptz, environment_id uuid, mode text,
    merchant_id uuid
  )
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  -- A minute is exact enough for "last used", and spares a write for every request. Nobody waits for it either.
  update merchant_keys set last_used_at = asked_at where id in (
    select k.id from merchant_keys k
    where k.digest = any(wanted) and (k.last_used_at is null or k.last_used_at < asked_at - interval '1 minute')
    for no key update skip locked
  );
  return query
    select k.digest, k.id, k.kind, k.origins, k.ends_at, e.id, e.mode, e.merchant_id
    from merchant_keys k join merchant_environments e on e.id = k.environment_id
    where k.digest = any(wanted) and (k.ends_at is null or k.ends_at > asked_at);
end $$;
revoke execute on function merchant_key_holders from public;
grant execute on function merchant_key_holders to scrip_server;

-- Stores keys that were made under an older pepper under the present one, from their next use on. A caller knows both digests, which
-- is not possible without the key.
create or replace function rehash_merchant_keys(old_digests bytea[], new_digests bytea[]) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update merchant_keys k set digest = c.new_digest
    from unnest(old_digests, new_digests) as c (old_digest, new_digest) where k.digest = c.old_digest;
$$;
revoke execute on function rehash_merchant_keys from public;
grant execute on function rehash_merchant_keys to scrip_server;

-- Which of these keys still work, for streams that were opened with them. Row-level security hides keys of other environments.
create or replace function working_merchant_keys(wanted uuid[], asked_at timestamptz) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id from merchant_keys where id = any(wanted) and (ends_at is null or ends_at > asked_at);
$$;
revoke execute on function working_merchant_keys from public;
grant execute on function working_merchant_keys to scrip_server;

-- Whether a merchant takes real money: it has a key to its live environment that works.
create or replace function is_live_merchant(wanted uuid, asked_at timestamptz) returns boolean
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select exists (
    select from merchant_environments e join merchant_keys k on k.environment_id = e.id
      where e.merchant_id = wanted and e.mode = 'live' and (k.ends_at is null or k.ends_at > asked_at));
$$;
revoke execute on function is_live_merchant from public;
grant execute on function is_live_merchant to scrip_server;

drop policy if exists merchant_keys_of_environment on merchant_keys;
create policy merchant_keys_of_environment on merchant_keys using (environment_id = scrip_environment());

-- Anybody may see a logo. Only its environment changes it.
drop policy if exists merchant_logos_shown on merchant_logos;
create policy merchant_logos_shown on merchant_logos for select using (true);
drop policy if exists merchant_logos_added on merchant_logos;
create policy merchant_logos_added on merchant_logos for insert with check (environment_id = scrip_environment());
drop policy if exists merchant_logos_replaced on merchant_logos;
create policy merchant_logos_replaced on merchant_logos for update using (environment_id = scrip_environment());
drop policy if exists merchant_logos_removed on merchant_logos;
create policy merchant_logos_removed on merchant_logos for delete using (environment_id = scrip_environment());
