-- Live updates: whose and about what the next events are, for whoever looks at a page. Not what they say.
create function events_after(after_txid xid8, after_number bigint, events_max integer)
  returns table (txid xid8, number bigint, environment_id uuid, object_id uuid)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select o.txid, o.id, o.environment_id, o.object_id from ledger_outbox o
    where (o.txid, o.id) > (after_txid, after_number) and o.txid < pg_snapshot_xmin(pg_current_snapshot())
    order by o.txid, o.id limit events_max;
end $$;
revoke execute on function events_after from public;
grant execute on function events_after to scrip_server;

-- For the owner, after a logical restore into another PostgreSQL, whose transactions are numbered anew: the stored numbers would be ahead
-- of it, and nothing would be told until it had caught up. What was handed out stays handed out, what was not is.
create function restart_events() returns void language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update ledger_outbox o set txid = case when (o.txid, o.id) > (p.txid, p.number) then '1' else '0' end::xid8 from webhook_position p;
  update webhook_deliveries d set event_txid = o.txid from ledger_outbox o where o.event_id = d.event_id;
  update webhook_endpoints set since = '0';
  update webhook_position set txid = '0', number = 9223372036854775807;
end $$;
revoke execute on function restart_events from public;

-- An event's number is never given out twice.
create trigger ledger_accounts_version before update of version on ledger_accounts
  for each row when (new.version < old.version) execute function ledger_refuse('a version only rises');
