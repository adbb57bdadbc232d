-- What a merchant sees of its payments: one row each, by the merchant's own reference.

create table transactions (
  -- No foreign keys on what is written with every payment: see docs/decisions/0007.
  environment_id uuid not null,
  -- That of the journal which made it.
  id             uuid not null,
  reference      text not null check (length(reference) between 1 and 128),
  type           text not null check (type in (
    'VOUCHER_REDEMPTION', 'PAYMENT_REQUEST', 'WALLET_DEPOSIT', 'PAYOUT', 'INVOICE_PAYMENT', 'VOUCHER_PURCHASE', 'TRANSFER',
    'FUNDING', 'REFUND', 'REVERSAL', 'ADJUSTMENT')),
  status         text not null check (status in (
    'PENDING', 'PROCESSING', 'APPROVED', 'CANCELED', 'COMPLETED', 'FAILED', 'REFUNDED', 'REVERSED')),
  book_id        smallint not null,
  amount         numeric(78, 0) not null check (amount > 0),
  -- What the payer was charged in all.
  charged        numeric(78, 0) not null check (charged >= amount),
  charge_type    text not null check (charge_type in ('NONE', 'FIXED', 'PERCENTAGE', 'MIXED')),
  metadata       text not null,
  created_at     timestamptz not null,
  primary key (environment_id, id),
  constraint transactions_reference unique (environment_id, reference)
);

alter table transactions enable row level security;
create policy transactions_of_environment on transactions for select using (environment_id = scrip_environment());
-- Written in the commit of their journals, with those of other environments. Nobody may change one.
create policy transactions_written on transactions for insert with check (true);

grant select, insert on transactions to scrip_server;
