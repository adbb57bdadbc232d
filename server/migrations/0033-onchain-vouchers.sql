-- Vouchers whose value is held by a contract on a network, and redemptions that pay an address.

-- What a vault holds is negative, like the treasury. What is on its way to an address waits in an account of its own.
alter type ledger_account_kind add value 'vault';
alter type ledger_account_kind add value 'sending';
create or replace function ledger_check_new_accounts() returns trigger language plpgsql as $$
begin
  if exists (
    select from inserted
    where balance <> 0 or held <> 0 or may_go_negative <> (kind::text in ('exchange', 'treasury', 'gas', 'vault'))
  ) then
    raise exception 'ledger: an account begins empty, and only the outside world, an exchange desk and gas may go negative'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;

-- Each purpose has keys of its own, so that a stolen key of sweeps pays nobody.
alter table chain_sends
  add column lane text not null default 'sweep' check (lane in ('sweep', 'payout', 'voucher')),
  -- The address that must sign it. None: the first key of its lane.
  add column from_address text check (from_address ~ '^0x[0-9a-f]{40}$'),
  -- Above this it is not signed: a recipient's contract could use up any amount of gas.
  add column gas_max bigint check (gas_max > 0);
alter table chain_sends alter column lane drop default,
  drop constraint chain_sends_outcome_check,
  -- Refused: never signed.
  add constraint chain_sends_outcome_check check (outcome in ('done', 'reverted', 'displaced', 'refused')),
  add check (outcome is distinct from 'refused' or nonce is null);
drop index chain_sends_unsigned;
create index chain_sends_unsigned on chain_sends (lane, id) where nonce is null and ended_at is null;

create table onchain_vouchers (
  voucher_id     uuid primary key,
  environment_id uuid not null,
  network_id     uuid not null references networks,
  vault          text not null check (vault ~ '^0x[0-9a-f]{40}$'),
  -- The token as it was when the voucher was issued: the catalogue may change.
  token          text not null check (token ~ '^0x[0-9a-f]{40}$'),
  decimals       smallint not null,
  -- The address of the key that is derived from the code.
  claim_key      text not null check (claim_key ~ '^0x[0-9a-f]{40}$'),
  value          numeric(78, 0) not null check (value > 0),
  is_locked      boolean not null,
  -- On the network every voucher expires.
  expires_at     timestamptz not null,
  -- From when its creation is queued.
  creator        text check (creator ~ '^0x[0-9a-f]{40}$'),
  code_hash      text check (code_hash ~ '^0x[0-9a-f]{64}$'),
  create_send_id uuid references chain_sends,
  -- As last seen final.
  state          text not null default 'creating' check (state in ('creating', 'open', 'closed')),
  balance        numeric(78, 0) not null default 0 check (balance >= 0),
  nonce          integer not null default 0,
  create_tx      text,
  -- What its closing is for, and the send that closes it.
  closing        text check (closing in ('expiry', 'block', 'cancel', 'replacement')),
  close_send_id  uuid references chain_sends,
  unique (network_id, vault, code_hash),
  check ((creator is null) = (code_hash is null) and (creator is null) = (create_send_id is null))
);
create index onchain_vouchers_unsent on onchain_vouchers (network_id, vault, voucher_id) where create_send_id is null;
create index onchain_vouchers_of_send on onchain_vouchers (create_send_id) where create_send_id is not null;
create index onchain_vouchers_expiring on onchain_vouchers (expires_at) where state <> 'closed';
create index onchain_vouchers_to_close on onchain_vouchers (network_id) where closing is not null and state = 'open';
create index onchain_vouchers_closing on onchain_vouchers (close_send_id) where close_send_id is not null;
grant select, insert on onchain_vouchers to scrip_server;
grant update (creator, code_hash, create_send_id, state, balance, nonce, create_tx, closing, close_send_id)
  on onchain_vouchers to scrip_server;
grant select on onchain_vouchers to scrip_chain;

