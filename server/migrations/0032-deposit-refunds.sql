-- Refunds of crypto deposits, and returns of unmatched ones, to a user's wallet, a merchant's balance or a voucher. The status is that of
-- the transaction with the same id. Every one is an outflow of the merchant.
create table deposit_refunds (
  environment_id    uuid not null,
  id                uuid not null,
  deposit_id        uuid not null references deposits,
  -- The unmatched deposit that is returned. None: a part of the credited amount.
  case_id           uuid references deposit_cases,
  -- The recipient is one of the three. The holder of the voucher names an address that it is paid to.
  user_id           uuid references users,
  to_environment_id uuid references merchant_environments,
  voucher_id        uuid unique,
  note              text not null,
  created_at        timestamptz not null,
  primary key (environment_id, id),
  check (num_nonnulls(user_id, to_environment_id, voucher_id) = 1),
  check (to_environment_id <> environment_id)
);
create index deposit_refunds_of_deposit on deposit_refunds (deposit_id);
create index deposit_refunds_of_recipient on deposit_refunds (environment_id, coalesce(user_id, to_environment_id));
-- An unmatched deposit is returned once.
create unique index deposit_refunds_of_case on deposit_refunds (case_id);
alter table deposit_refunds enable row level security;
create policy deposit_refunds_of_environment on deposit_refunds using (environment_id = scrip_environment()) with check (true);
grant select, insert on deposit_refunds to scrip_server;

alter table outflows drop constraint outflows_kind_check,
  add constraint outflows_kind_check check (kind in ('payout', 'voucher', 'batch', 'replacement', 'invoice', 'refund'));
