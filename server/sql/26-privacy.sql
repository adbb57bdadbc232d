-- Personal data: what is erased, and where. The server reads and writes none of this itself: it may start an erasure and continue it,
-- and neither chooses the rows nor what replaces a value. Nothing here touches the ledger or an amount.

-- The words -------------------------------------------------------------------------------------------------

-- A word, and as JSON writes it, and as JSON in JSON writes it.
create or replace function erasure_forms(word text) returns setof text language sql immutable as $$
  with once as (select substr(text, 2, length(text) - 2) as form from (select to_json(word)::text as text) json)
  select word union select form from once
    union select substr(to_json(form)::text, 2, length(to_json(form)::text) - 2) from once;
$$;

create or replace function erasure_literal(word text) returns text language sql immutable as $$
  select regexp_replace(word, '([][\\^$.|?*+(){}-])', '\\\1', 'g');
$$;

-- A word as a pattern. It is not found within a longer address or number; before it may be the escape of a line in JSON.
create or replace function erasure_pattern(word text) returns text language sql immutable as $$
  select '(?:(?<![[:alnum:]._%+-])|(?<=\\[nrt]))' || erasure_literal(word) || '(?![[:alnum:]_]|[.-][[:alnum:]])';
$$;

-- Replaces each of these words. One that contains a space, an @ or a leading + is replaced wherever it stands; any other only where it
-- is all of the text or of a JSON string, because a username can be an everyday word.
create or replace function erase_words(given text, words text[]) returns text language plpgsql immutable as $$
declare
  word text;
  form text;
begin
  foreach word in array words loop
    if given = word then
      return '[erased]';
    end if;
    for form in select * from erasure_forms(word) loop
      given := case when word ~ '[@ ]|^\+' then regexp_replace(given, erasure_pattern(form), '[erased]', 'gi')
        else regexp_replace(given, '(\\*")' || erasure_literal(form) || '(\\*")(?!\s*:)', '\1[erased]\2', 'g') end;
    end loop;
  end loop;
  return given;
end $$;

-- The steps -------------------------------------------------------------------------------------------------

