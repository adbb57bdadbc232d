-- Webhooks: a merchant's endpoints, what was sent there, and the responses. The events themselves are in ledger_outbox.

-- Where a merchant receives events.
create table webhook_endpoints (
  environment_id    uuid not null references merchant_environments,
  id                uuid not null unique,
  url               text not null,
  description       text not null,
  -- Types such as voucher.redeemed, or all of a kind such as voucher.*. None: all.
  event_types       text[] not null,
  -- What deliveries are signed with, sealed under a key of the ring.
  key_id            smallint not null,
  secret_sealed     bytea not null,
  -- The previous secret signs as well until this time.
  old_key_id        smallint,
  old_secret_sealed bytea,
  old_secret_until  timestamptz,
  status            text not null check (status in ('enabled', 'disabled', 'deleted')),
  -- Why the platform disabled it, if it did.
  disabled_reason   text not null default '',
  -- The first failure since the last success.
  failing_since     timestamptz,
  -- The number of the last event about it.
  version           integer not null default 0,
  -- It receives events of this transaction and later ones.
  since             xid8 not null default pg_current_xact_id(),
  created_at        timestamptz not null,
  primary key (environment_id, id),
  check (num_nulls(old_key_id, old_secret_sealed, old_secret_until) in (0, 3))
);
alter table webhook_endpoints enable row level security;
grant select, insert, update on webhook_endpoints to scrip_server;

-- An event on its way to an endpoint.
create table webhook_deliveries (
  environment_id  uuid not null,
  endpoint_id     uuid not null,
  event_id        uuid not null,
  -- Its place in the outbox.
  event_txid      xid8 not null,
  event_number    bigint not null,
  status          text not null check (status in ('pending', 'delivered', 'failed')),
  -- In all. Tries count from the last replay, which starts over.
  attempts        smallint not null default 0,
  tries           smallint not null default 0,
  -- None: there is no further attempt.
  next_attempt_at timestamptz,
  created_at      timestamptz not null,
  primary key (endpoint_id, event_id),
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 90);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where next_attempt_at is not null;
create index webhook_deliveries_open on webhook_deliveries (endpoint_id, event_id) where status <> 'delivered';
-- For the job that deletes old events.
create index webhook_deliveries_of_event on webhook_deliveries (event_id);
alter table webhook_deliveries enable row level security;
grant select, insert, update on webhook_deliveries to scrip_server;

-- Each attempt of a delivery and its response. Removed with the event.
create table webhook_attempts (
  environment_id uuid not null,
  endpoint_id    uuid not null,
  event_id       uuid not null,
  number         smallint not null,
  at             timestamptz not null,
  duration_ms    integer not null,
  -- Of the response, if there was one; otherwise the failure gives the reason.
  status_code    smallint,
  failure        text not null,
  -- The beginning of the response.
  excerpt        text not null,
  primary key (endpoint_id, event_id, number)
);
alter table webhook_attempts enable row level security;
grant select, insert, update on webhook_attempts to scrip_server;

-- One row: up to where events have become deliveries.
create table webhook_position (
  is_only boolean primary key default true check (is_only),
  txid    xid8 not null,
  number  bigint not null
);
insert into webhook_position (txid, number) values ('0', 0);
