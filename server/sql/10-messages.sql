-- Emails and web pushes.

-- Emails of all merchants and users that are due. One worker at a time calls it.
create or replace function due_mails(asked_at timestamptz, limit_rows integer) returns setof mails
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select * from mails where next_attempt_at <= asked_at order by next_attempt_at limit limit_rows;
$$;
revoke execute on function due_mails from public;
grant execute on function due_mails to scrip_server;

-- Records the outcome of an attempt. Without a next one it was the last.
create or replace function note_mail(wanted uuid, is_sent boolean, next_at timestamptz, answer text) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update mails set attempts = attempts + 1, said = answer, next_attempt_at = next_at,
    status = case when is_sent then 'sent' when next_at is null then 'failed' else 'pending' end,
    key_id = case when next_at is not null then key_id end,
    secret_sealed = case when next_at is not null then secret_sealed end
  where id = wanted;
$$;
revoke execute on function note_mail from public;
grant execute on function note_mail to scrip_server;

-- Addresses are stored no longer than events. Ids rise with time, so the oldest come first.
create or replace function forget_mails(asked_at timestamptz, mails_max integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  forgotten integer;
begin
  delete from mails m using (select id, created_at from mails order by id limit mails_max) oldest
    where m.id = oldest.id and oldest.created_at < asked_at - interval '30 days';
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
revoke execute on function forget_mails from public;
grant execute on function forget_mails to scrip_server;

-- To which of these users something happened lately, each with a key of its own. Called for all connected users at once, and for no
-- others: its cost grows with them, 23 ms for 2,000, and not with what happens.
create or replace function recent_people(people uuid[], since_id uuid, since timestamptz) returns table (user_id uuid, key text)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select m.user_id, m.id::text from wallet_moves m where m.user_id = any(people) and m.id >= since_id
    union all
    select r.user_id, r.id::text from payment_requests r where r.user_id = any(people) and r.id >= since_id
    union all
    select r.user_id, r.id || ' ended' from payment_requests r where r.user_id = any(people) and r.ended_at >= since;
end $$;
revoke execute on function recent_people from public;
grant execute on function recent_people to scrip_server;

-- A browser belongs to the user who signed in there last: what waits for the one before is not for their eyes. The oldest go.
create or replace function save_push_subscription(
  new_id uuid, wanted uuid, new_endpoint text, new_p256dh text, new_auth text, asked_at timestamptz, most integer
) returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from users where id = wanted for no key update;
  delete from push_subscriptions where endpoint = new_endpoint and user_id <> wanted;
  insert into push_subscriptions (id, user_id, endpoint, p256dh, auth, created_at)
    values (new_id, wanted, new_endpoint, new_p256dh, new_auth, asked_at)
    on conflict (endpoint) do update set user_id = wanted, p256dh = new_p256dh, auth = new_auth;
  delete from push_subscriptions where id in (
    select id from push_subscriptions where user_id = wanted order by id desc offset most);
end $$;
revoke execute on function save_push_subscription from public;
grant execute on function save_push_subscription to scrip_server;

-- One for each browser of a user. A user whose browsers do not respond has a limited number waiting, so that others do not wait for
-- them.
create or replace function queue_pushes(wanted uuid, about uuid, message text, asked_at timestamptz, until timestamptz, most integer)
  returns void language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into pushes (subscription_id, about_id, user_id, payload, expires_at, next_attempt_at)
    select s.id, about, wanted, message, until, asked_at from push_subscriptions s
    where s.user_id = wanted and (select count(*) from pushes p where p.user_id = wanted) < most;
$$;
revoke execute on function queue_pushes from public;
grant execute on function queue_pushes to scrip_server;

-- Takes what is due, each for one worker. The time of the next attempt is written before the attempt, later each time: after 20
-- seconds, then 60, 180 and 540. So a failure has nothing more to write, and a worker that crashes gives it back by that.
create or replace function claim_pushes(asked_at timestamptz, limit_rows integer)
  returns table (subscription_id uuid, about_id uuid, user_id uuid, payload text, expires_at timestamptz, is_over boolean,
    endpoint text, p256dh text, auth text)
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  with due as materialized (
    select d.subscription_id, d.about_id from pushes d where d.next_attempt_at <= asked_at
      order by d.next_attempt_at limit limit_rows for update skip locked)
  update pushes p set attempts = p.attempts + 1,
    next_attempt_at = least(p.expires_at, asked_at + interval '20 seconds' * power(3, p.attempts))
  from due, push_subscriptions s
  where p.subscription_id = due.subscription_id and p.about_id = due.about_id and s.id = p.subscription_id
  returning p.subscription_id, p.about_id, p.user_id, p.payload, p.expires_at,
    p.expires_at <= asked_at
      or exists (select from payment_requests r where r.id = p.about_id and r.ended_at is not null),
    s.endpoint, s.p256dh, s.auth;
$$;
revoke execute on function claim_pushes from public;
grant execute on function claim_pushes to scrip_server;

-- Removes a push that was sent or refused.
create or replace function end_push(subscription uuid, about uuid) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from pushes where subscription_id = subscription and about_id = about;
$$;
revoke execute on function end_push from public;
grant execute on function end_push to scrip_server;

drop policy if exists mails_of_environment on mails;
create policy mails_of_environment on mails for select using (environment_id = scrip_environment());
drop policy if exists mails_written on mails;
create policy mails_written on mails for insert with check (true);
drop policy if exists push_subscriptions_of_user on push_subscriptions;
create policy push_subscriptions_of_user on push_subscriptions using (user_id = scrip_user());
