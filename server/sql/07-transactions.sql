-- Transactions.

-- The same table as in payments/transaction/status.ts.
create or replace function transactions_check_move() returns trigger language plpgsql as $$
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
create or replace trigger transactions_move after update of status, refunded on transactions
  for each row when (old.status <> new.status or new.refunded < old.refunded) execute function transactions_check_move();

-- PostgreSQL evaluates neither the comparison of an amount nor lower() before the policy, since either could fail and leak by that: so
-- no index would serve them. The owner answers, for the environment of the transaction.
create or replace function payments_of_amount(wanted numeric, book smallint, from_id uuid, below_id uuid, rows_max integer)
  returns setof uuid language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select t.id from transactions t
    where t.environment_id = scrip_environment() and t.amount = wanted and t.book_id = book
      and t.id >= from_id and t.id < below_id order by t.id desc limit rows_max;
end $$;
revoke execute on function payments_of_amount from public;
grant execute on function payments_of_amount to scrip_server;

-- Whose rows are visible is computed once for a statement: computed for every row it took most of the time of a sum.
drop policy if exists transactions_of_environment on transactions;
create policy transactions_of_environment on transactions for select using (environment_id = (select scrip_environment()));
drop policy if exists transactions_of_user on transactions;
create policy transactions_of_user on transactions for select using (user_id = (select scrip_user()));
-- Written in the commit of their journals, with those of other environments.
drop policy if exists transactions_written on transactions;
create policy transactions_written on transactions for insert with check (true);
drop policy if exists transactions_changed on transactions;
create policy transactions_changed on transactions for update using (environment_id = scrip_environment());
drop policy if exists settled_days_of_environment on settled_days;
create policy settled_days_of_environment on settled_days using (environment_id = (select scrip_environment()));
