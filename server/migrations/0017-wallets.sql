-- Wallets: an account for each person and currency. What a person does with money, and what merchants ask of people and pay them.

alter type ledger_account_kind add value 'wallet';

-- Which person a transaction acts for, as scrip_environment() for a merchant. What is somebody's own nobody else reads.
create function scrip_user() returns uuid language sql stable as
  $$ select nullif(current_setting('scrip.user', true), '')::uuid $$;

-- What came into a wallet and left it. An exchange has one of each.
create table wallet_moves (
  user_id    uuid not null,
  -- That of its journal.
  id         uuid not null,
  book_id    smallint not null,
  kind       text not null check (kind in (
    'redeemed', 'bought', 'sent', 'received', 'exchanged', 'paid', 'paid_out', 'refunded', 'returned', 'funded')),
  -- Below zero where it left.
  amount     numeric(78, 0) not null check (amount <> 0),
  -- With whom, by name.
  with_name  text not null,
  note       text not null,
  -- What 1 of what left was worth of what came, where the currency changed.
  rate_numerator   numeric,
  rate_denominator numeric,
  created_at timestamptz not null,
  primary key (user_id, id, book_id)
);
alter table wallet_moves enable row level security;
create policy wallet_moves_of_user on wallet_moves for select using (user_id = scrip_user());
create policy wallet_moves_written on wallet_moves for insert with check (true);
grant select, insert on wallet_moves to scrip_server;

-- What a person whose standing is no more than this may send, spend and give in a day. None: all that he has.
create table wallet_limits (
  mode     text not null check (mode in ('live', 'test')),
  currency text not null references currencies (abbreviation),
  level    smallint not null check (level in (1, 2)),
  daily    numeric(78, 0) not null check (daily >= 0),
  primary key (mode, currency, level)
);
grant select, insert on wallet_limits to scrip_server;
grant update (daily) on wallet_limits to scrip_server;

-- Whom it concerns, if a person.
alter table transactions add column user_id uuid;
create policy transactions_of_user on transactions for select using (user_id = scrip_user());

-- Redeemed into a person's wallet, by the platform's own shop.
alter table redemptions add column user_id uuid;
drop function redemptions_of_voucher;
create function redemptions_of_voucher(wanted uuid, limit_rows integer)
  returns table (id uuid, environment_id uuid, user_id uuid, merchant_id uuid, merchant_code text, merchant_name text,
    amount numeric, created_at timestamptz)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select r.id, r.environment_id, r.user_id, m.id, m.code, coalesce(nullif(m.trading_name, ''), m.company_name), r.amount,
      r.created_at
    from redemptions r
    join merchant_environments e on e.id = r.environment_id
    join merchants m on m.id = e.merchant_id
    where r.voucher_id = wanted order by r.id desc limit limit_rows;
end $$;
revoke execute on function redemptions_of_voucher from public;
grant execute on function redemptions_of_voucher to scrip_server;

-- Bought by a person, out of his wallet; perhaps for another.
alter table vouchers
  add column buyer_id uuid,
  drop constraint vouchers_recipient_kind_check,
  add constraint vouchers_recipient_kind_check check (recipient_kind in ('nobody', 'merchant', 'email', 'user'));
create index vouchers_by_buyer on vouchers (buyer_id, id) where buyer_id is not null;
create index vouchers_by_recipient on vouchers (lower(recipient), id) where recipient_kind in ('user', 'email');
create or replace view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number, v.expired_to, v.expired_at, v.was_expired, v.replaced_by, v.buyer_id
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;

-- Those that a person bought, also for others, and was given: by his name or to his address, which he has proved.
create function vouchers_of_user(wanted uuid, before uuid, limit_rows integer) returns setof voucher_facts
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select f.* from (
      (select v.id from vouchers v where v.buyer_id = wanted and v.id < before
        order by v.id desc limit limit_rows)
      union
      (select v.id from vouchers v where lower(v.recipient) = wanted::text and v.recipient_kind = 'user'
          and v.id < before order by v.id desc limit limit_rows)
      union
      (select v.id from users u
        join vouchers v on lower(v.recipient) = u.email and v.recipient_kind = 'email'
        join ledger_books b on b.id = v.book_id and b.mode = u.realm
        where u.id = wanted and v.batch_id is null and v.id < before order by v.id desc limit limit_rows)
      order by id desc limit limit_rows
    ) mine
    cross join lateral (select * from voucher_facts where voucher_facts.id = mine.id limit 1) f
    order by f.id desc;
