-- Chains: bookings of payments.

create or replace trigger chain_bookings_kept before delete or truncate on chain_bookings
  for each statement execute function ledger_refuse('a booking is undone, not removed');
create or replace trigger chain_bookings_named before update of payment_id, journal_id, book_id, amount on chain_bookings
  for each statement execute function ledger_refuse('a booking never changes what it is');

-- A booking is undone by a journal that takes the value out again, of a payment that the network has undone.
create or replace function chain_check_undone() returns trigger
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
drop trigger if exists chain_bookings_undone on chain_bookings;
create constraint trigger chain_bookings_undone after update of undone_by on chain_bookings
  deferrable initially deferred for each row execute function chain_check_undone();
