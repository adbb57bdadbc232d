-- Money enters a live book in two ways: the operator funds it, through a database role of its own, or a final payment on a chain is
-- booked, once. The server's role can do neither by itself, whatever SQL it runs. Test books are exempt: the sandbox makes its money.

-- What an operator's connection brought in, written by the trigger below and by nothing else.
create table ledger_fundings (
  journal_id uuid not null,
  book_id    smallint not null,
  amount     numeric(78, 0) not null check (amount > 0),
  -- The database role that posted it.
  posted_by  text not null,
  primary key (journal_id, book_id)
);
create trigger ledger_fundings_fixed before update or delete or truncate on ledger_fundings
  for each statement execute function ledger_refuse('a correction is a new journal');
grant select on ledger_fundings to scrip_server;

insert into ledger_fundings (journal_id, book_id, amount, posted_by)
  select t.journal_id, t.book_id,
    sum(case when t.from_kind::text in ('treasury', 'gas', 'purse') then t.amount else 0 end)
      - sum(case when t.to_kind::text in ('treasury', 'gas', 'purse') then t.amount else 0 end), 'before this rule'
  from ledger_transfers t join ledger_books b on b.id = t.book_id and b.mode = 'live'
  group by t.journal_id, t.book_id
  having sum(case when t.from_kind::text in ('treasury', 'gas', 'purse') then t.amount else 0 end)
    > sum(case when t.to_kind::text in ('treasury', 'gas', 'purse') then t.amount else 0 end);

-- Which journal booked a payment. A payment has one booking that is not undone.
create table chain_bookings (
  payment_id uuid not null references chain_payments,
  journal_id uuid not null,
  book_id    smallint not null,
  -- Minor units of the ledger.
  amount     numeric(78, 0) not null check (amount > 0),
  -- The journal that took it back, after the network undid the payment.
  undone_by  uuid,
  primary key (payment_id, journal_id)
);
create unique index chain_bookings_once on chain_bookings (payment_id) where undone_by is null;
create index chain_bookings_of_journal on chain_bookings (journal_id);
create trigger chain_bookings_kept before delete or truncate on chain_bookings
  for each statement execute function ledger_refuse('a booking is undone, not removed');
create trigger chain_bookings_named before update of payment_id, journal_id, book_id, amount on chain_bookings
  for each statement execute function ledger_refuse('a booking never changes what it is');
grant select, insert on chain_bookings to scrip_server;
grant update (undone_by) on chain_bookings to scrip_server;

-- What was booked before has no journal on record; it cannot be booked again.
insert into chain_bookings (payment_id, journal_id, book_id, amount)
  select p.id, p.id, b.id, p.amount * 10::numeric ^ (c.decimals - t.decimals)
  from chain_payments p join networks n on n.id = p.network_id
  join network_tokens t on t.network_id = p.network_id and lower(t.address) = p.token
  join currencies c on c.id = t.currency_id
  join ledger_books b on b.currency = c.abbreviation and b.mode = n.mode
  where p.booked_at is not null and p.bookings > 0;

create function ledger_check_entry() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  entering numeric;
  backed   numeric;
begin
  if (select mode from ledger_books where id = new.book_id) = 'test' then
    return null;
  end if;
  -- A journal may move value between treasuries, as a reversal does. What counts is what it brings in.
  select sum(case when from_kind::text in ('treasury', 'gas', 'purse') then amount else 0 end)
      - sum(case when to_kind::text in ('treasury', 'gas', 'purse') then amount else 0 end)
    into entering from ledger_transfers where journal_id = new.journal_id and book_id = new.book_id;
  if entering <= 0 then
    return null;
  end if;
  if pg_has_role(session_user, 'scrip_operator', 'member') then
    insert into ledger_fundings (journal_id, book_id, amount, posted_by)
      values (new.journal_id, new.book_id, entering, session_user) on conflict do nothing;
    return null;
  end if;
  -- By the catalogue's own word of what the token is, and only what is final and still there.
  select coalesce(sum(b.amount), 0) into backed
    from chain_bookings b
    join chain_payments p on p.id = b.payment_id and p.gone_at is null
    join chain_finality f on f.network_id = p.network_id and p.block_number <= f.number
    join networks n on n.id = p.network_id
    join network_tokens t on t.network_id = p.network_id and lower(t.address) = p.token
    join currencies c on c.id = t.currency_id
    join ledger_books k on k.id = b.book_id and k.currency = c.abbreviation and k.mode = n.mode
    where b.journal_id = new.journal_id and b.book_id = new.book_id and b.undone_by is null
      and b.amount = p.amount * 10::numeric ^ (c.decimals - t.decimals);
  if entering > backed then
    raise exception 'ledger: money enters a live book by the operator or by a final chain payment'
      using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
