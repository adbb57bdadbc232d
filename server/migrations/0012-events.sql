-- Events: whose each is, what it is about, and an order in which reading them misses none.

-- How many journals have moved it, and what else was told of it: the number of the last event about it. Raised under its lock.
alter table ledger_accounts add column version bigint not null default 0;
grant update (version) on ledger_accounts to scrip_server;

alter table ledger_outbox
  -- What merchants know it by.
  add column event_id uuid,
  -- Who is told.
  add column environment_id uuid,
  add column object_id uuid,
  -- Rises with everything that happens to the object, assigned under its lock: of two events the later has the higher one.
  add column sequence bigint,
  -- The transaction that wrote it. Read in order of (txid, id) and below the oldest transaction that is still open, nothing can come
  -- later that would have to be read earlier: docs/decisions/0014.
  add column txid xid8;

update ledger_outbox o set event_id = gen_random_uuid(), sequence = known.sequence, txid = '0',
    environment_id = known.environment_id, object_id = known.object_id, payload = known.payload
  from (
    select id, environment_id, object_id, payload, row_number() over (partition by object_id order by id) as sequence
    from (
      select id, coalesce(payload ->> 'environmentId', '00000000-0000-0000-0000-000000000000')::uuid as environment_id,
        coalesce(payload ->> 'voucherId', payload ->> 'batchId', payload ->> 'transactionId', event_id::text,
          '00000000-0000-0000-0000-000000000000')::uuid as object_id,
        (payload::jsonb - 'environmentId')::json as payload
      from ledger_outbox
    ) told
  ) known where known.id = o.id;
update ledger_accounts a set version = told.version
  from (select object_id, max(sequence) as version from ledger_outbox group by object_id) told
  where a.owner_id = told.object_id;

alter table ledger_outbox
  alter column event_id set not null, alter column environment_id set not null, alter column object_id set not null,
  alter column sequence set not null, alter column txid set not null, alter column txid set default pg_current_xact_id(),
  drop constraint ledger_outbox_pkey, add primary key (txid, id);
create index ledger_outbox_by_environment on ledger_outbox (environment_id, txid, id);

alter table ledger_outbox enable row level security;
create policy ledger_outbox_of_environment on ledger_outbox for select using (environment_id = scrip_environment());
create policy ledger_outbox_written on ledger_outbox for insert with check (true);
-- Neither its place in the order nor its transaction is for the server to say.
revoke insert on ledger_outbox from scrip_server;
grant insert (journal_id, event_id, environment_id, object_id, sequence, type, payload, created_at) on ledger_outbox to scrip_server;

create or replace function ledger_apply_transfers() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  named   bigint;
  changed bigint;
begin
  -- A journal is posted whole: nothing is added to one that an earlier transaction has committed.
  if exists (
    select from (select distinct journal_id from inserted) i left join ledger_journals j on j.id = i.journal_id
    where j.xmin is distinct from pg_current_xact_id()::xid
  ) then
    raise exception 'ledger: a transfer belongs to no journal of this transaction'
      using errcode = 'integrity_constraint_violation';
  end if;

  with move as (
    select book_id, owner_id, kind, sum(delta) as delta, bool_or(debit) as debit, count(distinct journal_id) as journals
    from (
      select journal_id, book_id, from_owner as owner_id, from_kind as kind, -amount as delta, true as debit from inserted
      union all
      select journal_id, book_id, to_owner, to_kind, amount, false from inserted
    ) side
    group by book_id, owner_id, kind
  ), moved as (
    update ledger_accounts a set balance = a.balance + move.delta, version = a.version + move.journals
    from move
    where a.book_id = move.book_id and a.owner_id = move.owner_id and a.kind = move.kind
      and (a.state = 'open' or (a.state = 'no_debit' and not move.debit))
    returning 1
  )
  select (select count(*) from move), (select count(*) from moved) into named, changed;
  if named <> changed then
    raise exception 'ledger: a transfer names an account that is not in its book, is closed, or may not be debited'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;

-- Claimed by a lock that takes no transaction id: a claim lasts a second, and no event of anybody's can be read past the oldest
-- transaction that has one.
drop function claim_voucher_batch;
create function claim_voucher_batch(resting uuid[]) returns setof voucher_batches
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found voucher_batches;
begin
  for found in
    select * from voucher_batches b
    where b.finished_at is null and b.id <> all(resting) and not exists (
      select from voucher_batches older
      where older.environment_id = b.environment_id and older.finished_at is null and older.id < b.id
    )
    order by coalesce(b.worked_at, b.created_at)
  loop
    if pg_try_advisory_xact_lock(hashtextextended('voucher batch ' || found.id, 0)) then
      -- It may have been finished since the list was read.
      return query select * from voucher_batches b where b.id = found.id and b.finished_at is null;
      return;
    end if;
  end loop;
end $$;
revoke execute on function claim_voucher_batch from public;
grant execute on function claim_voucher_batch to scrip_server;
