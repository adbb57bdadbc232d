-- Journals, transfers, transactions, redemptions and the audit log are divided by the time of their ids, a quarter each, so that old
-- quarters can leave for the archive. What is there becomes the first part, without being copied.

-- step: a bound for what is there

-- The first id of a point in time.
create function first_id_at(at timestamptz) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '-0000-0000-000000000000')::uuid;
$$;

-- It ends with a quarter that is at least a week away: until then no row has to go into another part, whose rows processes of the
-- previous release would not find by their keys.
do $$
declare
  bound uuid := first_id_at(date_trunc('quarter', current_setting('scrip.now')::timestamptz at time zone 'UTC' + interval '7 days 3 months')
    at time zone 'UTC');
begin
  execute format('alter table ledger_journals add constraint ends_before check (id < %L) not valid', bound);
  execute format('alter table ledger_transfers add constraint ends_before check (journal_id < %L) not valid', bound);
  execute format('alter table redemptions add constraint ends_before check (id < %L) not valid', bound);
  execute format('alter table transactions add constraint ends_before check (id < %L) not valid', bound);
  execute format('alter table acts add constraint ends_before check (id < %L) not valid', bound);
end $$;

-- step: check the journals
alter table ledger_journals validate constraint ends_before;
-- step: check the transfers
alter table ledger_transfers validate constraint ends_before;
-- step: check the redemptions
alter table redemptions validate constraint ends_before;
-- step: check the transactions
alter table transactions validate constraint ends_before;
-- step: check the audit log
alter table acts validate constraint ends_before;

-- step: how a table is divided

-- Makes a table the first part of a divided table that takes its name, privileges, policies and triggers. Reads and copies no row.
create function divide_table(divided text, id_column text) returns void language plpgsql as $$
declare
  first_part text := divided || '_p0000';
  bound text;
  each record;
begin
  execute format('lock table %I in access exclusive mode', divided);
  select substring(pg_get_constraintdef(oid) from '''([0-9a-f-]{36})''') into bound
    from pg_constraint where conrelid = divided::regclass and conname = 'ends_before';

  -- Names of indexes are unique in a schema: those of the first part get its name. Unique ones keep theirs, by which processes of the
  -- previous release recognise that two requests had the same key.
  for each in
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = divided::regclass and not i.indisunique
  loop
    execute format('alter index %I rename to %I', each.name, replace(each.name, divided, first_part));
  end loop;
  execute format('alter table %I rename to %I', divided, first_part);
  execute format('create table %I (like %I including defaults including constraints) partition by range (%I)',
    divided, first_part, id_column);
  execute format('alter table %I drop constraint ends_before', divided);

  -- The same primary key, indexes and references. A unique index without the id cannot be one of the divided table.
  for each in
    select replace(pg_get_indexdef(i.indexrelid), first_part, divided) as definition, i.indisprimary as is_primary,
      pg_get_constraintdef(k.oid) as constraint_text
    from pg_index i left join pg_constraint k on k.conindid = i.indexrelid and k.contype = 'p'
    where i.indrelid = first_part::regclass and (i.indisprimary or not i.indisunique)
  loop
    if each.is_primary then
      execute format('alter table %I add constraint %I %s', divided, divided || '_parts_pkey', each.constraint_text);
    else
      execute each.definition;
    end if;
  end loop;
  for each in
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = first_part::regclass and contype = 'f'
  loop
    execute format('alter table %I add constraint %I %s', divided, each.name, each.definition);
  end loop;

  -- Triggers for each row are inherited, so the first part gives up its own. Those for each statement it keeps: they fire when a
  -- statement names the part.
  for each in
    select tgname as name, tgtype & 1 = 1 as is_for_row, replace(pg_get_triggerdef(oid), first_part, divided) as definition
    from pg_trigger where tgrelid = first_part::regclass and not tgisinternal
  loop
    if each.is_for_row then
      execute format('drop trigger %I on %I', each.name, first_part);
    end if;
    execute each.definition;
  end loop;
  for each in
    select polname as name, polcmd as command, pg_get_expr(polqual, polrelid) as visible, pg_get_expr(polwithcheck, polrelid) as written
    from pg_policy where polrelid = first_part::regclass
  loop
    execute format('create policy %I on %I for %s', each.name, divided,
      case each.command when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end)
      || coalesce(' using (' || each.visible || ')', '') || coalesce(' with check (' || each.written || ')', '');
    execute format('drop policy %I on %I', each.name, first_part);
  end loop;
  if (select relrowsecurity from pg_class where oid = first_part::regclass) then
    execute format('alter table %I enable row level security', divided);
  end if;

  -- Reads in the order of ids, and the rest goes to the last part. Nothing is looked at: the constraint says what the first one has.
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', divided, first_part, bound);
  execute format('alter table %I drop constraint ends_before', first_part);
  execute format('create table %I partition of %I default', divided || '_p9999', divided);
  execute format('revoke all on %I from scrip_server', first_part);
end $$;

-- step: divide the journals
select divide_table('ledger_journals', 'id');
grant select, insert on ledger_journals to scrip_server;

-- step: divide the transfers
select divide_table('ledger_transfers', 'journal_id');
grant select, insert on ledger_transfers to scrip_server;

-- step: divide the redemptions
select divide_table('redemptions', 'id');
grant select, insert on redemptions to scrip_server;

-- step: divide the transactions
select divide_table('transactions', 'id');
grant select, insert on transactions to scrip_server;
grant update (reference, status, refunded, updated_at, settled_by) on transactions to scrip_server;

-- step: divide the audit log
select divide_table('acts', 'id');
grant select, insert, update (status) on acts to scrip_server;

-- step: the archive
drop function divide_table;

-- Old parts that have left the tables of the same names. They are read for reports and checks, and never written.
create schema archive;
grant usage on schema archive to scrip_server;
create table archive.ledger_journals (like ledger_journals including defaults including constraints) partition by range (id);
create table archive.ledger_transfers (like ledger_transfers including defaults including constraints) partition by range (journal_id);
create table archive.redemptions (like redemptions including defaults including constraints) partition by range (id);
create table archive.transactions (like transactions including defaults including constraints) partition by range (id);
create table archive.acts (like acts including defaults including constraints) partition by range (id);
alter table archive.redemptions enable row level security;
alter table archive.transactions enable row level security;
grant select on all tables in schema archive to scrip_server;
