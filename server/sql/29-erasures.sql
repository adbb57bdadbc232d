-- Requests to erase, by the operator alone. Why one is refused, what happens at once, and that nothing reaches an erased user.

-- Why the account of a user cannot be erased yet: the code of the error, or nothing.
create or replace function what_blocks_user(wanted uuid) returns text
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select case
    when exists (select from ledger_accounts a where a.owner_id = wanted and a.kind::text = 'wallet' and a.held <> 0)
      then 'ACCOUNT_HAS_HOLDS'
    when exists (select from ledger_accounts a where a.owner_id = wanted and a.kind::text = 'wallet' and a.balance <> 0)
      then 'ACCOUNT_HAS_BALANCE'
    when exists (select from payment_requests r where r.user_id = wanted and r.ended_at is null) then 'ACCOUNT_HAS_REQUESTS'
    when exists (select from deposits d where d.user_id = wanted and d.ended_at is null)
      or exists (select from deposits d join deposit_cases c on c.deposit_id = d.id
        where d.user_id = wanted and c.resolved_at is null) then 'ACCOUNT_HAS_DEPOSITS'
    when exists (select from outflows o join payouts p on p.environment_id = o.environment_id and p.id = o.id
        where o.ended_at is null and p.user_id = wanted)
      or exists (select from payout_rows r where r.user_id = wanted and r.status = 'waiting') then 'ACCOUNT_HAS_PAYOUTS'
    when exists (select from outflows o join deposit_refunds r on r.environment_id = o.environment_id and r.id = o.id
        where o.ended_at is null and r.user_id = wanted) then 'ACCOUNT_HAS_REFUNDS'
    when exists (select from vouchers v join voucher_gifts g on g.environment_id = v.environment_id and g.voucher_id = v.id
        where v.buyer_id = wanted and g.sent_at is null and g.ended_at is null) then 'ACCOUNT_HAS_GIFTS'
    -- A gift that was sent belongs to its recipient.
    when exists (select from vouchers v where voucher_has_value(v.environment_id, v.id) and v.buyer_id = wanted and not exists (
          select from voucher_gifts g where g.environment_id = v.environment_id and g.voucher_id = v.id and g.sent_at is not null))
      or exists (select from vouchers v where v.recipient_kind = 'user' and lower(v.recipient) = wanted::text
        and voucher_has_value(v.environment_id, v.id))
      or exists (select from users u join vouchers v on v.recipient_kind = 'email' and lower(v.recipient) = u.email
        join ledger_books b on b.id = v.book_id and b.mode = u.realm
        where u.id = wanted and voucher_has_value(v.environment_id, v.id)) then 'ACCOUNT_HAS_VOUCHERS'
    when exists (select from users u join mails m on lower(m.recipient) = u.email
        where u.id = wanted and m.next_attempt_at is not null and m.secret_sealed is not null) then 'ADDRESS_HAS_MAILS'
    when exists (select from merchant_members m where m.user_id = wanted and m.role = 'owner'
        and not exists (select from merchant_members o where o.merchant_id = m.merchant_id and o.role = 'owner' and o.user_id <> wanted))
      then 'ACCOUNT_IS_ONLY_OWNER'
    else '' end;
$$;

-- Why an address cannot be erased yet.
create or replace function what_blocks_address(wanted text) returns text
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select case
    when exists (select from invoices i where i.email = lower(wanted) and i.status <> 'Rejected' and i.paid_at is null)
      then 'ADDRESS_HAS_INVOICES'
    when exists (select from outflows o where o.ended_at is null and lower(o.recipient) = lower(wanted)) then 'ADDRESS_HAS_OUTFLOWS'
    when exists (select from voucher_gifts g where lower(g.email) = lower(wanted) and g.sent_at is null and g.ended_at is null)
      then 'ADDRESS_HAS_GIFTS'
    when exists (select from vouchers v where v.recipient_kind = 'email' and lower(v.recipient) = lower(wanted)
      and voucher_has_value(v.environment_id, v.id)) then 'ADDRESS_HAS_VOUCHERS'
    when exists (select from mails m where lower(m.recipient) = lower(wanted) and m.next_attempt_at is not null
      and m.secret_sealed is not null) then 'ADDRESS_HAS_MAILS'
    else '' end;
$$;

-- Starts to erase a user: the account, its sign-ins and browsers at once, the rest by erase_page. Returns why not, or nothing. To
-- repeat it does no harm. Only rows of this realm are touched: the same person may have a test wallet, a live one and be staff.
create or replace function erase_user(new_id uuid, wanted uuid, asked_at timestamptz) returns text
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '500ms' as $$
declare
  person  users;
  blocked text;
