-- Access of people: PINs at a till, staff sessions, streams, links of invoices.

-- PINs typed at a till are counted apart from those with which a person confirms something: a cashier who types wrong PINs at the
-- till must not lock the owner out.
alter table user_pins
  add column till_wrong_in_row smallint not null default 0 check (till_wrong_in_row between 0 and 5),
  add column till_wrong_in_all smallint not null default 0 check (till_wrong_in_all between 0 and 10),
  add column till_locked_until timestamptz;
grant update (till_wrong_in_row, till_wrong_in_all, till_locked_until) on user_pins to scrip_server;

-- A staff session ends 12 hours after its sign-in. Those from before this rule as well.
update user_sessions s set expires_at = least(s.expires_at, s.created_at + interval '12 hours')
  from users u where u.id = s.user_id and u.realm = 'staff';

-- Which of these keys still work, for streams that were opened with them. Row-level security hides keys of other environments.
create function working_merchant_keys(wanted uuid[], asked_at timestamptz) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id from merchant_keys where id = any(wanted) and (ends_at is null or ends_at > asked_at);
$$;
revoke execute on function working_merchant_keys from public;
grant execute on function working_merchant_keys to scrip_server;

-- Whether a merchant takes real money: it has a key to its live environment that works.
create function is_live_merchant(wanted uuid, asked_at timestamptz) returns boolean
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select exists (
    select from merchant_environments e join merchant_keys k on k.environment_id = e.id
      where e.merchant_id = wanted and e.mode = 'live' and (k.ends_at is null or k.ends_at > asked_at));
$$;
revoke execute on function is_live_merchant from public;
grant execute on function is_live_merchant to scrip_server;

-- Private links of an invoice that were made before this no longer open it.
alter table invoices add column links_revoked_at timestamptz;
grant update (links_revoked_at) on invoices to scrip_server;
