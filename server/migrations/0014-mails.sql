-- E-mail: what is to be sent, to whom, and what became of it. Written in the commit of what it tells, sent by the worker.

create table mails (
  id              uuid primary key,
  -- Whose it is.
  environment_id  uuid not null references merchant_environments,
  -- What it is about, such as a transaction.
  about_id        uuid not null,
  recipient       text not null check (recipient <> ''),
  language        text not null check (language in ('en', 'fr')),
  kind            text not null,
  -- What it says. Never a secret.
  content         json not null,
  -- A code that it carries, sealed under a key of the ring, and forgotten as soon as it is sent or given up.
  key_id          smallint,
  secret_sealed   bytea,
  status          text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  attempts        smallint not null default 0,
  -- None: nothing more is to be done.
  next_attempt_at timestamptz,
  -- What the mail server said last.
  said            text not null default '',
  created_at      timestamptz not null,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (num_nulls(key_id, secret_sealed) in (0, 2) and (status = 'pending' or secret_sealed is null))
);
create index mails_due on mails (next_attempt_at) where next_attempt_at is not null;
create index mails_about on mails (environment_id, about_id);

alter table mails enable row level security;
create policy mails_of_environment on mails for select using (environment_id = scrip_environment());
create policy mails_written on mails for insert with check (true);
grant select on mails to scrip_server;
grant insert (id, environment_id, about_id, recipient, language, kind, content, key_id, secret_sealed, next_attempt_at, created_at)
  on mails to scrip_server;

-- Whoever's they are. One worker at a time asks.
create function due_mails(asked_at timestamptz, limit_rows integer) returns setof mails
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select * from mails where next_attempt_at <= asked_at order by next_attempt_at limit limit_rows;
$$;

-- What became of an attempt. Without a next one it was the last.
create function note_mail(wanted uuid, is_sent boolean, next_at timestamptz, answer text) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update mails set attempts = attempts + 1, said = answer, next_attempt_at = next_at,
    status = case when is_sent then 'sent' when next_at is null then 'failed' else 'pending' end,
    key_id = case when next_at is not null then key_id end,
    secret_sealed = case when next_at is not null then secret_sealed end
  where id = wanted;
$$;

-- People's addresses are kept no longer than events. Ids rise with time, so the oldest come first.
create function forget_mails(asked_at timestamptz, mails_max integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  forgotten integer;
begin
  delete from mails m using (select id, created_at from mails order by id limit mails_max) oldest
    where m.id = oldest.id and oldest.created_at < asked_at - interval '30 days';
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
revoke execute on function due_mails, note_mail, forget_mails from public;
grant execute on function due_mails, note_mail, forget_mails to scrip_server;

alter table merchants
  -- Where the merchant is told what concerns its keys and endpoints. Empty: nowhere.
  add column contact_email text not null default '',
  -- What it reads, and its customers unless it says otherwise.
  add column language text not null default 'en' check (language in ('en', 'fr'));

-- Everything that is sealed, not vouchers alone.
drop function key_ring_use;
create function key_ring_use() returns table (key_id smallint, what text, rows bigint, sample_id uuid, sample_sealed bytea)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select distinct on (what, key_id) key_id, what, count(*) over (partition by what, key_id), id, sealed
  from (
    select v.key_id, 'vouchers' as what, v.id, v.code_sealed as sealed from vouchers v
    union all
    select w.key_id, 'webhook secrets', w.id, w.secret_sealed from webhook_endpoints w where w.status <> 'deleted'
    union all
    select w.old_key_id, 'webhook secrets', w.id, w.old_secret_sealed from webhook_endpoints w
      where w.status <> 'deleted' and w.old_key_id is not null
    union all
    select m.key_id, 'mails', m.id, m.secret_sealed from mails m where m.secret_sealed is not null
    union all
    select b.key_id, 'imports', b.id, b.rows_sealed from voucher_batches b where b.rows_sealed is not null
  ) used
  order by what, key_id, id desc;
$$;
revoke execute on function key_ring_use from public;
grant execute on function key_ring_use to scrip_server;
