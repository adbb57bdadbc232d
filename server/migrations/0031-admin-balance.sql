-- One alert for each time that a merchant's admin balance becomes too low for a fee.

-- Counts how often an admin balance was funded. Few transfers are in it.
create index ledger_transfers_to_admin on ledger_transfers (to_owner, book_id) where to_kind = 'merchant_admin';

create table admin_balance_alerts (
  environment_id uuid not null references merchant_environments,
  book_id        smallint not null references ledger_books,
  -- How often the balance had been funded: the next alert comes only after another time.
  fundings       bigint not null check (fundings >= 0),
  balance        numeric(78, 0) not null,
  created_at     timestamptz not null,
  primary key (environment_id, book_id, fundings)
);
alter table admin_balance_alerts enable row level security;
create policy admin_balance_alerts_of_environment on admin_balance_alerts using (environment_id = scrip_environment());
grant select, insert on admin_balance_alerts to scrip_server;
