-- Personal data: what is erased, and where. The operator alone erases: none of these functions is granted to the server's role.
-- Nothing here touches an amount or a journal.

-- The words -------------------------------------------------------------------------------------------------

-- An address as a pattern. It is not found within a longer address: neither xa@b.co nor a@b.co.uk has a@b.co. Before it may be the
-- escape of a line in JSON.
create or replace function address_pattern(address text) returns text language sql immutable as $$
  select '(?:(?<![[:alnum:]._%+!#$&*''^`~\u00c0-\u1fff\u2c00-\ufeff-])|(?<=\\[nrt]))'
    || regexp_replace(address, '([][\\^$.|?*+(){}-])', '\\\1', 'g') || '(?![[:alnum:]_]|[.-][[:alnum:]])';
$$;

-- JSON that PostgreSQL can read, or nothing.
create or replace function try_jsonb(given text) returns jsonb language plpgsql immutable as $$
begin
  if given !~ '^\s*[[{]' then return null; end if;
  return given::jsonb;
exception when others then
  return null;
end $$;

-- Whether a text has the address. JSON may write any letter as an escape.
create or replace function has_address(given text, pattern text) returns boolean language plpgsql immutable as $$
begin
  return given ~* pattern or (strpos(given, '\u') > 0 and coalesce(try_jsonb(given)::text ~* pattern, false));
end $$;

-- Keys of JSON under which a whole value is about a person, and those that are about something else, whatever stands around them.
create or replace function json_key_kind(key text) returns text language sql immutable as $$
  select case when lower(regexp_replace(key, '[^A-Za-z]', '', 'g')) = any ('{name,fullname,firstname,lastname,middlename,surname,
      othernames,givenname,familyname,displayname,nickname,username,sender,recipient,payer,phone,phonenumber,mobile,telephone,note,message,
      email,emailaddress,mail,identifier,avatar,birthdate,dateofbirth,postaladdress,street}') then 'personal'
    when key ~ '(^id|Id|_id|ID)$' or lower(key) = any ('{status,state,kind,type,amount,currency,total,fee,merchant,network,reference}')
      then 'other' else '' end;
$$;

-- Walks JSON: replaces the address in every string, and whole values under personal keys, but only the address in a currency, a merchant
-- or an id. What is nested deeper than 30 levels is replaced, because the walk has a limited stack.
create or replace function erase_json(given jsonb, pattern text, about text default '', depth integer default 0)
  returns jsonb language plpgsql immutable as $$
