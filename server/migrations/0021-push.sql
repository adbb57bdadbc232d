-- Tells people that something happened: those who look at the wallet app, and those who do not.

-- Which of these people something happened to of late, each thing with a key of its own. Asked for all who listen at once, and never for
-- anybody else: what it costs grows with them, 23 ms for 2,000, and not with what happens.
create index payment_requests_by_user on payment_requests (user_id, id);
create index payment_requests_ended on payment_requests (user_id, ended_at) where ended_at is not null;
create function recent_people(people uuid[], since_id uuid, since timestamptz) returns table (user_id uuid, key text)
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

-- A browser that a person wants to be told by, as it named itself: where to, and what to encrypt for it with.
create table push_subscriptions (
  id         uuid primary key,
  user_id    uuid not null references users,
  endpoint   text not null unique,
  p256dh     text not null,
  auth       text not null,
  created_at timestamptz not null
);
create index push_subscriptions_by_user on push_subscriptions (user_id, id);
alter table push_subscriptions enable row level security;
create policy push_subscriptions_of_user on push_subscriptions using (user_id = scrip_user());
grant select, delete on push_subscriptions to scrip_server;

-- A browser belongs to whoever signed in there last: what waits for the one before is not for his eyes. The oldest go.
create function save_push_subscription(
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

-- What is to be pushed to a browser, until it is or its time is over.
create table pushes (
  subscription_id uuid not null references push_subscriptions on delete cascade,
  -- What it tells of, such as a request for payment.
  about_id        uuid not null,
  user_id         uuid not null,
  payload         text not null,
  expires_at      timestamptz not null,
  attempts        smallint not null default 0,
  next_attempt_at timestamptz not null,
  primary key (subscription_id, about_id)
);
create index pushes_due on pushes (next_attempt_at);
create index pushes_by_user on pushes (user_id);
-- Nobody reads or writes it but these functions.
alter table pushes enable row level security;

-- One for each browser of a person. Whose browsers do not answer has only so many waiting, lest everybody's wait for his.
create function queue_pushes(wanted uuid, about uuid, message text, asked_at timestamptz, until timestamptz, most integer)
  returns void language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into pushes (subscription_id, about_id, user_id, payload, expires_at, next_attempt_at)
    select s.id, about, wanted, message, until, asked_at from push_subscriptions s
    where s.user_id = wanted and (select count(*) from pushes p where p.user_id = wanted) < most;
$$;

-- Takes what is due, each for one worker. When it is tried next is written before it is tried, later each time: after 20 seconds, then 60,
-- 180 and 540. So a failure has nothing more to write, and a worker that dies gives it back by that.
create function claim_pushes(asked_at timestamptz, limit_rows integer)
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

create function end_push(subscription uuid, about uuid) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from pushes where subscription_id = subscription and about_id = about;
$$;
revoke execute on function save_push_subscription, queue_pushes, claim_pushes, end_push from public;
grant execute on function save_push_subscription, queue_pushes, claim_pushes, end_push to scrip_server;