-- Where personal data is. Each step walks a table by its primary key. `of_user` finds the rows of a user, `of_address` those with an
-- address. `change` is what becomes of them; without it they are deleted. $1 is the user, $2 the address in lower case, $3 a pattern of
-- what names this person alone, $4 the words to erase, $5 the time.
create or replace function erasure_steps() returns table (step smallint, name text, of_user text, of_address text, change text)
  language sql immutable as $$
  values
    (1::smallint, 'webhook_attempts',
      't.excerpt ~* $3 or exists (select from ledger_outbox o where o.event_id = t.event_id and o.environment_id = t.environment_id
        and strpos(o.payload::text, $1::text) > 0)',
      't.excerpt ~* $3', 'excerpt = '''''),
    (2::smallint, 'ledger_outbox', 't.payload::text ~* $3 or strpos(t.payload::text, $1::text) > 0', 't.payload::text ~* $3',
      'payload = erase_words(t.payload::text, $4)::json'),
    (3::smallint, 'mails', 'lower(t.recipient) = $2', 'lower(t.recipient) = $2', null),
    (4::smallint, 'mails',
      't.content::text ~* $3 or t.said ~* $3 or t.about_id in (select m.id from wallet_moves m where m.user_id = $1)',
      't.content::text ~* $3 or t.said ~* $3', 'content = erase_words(t.content::text, $4)::json, said = erase_words(t.said, $4)'),
    (5::smallint, 'pushes', 't.about_id in (select m.id from wallet_moves m where m.user_id = $1)', null, null),
    (6::smallint, 'request_log', 't.request_body ~* $3 or t.response_body ~* $3 or t.reference ~* $3',
      't.request_body ~* $3 or t.response_body ~* $3 or t.reference ~* $3',
      'request_body = '''', response_body = '''', address = '''', reference = erase_words(t.reference, $4)'),
    (7::smallint, 'wallet_moves', 't.user_id = $1 or t.id in (select m.id from wallet_moves m where m.user_id = $1)',
      't.with_name ~* $3 or t.note ~* $3',
      'with_name = case when $1 is null then erase_words(t.with_name, $4) else ''[erased]'' end,
        note = case when $1 is null then erase_words(t.note, $4) else '''' end'),
    (8::smallint, 'payment_requests', 't.user_id = $1', 't.note ~* $3',
      'note = case when $1 is null then erase_words(t.note, $4) else '''' end'),
    (9::smallint, 'deposit_refunds', 't.user_id = $1', 't.note ~* $3',
      'note = case when $1 is null then erase_words(t.note, $4) else '''' end'),
    (10::smallint, 'transactions', 't.user_id = $1', 't.metadata ~* $3', 'metadata = erase_words(t.metadata, $4)'),
    (11::smallint, 'archive.transactions', 't.user_id = $1', 't.metadata ~* $3', 'metadata = erase_words(t.metadata, $4)'),
    (12::smallint, 'acts', 't.user_id = $1 or t.object ~* $3 or t.object = any ($4)', 't.object ~* $3',
      'object = erase_words(t.object, $4), address = case when $1 is null then t.address else '''' end'),
    (13::smallint, 'archive.acts', 't.user_id = $1 or t.object ~* $3 or t.object = any ($4)', 't.object ~* $3',
      'object = erase_words(t.object, $4), address = case when $1 is null then t.address else '''' end'),
    -- The request of an outflow that has ended is not read again.
    (14::smallint, 'outflows',
      't.recipient ~* $3 or exists (select from payouts p where p.environment_id = t.environment_id and p.id = t.id and p.user_id = $1)',
      't.recipient ~* $3', 'recipient = ''[erased]'', request = case when t.ended_at is null then t.request else '''' end'),
    (15::smallint, 'payout_rows', 't.user_id = $1', 't.recipient ~* $3 or t.note ~* $3',
      'recipient = ''[erased]'', name = '''', note = '''''),
    (16::smallint, 'vouchers', 'strpos(t.rules::text, $1::text) > 0', 'lower(t.recipient) = $2 or t.rules::text ~* $3',
      'recipient = case when lower(t.recipient) = $2 then ''[erased]'' else t.recipient end,
        rules = erase_words(t.rules::text, $4)::json'),
    (17::smallint, 'voucher_batches', 'strpos(t.rules::text, $1::text) > 0', 't.rules::text ~* $3',
      'rules = erase_words(t.rules::text, $4)::json'),
    (18::smallint, 'voucher_gifts',
      'exists (select from vouchers v where v.environment_id = t.environment_id and v.id = t.voucher_id and v.buyer_id = $1)',
      'lower(t.email) = $2 or t.sender ~* $3 or t.message ~* $3',
      'email = case when lower(t.email) = $2 then ''[erased]'' else t.email end, sender = '''', message = '''',
        ended_at = case when lower(t.email) = $2 and t.sent_at is null then coalesce(t.ended_at, $5) else t.ended_at end'),
    (19::smallint, 'voucher_sales', null, 't.tender_reference ~* $3 or t.reason ~* $3',
      'tender_reference = erase_words(t.tender_reference, $4), reason = erase_words(t.reason, $4)'),
    (20::smallint, 'voucher_moves', null, 't.reason ~* $3', 'reason = erase_words(t.reason, $4)'),
    (21::smallint, 'shifts', null, 't.note ~* $3', 'note = erase_words(t.note, $4)'),
    (22::smallint, 'merchants', 'lower(t.contact_email) = $2', 'lower(t.contact_email) = $2', 'contact_email = '''''),
    (23::smallint, 'user_links', 't.email = $2', 't.email = $2 or t.content::text ~* $3', null),
    (24::smallint, 'user_challenges', 'strpos(t.identifier || t.value, $1::text) > 0 or t.identifier || t.value ~* $3',
      't.identifier || t.value ~* $3', null),
    -- Before invoices, which tell whose they are. What is paid is a record that the law requires: forget_invoice_senders.
    (25::smallint, 'invoice_attachments', null,
      'exists (select from invoices i where i.environment_id = t.environment_id and i.id = t.invoice_id and i.email = $2
        and i.status = ''Rejected'')', null),
    (26::smallint, 'invoice_items', null,
      'exists (select from invoices i where i.environment_id = t.environment_id and i.id = t.invoice_id and i.email = $2
        and i.status = ''Rejected'')', 'description = ''[erased]'''),
    (27::smallint, 'invoices', null, 't.email = $2 and t.status = ''Rejected''',
      'email = t.id || ''@erased.invalid'', full_name = ''[erased]'', sender_number = '''', sender_address = '''', reason = '''''),
    (28::smallint, 'customers', null, 't.email_key = $2', null);
$$;

-- Does the next page of an erasure, in the transaction of the caller. Returns whether there is more to do. A process that dies in the
-- middle loses its page and nothing else.
create or replace function erase_page(wanted uuid, asked_at timestamptz, rows_max integer) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '5s' as $$
declare
  one      erasures;
  each     record;
  found_by text;
  keys     text[];
  types    text[];
  walk     text;
  last_key text[];
  read     integer;
  words    text[];
begin
  select * into one from erasures where id = wanted and finished_at is null for update;
  if not found then return false; end if;
  select s.*, coalesce(nullif(split_part(s.name, '.', 2), ''), s.name) as base into each from erasure_steps() s
    where s.step >= one.step and case one.kind when 'user' then s.of_user else s.of_address end is not null
      -- A merchant erases what is its own.
      and (one.kind <> 'customer' or exists (select from pg_attribute a
        where a.attrelid = s.name::regclass and a.attname = 'environment_id'))
    order by s.step limit 1;
  if not found then
    update erasures set finished_at = asked_at, address = '', names = '{}', after_key = null where id = wanted;
    return false;
  end if;
  if each.step > one.step then one.after_key := null; end if;
  found_by := case one.kind when 'user' then each.of_user else each.of_address end;
  words := array_remove(one.address || one.names, '');

  select array_agg(a.attname order by k.place), array_agg(format_type(a.atttypid, null) order by k.place) into keys, types
    from pg_index i cross join unnest(i.indkey::smallint[]) with ordinality k (number, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
    where i.indrelid = format('public.%I', each.base)::regclass and i.indisprimary;
  walk := case when one.kind = 'customer' then format('t.environment_id = %L', one.environment_id) else 'true' end;
  if one.after_key is not null then
    walk := walk || format(' and (%s) > (%s)', (select string_agg('t.' || key, ', ' order by n) from unnest(keys) with ordinality k (key, n)),
      (select string_agg(format('%L::%s', one.after_key[n], type), ', ' order by n) from unnest(types) with ordinality k (type, n)));
  end if;

  execute format(
    'with page as materialized (select %1$s from %2$s t where %3$s order by %1$s limit %4$s), changed as (%5$s and (%6$s) %9$s)
      select count(*), (array_agg(array[%7$s] order by %8$s))[1:1] from page p',
    (select string_agg('t.' || key, ', ' order by n) from unnest(keys) with ordinality k (key, n)),
    each.name, walk, rows_max,
    case when each.change is null then format('delete from %s t using page p where ', each.name)
      else format('update %s t set %s from page p where ', each.name, each.change) end
      || (select string_agg(format('t.%1$s = p.%1$s', key), ' and ') from unnest(keys) key),
    found_by,
    (select string_agg(format('p.%s::text', key), ', ' order by n) from unnest(keys) with ordinality k (key, n)),
    (select string_agg(format('p.%s desc', key), ', ' order by n) from unnest(keys) with ordinality k (key, n)),
    case each.base when 'customers' then 'returning t.environment_id), counted as (
      update environment_counts c set total = c.total - 1 from changed where c.environment_id = changed.environment_id
        and c.counted = ''customers''' end)
    into read, last_key
    using case one.kind when 'user' then one.subject_id end, one.address,
      (select string_agg(erasure_pattern(word), '|') from unnest(words) word where word ~ '@|^\+'), words, asked_at;
  -- PostgreSQL has no arrays of arrays: the one key in it is taken out.
  last_key := (select array_agg(part order by n) from unnest(last_key) with ordinality k (part, n));
  update erasures set step = each.step + case when read < rows_max then 1 else 0 end,
    after_key = case when read < rows_max then null else last_key end where id = wanted;
  return true;
end $$;
revoke execute on function erase_page from public;
grant execute on function erase_page to scrip_server;

-- The requests ----------------------------------------------------------------------------------------------

-- Why the account of a user cannot be erased yet: the code of the error, or nothing.
create or replace function what_blocks_erasure(wanted uuid) returns text
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select case
    when exists (select from ledger_accounts a where a.owner_id = wanted and a.kind::text = 'wallet' and a.held <> 0) then 'ACCOUNT_HAS_HOLDS'
    when exists (select from ledger_accounts a where a.owner_id = wanted and a.kind::text = 'wallet'
      and a.balance <> 0) then 'ACCOUNT_HAS_BALANCE'
    when exists (select from payment_requests r where r.user_id = wanted and r.ended_at is null) then 'ACCOUNT_HAS_REQUESTS'
    when exists (select from deposits d where d.user_id = wanted and d.ended_at is null)
      or exists (select from deposits d join deposit_cases c on c.deposit_id = d.id
        where d.user_id = wanted and c.resolved_at is null) then 'ACCOUNT_HAS_DEPOSITS'
    when exists (select from payouts p join outflows o on o.environment_id = p.environment_id and o.id = p.id
        where p.user_id = wanted and o.ended_at is null)
      or exists (select from payout_rows r where r.user_id = wanted and r.status = 'waiting') then 'ACCOUNT_HAS_PAYOUTS'
    when exists (select from vouchers_held_by(wanted, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 10000) h
        join ledger_accounts a on a.owner_id = h.id
        where a.balance > 0 and a.kind::text in ('voucher', 'store_voucher')) then 'ACCOUNT_HAS_VOUCHERS'
    when exists (select from merchant_members m where m.user_id = wanted and m.role = 'owner'
        and not exists (select from merchant_members o where o.merchant_id = m.merchant_id and o.role = 'owner' and o.user_id <> wanted))
      then 'ACCOUNT_IS_ONLY_OWNER'
    else '' end;
$$;
revoke execute on function what_blocks_erasure from public;
grant execute on function what_blocks_erasure to scrip_server;

-- Why an address cannot be erased yet, in one environment or everywhere.
create or replace function what_blocks_address(address text, environment uuid) returns text
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select case
    when exists (select from invoices i where i.email = lower(address) and (environment is null or i.environment_id = environment)
        and i.status <> 'Rejected' and i.paid_at is null) then 'ADDRESS_HAS_INVOICES'
    when exists (select from outflows o where o.ended_at is null and lower(o.recipient) = lower(address)
        and (environment is null or o.environment_id = environment)) then 'ADDRESS_HAS_OUTFLOWS'
    else '' end;
$$;
revoke execute on function what_blocks_address from public;
grant execute on function what_blocks_address to scrip_server;

-- Starts to erase a user: the account, its sign-ins and browsers at once, the rest by erase_page. Returns why not, or nothing. To
-- repeat it does no harm.
create or replace function erase_user(new_id uuid, wanted uuid, asked_at timestamptz) returns text
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  person  users;
  blocked text;
begin
  select * into person from users where id = wanted for update;
  if not found then return 'USER_NOT_FOUND'; end if;
  -- In the order in which the ledger locks them. Nothing arrives afterwards: what is closed accepts no posting.
  perform from ledger_accounts where owner_id = wanted and kind::text = 'wallet' order by book_id for update;
  blocked := what_blocks_erasure(wanted);
  if blocked <> '' then return blocked; end if;
  update ledger_accounts set state = 'closed' where owner_id = wanted and kind::text = 'wallet' and state <> 'closed';
  insert into erasures (id, kind, subject_id, address, names, requested_at)
    select new_id, 'user', wanted, person.email, array_remove(array[
      person.other_names || ' ' || person.surname, person.surname || ' ' || person.other_names, person.other_names, person.surname,
      person.username, person.phone, person.external_id, person.avatar], null), asked_at
    where person.email not like '%@erased.invalid';
  delete from user_sessions where user_id = wanted;
  delete from user_logins where user_id = wanted;
  delete from user_passkeys where user_id = wanted;
  delete from user_two_factors where user_id = wanted;
  delete from user_pins where user_id = wanted;
  delete from user_blocks where user_id = wanted;
  delete from wallet_quotes where user_id = wanted;
  delete from merchant_members where user_id = wanted;
  delete from pushes where user_id = wanted;
  delete from push_subscriptions where user_id = wanted;
  update users set email = wanted || '@erased.invalid', username = null, phone = null, surname = '[erased]', other_names = '',
    avatar = null, external_id = '', language = 'en', is_active = false, is_discoverable = false, is_operator = false,
    two_factor_enabled = false, updated_at = asked_at where id = wanted;
  return '';
end $$;
revoke execute on function erase_user from public;
grant execute on function erase_user to scrip_server;

-- Starts to erase a customer of the merchant that the transaction acts for.
create or replace function erase_customer(new_id uuid, wanted uuid, asked_at timestamptz) returns text
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  one     customers;
  blocked text;
begin
  select * into one from customers where environment_id = scrip_environment() and id = wanted for update;
  if not found then return 'CUSTOMER_NOT_FOUND'; end if;
  blocked := what_blocks_address(one.email, one.environment_id);
  if blocked <> '' then return blocked; end if;
  insert into erasures (id, kind, environment_id, subject_id, address, names, requested_at)
    values (new_id, 'customer', one.environment_id, wanted, one.email_key, array[one.name], asked_at);
  delete from customers where environment_id = one.environment_id and id = wanted;
  update environment_counts set total = total - 1 where environment_id = one.environment_id and counted = 'customers';
  return '';
end $$;
revoke execute on function erase_customer from public;
grant execute on function erase_customer to scrip_server;

-- Starts to erase an address everywhere. For the operator.
create or replace function erase_address(new_id uuid, wanted text, known_as bytea, asked_at timestamptz) returns text
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  blocked text := what_blocks_address(wanted, null);
begin
  if blocked <> '' then return blocked; end if;
  insert into erasures (id, kind, digest, address, names, requested_at)
    select new_id, 'address', known_as, lower(wanted), coalesce(array_agg(distinct named.name) filter (where named.name <> ''), '{}'), asked_at
    from (
      select c.name from customers c where c.email_key = lower(wanted)
      union all select i.full_name from invoices i where i.email = lower(wanted)
      union all select unnest(array[u.other_names || ' ' || u.surname, u.surname || ' ' || u.other_names, u.phone]) from users u
        where u.email = lower(wanted)
    ) named;
  return '';
end $$;
revoke execute on function erase_address from public;
grant execute on function erase_address to scrip_operator;

-- The oldest erasure that is not finished.
create or replace function next_erasure() returns uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id from erasures where finished_at is null order by id limit 1;
$$;
revoke execute on function next_erasure from public;
grant execute on function next_erasure to scrip_server;

-- What was erased, without personal data: to erase it again after a restore.
create or replace function list_erasures() returns table (kind text, environment_id uuid, subject_id uuid, digest text, is_finished boolean)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select e.kind, e.environment_id, e.subject_id, encode(e.digest, 'hex'), e.finished_at is not null from erasures e order by e.id;
$$;
revoke execute on function list_erasures from public;
grant execute on function list_erasures to scrip_operator;

-- The addresses that are stored, to find erased ones again by their digests.
create or replace function stored_addresses() returns setof text
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select email_key from customers union select email from invoices where email not like '%@erased.invalid'
  union select lower(recipient) from vouchers where recipient_kind = 'email' union select lower(email) from voucher_gifts
  union select lower(recipient) from mails union select email from user_links;
$$;
revoke execute on function stored_addresses from public;
grant execute on function stored_addresses to scrip_operator;

-- Retention -------------------------------------------------------------------------------------------------

-- Decided invoices are records that tax law keeps for years. After them their senders are erased. The amounts stay.
create or replace function forget_invoice_senders(decided_before timestamptz, invoices_max integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  forgotten integer;
begin
  with old as materialized (
    select environment_id, id from invoices
    where email not like '%@erased.invalid' and decided_at < decided_before and (status = 'Rejected' or paid_at is not null)
    order by decided_at limit invoices_max
  ), files as (
    delete from invoice_attachments a using old where a.environment_id = old.environment_id and a.invoice_id = old.id
  ), lines as (
    update invoice_items i set description = '[erased]' from old where i.environment_id = old.environment_id and i.invoice_id = old.id
  )
  update invoices i set email = i.id || '@erased.invalid', full_name = '[erased]', sender_number = '', sender_address = '', reason = ''
    from old where i.environment_id = old.environment_id and i.id = old.id;
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
revoke execute on function forget_invoice_senders from public;
grant execute on function forget_invoice_senders to scrip_server;

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
