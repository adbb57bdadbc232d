-- Users and sign-ins.

-- A sign-in looks for an address in its own realm only. Columns are listed: this file is applied again when it changes, not when the
-- table does.
create or replace view live_users as
  select id, realm, email, email_verified, username, phone, surname, other_names, avatar, language, external_id, reg_channel, is_active,
    is_discoverable, level, is_operator, two_factor_enabled, created_at, updated_at
  from users where realm = 'live';
create or replace view test_users as
  select id, realm, email, email_verified, username, phone, surname, other_names, avatar, language, external_id, reg_channel, is_active,
    is_discoverable, level, is_operator, two_factor_enabled, created_at, updated_at
  from users where realm = 'test';
create or replace view staff_users as
  select id, realm, email, email_verified, username, phone, surname, other_names, avatar, language, external_id, reg_channel, is_active,
    is_discoverable, level, is_operator, two_factor_enabled, created_at, updated_at
  from users where realm = 'staff';
grant select, update on live_users, test_users, staff_users to scrip_server;

-- Deletes sessions, challenges and links that have expired.
create or replace function forget_sign_ins(asked_at timestamptz) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from user_sessions where expires_at < asked_at;
  delete from user_challenges where expires_at < asked_at;
  delete from user_links where expires_at < asked_at;
$$;
revoke execute on function forget_sign_ins from public;
grant execute on function forget_sign_ins to scrip_server;
