-- What a merchant's staff look for: who did it, of which voucher, when its money moved, what was given back.

alter table transactions
  -- Who of the staff did it. None: a key.
  add column member_id  uuid,
  -- The last symbols of its voucher's code, by which people name a voucher.
  add column code_tail  text check (length(code_tail) = 4),
  -- Of a refund: what it gave back.
  add column refund_of  uuid,
  -- The journal that moved its money, where that is not the one that made it. The time of its id is that of the settlement.
  add column settled_by uuid;
grant update (settled_by) on transactions to scrip_server;

-- A page of a list is read from one of these, whatever it is filtered by: rows that do not belong to it are not looked at by the million.
create index transactions_by_kind on transactions (environment_id, type, book_id, id);
create index transactions_by_status on transactions (environment_id, status, id) where status <> 'COMPLETED';
create index transactions_by_member on transactions (environment_id, member_id, id) where member_id is not null;
create index transactions_by_person on transactions (environment_id, user_id, id) where user_id is not null;
create index transactions_by_amount on transactions (environment_id, amount, book_id, id);
create index transactions_by_tail on transactions (environment_id, code_tail, id) where code_tail is not null;
create index transactions_by_settlement on transactions (environment_id, settled_by) where settled_by is not null;
create index transactions_by_refunded on transactions (environment_id, refund_of) where refund_of is not null;

-- Whose rows may be seen is asked once for a statement: asked for every row it took most of the time of a sum.
alter policy transactions_of_environment on transactions using (environment_id = (select scrip_environment()));
alter policy transactions_of_user on transactions using (user_id = (select scrip_user()));

-- PostgreSQL does not let the comparison of an amount, nor lower(), come before the question whose a row is, since either could fail
-- and tell by that: so no index would serve them. The owner answers, for the environment that asks.
create function payments_of_amount(wanted numeric, book smallint, from_id uuid, below_id uuid, rows_max integer)
  returns setof uuid language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select t.id from transactions t
    where t.environment_id = scrip_environment() and t.amount = wanted and t.book_id = book
      and t.id >= from_id and t.id < below_id order by t.id desc limit rows_max;
end $$;
create function vouchers_for_address(wanted text, below_id uuid, rows_max integer)
  returns setof uuid language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select v.id from vouchers v
    where v.environment_id = scrip_environment() and lower(v.recipient) = lower(wanted)
      and v.recipient_kind in ('user', 'email') and v.id < below_id order by v.id desc limit rows_max;
end $$;
revoke execute on function payments_of_amount, vouchers_for_address from public;
grant execute on function payments_of_amount, vouchers_for_address to scrip_server;

-- What moved on a day that is over, by kind and currency, so that nobody adds up a month for every look at it. A day is the ids that were
-- made in it: in another time zone it is another one. Nothing is lost with this table.
create table settled_days (
  environment_id uuid not null,
  from_id        uuid not null,
  below_id       uuid not null,
  figures        json not null,
  primary key (environment_id, from_id, below_id)
);
alter table settled_days enable row level security;
create policy settled_days_of_environment on settled_days using (environment_id = (select scrip_environment()));
-- A network that takes back what was final changes a day that was over.
grant select, insert, delete on settled_days to scrip_server;

-- As above. Of vouchers that were there before nobody knows it.
alter table vouchers add column code_tail text check (length(code_tail) = 4);
create index vouchers_by_tail on vouchers (environment_id, code_tail, id) where code_tail is not null;
create index vouchers_by_replacement on vouchers (environment_id, replaced_by) where replaced_by is not null;
-- Few are, and their issuer wants to see them.
create index voucher_pins_frozen on voucher_pins (voucher_id) where wrong_in_all >= 10;
create index ledger_accounts_blocked on ledger_accounts (owner_id) where state = 'no_debit';

create index payouts_waiting on payouts (environment_id, id) where ended_at is null;

-- What a movement told, and what was told of something without one.
create index ledger_outbox_of_journal on ledger_outbox (journal_id) where journal_id is not null;
create index ledger_outbox_of_object on ledger_outbox (object_id) where journal_id is null;

-- Begun by a pin at a till of this merchant: good for what a cashier does there, and for nothing else.
alter table user_sessions add column till_of uuid references merchants;

create or replace view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number, v.expired_to, v.expired_at, v.was_expired, v.replaced_by, v.buyer_id, v.code_tail
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;
