-- Invoices that outsiders submit to a merchant. An approved invoice is paid with a voucher.

-- The currencies that a merchant accepts invoices in.
create table invoice_currencies (
  environment_id uuid not null references merchant_environments,
  currency       text not null references currencies (abbreviation),
  primary key (environment_id, currency)
);
alter table invoice_currencies enable row level security;
grant select, insert, delete on invoice_currencies to scrip_server;

-- The last number of each year. Taken in the commit of its invoice, so that there is no gap.
create table invoice_years (
  environment_id uuid not null,
  year           smallint not null,
  last           integer not null,
  primary key (environment_id, year)
);
alter table invoice_years enable row level security;
grant select, insert, update (last) on invoice_years to scrip_server;

-- An invoice that an outsider submitted.
create table invoices (
  environment_id   uuid not null references merchant_environments,
  id               uuid not null,
  number           text not null,
  status           text not null check (status in ('Pending', 'Approved', 'Rejected')),
  email            text not null check (email = lower(email)),
  full_name        text not null,
  book_id          smallint not null references ledger_books,
  total            numeric(78, 0) not null check (total > 0),
  network          text not null,
  invoice_date     timestamptz not null,
  due_date         timestamptz not null check (due_date >= invoice_date),
  on_chain         boolean not null default false,
  reason           text not null default '',
  decided_at       timestamptz,
  paid_at          timestamptz,
  voucher_id       uuid,
  created_at       timestamptz not null,
  -- Private links that were made before this no longer open it.
  links_revoked_at timestamptz,
  primary key (environment_id, id),
  constraint invoices_number unique (environment_id, number),
  check ((status = 'Pending') = (decided_at is null)),
  check (paid_at is null or status = 'Approved'),
  check ((paid_at is null) = (voucher_id is null))
);
create index invoices_by_status on invoices (environment_id, status, id);
create index invoices_pending_by_email on invoices (environment_id, email) where status = 'Pending';
create index invoices_unpaid on invoices (decided_at) where status = 'Approved' and paid_at is null;
alter table invoices enable row level security;
grant select, insert on invoices to scrip_server;
grant update (status, on_chain, reason, decided_at, paid_at, voucher_id, links_revoked_at) on invoices to scrip_server;

-- The lines of an invoice.
create table invoice_items (
  environment_id uuid not null,
  invoice_id     uuid not null,
  id             uuid not null,
  position       smallint not null,
  description    text not null,
  -- To six decimals, as it was written.
  quantity       numeric(20, 6) not null check (quantity > 0),
  unit_price     numeric(78, 0) not null check (unit_price >= 0),
  total          numeric(78, 0) not null check (total >= 0),
  primary key (environment_id, invoice_id, position)
);
alter table invoice_items enable row level security;
grant select, insert on invoice_items to scrip_server;
