-- Value that leaves a merchant's balance: one rule for payouts, vouchers, batches, replacements and invoices. Outflows of the rolling
-- day are added up in the merchant's home currency, under a lock of its environment. docs/concepts/risk.md has the defaults.

-- What an owner set. No row: the defaults. Within a row null means none.
create table outflow_rules (
  environment_id      uuid primary key references merchant_environments,
  -- Minor units of the home currency. Above this total of the rolling day an outflow waits for staff.
  approval_above      numeric(78, 0) check (approval_above >= 0),
  -- Above this total an outflow is refused.
  daily               numeric(78, 0) check (daily >= 0),
  new_recipient_hours integer not null check (new_recipient_hours between 0 and 720)
);
alter table outflow_rules enable row level security;
create policy outflow_rules_of_environment on outflow_rules using (environment_id = scrip_environment());
grant select, insert, delete on outflow_rules to scrip_server;
grant update (approval_above, daily, new_recipient_hours) on outflow_rules to scrip_server;

insert into outflow_rules (environment_id, approval_above, daily, new_recipient_hours)
  select l.environment_id, l.approval_above, l.daily,
    coalesce(e.new_recipient_hours, case e.mode when 'live' then 24 else 0 end)
  from payout_limits l join ledger_books b on b.id = l.book_id
  join merchant_environments e on e.id = l.environment_id
  join merchants m on m.id = e.merchant_id and m.home_currency = b.currency;

-- What left, and what waits to leave, by the hour: a rolling day is the sum of 25 rows at most.
create table outflow_hours (
  environment_id uuid not null,
  hour           timestamptz not null,
  total          numeric(78, 0) not null check (total >= 0),
  primary key (environment_id, hour)
);
alter table outflow_hours enable row level security;
create policy outflow_hours_of_environment on outflow_hours using (environment_id = scrip_environment());
grant select, insert on outflow_hours to scrip_server;
grant update (total) on outflow_hours to scrip_server;

-- An outflow that waits for staff, or because its recipient is new. Its amount is held meanwhile.
create table outflows (
  environment_id uuid not null,
  -- That of its transaction, and of what it makes: the payout, the voucher, the batch.
  id             uuid not null,
  kind           text not null check (kind in ('payout', 'voucher', 'batch', 'replacement', 'invoice')),
  reference      text not null,
  book_id        smallint not null,
  amount         numeric(78, 0) not null check (amount > 0),
  -- As it was counted, and in which hour.
  home_amount    numeric(78, 0) not null check (home_amount >= 0),
  hour           timestamptz not null,
  -- For the approver: who gets it.
  recipient      text not null,
  -- The staff member who requested it. None: a key did.
  requested_by   uuid,
  needs_approval boolean not null,
  is_approved    boolean not null default false,
  -- Not before: the recipient is new.
  not_before     timestamptz,
  held_until     timestamptz not null,
  -- What is to be done, sealed under a key of the ring: it may carry a lock PIN or codes.
  request        text not null,
  ended_at       timestamptz,
  outcome        text check (outcome in ('done', 'cancelled')),
  created_at     timestamptz not null,
  primary key (environment_id, id),
  check ((ended_at is null) = (outcome is null))
);
create index outflows_waiting on outflows (environment_id, id) where ended_at is null;
create index outflows_due on outflows (least(not_before, held_until)) where ended_at is null;
alter table outflows enable row level security;
create policy outflows_of_environment on outflows using (environment_id = scrip_environment()) with check (true);
grant select, insert on outflows to scrip_server;
grant update (is_approved, ended_at, outcome) on outflows to scrip_server;

-- Each by another person than the one who requested it.
create table outflow_approvals (
  environment_id uuid not null,
  outflow_id     uuid not null,
  approved_by    uuid not null references users,
  created_at     timestamptz not null,
  primary key (environment_id, outflow_id, approved_by)
);
alter table outflow_approvals enable row level security;
create policy outflow_approvals_of_environment on outflow_approvals using (environment_id = scrip_environment());
grant select, insert on outflow_approvals to scrip_server;

create function due_outflows(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.environment_id, o.id from outflows o
    where o.ended_at is null and least(o.not_before, o.held_until) <= asked_at and o.id <> all(resting)
      and (o.held_until <= asked_at or not o.needs_approval or o.is_approved)
    order by least(o.not_before, o.held_until) limit limit_rows;
$$;
revoke execute on function due_outflows from public;
grant execute on function due_outflows to scrip_server;

-- Payouts that waited under the old rule go on waiting under this one.
insert into outflows (environment_id, id, kind, reference, book_id, amount, home_amount, hour, recipient, requested_by,
    needs_approval, is_approved, not_before, held_until, request, created_at)
  select p.environment_id, p.id, 'payout', t.reference, t.book_id, t.amount, 0, date_trunc('hour', p.created_at), '', p.asked_by,
    p.needs_approval, t.status = 'APPROVED', p.not_before, p.held_until, '', p.created_at
  from payouts p join transactions t on t.environment_id = p.environment_id and t.id = p.id
  where p.ended_at is null and p.held_until is not null;

drop function due_payouts;
drop index payouts_due;
alter table payouts drop column asked_by, drop column approved_by, drop column needs_approval, drop column day,
  drop column not_before, drop column held_until, drop column ended_at;
drop table payout_limits;
drop table payout_days;
alter table merchant_environments drop column new_recipient_hours;
