-- Details of invoices: taxes, the sender's own number and address, and attachments.

alter table invoices
  -- The sender's own number of the invoice. Empty if there is none.
  add column sender_number text not null default '' check (length(sender_number) <= 40),
  -- The sender's postal address, one line of it per line.
  add column sender_address text not null default '' check (length(sender_address) <= 300);
-- A sender uses a number once, unless the invoice was rejected.
create unique index invoices_sender_number on invoices (environment_id, email, lower(sender_number))
  where sender_number <> '' and status <> 'Rejected';

-- The taxes of an invoice. Its total is the sum of its lines and its taxes.
create table invoice_taxes (
  environment_id uuid not null,
  invoice_id     uuid not null,
  position       smallint not null check (position between 1 and 5),
  name           text not null,
  -- In percent, as it was written.
  rate           numeric(6, 3) not null check (rate between 0 and 100),
  amount         numeric(78, 0) not null check (amount >= 0),
  primary key (environment_id, invoice_id, position)
);
alter table invoice_taxes enable row level security;
grant select, insert on invoice_taxes to scrip_server;

-- A file that a sender uploaded for an invoice.
create table invoice_attachments (
  environment_id uuid not null references merchant_environments,
  id             uuid not null,
  -- None until the invoice is sent. The worker deletes a file whose invoice is not sent within a day.
  invoice_id     uuid,
  name           text not null check (length(name) <= 120),
  -- Recognised from the content.
  kind           text not null check (kind in ('pdf', 'png', 'jpeg')),
  -- In bytes.
  size           integer not null check (size between 1 and 2097152),
  content        bytea not null,
  created_at     timestamptz not null,
  primary key (environment_id, id)
);
-- These files are compressed already.
alter table invoice_attachments alter column content set storage external;
create index invoice_attachments_by_invoice on invoice_attachments (environment_id, invoice_id);
create index invoice_attachments_unsent on invoice_attachments (created_at) where invoice_id is null;
alter table invoice_attachments enable row level security;
grant select, insert on invoice_attachments to scrip_server;
-- A file joins its invoice when that is sent. A policy allows it once.
grant update (invoice_id) on invoice_attachments to scrip_server;

-- What senders uploaded to a merchant on one day. Counted in the commit of the upload, so that the limit is exact.
create table invoice_upload_days (
  environment_id uuid not null,
  -- Days since 1970-01-01, in UTC.
  day            integer not null,
  bytes          bigint not null,
  primary key (environment_id, day)
);
alter table invoice_upload_days enable row level security;
grant select, insert, update (bytes) on invoice_upload_days to scrip_server;
