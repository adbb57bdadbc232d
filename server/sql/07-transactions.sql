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

-- Registers the references of new transactions. Most are the keys of their journals, which are registered already; the others must not
-- be anyone else's, so that a reference names one transaction for ever.
create or replace function transactions_register_references() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  is_taken boolean;
  is_new   boolean;
begin
  -- The keys first, once each: the lookup uses them to find the part and again within it. With a limit it stays a lookup for each key:
  -- without it, PostgreSQL read all keys for a hash join once the table had statistics, which took a fifth of the time of a redemption.
  with named as materialized (
    select id, reference_key(i.environment_id, i.reference) as key_hash from inserted i
  )
  select bool_or(k.journal_id <> n.id), bool_or(k.journal_id is null) into is_taken, is_new
    from named n
    left join lateral (select journal_id from ledger_keys where key_hash = n.key_hash limit 1) k on true;
  if is_taken then
    raise exception 'transactions: the reference is taken' using errcode = 'unique_violation', constraint = 'transactions_reference';
  end if;
  if is_new then
    insert into ledger_keys (key_hash, journal_id)
      select reference_key(i.environment_id, i.reference), i.id from inserted i
      where not exists (select from ledger_keys where key_hash = reference_key(i.environment_id, i.reference))
      order by 1;
  end if;
  return null;
end $$;
revoke execute on function transactions_register_references from public;
create or replace trigger transactions_references after insert on transactions
  referencing new table as inserted for each statement execute function transactions_register_references();

-- Only the reference that a visitor claimed with the public key gives way. It is free again, and the new name is registered.
create or replace function transactions_rename() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if old.by_public_key is not true then
    raise exception 'transactions: a reference never changes' using errcode = 'insufficient_privilege';
  end if;
  delete from ledger_keys where key_hash = reference_key(old.environment_id, old.reference) and journal_id = old.id;
  insert into ledger_keys (key_hash, journal_id) values (reference_key(new.environment_id, new.reference), new.id);
  return null;
end $$;
revoke execute on function transactions_rename from public;
create or replace trigger transactions_renamed after update of reference on transactions
  for each row when (old.reference <> new.reference) execute function transactions_rename();

-- The transaction with a reference, or else the journal that took it.
create or replace function id_of_reference(environment_id uuid, reference text) returns uuid language sql stable as $$
  select journal_id from ledger_keys where key_hash = reference_key(environment_id, reference);
$$;

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
