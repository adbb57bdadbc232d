-- What is stored about a person, for the operator. Without secrets: passwords, codes, tokens and keys.

create or replace function personal_data_of_user(wanted uuid) returns table (section text, content json)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select 'account', row_to_json(r) from (select id, realm, email, username, phone, surname, other_names, avatar, language, external_id,
    reg_channel, is_active, is_discoverable, level, created_at, updated_at from users where id = wanted) r
  union all select 'sessions', row_to_json(r) from (select created_at, expires_at, ip_address, user_agent from user_sessions
    where user_id = wanted order by created_at) r
  union all select 'passkeys', row_to_json(r) from (select name, device_type, created_at from user_passkeys where user_id = wanted) r
  union all select 'browsers', row_to_json(r) from (select endpoint, created_at from push_subscriptions where user_id = wanted) r
  union all select 'blockedMerchants', row_to_json(r) from (select m.code, b.created_at from user_blocks b
    join merchants m on m.id = b.merchant_id where b.user_id = wanted) r
  union all select 'memberships', row_to_json(r) from (select m.code, b.role, b.created_at, b.last_seen_at from merchant_members b
    join merchants m on m.id = b.merchant_id where b.user_id = wanted) r
  union all select 'activity', row_to_json(r) from (select w.id, w.kind, b.currency, w.amount::text, w.with_name, w.note, w.created_at
    from wallet_moves w join ledger_books b on b.id = w.book_id where w.user_id = wanted order by w.id) r
  union all select 'requests', row_to_json(r) from (select p.id, p.note, p.expires_at, p.ended_at, b.currency, p.paid_amount::text
    from payment_requests p left join ledger_books b on b.id = p.paid_book_id where p.user_id = wanted order by p.id) r
  union all select 'payouts', row_to_json(r) from (select id, network, created_at from payouts where user_id = wanted order by id) r
  union all select 'deposits', row_to_json(r) from (select d.id, d.address, n.abbreviation as network, d.credited::text, d.ended_at
    from deposits d join networks n on n.id = d.network_id where d.user_id = wanted order by d.id) r
  union all select 'vouchers', row_to_json(r) from (select v.id, b.currency, v.amount::text, v.recipient, v.code_tail, v.created_at
    from vouchers v join ledger_books b on b.id = v.book_id
    where v.buyer_id = wanted or (v.recipient_kind = 'user' and lower(v.recipient) = wanted::text)) r
  union all select 'transactions', row_to_json(r) from (select t.id, t.reference, t.type, t.status, b.currency, t.amount::text,
    t.metadata, t.created_at from all_transactions t join ledger_books b on b.id = t.book_id where t.user_id = wanted order by t.id) r
  union all select 'actions', row_to_json(r) from (select operation, object, address, created_at from all_acts
    where user_id = wanted order by id) r
  union all select 'emails', row_to_json(r) from (select m.kind, m.recipient, m.content, m.status, m.created_at from mails m
    join users u on lower(m.recipient) = u.email where u.id = wanted and m.environment_id is null order by m.id) r;
$$;
revoke execute on function personal_data_of_user from public;
grant execute on function personal_data_of_user to scrip_operator;

-- What merchants store about an address.
create or replace function personal_data_of_address(wanted text) returns table (section text, content json)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select 'customers', row_to_json(r) from (select environment_id, id, email, name, created_at from customers
    where email_key = lower(wanted)) r
  union all select 'vouchers', row_to_json(r) from (select v.environment_id, v.id, b.currency, v.amount::text, v.recipient, v.created_at
    from vouchers v join ledger_books b on b.id = v.book_id
    where v.recipient_kind = 'email' and lower(v.recipient) = lower(wanted)) r
  union all select 'gifts', row_to_json(r) from (select environment_id, voucher_id, email, sender, message, send_at, sent_at
    from voucher_gifts where lower(email) = lower(wanted)) r
  union all select 'invoices', row_to_json(r) from (select i.environment_id, i.number, i.status, i.email, i.full_name, i.sender_number,
    i.sender_address, b.currency, i.total::text, i.reason, i.invoice_date, i.created_at,
    (select json_agg(l.description order by l.position) from invoice_items l
      where l.environment_id = i.environment_id and l.invoice_id = i.id) as lines,
    (select json_agg(a.name order by a.position) from invoice_attachments a
      where a.environment_id = i.environment_id and a.invoice_id = i.id) as attachments
    from invoices i join ledger_books b on b.id = i.book_id
    where i.email = lower(wanted)) r
  union all select 'transactions', row_to_json(r) from (select environment_id, id, reference, type, status, metadata, created_at
    from all_transactions where has_address(metadata, address_pattern(lower(wanted)))) r
  union all select 'emails', row_to_json(r) from (select environment_id, kind, recipient, content, status, created_at from mails
    where lower(recipient) = lower(wanted) and environment_id is not null) r;
$$;
revoke execute on function personal_data_of_address from public;
grant execute on function personal_data_of_address to scrip_operator;