begin
  -- The lock of the user's own acts, and before accounts as there. Foreign keys do not wait for it; refuse_inactive_user does.
  select * into person from users where id = wanted for no key update;
  if not found then return 'USER_NOT_FOUND'; end if;
  perform from ledger_accounts where owner_id = wanted and kind::text = 'wallet' order by book_id for no key update;
  blocked := what_blocks_user(wanted);
  if blocked <> '' then return blocked; end if;
  -- In every book of the realm, with or without an account so far: a closed account accepts no posting and stays closed.
  update ledger_accounts set state = 'closed' where owner_id = wanted and kind::text = 'wallet' and state <> 'closed';
  insert into ledger_accounts (book_id, owner_id, kind, state, may_go_negative)
    select b.id, wanted, 'wallet', 'closed', false from ledger_books b where b.mode = person.realm on conflict do nothing;
  insert into erasures (id, kind, user_ids, address, requested_at)
    select new_id, 'user', array[wanted], person.email, asked_at where person.email not like '%@erased.invalid';
  delete from user_sessions where user_id = wanted;
  delete from user_logins where user_id = wanted;
  delete from user_passkeys where user_id = wanted;
  delete from user_two_factors where user_id = wanted;
  delete from user_pins where user_id = wanted;
  delete from user_blocks where user_id = wanted;
  delete from user_links where email = person.email and realm = person.realm;
  delete from wallet_quotes where user_id = wanted;
  delete from merchant_members where user_id = wanted;
  delete from pushes where user_id = wanted;
  delete from push_subscriptions where user_id = wanted;
  update users set email = wanted || '@erased.invalid', username = null, phone = null, surname = '[erased]', other_names = '',
    avatar = null, external_id = '', language = 'en', is_active = false, is_discoverable = false, is_operator = false,
    two_factor_enabled = false, updated_at = asked_at where id = wanted;
  return '';
end $$;

-- Starts to erase an address everywhere, except its accounts: each is an erasure of its own.
create or replace function erase_address(new_id uuid, wanted text, known_as bytea, asked_at timestamptz) returns text
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  blocked text := what_blocks_address(wanted);
begin
  if wanted !~ '^[^[:space:]@]+@[^[:space:]@]+$' or wanted ~* '@erased\.invalid$' then return 'ADDRESS_INVALID'; end if;
  if blocked <> '' then return blocked; end if;
  insert into erasures (id, kind, user_ids, digest, address, requested_at)
    values (new_id, 'address', array(select id from users where email = lower(wanted)), known_as, lower(wanted), asked_at);
  return '';
end $$;

-- Erasures that are not finished, the oldest first.
create or replace function unfinished_erasures() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id from erasures where finished_at is null order by id;
$$;

-- What was erased, without personal data: to erase it again after a restore.
create or replace function list_erasures() returns table (id uuid, kind text, user_id uuid, digest text, is_finished boolean)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select e.id, e.kind, case e.kind when 'user' then e.user_ids[1] end, encode(e.digest, 'hex'), e.finished_at is not null
    from erasures e order by e.id;
$$;

-- The addresses that are stored, to find erased ones again by their digests.
create or replace function stored_addresses() returns setof text
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select email_key from customers union select email from invoices where email not like '%@erased.invalid'
  union select email from users where email not like '%@erased.invalid'
  union select lower(recipient) from vouchers where recipient_kind = 'email' and recipient <> '[erased]'
  union select lower(email) from voucher_gifts where email <> '[erased]'
  union select lower(recipient) from mails union select email from user_links;
$$;

revoke execute on function what_blocks_user, what_blocks_address, erase_user, erase_address, unfinished_erasures, list_erasures,
  stored_addresses from public;
grant execute on function what_blocks_user, what_blocks_address, erase_user, erase_address, unfinished_erasures, list_erasures,
  stored_addresses to scrip_operator;

-- After an erasure ------------------------------------------------------------------------------------------

-- Requests, deposits and acts of a wallet lock the user and find active users only. A payout does not lock its recipient: one that found
-- the user just before an erasure waits here for its end, and is refused.
create or replace function refuse_inactive_user() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from users where id = new.user_id and is_active for share;
  if not found then
    raise exception 'users: the user is not active' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
revoke execute on function refuse_inactive_user from public;
create or replace trigger payouts_active_user after insert on payouts
  for each row execute function refuse_inactive_user();
