-- Idempotency keys and references get a table of their own, so that what grows with time can be divided by time: a unique index of a
-- table that is divided by id has to contain the id.

-- step: the table of keys

-- The idempotency key of every journal and the reference of every transaction, for ever. Divided by hash: its entries arrive in no
-- order, and eight small indexes are vacuumed and rebuilt one at a time.
create table ledger_keys (
  -- SHA-256 of scope and key, its first 128 bits.
  key_hash   uuid not null,
  -- The journal that was posted under the key, or the transaction that has the reference: the ids are the same.
  journal_id uuid not null,
  primary key (key_hash)
) partition by hash (key_hash);
create table ledger_keys_p0 partition of ledger_keys for values with (modulus 8, remainder 0);
create table ledger_keys_p1 partition of ledger_keys for values with (modulus 8, remainder 1);
create table ledger_keys_p2 partition of ledger_keys for values with (modulus 8, remainder 2);
create table ledger_keys_p3 partition of ledger_keys for values with (modulus 8, remainder 3);
create table ledger_keys_p4 partition of ledger_keys for values with (modulus 8, remainder 4);
create table ledger_keys_p5 partition of ledger_keys for values with (modulus 8, remainder 5);
create table ledger_keys_p6 partition of ledger_keys for values with (modulus 8, remainder 6);
create table ledger_keys_p7 partition of ledger_keys for values with (modulus 8, remainder 7);
-- Only triggers of the owner write it.
grant select on ledger_keys to scrip_server;

-- The key under which the reference of a transaction is registered: that of the journal which a request with this reference posts.
-- Stable, as convert_to is: PostgreSQL does not inline an immutable function that calls a stable one, and a call costs 4 µs.
create function reference_key(environment_id uuid, reference text) returns uuid language sql stable parallel safe as $$
  select encode(substring(sha256(convert_to('reference/' || environment_id || '/' || reference, 'UTF8')) for 16), 'hex')::uuid;
$$;
grant execute on function reference_key to scrip_server;

-- step: new journals register their keys

-- server/sql/01-ledger.sql replaces it.
create function ledger_register_keys() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into ledger_keys (key_hash, journal_id) select key_hash, id from inserted order by key_hash;
  return null;
end $$;
create trigger ledger_journals_keys after insert on ledger_journals
  referencing new table as inserted for each statement execute function ledger_register_keys();

-- step in batches: keys of the journals before
with batch as (
  select id, key_hash from ledger_journals where id > coalesce(nullif($1, '')::uuid, '00000000-0000-0000-0000-000000000000')
    order by id limit 5000
), registered as (
  insert into ledger_keys (key_hash, journal_id) select key_hash, id from batch order by key_hash on conflict do nothing
)
select max(id::text) from batch;

-- step: new transactions register their references

-- server/sql/07-transactions.sql replaces both.
create function transactions_register_references() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into ledger_keys (key_hash, journal_id)
    select reference_key(environment_id, reference), id from inserted i
    where not exists (
      select from ledger_keys k where k.key_hash = reference_key(i.environment_id, i.reference) and k.journal_id = i.id)
    order by 1;
  return null;
end $$;
create trigger transactions_references after insert on transactions
  referencing new table as inserted for each statement execute function transactions_register_references();

create function transactions_rename() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from ledger_keys where key_hash = reference_key(old.environment_id, old.reference) and journal_id = old.id;
  insert into ledger_keys (key_hash, journal_id) values (reference_key(new.environment_id, new.reference), new.id);
  return null;
end $$;
create trigger transactions_renamed after update of reference on transactions
  for each row when (old.reference <> new.reference) execute function transactions_rename();

-- step in batches: references of the transactions before

-- Nearly all are registered by their journals. The others are adjustments and what visitors claimed with a public key.
with batch as (
  select environment_id, id, reference from transactions
    where (environment_id, id) > (
      coalesce(nullif(split_part($1, ' ', 1), '')::uuid, '00000000-0000-0000-0000-000000000000'),
      coalesce(nullif(split_part($1, ' ', 2), '')::uuid, '00000000-0000-0000-0000-000000000000'))
    order by environment_id, id limit 5000
), registered as (
  insert into ledger_keys (key_hash, journal_id) select reference_key(environment_id, reference), id from batch order by 1
    on conflict do nothing
)
select environment_id || ' ' || id from batch order by environment_id desc, id desc limit 1;
