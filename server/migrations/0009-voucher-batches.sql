-- Vouchers by the thousand: made in a batch, or brought along from another system.

-- What a batch was paid with and has not yet put on its vouchers.
alter type ledger_account_kind add value 'batch';

create table voucher_batches (
  environment_id uuid not null references merchant_environments,
  -- That of the journal which paid for it, and the owner of its account.
  id             uuid not null,
  reference      text not null,
  book_id        smallint not null references ledger_books,
  size           integer not null check (size between 1 and 10000),
  -- Of each. Null for an import, where every row says its own.
  amount         numeric(78, 0) check (amount > 0),
  total          numeric(78, 0) not null check (total > 0),
  only_at        uuid[] not null,
  expires_at     timestamptz,
  -- Where what is left goes then, as its issuer stated when it was paid for.
  expired_to     text not null check (expired_to in ('payer', 'unclaimed')),
  -- Of an import: codes, balances and pins that have to become vouchers, sealed. Emptied when they all have.
  key_id         smallint,
  rows_sealed    bytea,
  -- Rows of an import whose code became somebody else's between being read and being issued. Their value went back.
  refused_rows   integer[] not null default '{}',
  created_at     timestamptz not null,
  -- When a worker last did a piece of it.
  worked_at      timestamptz,
  -- Every voucher is there.
  finished_at    timestamptz,
  -- Its codes have left the platform. Until then nobody has seen them, its issuer included. Those of an import were out before.
  exported_at    timestamptz,
  primary key (environment_id, id)
);
create index voucher_batches_unfinished on voucher_batches (id) where finished_at is null;

alter table voucher_batches enable row level security;
create policy voucher_batches_of_environment on voucher_batches for select using (environment_id = scrip_environment());
create policy voucher_batches_written on voucher_batches for insert with check (true);
create policy voucher_batches_changed on voucher_batches for update using (environment_id = scrip_environment());

alter table vouchers add column batch_id uuid, add column batch_number integer,
  add constraint vouchers_of_batch check ((batch_id is null) = (batch_number is null));
-- Also what keeps a batch from issuing a voucher twice.
create unique index vouchers_by_batch on vouchers (batch_id, batch_number) where batch_id is not null;

-- A batch that is not finished and that nobody works on, whoever's it is: of each environment its oldest, and of those the one that
-- has waited longest, so that nobody's hundred batches go before another's one. Imports of one environment thereby come one after
-- the other, and cannot both bring the same code along. It stays locked until the end of the transaction: a worker that dies
-- gives it back by dying. One that failed rests for a while.
create function claim_voucher_batch(resting uuid[]) returns setof voucher_batches
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select * from voucher_batches b
    where b.finished_at is null and b.id <> all(resting) and not exists (
      select from voucher_batches older
      where older.environment_id = b.environment_id and older.finished_at is null and older.id < b.id
    )
    order by coalesce(b.worked_at, b.created_at) limit 1 for no key update skip locked;
end $$;
revoke execute on function claim_voucher_batch from public;

create or replace view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;

-- A code has several hashes: under each key of the ring, and as one that only the merchant who brought it along knows. The first of
-- them that there is counts.
drop function vouchers_by_code;
create function vouchers_by_code(wanted uuid[], hashes_each integer) returns setof voucher_facts
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  -- For a code that is not there some other voucher is read instead, and ignored by who asked: reading a row takes its time,
  -- and the time must not tell a code that nobody has from one that is for other merchants.
  return query
    select f.* from generate_series(0, cardinality(wanted) - hashes_each, hashes_each) as w (before)
    cross join lateral (
      select coalesce(
        (select v.code_hash from vouchers v where v.code_hash = wanted[w.before + 1]),
        (select v.code_hash from vouchers v where v.code_hash = wanted[w.before + 2]),
        -- Only of a ring with several keys: to go through a list costs as much again as to look up.
        case when hashes_each > 2 then (
          select v.code_hash from unnest(wanted[w.before + 3 : w.before + hashes_each]) with ordinality as h (hash, place)
          join vouchers v on v.code_hash = h.hash order by h.place limit 1) end,
        (select v.code_hash from vouchers v order by v.code_hash limit 1)) as hash
    ) known
    -- Cut at one, or PostgreSQL may read all vouchers and keep those.
    cross join lateral (select * from voucher_facts v where v.code_hash = known.hash limit 1) f;
end $$;
revoke execute on function vouchers_by_code from public;

grant select, insert on voucher_batches to scrip_server;
grant update (worked_at, finished_at, exported_at, refused_rows, rows_sealed) on voucher_batches to scrip_server;
grant execute on function claim_voucher_batch, vouchers_by_code to scrip_server;