-- A redemption that pays an address. It has the id of its transaction. One that a holder made on the network itself has no send.
create table address_redemptions (
  id             uuid primary key,
  environment_id uuid not null,
  voucher_id     uuid not null,
  network_id     uuid not null references networks,
  recipient      text not null check (recipient ~ '^0x[0-9a-f]{40}$'),
  token          text not null check (token ~ '^0x[0-9a-f]{40}$'),
  -- What the recipient gets, in the smallest unit on the network.
  units          numeric(78, 0) not null check (units > 0),
  -- Of the charge, what was quoted for gas: in the voucher's currency, and in wei.
  gas            numeric(78, 0) not null check (gas >= 0),
  gas_wei        numeric(78, 0) not null check (gas_wei >= 0),
  send_id        uuid references chain_sends,
  -- Of an onchain voucher: its part of the signed message.
  vault          text,
  nonce          integer,
  deadline       timestamptz,
  ref_hash       text,
  fee            numeric(78, 0),
  fee_recipient  text,
  -- Final, or never to be mined.
  ended_at       timestamptz,
  tx_hash        text,
  check (num_nulls(vault, nonce, deadline, ref_hash, fee, fee_recipient) in (0, 6))
);
-- A second one would need the nonce of the first.
create unique index address_redemptions_one_open on address_redemptions (voucher_id) where vault is not null and ended_at is null;
-- One that ended after a request had read the nonce of the voucher is as if it were still open: the vault would refuse the signature. After
-- the insert, which waits for a transaction that ends the other.
create function address_redemptions_check_nonce() returns trigger language plpgsql as $$
begin
  if new.nonce is distinct from (select nonce from onchain_vouchers where voucher_id = new.voucher_id) then
    raise exception 'onchain: another redemption of this voucher was carried out since'
      using errcode = 'unique_violation', constraint = 'address_redemptions_one_open';
  end if;
  return null;
end $$;
create trigger address_redemptions_nonce after insert on address_redemptions
  for each row when (new.vault is not null) execute function address_redemptions_check_nonce();
create unique index address_redemptions_of_send on address_redemptions (send_id);
create index address_redemptions_overdue on address_redemptions (deadline) where deadline is not null and ended_at is null;
create index address_redemptions_of_voucher on address_redemptions (voucher_id, id);
grant select, insert on address_redemptions to scrip_server;
grant update (ended_at, tx_hash, send_id) on address_redemptions to scrip_server;

-- What vaults logged about our vouchers.
create table vault_events (
  id           uuid primary key,
  network_id   uuid not null references networks,
  vault        text not null,
  tx_hash      text not null,
  log_index    integer not null,
  kind         text not null check (kind in ('created', 'redeemed', 'closed')),
  code_hash    text not null,
  -- What was put in, what the recipient got, or what went back to the creator.
  amount       numeric(78, 0) not null check (amount >= 0),
  fee          numeric(78, 0) not null check (fee >= 0),
  recipient    text not null,
  fee_recipient text not null,
  reference    text not null,
  nonce        bigint not null,
  block_number bigint not null,
  mined_at     timestamptz not null,
  seen_at      timestamptz not null,
  -- When its network undid it.
  gone_at      timestamptz,
  booked_at    timestamptz,
  bookings     integer not null default 0,
  -- The journal of its last booking, and the one that undid it.
  booked_by    uuid,
  undone_by    uuid,
  -- The same transaction can do something else after a reorganisation: a closing returns less after another redemption.
  unique (network_id, tx_hash, vault, code_hash, kind, nonce, amount, fee, recipient, fee_recipient, reference)
);
create index vault_events_unbooked on vault_events (network_id, block_number) where booked_at is null and gone_at is null;
create index vault_events_undone on vault_events (id) where booked_at is not null and gone_at is not null;
create index vault_events_of_voucher on vault_events (network_id, vault, code_hash);
create index vault_events_of_block on vault_events (network_id, block_number);
grant select on vault_events to scrip_server;
grant update (booked_at, bookings, booked_by, undone_by) on vault_events to scrip_server;
grant select, insert on vault_events to scrip_chain;
grant update (block_number, log_index, mined_at, gone_at) on vault_events to scrip_chain;

-- Whether vouchers can be redeemed to addresses on a network: the operator funds the key that pays them.
alter table networks add column pays_addresses boolean not null default false;

