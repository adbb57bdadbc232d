-- What operators watch, over all environments. Each function reads an index, and of what waits at most so many rows. None returns
-- who or what it is about.

-- How long the oldest event has not become deliveries yet.
create or replace function event_lag(asked_at timestamptz) returns table (lag_seconds numeric)
  language sql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
  select coalesce(extract(epoch from asked_at - next.created_at), 0) from webhook_position p left join lateral (
    select o.created_at from ledger_outbox o where (o.txid, o.id) > (p.txid, p.number) order by o.txid, o.id limit 1) next on true;
$$;
revoke execute on function event_lag from public;
grant execute on function event_lag to scrip_server;

-- Deliveries that wait, and how late the latest is. One to an endpoint that fails waits for the merchant, and is not late.
create or replace function webhook_backlog(asked_at timestamptz, rows_max integer)
  returns table (waiting integer, late_seconds numeric, failing integer)
  language sql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
  select
    (select count(*)::integer from (
      select from webhook_deliveries d where d.next_attempt_at is not null limit rows_max) counted),
    (select coalesce(greatest(extract(epoch from asked_at - min(first.next_attempt_at)), 0), 0)
      from webhook_endpoints e cross join lateral (
        select d.next_attempt_at from webhook_deliveries d where d.endpoint_id = e.id and d.next_attempt_at is not null
          order by d.next_attempt_at limit 1) first
      where e.status = 'enabled' and e.failing_since is null),
    (select count(*)::integer from webhook_endpoints e where e.status = 'enabled' and e.failing_since is not null);
$$;
revoke execute on function webhook_backlog from public;
grant execute on function webhook_backlog to scrip_server;

-- Emails that wait, also between two attempts.
create or replace function mail_backlog(asked_at timestamptz, rows_max integer) returns table (waiting integer, age_seconds numeric)
  language sql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
  select count(*)::integer, coalesce(greatest(extract(epoch from asked_at - min(counted.created_at)), 0), 0) from (
    select m.created_at from mails m where m.next_attempt_at is not null order by m.next_attempt_at limit rows_max) counted;
$$;
revoke execute on function mail_backlog from public;
grant execute on function mail_backlog to scrip_server;

-- Pushes that wait, and how late the latest is.
create or replace function push_backlog(asked_at timestamptz, rows_max integer) returns table (waiting integer, late_seconds numeric)
  language sql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
  select count(*)::integer, coalesce(greatest(extract(epoch from asked_at - min(counted.next_attempt_at)), 0), 0) from (
    select p.next_attempt_at from pushes p order by p.next_attempt_at limit rows_max) counted;
$$;
revoke execute on function push_backlog from public;
grant execute on function push_backlog to scrip_server;

-- What left merchants in the last 24 hours, or waits to leave, by their home currency. In its major unit, and in whole hours, as the
-- limits count it.
create or replace function outflow_day(asked_at timestamptz) returns table (mode text, currency text, total numeric)
  language sql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
  select e.mode, m.home_currency, sum(h.total) / power(10::numeric, max(c.decimals))
    from outflow_hours h
    join merchant_environments e on e.id = h.environment_id
    join merchants m on m.id = e.merchant_id
    join currencies c on c.abbreviation = m.home_currency
    where h.hour > asked_at - interval '25 hours' group by 1, 2;
$$;
revoke execute on function outflow_day from public;
grant execute on function outflow_day to scrip_server;

-- Outflows that wait for staff or for a new recipient, by the book that they leave.
create or replace function waiting_outflows(rows_max integer) returns table (mode text, currency text, waiting integer, total numeric)
  language sql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
  select b.mode, b.currency, count(*)::integer, sum(counted.amount) / power(10::numeric, max(c.decimals))
    from (select o.book_id, o.amount from outflows o where o.ended_at is null limit rows_max) counted
    join ledger_books b on b.id = counted.book_id
    join currencies c on c.abbreviation = b.currency
    group by 1, 2;
$$;
revoke execute on function waiting_outflows from public;
grant execute on function waiting_outflows to scrip_server;

-- How much of its limit the exchange desk has used that has used the most, by book.
create or replace function desk_use() returns table (mode text, currency text, used numeric)
  language sql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
  select b.mode, b.currency, greatest(coalesce(max(-a.balance / nullif(c.desk_limit, 0)), 0), 0)
    from ledger_accounts a
    join ledger_books b on b.id = a.book_id
    join currencies c on c.abbreviation = b.currency
    where a.kind = 'exchange' group by 1, 2;
$$;
revoke execute on function desk_use from public;
grant execute on function desk_use to scrip_server;
