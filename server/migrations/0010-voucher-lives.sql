-- What happens to a voucher after it was issued: refunds, expiry, cancelling, blocking, replacing.

-- What expired and was not the payer's to have back.
alter type ledger_account_kind add value 'unclaimed';

-- Where what is left on an expired voucher goes. It is stated on every voucher when it is issued.
alter table merchant_environments add column expired_to text not null default 'unclaimed'
  check (expired_to in ('payer', 'unclaimed'));
grant update (expired_to) on merchant_environments to scrip_server;

alter table vouchers
  add column expired_to text not null default 'unclaimed' check (expired_to in ('payer', 'unclaimed')),
  -- What was left has been moved. Until then it is due; reopened, it is due again.
  add column expired_at timestamptz,
  -- It was once, or what it replaces was: its value is the holder's, and where it goes was decided then.
  add column was_expired boolean not null default false,
  -- It was lost, and this one has what was left on it.
  add column replaced_by uuid;
create index vouchers_due on vouchers (expires_at) where expires_at is not null and expired_at is null;
create policy vouchers_changed on vouchers for update using (environment_id = scrip_environment());
grant update (expires_at, expired_at, was_expired, replaced_by) on vouchers to scrip_server;

-- Its issuer may set a new pin.
grant update (key_id, digest) on voucher_pins to scrip_server;

-- What came onto a voucher and left it, apart from redemptions.
create table voucher_moves (
  -- Where the value came from or went to. Of a refund for a cancelled voucher, whose payer got it, that one.
  voucher_id     uuid not null,
  -- That of its journal.
  id             uuid not null,
  -- Whose act it was.
  environment_id uuid not null,
  kind           text not null check (kind in ('refund', 'expiry', 'reopening', 'cancel', 'replacement')),
  amount         numeric(78, 0) not null check (amount > 0),
  -- Of a refund.
  redemption_id  uuid,
  reason         text not null,
  created_at     timestamptz not null,
  primary key (voucher_id, id),
  check ((kind = 'refund') = (redemption_id is not null))
);
alter table voucher_moves enable row level security;
create policy voucher_moves_of_environment on voucher_moves for select using (environment_id = scrip_environment());
create policy voucher_moves_written on voucher_moves for insert with check (true);
grant select, insert on voucher_moves to scrip_server;

create or replace view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number, v.expired_to, v.expired_at, v.was_expired, v.replaced_by
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;

-- A voucher, whoever's it is, locked until the end of the transaction against every other act upon its life. A redemption does
-- not wait for it: that is decided by the account.
create function lock_voucher(wanted uuid) returns setof voucher_facts
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from vouchers v where v.id = wanted for no key update;
  return query select * from voucher_facts where id = wanted;
end $$;
revoke execute on function lock_voucher from public;
-- By its id alone: whoever refunds a redemption need not be who issued the voucher. A hash knows no order: by a tree PostgreSQL
-- would walk through everybody's vouchers, newest first, to find the page of one who has issued few.
create index vouchers_by_id on vouchers using hash (id);

-- Vouchers past their time with something still to be moved, oldest first. One that is held waits until it is not, and one
-- that failed rests for a while.
create function due_vouchers(asked_at timestamptz, resting uuid[], limit_rows integer) returns setof uuid
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select v.id from vouchers v
    join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
    where v.expires_at <= asked_at and v.expired_at is null and a.held = 0 and v.id <> all(resting)
    order by v.expires_at limit limit_rows;
end $$;
revoke execute on function due_vouchers from public;

-- What became of a voucher, newest first, for whoever has its code.
create function history_of_voucher(wanted uuid, limit_rows integer)
  returns table (id uuid, kind text, amount numeric, charge numeric, created_at timestamptz, merchant_name text)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    with moves as (
      (select r.id, 'redemption' as kind, r.amount, case r.charged_to when 'voucher' then r.charge else 0 end as charge,
        r.created_at, r.environment_id
        from redemptions r where r.voucher_id = wanted order by r.id desc limit limit_rows)
      union all
      (select m.id, m.kind, m.amount, 0, m.created_at, m.environment_id
        from voucher_moves m where m.voucher_id = wanted order by m.id desc limit limit_rows)
    )
    select m.id, m.kind, m.amount, m.charge, m.created_at, coalesce(nullif(o.trading_name, ''), o.company_name)
    from moves m
    join merchant_environments e on e.id = m.environment_id
    join merchants o on o.id = e.merchant_id
    order by m.id desc limit limit_rows;
end $$;
revoke execute on function history_of_voucher from public;
grant execute on function lock_voucher, due_vouchers, history_of_voucher to scrip_server;

-- Refunds in parts, and the moves of a transaction's status.
alter table transactions
  add column refunded numeric(78, 0) not null default 0,
  add column updated_at timestamptz,
  add constraint transactions_refunded check (refunded between 0 and amount and (status = 'REFUNDED') = (refunded = amount));
create policy transactions_changed on transactions for update using (environment_id = scrip_environment());
grant update (status, refunded, updated_at) on transactions to scrip_server;

-- The same table as in transaction/status.ts.
create function transactions_check_move() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('PENDING', 'APPROVED'), ('PENDING', 'PROCESSING'), ('PENDING', 'COMPLETED'), ('PENDING', 'CANCELED'), ('PENDING', 'FAILED'),
    ('APPROVED', 'PROCESSING'), ('APPROVED', 'COMPLETED'), ('APPROVED', 'CANCELED'), ('APPROVED', 'FAILED'),
    ('PROCESSING', 'COMPLETED'), ('PROCESSING', 'FAILED'),
    ('COMPLETED', 'REFUNDED'), ('COMPLETED', 'REVERSED')
  ) or new.refunded < old.refunded then
    raise exception 'transactions: % does not become %', old.status, new.status using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger transactions_move after update of status, refunded on transactions
  for each row when (old.status <> new.status or new.refunded < old.refunded) execute function transactions_check_move();
