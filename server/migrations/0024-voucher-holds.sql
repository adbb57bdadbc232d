-- Voucher holds: an amount of a voucher, reserved for an order and captured when it ships.

-- A hold of a merchant, which need not be the issuer of the voucher. What it still reserves is held in the ledger.
create table voucher_holds (
  environment_id   uuid not null references merchant_environments,
  -- That of the journal which reserved it.
  id               uuid not null,
  reference        text not null,
  voucher_id       uuid not null,
  book_id          smallint not null references ledger_books,
  -- Of the code that was sent. Its captures are listed with it, like other redemptions.
  code_tail        text check (length(code_tail) = 4),
  amount           numeric(78, 0) not null check (amount > 0),
  -- The fee of the whole amount, as it was when the hold was created. Each capture pays a part of it.
  charge           numeric(78, 0) not null check (charge >= 0),
  charge_type      text not null check (charge_type in ('NONE', 'FIXED', 'PERCENTAGE', 'MIXED')),
  charged_to       text not null check (charged_to in ('voucher', 'merchant')),
  captured         numeric(78, 0) not null check (captured >= 0),
  captured_charge  numeric(78, 0) not null check (captured_charge >= 0),
  state            text not null check (state in ('OPEN', 'CAPTURED', 'RELEASED', 'EXPIRED')),
  -- The hold of the ledger on the voucher. It never changes its time, so an extension replaces it.
  ledger_hold_id   uuid not null,
  -- The one on the admin balance, where that pays the fee.
  fee_hold_id      uuid,
  expires_at       timestamptz not null,
  created_at       timestamptz not null,
  -- When it was captured, released or marked as expired.
  ended_at         timestamptz,
  -- Counts its events.
  sequence         integer not null check (sequence > 0),
  primary key (environment_id, id),
  constraint voucher_holds_not_over_captured check (captured <= amount and captured_charge <= charge),
  constraint voucher_holds_ended check ((state = 'OPEN') = (ended_at is null)),
  -- Of longer holds, the issuer could neither cancel nor replace the voucher.
  constraint voucher_holds_seven_days check (expires_at <= created_at + interval '168 hours')
);
create index voucher_holds_by_state on voucher_holds (environment_id, state, id);
create index voucher_holds_due on voucher_holds (expires_at) where state = 'OPEN';
alter table voucher_holds enable row level security;
grant select, insert on voucher_holds to scrip_server;
grant update (captured, captured_charge, state, ledger_hold_id, fee_hold_id, expires_at, ended_at, sequence)
  on voucher_holds to scrip_server;

-- Which redemptions captured a hold.
create table voucher_hold_captures (
  environment_id uuid not null,
  -- That of the redemption.
  id             uuid not null,
  hold_id        uuid not null,
  amount         numeric(78, 0) not null check (amount > 0),
  charge         numeric(78, 0) not null check (charge >= 0),
  created_at     timestamptz not null,
  primary key (environment_id, hold_id, id)
);
alter table voucher_hold_captures enable row level security;
grant select, insert on voucher_hold_captures to scrip_server;