create trigger ledger_transfers_enter after insert on ledger_transfers
  for each row when (new.from_kind in ('treasury', 'gas', 'purse')) execute function ledger_check_entry();

-- A live desk gives in one currency only what it takes for in another, in the same journal.
create function ledger_check_exchange() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if (select mode from ledger_books where id = new.book_id) = 'test'
    or pg_has_role(session_user, 'scrip_operator', 'member')
    or exists (
      select from ledger_transfers t where t.journal_id = new.journal_id and t.to_kind = 'exchange'
        and t.to_owner = new.from_owner and t.book_id <> new.book_id)
  then
    return null;
  end if;
  raise exception 'ledger: an exchange desk gives one currency for another' using errcode = 'insufficient_privilege';
end $$;
create trigger ledger_transfers_exchange after insert on ledger_transfers
  for each row when (new.from_kind = 'exchange') execute function ledger_check_exchange();

-- A booking is undone by a journal that takes the value out again, of a payment that the network has undone.
create function chain_check_undone() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  left_again numeric;
begin
  if old.undone_by is not null then
    raise exception 'chain: a booking is undone once' using errcode = 'insufficient_privilege';
  end if;
  select coalesce(sum(case when to_kind = 'treasury' then amount when from_kind = 'treasury' then -amount else 0 end), 0)
    into left_again from ledger_transfers where journal_id = new.undone_by and book_id = new.book_id;
  -- The platform's own loss account may stand in for a payee that has spent it: then both sides are treasuries.
  if left_again < new.amount and not exists (
      select from ledger_transfers t join chain_payments p on p.id = new.payment_id
      where t.journal_id = new.undone_by and t.book_id = new.book_id and t.to_kind = 'treasury'
        and t.to_owner = p.network_id and t.amount >= new.amount)
    or exists (select from chain_payments where id = new.payment_id and gone_at is null)
  then
    raise exception 'chain: a booking is undone with its payment' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
create constraint trigger chain_bookings_undone after update of undone_by on chain_bookings
  deferrable initially deferred for each row execute function chain_check_undone();

-- Only the reader of chains says what is on them. It has a role of its own.
revoke insert, update, delete on chain_blocks, chain_finality from scrip_server;
revoke insert on chain_payments from scrip_server;
revoke update (block_number, mined_at, gone_at) on chain_payments from scrip_server;
revoke insert, delete on chain_sweeps from scrip_server;
grant insert, delete on chain_blocks to scrip_chain;
grant insert, update on chain_finality to scrip_chain;
grant insert on chain_payments to scrip_chain;
grant update (block_number, mined_at, gone_at) on chain_payments to scrip_chain;
grant insert, delete on chain_sweeps to scrip_chain;
-- What `select … for no key update` asks for: readers of a network wait for each other at its row.
grant update (is_active) on networks to scrip_chain;

-- Only the operator changes the catalogue, rates and what a desk may owe: they decide what a payment is worth.
revoke insert, update on currencies, networks, network_tokens, exchange_rates from scrip_server;
revoke insert, update, delete on held_rates from scrip_server;
revoke insert, update on exchange_pairs, exchange_settings from scrip_server;
grant insert, update on currencies, networks, network_tokens, exchange_rates, exchange_pairs, exchange_settings to scrip_operator;
grant insert, update, delete on held_rates to scrip_operator;

-- Acts of keys and of the command line are on record like those of people.
alter table acts alter column user_id drop not null,
  add column key_id uuid references merchant_keys,
  -- The operating system's user and the database role, of a command.
  add column ran_by text not null default '',
  add constraint acts_by_someone check (num_nonnulls(user_id, key_id) = 1 or (num_nonnulls(user_id, key_id) = 0 and ran_by <> ''));
