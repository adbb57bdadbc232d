-- The ledger: posting, and what may never happen.

-- Posting ----------------------------------------------------------------------------------------------------

-- Posting: moves the balances of the accounts that the inserted transfers name.
create or replace function ledger_apply_transfers() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  named   bigint;
  changed bigint;
begin
  -- A journal is posted whole: nothing is added to one that an earlier transaction has committed. The limit keeps PostgreSQL from
  -- reading all journals for a hash join.
  if exists (
    select from (select distinct journal_id from inserted) i
    left join lateral (select xmin as written_by from ledger_journals where id = i.journal_id limit 1) j on true
    where j.written_by is distinct from pg_current_xact_id()::xid
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
create or replace trigger ledger_transfers_apply after insert on ledger_transfers
  referencing new table as inserted for each statement execute function ledger_apply_transfers();

-- Posting: changes the holds that the inserted moves name, and what is held on their accounts.
create or replace function ledger_apply_hold_moves() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  named   bigint;
  changed bigint;
begin
  if exists (
    select from (select distinct journal_id from inserted) i
    left join lateral (select xmin as written_by from ledger_journals where id = i.journal_id limit 1) j on true
    where j.written_by is distinct from pg_current_xact_id()::xid
  ) then
    raise exception 'ledger: a hold move belongs to no journal of this transaction'
      using errcode = 'integrity_constraint_violation';
  end if;

  with move as (
    select hold_id, sum(case act when 'reserve' then amount else -amount end) as delta from inserted group by hold_id
  ), moved as (
    update ledger_holds h set remaining = h.remaining + move.delta from move where h.id = move.hold_id
    returning h.book_id, h.owner_id, h.kind, move.delta
  ), per_account as (
    select book_id, owner_id, kind, sum(delta) as delta, count(*) as holds from moved group by book_id, owner_id, kind
  ), held as (
    update ledger_accounts a set held = a.held + p.delta
    from per_account p
    where a.book_id = p.book_id and a.owner_id = p.owner_id and a.kind = p.kind
      and (a.state = 'open' or p.delta <= 0)
    returning p.holds
  )
  select (select count(*) from move), (select coalesce(sum(holds), 0) from held) into named, changed;
  if named <> changed then
    raise exception 'ledger: a hold move names no hold, or an account that may not be held'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create or replace trigger ledger_hold_moves_apply after insert on ledger_hold_moves
  referencing new table as inserted for each statement execute function ledger_apply_hold_moves();

-- Keys -------------------------------------------------------------------------------------------------------

-- Registers the keys of new journals. A key that is taken is a unique violation, in whatever way a journal is written.
create or replace function ledger_register_keys() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Sorted: unique keys are locks too.
  insert into ledger_keys (key_hash, journal_id) select key_hash, id from inserted order by key_hash;
  return null;
end $$;
revoke execute on function ledger_register_keys from public;
create or replace trigger ledger_journals_keys after insert on ledger_journals
  referencing new table as inserted for each statement execute function ledger_register_keys();

-- Refused changes --------------------------------------------------------------------------------------------

-- What may never happen.
create or replace function ledger_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'ledger: % on % is refused: %', tg_op, tg_table_name, tg_argv[0] using errcode = 'insufficient_privilege';
end $$;
create or replace trigger ledger_books_fixed before update or delete or truncate on ledger_books
  for each statement execute function ledger_refuse('a book never changes');
create or replace trigger ledger_journals_fixed before update or delete or truncate on ledger_journals
  for each statement execute function ledger_refuse('a correction is a new journal');
create or replace trigger ledger_transfers_fixed before update or delete or truncate on ledger_transfers
  for each statement execute function ledger_refuse('a correction is a new journal');
create or replace trigger ledger_hold_moves_fixed before update or delete or truncate on ledger_hold_moves
  for each statement execute function ledger_refuse('a correction is a new journal');
create or replace trigger ledger_fundings_fixed before update or delete or truncate on ledger_fundings
  for each statement execute function ledger_refuse('a correction is a new journal');
-- Within triggers the depth is above 0: those of transactions register references, and rename those of visitors.
create or replace trigger ledger_keys_written before insert or delete on ledger_keys
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse('keys are registered by their journals');
create or replace trigger ledger_keys_fixed before update or truncate on ledger_keys
  for each statement execute function ledger_refuse('a key is registered for ever');
create or replace trigger ledger_accounts_kept before delete or truncate on ledger_accounts
  for each statement execute function ledger_refuse('an account is closed, not removed');
create or replace trigger ledger_holds_kept before delete or truncate on ledger_holds
  for each statement execute function ledger_refuse('a hold is released, not removed');
create or replace trigger ledger_accounts_named before update of book_id, owner_id, kind, may_go_negative on ledger_accounts
  for each statement execute function ledger_refuse('an account never changes what it is');
create or replace trigger ledger_holds_named before update of id, book_id, owner_id, kind, expires_at on ledger_holds
  for each statement execute function ledger_refuse('a hold never changes what it is');
create or replace trigger ledger_accounts_closed before update of state on ledger_accounts
  for each row when (old.state = 'closed' and new.state <> 'closed') execute function ledger_refuse('closed is for good');
-- Within posting these updates come from a trigger, so the depth is above 0.
create or replace trigger ledger_accounts_posted before update of balance, held on ledger_accounts
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse('a balance changes only by posting');
create or replace trigger ledger_holds_posted before update of remaining on ledger_holds
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse('a hold changes only by posting');
-- An event's number is never used twice.
create or replace trigger ledger_accounts_version before update of version on ledger_accounts
  for each row when (new.version < old.version) execute function ledger_refuse('a version only rises');

-- An account begins empty. Only the outside world, an exchange desk, gas and the float of a shop may go negative.
create or replace function ledger_check_new_accounts() returns trigger language plpgsql as $$
begin
  if exists (
    select from inserted
    where balance <> 0 or held <> 0 or may_go_negative <> (kind::text in ('exchange', 'treasury', 'gas', 'vault', 'store_float'))
  ) then
    raise exception 'ledger: an account begins empty, and only the outside world, a desk, gas and a float may go negative'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create or replace trigger ledger_accounts_begin after insert on ledger_accounts
  referencing new table as inserted for each statement execute function ledger_check_new_accounts();

-- A hold begins empty, on an existing account. Its reservation is a move.
create or replace function ledger_check_new_holds() returns trigger language plpgsql as $$
begin
  if exists (
    select from inserted i left join ledger_accounts a using (book_id, owner_id, kind)
    where i.remaining <> 0 or a.book_id is null
  ) then
    raise exception 'ledger: a hold begins empty, on an account that is there; its reservation is a move'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create or replace trigger ledger_holds_begin after insert on ledger_holds
  referencing new table as inserted for each statement execute function ledger_check_new_holds();

-- Money that enters, desks and vaults ------------------------------------------------------------------------

-- Money enters a live book in two ways: the operator funds it, through a database role of its own, or a final payment on a chain is
-- booked, once. The server's role can do neither by itself, whatever SQL it runs. Test books are exempt: the sandbox makes its money.
-- Vaults are part of the outside world: what goes from an address of the platform into a vault, or back, enters no book. An undone log
-- brings back at most what its booking took out.
create or replace function ledger_check_entry() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  entering numeric;
  backed   numeric;
begin
  if (select mode from ledger_books where id = new.book_id) = 'test' then
    return null;
  end if;
  -- A journal may move value between treasuries, as a reversal does. What counts is what it brings in.
  select sum(case when from_kind::text in ('treasury', 'gas', 'purse', 'vault') then amount else 0 end)
      - sum(case when to_kind::text in ('treasury', 'gas', 'purse', 'vault') then amount else 0 end)
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
  select backed + coalesce(sum(case when t.to_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end)
      - sum(case when t.from_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end), 0)
    into backed from vault_bookings k
    join vault_events e on e.id = k.event_id and e.gone_at is not null
    join ledger_transfers t on t.journal_id = k.journal_id and t.book_id = new.book_id
    where k.undone_by = new.journal_id;
  if entering > backed then
    raise exception 'ledger: money enters a live book by the operator or by a final chain payment'
      using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
create or replace trigger ledger_transfers_enter after insert on ledger_transfers
  for each row when (new.from_kind::text in ('treasury', 'gas', 'purse', 'vault')) execute function ledger_check_entry();

-- A live desk gives in one currency only what it takes for in another, in the same journal.
create or replace function ledger_check_exchange() returns trigger
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
create or replace trigger ledger_transfers_exchange after insert on ledger_transfers
  for each row when (new.from_kind = 'exchange') execute function ledger_check_exchange();

-- What an exchange desk may owe in a book.
create or replace function ledger_desk_limit(book smallint) returns numeric
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select c.desk_limit from ledger_books b join currencies c on c.abbreviation = b.currency where b.id = book;
$$;
revoke all on function ledger_desk_limit(smallint) from public;
grant execute on function ledger_desk_limit(smallint) to scrip_server;

-- An exchange desk cannot promise more than its limit, in whatever way a transfer is posted.
create or replace function ledger_check_desk() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- A book without a currency of the catalogue has no limit, and nothing of value.
  if new.balance < -coalesce(ledger_desk_limit(new.book_id), -new.balance) then
    raise exception 'ledger: an exchange desk may not owe more than its limit'
      using errcode = 'check_violation', constraint = 'ledger_accounts_desk_limit';
  end if;
  return new;
end $$;
create or replace trigger ledger_accounts_desk before update of balance on ledger_accounts
  for each row when (new.kind = 'exchange' and new.balance < old.balance) execute function ledger_check_desk();

-- Value leaves a vault in the ledger only when it leaves it on its network. What goes into one comes from the platform's own addresses.
create or replace function ledger_check_vault() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.from_kind = 'purse' and new.to_kind <> 'vault' then
    raise exception 'ledger: what our keys spent comes back only out of a vault' using errcode = 'insufficient_privilege';
  end if;
  if new.from_kind = 'vault' and new.to_kind <> 'purse' and not exists (
    select from vault_bookings k join vault_events e on e.id = k.event_id and e.gone_at is not null and e.kind = 'redeemed'
    where k.undone_by = new.journal_id)
  then
    raise exception 'ledger: a vault gives back what its network undid' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
create or replace trigger ledger_transfers_vault after insert on ledger_transfers
  for each row when (new.from_kind::text in ('purse', 'vault')) execute function ledger_check_vault();

-- Store vouchers ---------------------------------------------------------------------------------------------

-- A store voucher is a debt of its shop and never becomes platform money: value moves between the float of a shop and its own store
-- vouchers, and from one of them to the one that replaces it. The row of the voucher says whose it is.
create or replace function ledger_check_store() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  from_shop uuid := case new.from_kind when 'store_float' then new.from_owner
    when 'store_voucher' then (select environment_id from vouchers where id = new.from_owner and is_store) end;
  to_shop uuid := case new.to_kind when 'store_float' then new.to_owner
    when 'store_voucher' then (select environment_id from vouchers where id = new.to_owner and is_store) end;
begin
  -- Null where a side is no store account, or a store account without a store voucher.
  if from_shop = to_shop then
    return null;
  end if;
  raise exception 'ledger: store value moves between the float of a shop and its own store vouchers only'
    using errcode = 'insufficient_privilege';
end $$;
revoke execute on function ledger_check_store from public;
create or replace trigger ledger_transfers_store after insert on ledger_transfers
  for each row when (new.from_kind in ('store_float', 'store_voucher') or new.to_kind in ('store_float', 'store_voucher'))
  execute function ledger_check_store();

-- Events -----------------------------------------------------------------------------------------------------

drop policy if exists ledger_outbox_of_environment on ledger_outbox;
create policy ledger_outbox_of_environment on ledger_outbox for select using (environment_id = scrip_environment());
drop policy if exists ledger_outbox_written on ledger_outbox;
create policy ledger_outbox_written on ledger_outbox for insert with check (true);
