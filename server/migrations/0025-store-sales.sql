-- Selling store vouchers: places and tills, shifts, sales with their tender, cards that are worthless until they are sold, and gifts.

-- step: a card that is not sold yet
-- Printed in a batch and worthless. Its amount is 0 until then if the batch has none.
alter table vouchers add column is_active boolean not null default true;
alter table vouchers drop constraint vouchers_amount_check;
alter table vouchers add constraint vouchers_amount_check check (amount > 0 or (amount = 0 and not is_active)) not valid;
grant update (amount, is_active) on vouchers to scrip_server;
-- Its vouchers are store vouchers that a sale activates. Nothing was paid for them.
alter table voucher_batches add column is_inactive boolean not null default false;
alter table voucher_batches drop constraint voucher_batches_total_check;
alter table voucher_batches add constraint voucher_batches_total_check check (total > 0 or (total = 0 and is_inactive)) not valid;
alter table voucher_moves drop constraint voucher_moves_kind_check;
alter table voucher_moves add constraint voucher_moves_kind_check
  check (kind in ('refund', 'expiry', 'reopening', 'cancel', 'replacement', 'return', 'reload', 'void', 'cash_back')) not valid;

-- step: check the vouchers
alter table vouchers validate constraint vouchers_amount_check;
-- step: check the batches
alter table voucher_batches validate constraint voucher_batches_total_check;
-- step: check the moves
alter table voucher_moves validate constraint voucher_moves_kind_check;

-- step: places, tills and shifts

-- A place where a merchant sells, in both modes.
create table locations (
  id          uuid primary key,
  merchant_id uuid not null references merchants,
  name        text not null check (name <> ''),
  -- For receipts.
  address     text not null default '',
  created_at  timestamptz not null,
  -- It is kept for the reports of the past.
  closed_at   timestamptz
);
create unique index locations_by_name on locations (merchant_id, lower(name)) where closed_at is null;
grant select, insert on locations to scrip_server;
grant update (name, address, closed_at) on locations to scrip_server;

-- A till with a cash drawer.
create table registers (
  id          uuid primary key,
  location_id uuid not null references locations,
  name        text not null check (name <> ''),
  created_at  timestamptz not null,
  closed_at   timestamptz
);
create unique index registers_by_name on registers (location_id, lower(name)) where closed_at is null;
grant select, insert on registers to scrip_server;
grant update (name, closed_at) on registers to scrip_server;

-- The time from opening a drawer until its cash is counted.
create table shifts (
  environment_id uuid not null references merchant_environments,
  id             uuid not null,
  register_id    uuid not null references registers,
  -- The currency of the drawer.
  book_id        smallint not null references ledger_books,
  opening_float  numeric(78, 0) not null check (opening_float >= 0),
  opened_by      uuid not null references users,
  opened_at      timestamptz not null,
  closed_by      uuid references users,
  closed_at      timestamptz,
  -- What should be in the drawer at the end. Negative if more was paid back than there was.
  expected       numeric(78, 0),
  counted        numeric(78, 0) check (counted >= 0),
  -- Why they differ.
  note           text not null default '',
  primary key (environment_id, id),
  check (num_nulls(closed_by, closed_at, expected, counted) in (0, 4))
);
create unique index shifts_open on shifts (environment_id, register_id) where closed_at is null;
create index shifts_by_time on shifts (environment_id, opened_at);
alter table shifts enable row level security;
grant select, insert on shifts to scrip_server;
grant update (closed_by, closed_at, expected, counted, note) on shifts to scrip_server;

-- step: sales

-- Value that came onto a store voucher or was bought back, and what the shop took or gave for it. That money is the shop's own: no
-- account of the ledger has it.
create table voucher_sales (
  environment_id   uuid not null,
  -- That of its journal.
  id               uuid not null,
  kind             text not null check (kind in ('sale', 'reload', 'void', 'cash_back')),
  reference        text not null,
  voucher_id       uuid not null,
  book_id          smallint not null,
  value            numeric(78, 0) not null check (value > 0),
  price            numeric(78, 0) not null check (price between 0 and value),
  tender           text not null check (tender in ('cash', 'card', 'bank', 'other', 'free')),
  tender_reference text not null,
  reason           text not null,
  -- A key or a staff member.
  seller_id        uuid not null,
  -- The staff member, if one sold it.
  member_id        uuid,
  register_id      uuid references registers,
  shift_id         uuid,
  -- The sale that a void undoes.
  undoes           uuid,
  -- As it was counted for the daily limit, in minor units of the home currency.
  home_value       numeric(78, 0) not null check (home_value >= 0),
  code_tail        text,
  created_at       timestamptz not null,
  primary key (environment_id, id),
  constraint voucher_sales_reference unique (environment_id, reference),
  constraint voucher_sales_tender check (tender <> 'free' or price = 0),
  check ((kind = 'void') = (undoes is not null))
);
create unique index voucher_sales_undone on voucher_sales (environment_id, undoes) where undoes is not null;
create index voucher_sales_by_voucher on voucher_sales (environment_id, voucher_id, id);
create index voucher_sales_by_shift on voucher_sales (environment_id, shift_id) where shift_id is not null;
alter table voucher_sales enable row level security;
grant select, insert on voucher_sales to scrip_server;

-- What a seller sold, by the hour: a rolling day is the sum of 25 rows at most.
create table sale_hours (
  environment_id uuid not null,
  seller_id      uuid not null,
  hour           timestamptz not null,
  total          numeric(78, 0) not null check (total >= 0),
  primary key (environment_id, seller_id, hour)
);
alter table sale_hours enable row level security;
grant select, insert, update (total) on sale_hours to scrip_server;

-- What each key, and each staff member with a role, may sell in a day. No row: the default. Null: no limit.
create table sale_limits (
  environment_id uuid not null references merchant_environments,
  seller         text not null check (seller in ('key', 'owner', 'accountant', 'cashier')),
  -- Minor units of the home currency.
  daily          numeric(78, 0) check (daily >= 0),
  primary key (environment_id, seller)
);
alter table sale_limits enable row level security;
grant select, insert, update (daily) on sale_limits to scrip_server;

-- step: gifts

-- A voucher that is sent by email, at once or on a day.
create table voucher_gifts (
  environment_id uuid not null,
  voucher_id     uuid not null,
  email          text not null check (email <> ''),
  sender         text not null,
  message        text not null,
  language       text check (language in ('en', 'fr')),
  send_at        timestamptz not null,
  -- Null until the first email is written.
  sent_at        timestamptz,
  -- It was cancelled or replaced before.
  ended_at       timestamptz,
  sends          smallint not null default 0 check (sends between 0 and 10),
  primary key (environment_id, voucher_id)
);
create index voucher_gifts_due on voucher_gifts (send_at) where sent_at is null and ended_at is null;
create index voucher_gifts_unsent on voucher_gifts (voucher_id) where sent_at is null;
alter table voucher_gifts enable row level security;
grant select, insert on voucher_gifts to scrip_server;
grant update (email, sent_at, ended_at, sends) on voucher_gifts to scrip_server;
