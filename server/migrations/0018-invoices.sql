-- Invoices that outsiders submit to a merchant. Approved, one is paid by a voucher.

-- What a merchant takes invoices in.
create table invoice_currencies (
  environment_id uuid not null references merchant_environments,
  currency       text not null references currencies (abbreviation),
  primary key (environment_id, currency)
);
alter table invoice_currencies enable row level security;
create policy invoice_currencies_of_environment on invoice_currencies using (environment_id = scrip_environment());
grant select, insert, delete on invoice_currencies to scrip_server;

-- An approved invoice that the balance did not cover is paid when it does, oldest approval first, if the merchant chose so.
alter table merchant_environments add column pays_invoices boolean not null default false;
grant update (pays_invoices) on merchant_environments to scrip_server;

-- The last number of each year. Taken in the commit of its invoice, so that there is no gap.
create table invoice_years (
  environment_id uuid not null,
  year           smallint not null,
  last           integer not null,
  primary key (environment_id, year)
);
alter table invoice_years enable row level security;
create policy invoice_years_of_environment on invoice_years using (environment_id = scrip_environment());
grant select, insert on invoice_years to scrip_server;
grant update (last) on invoice_years to scrip_server;

create table invoices (
  environment_id uuid not null references merchant_environments,
  id             uuid not null,
  number         text not null,
  status         text not null check (status in ('Pending', 'Approved', 'Rejected')),
  email          text not null check (email = lower(email)),
  full_name      text not null,
  book_id        smallint not null references ledger_books,
  total          numeric(78, 0) not null check (total > 0),
  network        text not null,
  invoice_date   timestamptz not null,
  due_date       timestamptz not null check (due_date >= invoice_date),
  on_chain       boolean not null default false,
  reason         text not null default '',
  decided_at     timestamptz,
  paid_at        timestamptz,
  voucher_id     uuid,
  created_at     timestamptz not null,
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
create policy invoices_of_environment on invoices using (environment_id = scrip_environment());
grant select, insert on invoices to scrip_server;
grant update (status, on_chain, reason, decided_at, paid_at, voucher_id) on invoices to scrip_server;

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
create policy invoice_items_of_environment on invoice_items using (environment_id = scrip_environment());
grant select, insert on invoice_items to scrip_server;

alter table environment_counts drop constraint environment_counts_counted_check,
  add constraint environment_counts_counted_check
    check (counted in ('customers', 'invoices', 'Pending', 'Approved', 'Rejected'));

-- The oldest that waits for money, of each merchant that wants it paid by itself and each currency: one that is not covered
-- keeps those behind it, which were approved later.
create function due_invoices(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select first.environment_id, first.id from (
    select distinct on (i.environment_id, i.book_id) i.environment_id, i.id, i.decided_at, i.book_id, i.total
    from invoices i join merchant_environments e on e.id = i.environment_id and e.pays_invoices
    where i.status = 'Approved' and i.paid_at is null and i.decided_at <= asked_at
    order by i.environment_id, i.book_id, i.decided_at, i.id
  ) first
  join ledger_accounts a on a.owner_id = first.environment_id and a.kind = 'merchant' and a.book_id = first.book_id
  where a.balance - a.held >= first.total and first.id <> all(resting) order by first.decided_at limit limit_rows;
$$;
revoke execute on function due_invoices from public;
grant execute on function due_invoices to scrip_server;
