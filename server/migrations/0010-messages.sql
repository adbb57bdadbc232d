-- Emails and web pushes. They are written in the commit of what they are about, and sent by the worker.

-- An email that waits, was sent or failed.
create table mails (
  id              uuid primary key,
  -- The environment that sends it. None: it is for a user, not for a merchant's customer.
  environment_id  uuid references merchant_environments,
  -- What it is about, such as a transaction.
  about_id        uuid not null,
  recipient       text not null check (recipient <> ''),
  language        text not null check (language in ('en', 'fr')),
  kind            text not null,
  -- The values of its text. Never a secret.
  content         json not null,
  -- A code that it carries, sealed under a key of the ring, and deleted as soon as it is sent or given up.
  key_id          smallint,
  secret_sealed   bytea,
  status          text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  attempts        smallint not null default 0,
  -- None: there is no further attempt.
  next_attempt_at timestamptz,
  -- The mail server's last response.
  said            text not null default '',
  created_at      timestamptz not null,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (num_nulls(key_id, secret_sealed) in (0, 2) and (status = 'pending' or secret_sealed is null))
);
create index mails_due on mails (next_attempt_at) where next_attempt_at is not null;
create index mails_about on mails (environment_id, about_id);
alter table mails enable row level security;
grant select on mails to scrip_server;
grant insert (id, environment_id, about_id, recipient, language, kind, content, key_id, secret_sealed, next_attempt_at, created_at)
  on mails to scrip_server;

-- A browser that a user wants pushes in: where to send them, and what to encrypt them with.
create table push_subscriptions (
  id         uuid primary key,
  user_id    uuid not null references users,
  endpoint   text not null unique,
  p256dh     text not null,
  auth       text not null,
  created_at timestamptz not null
);
create index push_subscriptions_by_user on push_subscriptions (user_id, id);
alter table push_subscriptions enable row level security;
grant select, delete on push_subscriptions to scrip_server;

-- A push that waits for its browser, until it is sent or expires. Only the functions of this area read and write it.
create table pushes (
  subscription_id uuid not null references push_subscriptions on delete cascade,
  -- What it is about, such as a payment request.
  about_id        uuid not null,
  user_id         uuid not null,
  payload         text not null,
  expires_at      timestamptz not null,
  attempts        smallint not null default 0,
  next_attempt_at timestamptz not null,
  primary key (subscription_id, about_id)
);
create index pushes_due on pushes (next_attempt_at);
create index pushes_by_user on pushes (user_id);
alter table pushes enable row level security;