-- Addresses that the operator pays nothing to.
create table denied_addresses (
  address   text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  reason    text not null,
  denied_at timestamptz not null
);
grant select on denied_addresses to scrip_server;
grant select, insert, delete on denied_addresses to scrip_operator;

-- Value leaves a vault on paper only when it leaves it on its network. What goes into one comes from our own addresses.
create function ledger_check_vault() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.from_kind = 'purse' and new.to_kind <> 'vault' then
    raise exception 'ledger: what our keys spent comes back only out of a vault' using errcode = 'insufficient_privilege';
  end if;
  if new.from_kind = 'vault' and new.to_kind <> 'purse' and not exists (
    select from vault_events where undone_by = new.journal_id and gone_at is not null and kind = 'redeemed')
  then
    raise exception 'ledger: a vault gives back what its network undid' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
create trigger ledger_transfers_vault after insert on ledger_transfers
  for each row when (new.from_kind::text in ('purse', 'vault')) execute function ledger_check_vault();

-- As before, with vaults among the outside world: what goes from one of our addresses into a vault, or back, enters no book. An undone
-- log brings back at most what its booking took out.
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
    into backed from vault_events e
    join ledger_transfers t on t.journal_id = e.booked_by and t.book_id = new.book_id
    where e.undone_by = new.journal_id and e.gone_at is not null;
  if entering > backed then
    raise exception 'ledger: money enters a live book by the operator or by a final chain payment'
      using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;

-- The value of a redemption that failed came back, less the gas that it cost.
alter table voucher_moves drop constraint voucher_moves_kind_check,
  add constraint voucher_moves_kind_check check (kind in ('refund', 'expiry', 'reopening', 'cancel', 'replacement', 'return')),
  drop constraint voucher_moves_check,
  add constraint voucher_moves_redemption check ((kind in ('refund', 'return')) = (redemption_id is not null));

drop function redemptions_of_voucher;
create function redemptions_of_voucher(wanted uuid, limit_rows integer)
  returns table (id uuid, environment_id uuid, user_id uuid, merchant_id uuid, merchant_code text, merchant_name text,
    amount numeric, created_at timestamptz, recipient text, tx_hash text)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select r.id, r.environment_id, r.user_id, m.id, m.code, coalesce(nullif(m.trading_name, ''), m.company_name), r.amount,
      r.created_at, a.recipient, a.tx_hash
    from redemptions r
    join merchant_environments e on e.id = r.environment_id
    join merchants m on m.id = e.merchant_id
    left join address_redemptions a on a.environment_id = r.environment_id and a.id = r.id
    where r.voucher_id = wanted
      and not exists (select from voucher_moves v where v.voucher_id = wanted and v.redemption_id = r.id and v.kind = 'return')
    order by r.id desc limit limit_rows;
end $$;
revoke execute on function redemptions_of_voucher from public;
grant execute on function redemptions_of_voucher to scrip_server;

-- Redemptions at another merchant are published to the issuer too.
create function issuer_of_voucher(wanted uuid) returns uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select environment_id from vouchers where id = wanted;
$$;
revoke execute on function issuer_of_voucher from public;
grant execute on function issuer_of_voucher to scrip_server;

-- The value of an onchain voucher is in a vault.
alter table vouchers add column is_onchain boolean not null default false;
-- Its closing takes a voucher off its network.
grant update (is_onchain) on vouchers to scrip_server;
create or replace view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed,
    v.batch_id, v.batch_number, v.expired_to, v.expired_at, v.was_expired, v.replaced_by, v.buyer_id, v.code_tail, v.is_onchain
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;
-- An onchain voucher expires when its closing is final.
create or replace function due_vouchers(asked_at timestamptz, resting uuid[], limit_rows integer) returns setof uuid
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query
    select v.id from vouchers v
    join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
    where v.expires_at <= asked_at and v.expired_at is null and a.held = 0 and not v.is_onchain and v.id <> all(resting)
    order by v.expires_at limit limit_rows;
end $$;

-- The network of a batch of onchain vouchers.
alter table voucher_batches add column onchain_network_id uuid references networks;
