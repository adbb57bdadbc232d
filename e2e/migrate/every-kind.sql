-- One change of each kind that a release may need, for the migration drill.

-- step: a column with a default
alter table transactions add column drill_note text not null default '';
-- What is archived has the same columns, or the views with both would have none.
alter table archive.transactions add column drill_note text not null default '';
alter table ledger_accounts add column drill_seen timestamptz;

-- step concurrently: an index of a table
create index concurrently ledger_accounts_drill on ledger_accounts (balance) where kind = 'merchant';

-- step: an index of a divided table, without its parts
create index transactions_drill on only transactions (environment_id, charged);

-- step concurrently: the same of its first part
create index concurrently transactions_p0000_drill on transactions_p0000 (environment_id, charged);

-- step: the same of its last part, which is empty
create index transactions_p9999_drill on transactions_p9999 (environment_id, charged);
alter index transactions_drill attach partition transactions_p0000_drill;
alter index transactions_drill attach partition transactions_p9999_drill;

-- step in batches: values for the column
with batch as (
  select environment_id, id from transactions
    where (environment_id, id) > (
      coalesce(nullif(split_part($1, ' ', 1), '')::uuid, '00000000-0000-0000-0000-000000000000'),
      coalesce(nullif(split_part($1, ' ', 2), '')::uuid, '00000000-0000-0000-0000-000000000000'))
    order by environment_id, id limit 5000
), changed as (
  update transactions t set drill_note = 'seen' from (
    select environment_id, id from batch where ('x' || right(id::text, 1))::bit(4)::int = 7) b
    where t.environment_id = b.environment_id and t.id = b.id
)
select environment_id || ' ' || id from batch order by environment_id desc, id desc limit 1;

-- step: a rule for new rows
alter table redemptions add constraint redemptions_drill_rule check (charge < 1000000000000) not valid;

-- step: the same rule for all rows
alter table redemptions validate constraint redemptions_drill_rule;

-- step: a foreign key
alter table vouchers add column drill_book smallint;
alter table vouchers add constraint vouchers_drill_book foreign key (drill_book) references ledger_books not valid;

-- step: the same for all rows
alter table vouchers validate constraint vouchers_drill_book;

-- step: a table with privileges and a policy
create table drill_notes (environment_id uuid not null, id uuid not null, note text not null, primary key (environment_id, id));
alter table drill_notes enable row level security;
create policy drill_notes_of_environment on drill_notes for select using (environment_id = scrip_environment());
grant select, insert on drill_notes to scrip_server;
