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
