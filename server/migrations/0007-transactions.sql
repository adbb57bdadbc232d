-- What a merchant sees of its payments: one row each, by the merchant's own reference.

-- A payment, refund, payout or other movement, as a merchant sees it.
create table transactions (
  -- No foreign keys on what is written with every payment: see docs/decisions/0007.
  environment_id uuid not null,
  -- That of the journal which made it.
  id             uuid not null,
  reference      text not null check (length(reference) between 1 and 128),
  type           text not null check (type in (
    'VOUCHER_REDEMPTION', 'PAYMENT_REQUEST', 'WALLET_DEPOSIT', 'PAYOUT', 'INVOICE_PAYMENT', 'VOUCHER_PURCHASE', 'REFUND',
    'ADJUSTMENT')),
  status         text not null check (status in (
    'PENDING', 'PROCESSING', 'APPROVED', 'CANCELED', 'COMPLETED', 'FAILED', 'REFUNDED', 'REVERSED')),
  book_id        smallint not null,
  amount         numeric(78, 0) not null check (amount > 0),
  -- What the payer was charged in all.
  charged        numeric(78, 0) not null check (charged >= amount),
  charge_type    text not null check (charge_type in ('NONE', 'FIXED', 'PERCENTAGE', 'MIXED')),
  metadata       text not null,
  created_at     timestamptz not null,
  -- The sum of its partial refunds.
  refunded       numeric(78, 0) not null default 0,
  updated_at     timestamptz,
  -- The user whom it concerns, if one.
  user_id        uuid,
  -- The staff member who made it. None: a key did.
  member_id      uuid,
  -- The last symbols of its voucher's code, by which people name a voucher.
  code_tail      text check (length(code_tail) = 4),
  -- Of a refund: the transaction that it refunds.
  refund_of      uuid,
  -- The journal that moved its money, where that is not the one that made it. The time of its id is that of the settlement.
  settled_by     uuid,
  -- Made with the public key alone, which every visitor of the shop's page has. Without value it gives way to the shop's own.
  by_public_key  boolean,
  primary key (environment_id, id),
  constraint transactions_reference unique (environment_id, reference),
  constraint transactions_refunded check (refunded between 0 and amount and (status = 'REFUNDED') = (refunded = amount))
);
-- A page of a list is read from one of these, whatever its filter, so that it does not read millions of rows that do not match.
create index transactions_by_kind on transactions (environment_id, type, book_id, id);
create index transactions_by_status on transactions (environment_id, status, id) where status <> 'COMPLETED';
create index transactions_by_member on transactions (environment_id, member_id, id) where member_id is not null;
create index transactions_by_person on transactions (environment_id, user_id, id) where user_id is not null;
create index transactions_by_amount on transactions (environment_id, amount, book_id, id);
create index transactions_by_tail on transactions (environment_id, code_tail, id) where code_tail is not null;
create index transactions_by_settlement on transactions (environment_id, settled_by) where settled_by is not null;
create index transactions_by_refunded on transactions (environment_id, refund_of) where refund_of is not null;
alter table transactions enable row level security;
grant select, insert on transactions to scrip_server;
grant update (reference, status, refunded, updated_at, settled_by) on transactions to scrip_server;

-- The totals of a day that is over, by kind and currency, so that a report of a month does not add them up each time. A day is the
-- ids that were made in it: in another time zone it is another day. A cache: its rows can be computed again.
create table settled_days (
  environment_id uuid not null,
  from_id        uuid not null,
  below_id       uuid not null,
  figures        json not null,
  primary key (environment_id, from_id, below_id)
);
alter table settled_days enable row level security;
-- Deleted when a network takes back what was final: that changes a day that was over.
grant select, insert, delete on settled_days to scrip_server;
