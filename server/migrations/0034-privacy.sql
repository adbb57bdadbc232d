-- Erasures of personal data: which are done, and how far one has come. What is erased, and where, is in server/sql/27-privacy.sql.

-- step: erasures
-- An erasure of a user's account, or of an email address everywhere. Only functions read and write it.
create table erasures (
  id           uuid primary key,
  kind         text not null check (kind in ('user', 'address')),
  -- The user, or the accounts that had the address when its erasure began.
  user_ids     uuid[] not null,
  -- Of an address: its HMAC under the pepper, by which it is found again after a restore.
  digest       bytea,
  -- What is searched for. Emptied when the erasure is finished.
  address      text not null,
  -- The step that is next, and the key after which it goes on.
  step         smallint not null default 1,
  after_key    text[],
  requested_at timestamptz not null,
  finished_at  timestamptz,
  check ((kind = 'address') = (digest is not null)),
  check (kind = 'address' or cardinality(user_ids) = 1),
  check (finished_at is null or address = '')
);
create index erasures_unfinished on erasures (id) where finished_at is null;
alter table erasures enable row level security;

-- step concurrently: invoices whose sender is still named
create index concurrently invoices_with_sender on invoices (decided_at) where email not like '%@erased.invalid';
