-- Customers of a merchant's environment, and counts.

-- Customers of a merchant.
create table customers (
  environment_id uuid not null references merchant_environments,
  id             uuid not null,
  email          text not null,
  name           text not null,
  -- The email in lower case: one customer each.
  email_key      text not null,
  -- Name and email in lower case without accents, and the digests of every three letters of it, each with the
  -- environment in it, so that a search touches the entries of its own environment only.
  folded         text not null,
  grams          bigint[] not null,
  created_at     timestamptz not null,
  primary key (environment_id, id),
  constraint customers_email unique (environment_id, email_key)
);
create index customers_by_gram on customers using gin (grams) with (fastupdate = off);
alter table customers enable row level security;
grant select, insert, delete on customers to scrip_server;
grant update (email, name, email_key, folded, grams) on customers to scrip_server;

-- Counting a million rows takes longer than a request may, so the number is stored. Pending, Approved and Rejected count invoices.
create table environment_counts (
  environment_id uuid not null references merchant_environments,
  counted        text not null check (counted in ('customers', 'invoices', 'Pending', 'Approved', 'Rejected')),
  total          bigint not null check (total >= 0),
  primary key (environment_id, counted)
);
alter table environment_counts enable row level security;
grant select, insert, update on environment_counts to scrip_server;
