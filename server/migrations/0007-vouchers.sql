-- Vouchers. What one is worth is the balance of its ledger account, and nowhere else.

create table vouchers (
  -- Who issued it.
  environment_id uuid not null references merchant_environments,
  -- That of the journal which issued it, and the owner of its account.
  id             uuid not null,
  book_id        smallint not null references ledger_books,
  amount         numeric(78, 0) not null check (amount > 0),
  -- False where the operator or the sandbox put up the value.
  was_paid_for   boolean not null,
  recipient_kind text not null check (recipient_kind in ('nobody', 'merchant', 'email')),
  -- A merchant's code, an e-mail, or nothing.
  recipient      text not null check ((recipient = '') = (recipient_kind = 'nobody')),
  -- Environments where it can be redeemed. None: everywhere.
  only_at        uuid[] not null,
  expires_at     timestamptz,
  -- Which key of the ring made what follows.
  key_id         smallint not null,
  -- HMAC of the code, its first 128 bits: a copy of this table finds no code.
  code_hash      uuid not null constraint vouchers_code unique,
  -- AES-256-GCM, for whoever issued it.
  code_sealed    bytea not null,
  created_at     timestamptz not null,
  primary key (environment_id, id)
);

alter table vouchers enable row level security;
create policy vouchers_of_environment on vouchers for select using (environment_id = scrip_environment());
create policy vouchers_written on vouchers for insert with check (true);

-- A lock pin and how often it was guessed wrong. Its own table, because this changes and a voucher does not.
create table voucher_pins (
  voucher_id   uuid primary key,
  key_id       smallint not null,
  -- HMAC-SHA-256 of voucher id and pin. A slow hash could not protect 10,000 values.
  digest       bytea not null check (length(digest) = 32),
  wrong_in_row smallint not null default 0 check (wrong_in_row between 0 and 5),
  -- Until its issuer resets it; at 10 the voucher is frozen.
  wrong_in_all smallint not null default 0 check (wrong_in_all between 0 and 10),
  locked_until timestamptz
);

create table redemptions (
  voucher_id       uuid not null,
  -- That of its journal and its transaction.
  id               uuid not null,
  environment_id   uuid not null,
  amount           numeric(78, 0) not null check (amount > 0),
  charge           numeric(78, 0) not null check (charge >= 0),
  charged_to       text not null check (charged_to in ('voucher', 'merchant')),
  -- Only where the currency changed: what the merchant got, and at which rate. What rounding left with the exchange desk
  -- is amount × rate − to_amount, exactly.
  to_book_id       smallint,
  to_amount        numeric(78, 0) check (to_amount > 0),
  rate_numerator   numeric,
  rate_denominator numeric,
  rate_source      text,
  rate_said_at     timestamptz,
  created_at       timestamptz not null,
  primary key (voucher_id, id),
  check (num_nulls(to_book_id, to_amount, rate_numerator, rate_denominator, rate_source, rate_said_at) in (0, 6))
);

alter table redemptions enable row level security;
create policy redemptions_of_environment on redemptions for select using (environment_id = scrip_environment());
create policy redemptions_written on redemptions for insert with check (true);

-- A merchant may want its public key not to be enough to redeem.
alter table merchant_environments add column redeem_needs_secret boolean not null default false;
grant update (redeem_needs_secret) on merchant_environments to scrip_server;

-- A frozen pin is told without a movement.
alter table ledger_outbox alter column journal_id drop not null;

-- A voucher with what its account and its pin say. Read by the server it shows an environment's own.
create view voucher_facts with (security_invoker = true) as
  select v.code_hash, v.id, v.environment_id, v.book_id, b.mode, b.currency, v.amount, v.was_paid_for, v.recipient_kind,
    v.recipient, v.only_at, v.expires_at, v.created_at, a.balance, a.held, a.state,
    p.voucher_id is not null as has_pin, coalesce(p.wrong_in_all >= 10, false) as is_frozen, v.key_id, v.code_sealed
  from vouchers v
  join ledger_books b on b.id = v.book_id
  join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher' and a.book_id = v.book_id
  left join voucher_pins p on p.voucher_id = v.id;

-- Whoever has a voucher's code may redeem it, at another merchant than its issuer too. The owner answers, for codes only.
create function vouchers_by_code(wanted uuid[]) returns setof voucher_facts
  language plpgsql stable security definer
  -- Ids by the hundred are always looked up, never searched for by reading the table.
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  -- For a code that is not there some other voucher is read instead, and ignored by who asked: reading a row takes its time,
  -- and the time must not tell a code that nobody has from one that is for other merchants.
  return query
    select f.* from unnest(wanted) as w (hash)
    cross join lateral (
      select coalesce(
        (select v.code_hash from vouchers v where v.code_hash = w.hash),
        (select v.code_hash from vouchers v order by v.code_hash limit 1)) as hash
    ) known
    join voucher_facts f on f.code_hash = known.hash;
end $$;
revoke execute on function vouchers_by_code from public;

-- What a redemption has to know of the merchants that ask for one, for requests of many that are read together. Of several
-- discounts at once the largest counts.
create function merchant_terms(wanted uuid[], asked_at timestamptz)
  returns table (
    environment_id uuid, code text, needs_secret boolean, takes_from_balance boolean, discount_ppm integer
  )
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select e.id, m.code, e.redeem_needs_secret, coalesce(s.takes_from_balance, false),
      coalesce((select max(d.discount_ppm) from charge_discounts d
        where d.environment_id = e.id and d.ends_at > asked_at and d.starts_at <= asked_at), 0)
    from unnest(wanted) as w (id)
    join merchant_environments e on e.id = w.id
    join merchants m on m.id = e.merchant_id
    left join charge_settings s on s.environment_id = e.id;
end $$;
revoke execute on function merchant_terms from public;

-- Where a voucher was redeemed, newest first, for whoever has its code. Who may see the merchants is the caller's to decide.
create function redemptions_of_voucher(wanted uuid, limit_rows integer)
  returns table (id uuid, environment_id uuid, merchant_id uuid, merchant_code text, merchant_name text, amount numeric,
    created_at timestamptz)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select r.id, r.environment_id, m.id, m.code, coalesce(nullif(m.trading_name, ''), m.company_name), r.amount, r.created_at
    from redemptions r
    join merchant_environments e on e.id = r.environment_id
    join merchants m on m.id = e.merchant_id
    where r.voucher_id = wanted order by r.id desc limit limit_rows;
end $$;
revoke execute on function redemptions_of_voucher from public;

grant select, insert on vouchers, redemptions, voucher_pins to scrip_server;
grant select on voucher_facts to scrip_server;
grant update (wrong_in_row, wrong_in_all, locked_until) on voucher_pins to scrip_server;
grant execute on function vouchers_by_code, merchant_terms, redemptions_of_voucher to scrip_server;