end $$;
revoke execute on function vouchers_of_user from public;
grant execute on function vouchers_of_user to scrip_server;

-- Asks a person for money. What became of it is the status of its transaction.
create table payment_requests (
  environment_id uuid not null,
  -- That of its transaction.
  id             uuid primary key,
  user_id        uuid not null references users,
  note           text not null,
  expires_at     timestamptz not null,
  -- What left his wallet, if he authorised it.
  paid_book_id   smallint,
  paid_amount    numeric(78, 0),
  -- None: it is open.
  ended_at       timestamptz
);
create index payment_requests_open on payment_requests (user_id, environment_id) where ended_at is null;
create index payment_requests_due on payment_requests (expires_at) where ended_at is null;
alter table payment_requests enable row level security;
create policy payment_requests_seen on payment_requests for select
  using (environment_id = scrip_environment() or user_id = scrip_user());
create policy payment_requests_written on payment_requests for insert with check (true);
create policy payment_requests_ended on payment_requests for update using (environment_id = scrip_environment());
grant select, insert on payment_requests to scrip_server;
grant update (ended_at, paid_book_id, paid_amount) on payment_requests to scrip_server;

-- Whoever's they are.
create function due_payment_requests(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select r.environment_id, r.id from payment_requests r
    where r.expires_at <= asked_at and r.ended_at is null and r.id <> all(resting) order by r.expires_at limit limit_rows;
$$;
revoke execute on function due_payment_requests from public;
grant execute on function due_payment_requests to scrip_server;

-- Pays a person. What became of it is the status of its transaction.
create table payouts (
  environment_id uuid not null,
  -- That of its transaction.
  id             uuid not null,
  user_id        uuid not null references users,
  -- In what it arrives.
  to_book_id     smallint not null,
  network        text not null,
  -- Who of the staff asked for it. None: a key did.
  asked_by       uuid,
  approved_by    uuid,
  -- Waits for a second person.
  needs_approval boolean not null,
  -- The merchant's day that it counts for.
  day            date not null,
  -- Not before: the recipient is new.
  not_before     timestamptz,
  -- Until then the money is held.
  held_until     timestamptz,
  ended_at       timestamptz,
  created_at     timestamptz not null,
  primary key (environment_id, id)
);
create index payouts_by_recipient on payouts (environment_id, user_id);
create index payouts_due on payouts (least(not_before, held_until)) where ended_at is null;
alter table payouts enable row level security;
create policy payouts_of_environment on payouts using (environment_id = scrip_environment()) with check (true);
grant select, insert on payouts to scrip_server;
grant update (approved_by, ended_at) on payouts to scrip_server;

create function due_payouts(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select p.environment_id, p.id from payouts p
    where p.ended_at is null and least(p.not_before, p.held_until) <= asked_at and p.id <> all(resting)
      and (p.held_until <= asked_at or not p.needs_approval or p.approved_by is not null)
    order by least(p.not_before, p.held_until) limit limit_rows;
$$;
revoke execute on function due_payouts from public;
grant execute on function due_payouts to scrip_server;

-- What an owner set against a stolen key: it cannot pay out more in a day, nor more at once without a second person.
create table payout_limits (
  environment_id uuid not null references merchant_environments,
  book_id        smallint not null,
  daily          numeric(78, 0) check (daily >= 0),
  approval_above numeric(78, 0) check (approval_above >= 0),
  primary key (environment_id, book_id)
);
alter table payout_limits enable row level security;
create policy payout_limits_of_environment on payout_limits using (environment_id = scrip_environment());
grant select, insert on payout_limits to scrip_server;
grant update (daily, approval_above) on payout_limits to scrip_server;

-- What was paid out in a day of the merchant's, and waits to be: counted only where there is a cap, under the lock of its row.
create table payout_days (
  environment_id uuid not null,
  book_id        smallint not null,
  day            date not null,
  total          numeric(78, 0) not null check (total >= 0),
  primary key (environment_id, book_id, day)
);
alter table payout_days enable row level security;
create policy payout_days_of_environment on payout_days using (environment_id = scrip_environment());
grant select, insert on payout_days to scrip_server;
grant update (total) on payout_days to scrip_server;

-- How many hours a payout to a new recipient waits. None said: a day, and in test mode not at all.
alter table merchant_environments add column new_recipient_hours integer check (new_recipient_hours between 0 and 720);
grant update (new_recipient_hours) on merchant_environments to scrip_server;