begin
  if depth > 30 then return '"[erased]"'; end if;
  return case jsonb_typeof(given)
    when 'object' then (
      select coalesce(jsonb_object_agg(regexp_replace(key, pattern, '[erased]', 'gi'), erase_json(value, pattern,
        case when about = 'other' then about else coalesce(nullif(json_key_kind(key), ''), about) end, depth + 1)), '{}')
      from jsonb_each(given))
    when 'array' then (
      select coalesce(jsonb_agg(erase_json(value, pattern, about, depth + 1) order by place), '[]')
      from jsonb_array_elements(given) with ordinality e (value, place))
    when 'string' then case when about = 'personal' and given <> '""' then '"[erased]"'
      else to_jsonb(erase_text(given #>> '{}', pattern, depth + 1)) end
    when 'number' then case when about = 'personal' then '"[erased]"' else given end
    else given end;
end $$;

-- A text in which the address is replaced. One that is JSON is walked, and stays as it was if nothing in it changes.
create or replace function erase_text(given text, pattern text, depth integer default 0) returns text
  language plpgsql immutable as $$
declare
  parsed jsonb := try_jsonb(given);
  erased jsonb;
begin
  if parsed is null then return regexp_replace(given, pattern, '[erased]', 'gi'); end if;
  erased := erase_json(parsed, pattern, '', depth);
  return case when erased = parsed then given else erased::text end;
end $$;

-- The same for a column of JSON.
create or replace function erase_document(given json, pattern text) returns json language plpgsql immutable as $$
begin
  return case when given is null then null when try_jsonb(given::text) is null then '{}' else erase_text(given::text, pattern)::json end;
end $$;

-- The steps -------------------------------------------------------------------------------------------------

-- Value that the holder of a voucher can still spend.
create or replace function voucher_has_value(environment uuid, wanted uuid) returns boolean
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from vouchers v join ledger_accounts a on a.book_id = v.book_id and a.owner_id = v.id
      where v.environment_id = environment and v.id = wanted and a.kind::text in ('voucher', 'store_voucher') and a.balance > 0)
    or exists (select from onchain_vouchers o where o.voucher_id = wanted and o.state <> 'closed');
$$;
revoke execute on function voucher_has_value from public;

-- Where personal data is. Each step walks a table by its primary key: the rows of `walk`, which an index finds, or all of them. `found`
-- chooses rows of a page; `change` is what becomes of them, and without it they are deleted. $1 are users, $2 the address in lower
-- case, $3 its pattern, $4 when the erasure was asked for, $5 the time. Rows are found by an id or by the whole address only: names,
-- usernames and phone numbers are chosen by people, and may be the words of others.
create or replace function erasure_steps() returns table (kind text, step smallint, name text, walk text, found text, change text)
  language sql immutable as $$
  values
    -- An account: what the user did in one realm, by the indexes on users.
    ('user', 1::smallint, 'wallet_moves', 't.user_id = ($1)[1]', 'true', 'with_name = ''[erased]'', note = '''''),
    -- The other side of the same transfers. `erase_page` has its statement.
    ('user', 2, 'wallet_moves', 't.user_id = ($1)[1]', 'true', 'others'),
    ('user', 3, 'payment_requests', 't.user_id = ($1)[1]', 'true', 'note = '''''),
    ('user', 4, 'acts', 't.user_id = ($1)[1]', 'true', 'address = '''', object = erase_text(t.object, $3)'),
    ('user', 5, 'archive.acts', 't.user_id = ($1)[1]', 'true', 'address = '''', object = erase_text(t.object, $3)'),
    -- Once more: an act of a request that was still running.
    ('user', 6, 'acts', 't.user_id = ($1)[1]', 't.address <> ''''', 'address = '''', object = erase_text(t.object, $3)'),

    -- An address: whole tables.
    ('address', 1, 'webhook_attempts', 'true', 't.excerpt ~* $3', 'excerpt = '''''),
    ('address', 2, 'wallet_moves', 'true', 't.with_name ~* $3 or t.note ~* $3',
      'with_name = erase_text(t.with_name, $3), note = erase_text(t.note, $3)'),
    ('address', 3, 'payment_requests', 'true', 't.note ~* $3', 'note = erase_text(t.note, $3)'),
    ('address', 4, 'deposit_refunds', 'true', 't.user_id = any ($1) or t.note ~* $3', 'note = '''''),
    ('address', 5, 'transactions', 'true', 't.user_id = any ($1) or has_address(t.metadata, $3)',
      'metadata = erase_text(t.metadata, $3)'),
    ('address', 6, 'archive.transactions', 'true', 't.user_id = any ($1) or has_address(t.metadata, $3)',
      'metadata = erase_text(t.metadata, $3)'),
    ('address', 7, 'archive.acts', 'true', 't.object ~* $3', 'object = erase_text(t.object, $3)'),
    -- What waits is still read, and what is open prevents an erasure of its recipient.
    ('address', 8, 'outflows', 'true',
      't.ended_at is not null and (t.recipient ~* $3 or exists (
        select from payouts p where p.environment_id = t.environment_id and p.id = t.id and p.user_id = any ($1)
        union all select from deposit_refunds r where r.environment_id = t.environment_id and r.id = t.id and r.user_id = any ($1)))',
      'recipient = ''[erased]'', request = '''''),
    ('address', 9, 'payout_rows', 'true',
      't.status <> ''waiting'' and (t.user_id = any ($1) or t.recipient ~* $3 or t.note ~* $3)',
      'recipient = ''[erased]'', name = '''', note = '''''),
    -- A voucher that has value keeps its recipient, who alone can spend it.
    ('address', 10, 'vouchers', 'true',
      '(t.recipient_kind = ''email'' and lower(t.recipient) = $2 and not voucher_has_value(t.environment_id, t.id))
        or names_person(t.rules::text, $1, $3)',
      'recipient = case when t.recipient_kind = ''email'' and lower(t.recipient) = $2
          and not voucher_has_value(t.environment_id, t.id) then ''[erased]'' else t.recipient end,
        rules = erase_document(t.rules, $3)'),
    ('address', 11, 'voucher_batches', 'true', 'names_person(t.rules::text, $1, $3)', 'rules = erase_document(t.rules, $3)'),
    -- A gift that was not sent is not touched.
    ('address', 12, 'voucher_gifts', 'true',
      '(t.sent_at is not null or t.ended_at is not null) and (lower(t.email) = $2 or t.sender ~* $3 or t.message ~* $3 or exists (
        select from vouchers v where v.environment_id = t.environment_id and v.id = t.voucher_id and v.buyer_id = any ($1)))',
      'email = case when lower(t.email) = $2 then ''[erased]'' else t.email end, sender = '''', message = '''''),
    ('address', 13, 'voucher_sales', 'true', 't.tender_reference ~* $3 or t.reason ~* $3',
      'tender_reference = erase_text(t.tender_reference, $3), reason = erase_text(t.reason, $3)'),
    ('address', 14, 'voucher_moves', 'true', 't.reason ~* $3', 'reason = erase_text(t.reason, $3)'),
    ('address', 15, 'shifts', 'true', 't.note ~* $3', 'note = erase_text(t.note, $3)'),
    ('address', 16, 'merchants', 'true', 'lower(t.contact_email) = $2', 'contact_email = '''''),
    ('address', 17, 'user_links', 'true', 't.email = $2', null),
    ('address', 18, 'user_challenges', 'true', 'names_person(t.identifier || '' '' || t.value, $1, $3)', null),
    -- Before invoices, which tell whose they are. What is paid is a record that the law requires: erase_invoice_senders.
    ('address', 19, 'invoice_attachments', 'true',
      'exists (select from invoices i where i.environment_id = t.environment_id and i.id = t.invoice_id and i.email = $2
        and i.status = ''Rejected'')', null),
    ('address', 20, 'invoice_items', 'true',
      'exists (select from invoices i where i.environment_id = t.environment_id and i.id = t.invoice_id and i.email = $2
        and i.status = ''Rejected'')', 'description = ''[erased]'''),
    ('address', 21, 'invoices', 'true', 't.email = $2 and t.status = ''Rejected''',
      'email = t.id || ''@erased.invalid'', full_name = ''[erased]'', sender_number = '''', sender_address = '''', reason = '''''),
    -- A customer that was added since is a new one.
    ('address', 22, 'customers', 'true', 't.email_key = $2 and t.created_at <= $4', null),
    -- Twice, because rows are added behind the walk while it goes on.
    ('address', 30, 'ledger_outbox', 'true', 'names_person(t.payload::text, $1, $3)', 'payload = erase_document(t.payload, $3)'),
    ('address', 40, 'ledger_outbox', 'true', 'names_person(t.payload::text, $1, $3)', 'payload = erase_document(t.payload, $3)'),
    -- A code that waits to be sent is not deleted, because it can be worth money.
    ('address', 31, 'mails', 'true', 'lower(t.recipient) = $2 and t.secret_sealed is null', null),
    ('address', 41, 'mails', 'true', 'lower(t.recipient) = $2 and t.secret_sealed is null', null),
    ('address', 32, 'mails', 'true', 't.status <> ''pending'' and (has_address(t.content::text, $3) or t.said ~* $3)',
      'content = erase_document(t.content, $3), said = erase_text(t.said, $3)'),
    ('address', 42, 'mails', 'true', 't.status <> ''pending'' and (has_address(t.content::text, $3) or t.said ~* $3)',
      'content = erase_document(t.content, $3), said = erase_text(t.said, $3)'),
    ('address', 33, 'request_log', 'true',
      'has_address(t.request_body, $3) or has_address(t.response_body, $3) or t.reference ~* $3',
      'request_body = '''', response_body = '''', address = '''', reference = erase_text(t.reference, $3)'),
    ('address', 43, 'request_log', 'true',
      'has_address(t.request_body, $3) or has_address(t.response_body, $3) or t.reference ~* $3',
      'request_body = '''', response_body = '''', address = '''', reference = erase_text(t.reference, $3)'),
    ('address', 34, 'acts', 'true', 't.object ~* $3', 'object = erase_text(t.object, $3)'),
    ('address', 44, 'acts', 'true', 't.object ~* $3', 'object = erase_text(t.object, $3)');
$$;

-- Whether a text has the address or the id of one of the users.
create or replace function names_person(given text, users uuid[], pattern text) returns boolean language sql immutable as $$
  select has_address(given, pattern) or exists (select from unnest(users) id where strpos(given, id::text) > 0);
$$;

-- Does the next page of an erasure, in the transaction of the caller, and returns 'more', 'done', or 'busy' while another process has
-- it. It gives way to payments before PostgreSQL looks for a deadlock, which it does after a second.
create or replace function erase_page(wanted uuid, at timestamptz, rows_max integer) returns text
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '500ms' as $$
declare
  one       erasures;
  each      record;
  keys      text[];
  types     text[];
  walk      text;
  key_list  text;
  same_key  text;
  statement text;
  last_key  text[];
  read      integer;
begin
  select * into one from erasures where id = wanted and finished_at is null for update skip locked;
  if not found then
    return case when exists (select from erasures where id = wanted and finished_at is null) then 'busy' else 'done' end;
  end if;
  select s.*, coalesce(nullif(split_part(s.name, '.', 2), ''), s.name) as base into each from erasure_steps() s
    where s.kind = one.kind and s.step >= one.step order by s.step limit 1;
  if not found then
    update erasures set finished_at = at, address = '', after_key = null,
      user_ids = case one.kind when 'user' then one.user_ids else '{}' end where id = wanted;
    return 'done';
  end if;
  if each.step > one.step then one.after_key := null; end if;

  select array_agg(a.attname order by k.place), array_agg(format_type(a.atttypid, null) order by k.place) into keys, types
    from pg_index i cross join unnest(i.indkey::smallint[]) with ordinality k (number, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
    where i.indrelid = format('public.%I', each.base)::regclass and i.indisprimary;
  key_list := (select string_agg('t.' || key, ', ' order by n) from unnest(keys) with ordinality k (key, n));
  same_key := (select string_agg(format('t.%1$s = p.%1$s', key), ' and ') from unnest(keys) key);
  walk := each.walk;
  if one.after_key is not null then
    walk := walk || format(' and (%s) > (%s)', key_list,
      (select string_agg(format('%L::%s', one.after_key[n], type), ', ' order by n) from unnest(types) with ordinality k (type, n)));
  end if;
  statement := case
    when each.change = 'others' then 'update wallet_moves o set with_name = ''[erased]'', note = '''' from page p
      join all_transfers x on x.journal_id = p.id
      where o.id = p.id and o.user_id in (x.from_owner, x.to_owner) and o.user_id <> all ($1)'
    when each.base = 'customers' then format('delete from customers t using page p where %s and (%s) returning t.environment_id), counted as (
      update environment_counts c set total = c.total - 1 from changed where c.environment_id = changed.environment_id
        and c.counted = ''customers''', same_key, each.found)
    when each.change is null then format('delete from %s t using page p where %s and (%s)', each.name, same_key, each.found)
    else format('update %s t set %s from page p where %s and (%s)', each.name, each.change, same_key, each.found) end;
  execute format(
    'with page as materialized (select %1$s from %2$s t where %3$s order by %1$s limit %4$s), changed as (%5$s)
      select count(*), (array_agg(array[%6$s] order by %7$s))[1:1] from page p',
    key_list, each.name, walk, rows_max, statement,
    (select string_agg(format('p.%s::text', key), ', ' order by n) from unnest(keys) with ordinality k (key, n)),
    (select string_agg(format('p.%s desc', key), ', ' order by n) from unnest(keys) with ordinality k (key, n)))
    into read, last_key using one.user_ids, one.address, address_pattern(one.address), one.requested_at, at;
  -- PostgreSQL has no arrays of arrays: the one key in it is taken out.
  last_key := (select array_agg(part order by n) from unnest(last_key) with ordinality k (part, n));
  update erasures set step = each.step + case when read < rows_max then 1 else 0 end,
    after_key = case when read < rows_max then null else last_key end where id = wanted;
  return 'more';
end $$;
revoke execute on function erase_page from public;
grant execute on function erase_page to scrip_operator;

-- Retention -------------------------------------------------------------------------------------------------

-- Decided invoices are records that tax law keeps for years. After them their senders are erased. The amounts stay. The five years are
-- a guard against a wrong date, so they count by the database's own clock; the years of the law are the caller's.
create or replace function erase_invoice_senders(decided_before timestamptz, invoices_max integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  erased integer;
begin
  with old as materialized (
    select environment_id, id from invoices
    where email not like '%@erased.invalid' and decided_at < least(decided_before, now() - interval '5 years')
      and (status = 'Rejected' or paid_at is not null)
    order by decided_at limit invoices_max
  ), files as (
    delete from invoice_attachments a using old where a.environment_id = old.environment_id and a.invoice_id = old.id
  ), lines as (
    update invoice_items i set description = '[erased]' from old where i.environment_id = old.environment_id and i.invoice_id = old.id
  )
  update invoices i set email = i.id || '@erased.invalid', full_name = '[erased]', sender_number = '', sender_address = '', reason = ''
    from old where i.environment_id = old.environment_id and i.id = old.id;
  get diagnostics erased = row_count;
  return erased;
end $$;
revoke execute on function erase_invoice_senders from public;
grant execute on function erase_invoice_senders to scrip_operator;

-- The archive -----------------------------------------------------------------------------------------------

-- What is archived never changes, except that words about a person are replaced.
create or replace function archive_check_change() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - tg_argv[0]::text[] <> to_jsonb(old) - tg_argv[0]::text[] then
    raise exception 'ledger: % on % is refused: what is archived never changes', tg_op, tg_table_name
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create or replace trigger archived_change before update on archive.transactions
  for each row execute function archive_check_change('{metadata}');
create or replace trigger archived_change before update on archive.acts
  for each row execute function archive_check_change('{object,address}');
