-- Redemptions of onchain vouchers.

-- A redemption that ended after a request had read the nonce of the voucher counts as still open: the vault would refuse the signature.
-- Checked after the insert, which waits for a transaction that ends the other.
create or replace function address_redemptions_check_nonce() returns trigger language plpgsql as $$
begin
  if new.nonce is distinct from (select nonce from onchain_vouchers where voucher_id = new.voucher_id) then
    raise exception 'onchain: another redemption of this voucher was carried out since'
      using errcode = 'unique_violation', constraint = 'address_redemptions_one_open';
  end if;
  return null;
end $$;
create or replace trigger address_redemptions_nonce after insert on address_redemptions
  for each row when (new.vault is not null) execute function address_redemptions_check_nonce();

-- A log of a vault is booked by a journal of the same transaction. It is undone once, by a journal of the same transaction, after its
-- network has undone it. What may come back into a live book is what the booking took out, so it may name no other journal.
create or replace function vault_check_booking() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  named uuid := case tg_op when 'INSERT' then new.journal_id else new.undone_by end;
begin
  if tg_op = 'INSERT' and new.undone_by is not null or tg_op = 'UPDATE' and old.undone_by is not null then
    raise exception 'vault: a booking is undone once' using errcode = 'insufficient_privilege';
  end if;
  if not exists (select from ledger_journals where id = named and xmin = pg_current_xact_id()::xid) then
    raise exception 'vault: a booking names a journal of its own transaction' using errcode = 'insufficient_privilege';
  end if;
  if tg_op = 'UPDATE' and exists (select from vault_events where id = new.event_id and gone_at is null) then
    raise exception 'vault: a booking is undone with its log' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
drop trigger if exists vault_bookings_checked on vault_bookings;
create constraint trigger vault_bookings_checked after insert or update on vault_bookings
  deferrable initially deferred for each row execute function vault_check_booking();
